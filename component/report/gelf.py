"""GELF over TCP by the platform's rules (reference keboola 1.6), on pygelf.

pygelf frames and packs; what it lacks is here: a record that cannot be sent is not lost, a dead server costs a bounded
time, and a frame is never one that the platform drops or fails on.
"""

from __future__ import annotations

import json
import logging
import queue
import socket
import threading
from bisect import bisect_right
from typing import Final

from pygelf import GelfTcpHandler

from component.report.log import TRIMMED, LogServerError

CONNECT_SECONDS: Final = 2.0
SEND_SECONDS: Final = 2.0
DEFAULT_PORT: Final = 12201
TEXT_BYTES: Final = 90_000
"""Most JSON bytes of each of the two texts of a frame: a frame above 200 KB fails the job."""

_UNREACHABLE: Final = (OSError, ValueError, OverflowError)
"""What a bad address, a bad port or a dead server raise."""


class GelfHandler(GelfTcpHandler):  # type: ignore[misc] # pygelf has no types
    """Sends records to the platform's log server.

    `emit` raises LogServerError once the server cannot be used, after at most `CONNECT_SECONDS` or `SEND_SECONDS`.
    """

    def __init__(self, host: str, port: str) -> None:
        super().__init__(host=host, port=port or str(DEFAULT_PORT))
        self.sock: socket.socket | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record."""
        frame = self.makePickle(_acceptable(record))
        try:
            self._deliver(frame)
        except _UNREACHABLE as error:
            raise LogServerError(f"The log server {self.host}:{self.port} cannot be used ({error})") from error

    def _deliver(self, frame: bytes) -> None:
        if self.sock is None:
            self.sock = connect(self.host, int(self.port), CONNECT_SECONDS)
        elif _is_closed(self.sock):
            raise ConnectionResetError("it closed the connection")
        self.sock.settimeout(SEND_SECONDS)
        self.sock.sendall(frame)


def _is_closed(connection: socket.socket) -> bool:
    """Tell whether the server has hung up: the first send after that would seem to succeed, and be lost."""
    connection.setblocking(False)
    try:
        return not connection.recv(4096)
    except BlockingIOError:
        return False


def connect(host: str, port: int, seconds: float) -> socket.socket:
    """Open a TCP connection within `seconds`; raise OSError, or what a malformed address raises.

    The time holds for the resolution of the name too, which no socket timeout bounds: a thread does both and is left
    behind if it is late.
    """
    answers: queue.SimpleQueue[socket.socket | Exception] = queue.SimpleQueue()
    late = threading.Event()

    def dial() -> None:
        try:
            opened = socket.create_connection((host, port), timeout=seconds)
        except _UNREACHABLE as error:
            answers.put(error)
            return
        if late.is_set():
            opened.close()
        else:
            answers.put(opened)

    threading.Thread(target=dial, name="gelf-connect", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        late.set()
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _acceptable(record: logging.LogRecord) -> logging.LogRecord:
    """Return the record with texts that the platform neither drops nor fails on."""
    accepted = logging.makeLogRecord(record.__dict__)
    accepted.msg = _within(_not_empty(record.getMessage()))
    accepted.exc_text = _within(record.exc_text) if record.exc_text else None
    return accepted


def _not_empty(text: str) -> str:
    """Return a text that PHP's `empty` does not take for empty: the platform drops "" and "0"."""
    if not text.strip():
        return "(no text)"
    return f"({text})" if text == "0" else text


def _within(text: str) -> str:
    """Cut a text whose JSON form is longer than `TEXT_BYTES`: 60,000 characters may be 720,000 bytes in JSON."""
    if len(json.dumps(text)) <= TEXT_BYTES:
        return text
    room = TEXT_BYTES - len(TRIMMED)
    kept = bisect_right(range(1, len(text) + 1), room, key=lambda length: len(json.dumps(text[:length])))
    return f"{text[:kept]}{TRIMMED}"
