"""GELF by the platform's rules (reference keboola 1.6): a message is never one that the platform drops or fails on.

pygelf makes the messages. They travel by ways of our own, TCP, UDP or HTTP: its handler for TCP drops what it cannot
send, the one for HTTP compresses, which the platform's server cannot read, and never looks at the answer; none bounds
the time that a name server may take. The platform says where its server is
(KBC_LOGGER_ADDR, KBC_LOGGER_PORT) but not of which type: that is fixed when a component is registered
(docs/configuration.md).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import queue
import socket
import threading
import zlib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from pygelf import gelf

from component.report.messages.record import EVENT_BYTES, TRIMMED, LogServerError

CONNECT_SECONDS: Final = 2.0
SEND_SECONDS: Final = 2.0
CHUNK_BYTES: Final = 1300
"""Of a datagram, so that with all headers it passes through an Ethernet unbroken."""

UNREACHABLE: Final = (OSError, ValueError, OverflowError, http.client.HTTPException)
"""What a bad address, a bad port or a dead server raise."""


class Transport(Protocol):
    """A way to a log server; what it raises is one of `UNREACHABLE`, after a bounded time."""

    def send(self, message: bytes) -> None:
        """Send one message, a JSON text."""

    def close(self) -> None:
        """Let go of the connection, if there is one."""


class Tcp:
    """One connection for the whole run; every message ends with a NUL (reference keboola 1.6)."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._socket: socket.socket | None = None

    def send(self, message: bytes) -> None:
        """Send one message."""
        if self._socket is None:
            self._socket = connect(*self._address, CONNECT_SECONDS)
        elif _is_closed(self._socket):
            raise ConnectionResetError("it closed the connection")
        self._socket.settimeout(SEND_SECONDS)
        self._socket.sendall(message + b"\0")

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()


class Udp:
    """Datagrams; the platform's server takes compressed ones only, and chunks only in their order.

    Nobody says whether they arrive: only a host that refuses them is noticed.
    """

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._socket: socket.socket | None = None

    def send(self, message: bytes) -> None:
        """Send one message, in chunks if it is long."""
        if self._socket is None:
            self._socket = within(CONNECT_SECONDS, lambda: _udp_socket(*self._address))
        self._socket.settimeout(SEND_SECONDS)
        packed = zlib.compress(message)
        chunks = [packed] if len(packed) <= CHUNK_BYTES else gelf.split(packed, CHUNK_BYTES)
        for chunk in chunks:
            self._socket.send(chunk)
        if refused := self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError(refused, "it refused a datagram")

    def close(self) -> None:
        """Let go of the socket."""
        if self._socket is not None:
            self._socket.close()


class Http:
    """One request for each message: the platform's server answers without a length, so nothing can follow it."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)

    def send(self, message: bytes) -> None:
        """Send one message and wait until it is accepted."""
        connection = http.client.HTTPConnection(*self._address, timeout=SEND_SECONDS)
        connection.sock = connect(*self._address, CONNECT_SECONDS)
        connection.sock.settimeout(SEND_SECONDS)
        with contextlib.closing(connection):
            connection.request("POST", "/gelf", message, {"Content-Type": "application/json"})
            with connection.getresponse() as answer:
                if answer.status >= http.client.MULTIPLE_CHOICES:
                    raise ConnectionError(f"it answered {answer.status}")

    def close(self) -> None:
        """Nothing is kept open."""


def _is_closed(connection: socket.socket) -> bool:
    """Tell whether the server has hung up: the first send after that would seem to succeed, and be lost."""
    connection.setblocking(False)
    try:
        return not connection.recv(4096)
    except BlockingIOError:
        return False


def _udp_socket(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    opened = socket.socket(family, kind, protocol)
    try:
        opened.connect(address)
    except OSError:
        opened.close()
        raise
    return opened


def connect(host: str, port: int, seconds: float) -> socket.socket:
    """Open a TCP connection within `seconds`; raise OSError, or what a malformed address raises."""
    return within(seconds, lambda: socket.create_connection((host, port), timeout=seconds))


def within(seconds: float, dial: Callable[[], socket.socket]) -> socket.socket:
    """Return what `dial` opens, or raise TimeoutError after `seconds`.

    The time holds for the resolution of a name too, which no socket timeout bounds: a thread dials and is left behind
    if it is late.
    """
    answers: queue.SimpleQueue[socket.socket | Exception] = queue.SimpleQueue()
    late = threading.Event()

    def answer() -> None:
        try:
            opened = dial()
        except UNREACHABLE as error:
            answers.put(error)
            return
        if late.is_set():
            opened.close()
        else:
            answers.put(opened)

    threading.Thread(target=answer, name="gelf-connect", daemon=True).start()
    try:
        found = answers.get(timeout=seconds)
    except queue.Empty:
        late.set()
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(found, Exception):
        raise found
    return found


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
