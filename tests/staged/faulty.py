"""A way to a server that goes wrong on purpose, and counts what is asked for."""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass
class Fault:
    """What happens to the next requests for a path that ends so: an answer of its own, or a body that breaks off."""

    path: str
    times: int
    status: int = 0
    code: str = ""
    cut_at: int | None = None


@dataclass
class FaultyWay:
    """Passes requests on to `server`, all but those that a fault is meant for. `asked` are the paths and ranges."""

    server: str
    endpoint: str = ""
    faults: list[Fault] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def next_fault(self, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times and path.endswith(fault.path):
                fault.times -= 1
                return fault
        return None

    def bytes_asked(self) -> int:
        """How many bytes all ranges together have."""
        ends = [text.removeprefix("bytes=").split("-") for _, text in self.asked]
        return sum(int(last) + 1 - int(first) for first, last in ends)


def _handler(way: FaultyWay) -> type[BaseHTTPRequestHandler]:
    host = urlsplit(way.server).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            way.asked.append((path, self.headers.get("Range", "")))
            fault = way.next_fault(path)
            if fault and fault.status:
                body = f"<Error><Code>{fault.code}</Code><Message>secret words</Message></Error>".encode()
                self._answer(fault.status, {"Content-Type": "application/xml"}, body)
                return
            onward = http.client.HTTPConnection(host, timeout=10)
            onward.request("GET", self.path, headers=dict(self.headers))  # the signature covers the host as it was
            answer = onward.getresponse()
            body = answer.read()
            onward.close()
            self._answer(answer.status, dict(answer.getheaders()), body, cut_at=fault.cut_at if fault else None)

        def _answer(self, status: int, headers: dict[str, str], body: bytes, *, cut_at: int | None = None) -> None:
            self.send_response_only(status)
            for name, value in headers.items():
                if name.lower() not in {"content-length", "transfer-encoding", "connection"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if cut_at is None else body[:cut_at])
            self.close_connection = cut_at is not None

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


@contextlib.contextmanager
def faulty_way(server: str) -> Iterator[FaultyWay]:
    way = FaultyWay(server)
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _handler(way))
    listening.daemon_threads = True
    way.endpoint = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield way
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
