"""GELF by the platform's rules (reference keboola 1.6): a message is never one that the platform drops or fails on.

pygelf makes the messages; how they travel is in `component.report.transports`. The platform says where its server is
(KBC_LOGGER_ADDR, KBC_LOGGER_PORT) but not of which type: that is fixed when a component is registered
(docs/configuration.md).
"""

from __future__ import annotations

import json
import logging
import socket
from bisect import bisect_right
from collections.abc import Mapping
from typing import Final

from pygelf import gelf

from component.report.record import EVENT_BYTES, TRIMMED, LogServerError
from component.report.transports import UNREACHABLE, Http, Tcp, Transport, Udp

DEFAULT_PORT: Final = 12201
FRAME_BYTES: Final = 1000
"""Left for everything but the two texts of a message."""
TRANSPORTS: Final[Mapping[str, type[Tcp | Udp | Http]]] = {"tcp": Tcp, "udp": Udp, "http": Http}


class GelfHandler(logging.Handler):
    """Sends records to the platform's log server.

    `emit` raises LogServerError once the server cannot be used, after a bounded time.
    """

    def __init__(self, transport: Transport, name: str) -> None:
        super().__init__()
        self._transport = transport
        self._name = name
        self._host = socket.gethostname()  # the platform compares it with the container's id

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record."""
        message = gelf.make(_acceptable(record), self._host, False, "1.1", None, None)
        try:
            self._transport.send(gelf.pack(message, False, str))
        except UNREACHABLE as error:
            raise LogServerError(f"The log server {self._name} cannot be used ({error})") from error

    def close(self) -> None:
        """Let go of the connection, if there is one."""
        self._transport.close()
        super().close()


def open_gelf(kind: str, host: str, port: int | None) -> GelfHandler:
    """Return a handler for a server of a kind: tcp, udp or http. Nothing is connected before the first record."""
    number = port or DEFAULT_PORT
    return GelfHandler(TRANSPORTS[kind](host, number), f"{host}:{number}")


def _acceptable(record: logging.LogRecord) -> logging.LogRecord:
    """Return the record with texts that the platform neither drops nor fails on."""
    accepted = logging.makeLogRecord(record.__dict__)
    message, details = _not_empty(record.getMessage()), record.exc_text or ""
    room = EVENT_BYTES - FRAME_BYTES
    accepted.msg = _within(message, max(room // 2, room - _size(details)))
    accepted.exc_text = _within(details, room - _size(accepted.msg)) or None
    return accepted


def _not_empty(text: str) -> str:
    """Return a text that PHP's `empty` does not take for empty: the platform drops "" and "0"."""
    if not text.strip():
        return "(no text)"
    return f"({text})" if text == "0" else text


def _size(text: str) -> int:
    return len(json.dumps(text))


def _within(text: str, room: int) -> str:
    """Cut a text whose JSON form is longer than `room` bytes: 60,000 characters may be 720,000 bytes in JSON."""
    if _size(text) <= room:
        return text
    left = room - len(TRIMMED)
    kept = bisect_right(range(1, len(text) + 1), left, key=lambda length: _size(text[:length]))
    return f"{text[:kept]}{TRIMMED}"
