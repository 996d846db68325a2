"""A log server that behaves as the platform's does, over TCP, UDP and HTTP (reference keboola 1.6)."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import time
import zlib
from typing import Literal

EMPTY_FOR_PHP = (None, "", "0", 0, 0.0, False, [])
LARGEST_EVENT = 65_536
ANSWER = b"HTTP/1.1 202 Accepted\r\nConnection: Keep-Alive\r\nContent-Type: application/json\r\n\r\n"


class PlatformLogServer:
    """Accepts GELF and keeps `events`; what the platform drops or fails on is in `dropped` and `failed`."""

    def __init__(self, kind: Literal["tcp", "udp", "http"] = "tcp") -> None:
        self.kind = kind
        self.container_id = f"{socket.gethostname()}0123456789abcdef"
        self.events: list[dict[str, object]] = []
        self.dropped: list[dict[str, object]] = []
        self.failed: list[str] = []
        self.connections: list[socket.socket] = []
        self.chunks: dict[bytes, list[bytes]] = {}
        if kind == "udp":
            self._listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self._listening.bind(("127.0.0.1", 0))
        else:
            self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = str(self._listening.getsockname()[1])
        self._thread = threading.Thread(target=self._receive if kind == "udp" else self._serve)
        self._thread.start()

    # --- how events arrive ---

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections.append(connection)
            with contextlib.suppress(OSError):  # the test hung up
                (self._read_frames if self.kind == "tcp" else self._read_request)(connection)

    def _read_frames(self, connection: socket.socket) -> None:
        pending = b""
        while received := connection.recv(65536):
            *frames, pending = (pending + received).split(b"\0")
            for frame in frames:
                self._take(frame)
        if pending:
            self.failed.append(f"frame without end: {pending[:80]!r}")

    def _read_request(self, connection: socket.socket) -> None:
        """The platform's server looks for a Content-Length, reads so many bytes, and never unpacks them."""
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(65536)
        head, _, body = received.partition(b"\r\n\r\n")
        lengths = [line for line in head.split(b"\r\n") if line.startswith(b"Content-Length: ")]
        if not lengths:
            self.failed.append("Unknown content length.")
            return
        while len(body) < int(lengths[0].split()[1]):
            body += connection.recv(65536)
        self._take(body)
        connection.sendall(ANSWER)  # without a length, and the connection stays open

    def _receive(self) -> None:
        while datagram := self._listening.recv(65536):
            self._decode(datagram)

    def _decode(self, data: bytes) -> None:
        """Only packed data is understood; chunks are put together as they come, at the one with the last number."""
        if data[0] == 0x78:
            self._take(zlib.decompress(data))
        elif data[0] == 0x1F:
            self._take(gzip.decompress(data))
        elif data[0] == 0x1E:
            self.chunks.setdefault(data[:10], []).append(data[12:])
            if data[10] == data[11] - 1:
                self._decode(b"".join(self.chunks.pop(data[:10])))
        else:
            self.failed.append(f"Unknown message type. {data[:80]!r}")

    # --- what becomes of them ---

    def _take(self, frame: bytes) -> None:
        if len(frame) > LARGEST_EVENT:
            self.failed.append(f"event of {len(frame)} bytes")
            return
        try:
            event = json.loads(frame.decode("utf-8"))
        except ValueError:
            self.failed.append(f"Invalid message: {frame[:80]!r}")
            return
        complete = all(event.get(key) not in EMPTY_FOR_PHP for key in ("host", "level", "timestamp", "short_message"))
        kept = complete and self.container_id.startswith(str(event["host"]))
        (self.events if kept else self.dropped).append(event)

    def wait_for(self, count: int, seconds: float = 5.0) -> list[dict[str, object]]:
        deadline = time.monotonic() + seconds
        while len(self.events) + len(self.dropped) + len(self.failed) < count and time.monotonic() < deadline:
            time.sleep(0.005)
        return self.events

    # --- how it ends ---

    def hang_up(self) -> None:
        for connection in self.connections:
            connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self.connections.clear()

    def stop(self) -> None:
        if self.kind == "udp":
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waking:
                waking.sendto(b"", self._listening.getsockname())
        else:
            self._listening.shutdown(socket.SHUT_RDWR)
            self._close_all()
        self._thread.join(5)
        self._listening.close()
        self._close_all()

    def _close_all(self) -> None:
        for connection in self.connections:
            with contextlib.suppress(OSError):  # the other side was faster
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
