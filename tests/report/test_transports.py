from __future__ import annotations

import io
import random
import socket
import threading
import time
from contextlib import closing, contextmanager

import pytest

from component.report.messages import gelf
from component.report.messages.opening import open_log
from component.report.messages.record import MESSAGE_LIMIT

LOCAL = "127.0.0.1"


@contextmanager
def answering(reply):
    """A server of HTTP that says one thing, whatever it is asked; nothing at all for None."""
    with socket.create_server((LOCAL, 0)) as listening:

        def serve():
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                if reply is None:
                    done.wait(10)
                else:
                    connection.sendall(reply)

        done = threading.Event()
        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        done.set()
        thread.join(5)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", "it answered 500"),
        (b"HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "it answered 301"),
        (b"what?\r\n\r\n", "what?"),
        (b"HTTP/1.1 \r\n\r\n", ""),
    ],
)
def test_an_answer_that_accepts_nothing_is_a_failure(reply, why):
    with answering(reply) as port, pytest.raises(gelf.UNREACHABLE, match=r".") as caught:
        gelf.Http(LOCAL, port).send(b"{}")
    assert why in str(caught.value)


def test_a_server_that_does_not_answer_is_given_up(monkeypatch):
    monkeypatch.setattr(gelf, "SEND_SECONDS", 0.1)
    began = time.monotonic()
    with answering(None) as port, pytest.raises(TimeoutError):
        gelf.Http(LOCAL, port).send(b"{}")
    assert time.monotonic() - began < 2


def test_a_server_that_stops_reading_holds_the_run_up_once(monkeypatch):
    monkeypatch.setattr(gelf, "SEND_SECONDS", 0.2)
    stream = io.StringIO()
    with (
        socket.create_server((LOCAL, 0)) as listening,
        open_log(logger_addr=LOCAL, logger_port=listening.getsockname()[1], stream=stream) as log,
    ):
        began = time.monotonic()
        for _ in range(300):  # 18 MB, more than the buffers between hold
            log.info("x" * MESSAGE_LIMIT)
        assert time.monotonic() - began < 5
    assert stream.getvalue().count("cannot be used") == 1


@pytest.mark.parametrize("kind", ["tcp", "udp", "http"])
def test_a_name_server_that_does_not_answer_holds_the_run_up_for_a_bounded_time(monkeypatch, kind):
    answered = threading.Event()

    def resolve(*_args, **_options):
        answered.wait(10)
        raise OSError("no answer at all")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(gelf, "CONNECT_SECONDS", 0.1)
    stream = io.StringIO()
    began = time.monotonic()
    with open_log(logger_addr="slow.invalid", logger_type=kind, stream=stream) as log:
        log.info("on we go")
    assert time.monotonic() - began < 2
    answered.set()
    first, second = stream.getvalue().splitlines()
    assert "slow.invalid:12201 cannot be used (no answer within 0.1 s)" in first
    assert second == "on we go"


def test_a_connection_that_comes_too_late_is_closed(log_server, monkeypatch):
    dial, opened, go_on = socket.create_connection, [], threading.Event()

    def slow(*args, **options):
        go_on.wait(10)
        opened.append(dial(*args, **options))
        return opened[0]

    monkeypatch.setattr(socket, "create_connection", slow)
    with pytest.raises(TimeoutError):
        gelf.connect(LOCAL, int(log_server.port), 0.05)
    go_on.set()
    deadline = time.monotonic() + 5
    while not (opened and opened[0].fileno() == -1) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert opened[0].fileno() == -1


def test_no_datagram_is_larger_than_what_passes_unbroken():
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
        closing(gelf.Udp(LOCAL, _bound(server))) as udp,
    ):
        udp.send(random.Random(1).randbytes(10_000))
        sizes = []
        server.settimeout(0.2)
        while True:
            try:
                sizes.append(len(server.recv(65536)))
            except TimeoutError:
                break
    assert len(sizes) > 1
    assert max(sizes) == gelf.CHUNK_BYTES + 12


def _bound(server):
    server.bind((LOCAL, 0))
    return server.getsockname()[1]
