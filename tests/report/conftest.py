"""A log server that behaves as the platform's does (reference keboola 1.6)."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time

import pytest

EMPTY_FOR_PHP = (None, "", "0", 0, 0.0, False, [])
LARGEST_FRAME = 200_000


class PlatformLogServer:
    """Accepts GELF over TCP and keeps `events`; what the platform drops or fails on is in `dropped` and `failed`."""

    def __init__(self) -> None:
        self.container_id = f"{socket.gethostname()}0123456789abcdef"
        self.events: list[dict[str, object]] = []
        self.dropped: list[dict[str, object]] = []
        self.failed: list[str] = []
        self.connections: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = str(self._listening.getsockname()[1])
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections.append(connection)
            pending = b""
            try:
                while received := connection.recv(65536):
                    *frames, pending = (pending + received).split(b"\0")
                    for frame in frames:
                        self._take(frame)
            except OSError:
                pass  # the test hung up
            if pending:
                self.failed.append(f"frame without end: {pending[:80]!r}")

    def _take(self, frame: bytes) -> None:
        if len(frame) > LARGEST_FRAME:
            self.failed.append(f"frame of {len(frame)} bytes")
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

    def hang_up(self) -> None:
        for connection in self.connections:
            connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self.connections.clear()

    def stop(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._close_all()
        self._thread.join(5)
        self._close_all()

    def _close_all(self) -> None:
        for connection in self.connections:
            with contextlib.suppress(OSError):  # the other side was faster
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


@pytest.fixture
def log_server():
    server = PlatformLogServer()
    yield server
    server.stop()
