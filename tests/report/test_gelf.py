from __future__ import annotations

import io
import socket
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.report import gelf
from component.report.log import MESSAGE_LIMIT, open_log
from component.report.masking import HIDDEN, printable

LOCAL = "127.0.0.1"


def test_messages_reach_the_platform_and_nothing_is_printed(log_server, capfd):
    with open_log(logger_addr=LOCAL, logger_port=log_server.port, debug=True) as log:
        log.debug("a")
        log.info("b")
        log.warning("c")
        log.error("d", details="Traceback\nof many lines")
    events = log_server.wait_for(4)
    assert [(event["short_message"], event["level"]) for event in events] == [("a", 7), ("b", 6), ("c", 4), ("d", 3)]
    assert events[3]["full_message"] == "Traceback\nof many lines"
    assert all(event["host"] == socket.gethostname() and event["version"] == "1.1" for event in events)
    assert "full_message" not in events[0]
    assert (log_server.dropped, log_server.failed) == ([], [])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "sent"),
    [("", "(no text)"), (" \n", "(no text)"), ("0", "(0)"), ("a\0b", "a\\x00b"), ("\udce9", "\\udce9")],
)
def test_a_text_that_the_platform_would_drop_is_sent_as_one_that_it_keeps(log_server, text, sent):
    with open_log(logger_addr=LOCAL, logger_port=log_server.port) as log:
        log.info(text)
    assert [event["short_message"] for event in log_server.wait_for(1)] == [sent]
    assert (log_server.dropped, log_server.failed) == ([], [])


@pytest.mark.parametrize("char", ["x", "\n", "ž", "\N{SNAKE}"])
def test_a_long_message_stays_within_what_a_job_survives(log_server, char):
    long = "a" + char * 100_000
    with open_log(logger_addr=LOCAL, logger_port=log_server.port) as log:
        log.error(long, details=long)
        log.info("after")
    events = log_server.wait_for(2)
    assert log_server.failed == []
    assert len(events[0]["short_message"]) <= MESSAGE_LIMIT
    assert events[0]["short_message"].endswith(f"{char} [trimmed]")
    assert events[0]["full_message"].endswith(f"{char} [trimmed]")
    assert events[1]["short_message"] == "after"


def test_a_text_is_cut_no_shorter_than_needed(log_server):
    with open_log(logger_addr=LOCAL, logger_port=log_server.port) as log:
        log.info("\N{SNAKE}" * 10_000)
    sent = log_server.wait_for(1)[0]["short_message"]
    assert len(sent.removesuffix(" [trimmed]")) == (gelf.TEXT_BYTES - len(' [trimmed]""')) // len("\\ud83d\\udc0d")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(hidden=st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=3), around=st.text(max_size=8))
def test_a_secret_never_occurs_in_what_is_sent(log_server, hidden, around):
    known = len(log_server.events)
    text = around.join(["(", *hidden, ")"])
    with open_log(logger_addr=LOCAL, logger_port=log_server.port, secrets=hidden) as log:
        log.error(text, details=text)
    event = log_server.wait_for(known + 1)[known]
    for secret in hidden:
        for key in ("short_message", "full_message"):
            assert not any(printable(secret) in piece for piece in event[key].split(HIDDEN))


def test_a_dead_server_costs_one_line_and_the_messages_go_to_stdout(capfd):
    with socket.create_server((LOCAL, 0)) as listening:
        port = str(listening.getsockname()[1])
    began = time.monotonic()
    with open_log(logger_addr=LOCAL, logger_port=port, secrets=["token"]) as log:
        log.info("first token")
        log.info("second")
    assert time.monotonic() - began < gelf.CONNECT_SECONDS
    refused, *rest = capfd.readouterr().out.splitlines()
    assert refused.startswith(f"warning: The log server 127.0.0.1:{port} cannot be used")
    assert refused.endswith("messages go to stdout from here.")
    assert rest == ["first [hidden]", "second"]


@pytest.mark.parametrize(
    ("addr", "port"),
    [(LOCAL, "no number"), (LOCAL, "70000"), ("a" * 70, "1"), ("no-such-host.invalid", "12201"), ("a..b", "1")],
)
def test_an_address_that_means_nothing_falls_back_to_stdout(capfd, addr, port):
    with open_log(logger_addr=addr, logger_port=port) as log:
        log.info("still here")
    written = capfd.readouterr()
    assert written.out.splitlines()[1:] == ["still here"]
    assert written.err == ""


def test_a_server_that_goes_away_loses_no_message(log_server):
    stream = io.StringIO()
    with open_log(logger_addr=LOCAL, logger_port=log_server.port, stream=stream) as log:
        log.info("one")
        log_server.wait_for(1)
        log_server.hang_up()
        log.info("two")
        log.info("three")
    assert [event["short_message"] for event in log_server.events] == ["one"]
    assert stream.getvalue().splitlines()[1:] == ["two", "three"]
    assert stream.getvalue().count("cannot be used") == 1


def test_a_server_that_stops_reading_holds_the_run_up_once(monkeypatch):
    monkeypatch.setattr(gelf, "SEND_SECONDS", 0.2)
    stream = io.StringIO()
    with (
        socket.create_server((LOCAL, 0)) as listening,
        open_log(logger_addr=LOCAL, logger_port=str(listening.getsockname()[1]), stream=stream) as log,
    ):
        began = time.monotonic()
        for _ in range(300):  # 18 MB, more than the buffers between hold
            log.info("x" * MESSAGE_LIMIT)
        assert time.monotonic() - began < 5
    assert stream.getvalue().count("cannot be used") == 1


def test_a_name_server_that_does_not_answer_holds_the_run_up_for_a_bounded_time(monkeypatch):
    answered = threading.Event()

    def resolve(*_args, **_options):
        answered.wait(10)
        raise OSError("no answer at all")

    monkeypatch.setattr(socket, "create_connection", resolve)
    monkeypatch.setattr(gelf, "CONNECT_SECONDS", 0.1)
    stream = io.StringIO()
    began = time.monotonic()
    with open_log(logger_addr="slow.invalid", stream=stream) as log:
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
