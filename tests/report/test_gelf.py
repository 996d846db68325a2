from __future__ import annotations

import io
import socket
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.report.messages import gelf
from component.report.messages.opening import open_log
from component.report.messages.record import MESSAGE_LIMIT
from component.report.words.masking import HIDDEN, printable

LOCAL = "127.0.0.1"


def speak_to(server, **more):
    return open_log(logger_addr=LOCAL, logger_port=int(server.port), logger_type=server.kind, **more)


def test_messages_reach_the_platform_and_nothing_is_printed(any_log_server, capfd):
    server = any_log_server
    with speak_to(server, debug=True) as log:
        log.debug("a")
        log.info("b")
        log.warning("c")
        log.error("d", details="Traceback\nof many lines")
        events = server.wait_for(4)
    assert [(event["short_message"], event["level"]) for event in events] == [("a", 7), ("b", 6), ("c", 4), ("d", 3)]
    assert events[3]["full_message"] == "Traceback\nof many lines"
    assert all(event["host"] == socket.gethostname() and event["version"] == "1.1" for event in events)
    assert "full_message" not in events[0]
    assert (server.dropped, server.failed) == ([], [])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "sent"),
    [("", "(no text)"), (" \n", "(no text)"), ("0", "(0)"), ("a\0b", "a\\x00b"), ("\udce9", "\\udce9")],
)
def test_a_text_that_the_platform_would_drop_is_sent_as_one_that_it_keeps(any_log_server, text, sent):
    with speak_to(any_log_server) as log:
        log.info(text)
        assert [event["short_message"] for event in any_log_server.wait_for(1)] == [sent]
    assert (any_log_server.dropped, any_log_server.failed) == ([], [])


@pytest.mark.parametrize("char", ["x", "\n", "ž", "\N{SNAKE}"])
def test_a_long_message_stays_within_what_an_event_may_be(any_log_server, char):
    server = any_log_server
    long = "a" + char * 100_000
    with speak_to(server) as log:
        log.error(long, details=long)
        log.info("after")
        events = server.wait_for(2)
    assert server.failed == []
    assert len(events[0]["short_message"]) <= MESSAGE_LIMIT
    assert events[0]["short_message"].endswith(f"{char} [trimmed]")
    assert events[0]["full_message"].endswith(f"{char} [trimmed]")
    assert events[1]["short_message"] == "after"


def test_a_message_that_no_packing_makes_shorter_travels_in_chunks(any_log_server):
    text = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(9_000))
    with speak_to(any_log_server) as log:
        log.info(text)
        assert [event["short_message"] for event in any_log_server.wait_for(1)] == [text]


def test_a_text_is_cut_no_shorter_than_needed(log_server):
    with speak_to(log_server) as log:
        log.info("\N{SNAKE}" * 10_000)
    sent = log_server.wait_for(1)[0]["short_message"]
    room = gelf.EVENT_BYTES - gelf.FRAME_BYTES - len('""') - len(' [trimmed]""')
    assert len(sent.removesuffix(" [trimmed]")) == room // len("\\ud83d\\udc0d")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(hidden=st.lists(st.text(min_size=4, max_size=8), min_size=1, max_size=3), around=st.text(max_size=8))
def test_a_secret_never_occurs_in_what_is_sent(log_server, hidden, around):
    known = len(log_server.events)
    text = around.join(["(", *hidden, ")"])
    with speak_to(log_server, secrets=hidden) as log:
        log.error(text, details=text)
    event = log_server.wait_for(known + 1)[known]
    for secret in hidden:
        for key in ("short_message", "full_message"):
            assert not any(printable(secret) in piece for piece in event[key].split(HIDDEN))


# --- servers that are not what they should be ---


@pytest.mark.parametrize("kind", ["tcp", "udp", "http"])
def test_a_dead_server_costs_one_line_and_the_messages_go_to_stdout(capfd, kind):
    with socket.create_server((LOCAL, 0)) as listening:
        port = listening.getsockname()[1]
    began = time.monotonic()
    with open_log(logger_addr=LOCAL, logger_port=port, logger_type=kind, secrets=["token"]) as log:
        log.info("first token")
        log.info("second")
    assert time.monotonic() - began < 2
    refused, *rest = capfd.readouterr().out.splitlines()
    assert refused.startswith(f"warning: The log server 127.0.0.1:{port} cannot be used")
    assert refused.endswith("messages go to stdout from here.")
    assert rest == ["first [hidden]", "second"]


@pytest.mark.parametrize("kind", ["tcp", "udp", "http"])
@pytest.mark.parametrize(
    ("addr", "port"), [(LOCAL, 70000), ("a" * 70, 1), ("no-such-host.invalid", 12201), ("a..b", 1)]
)
def test_an_address_that_means_nothing_falls_back_to_stdout(capfd, kind, addr, port):
    with open_log(logger_addr=addr, logger_port=port, logger_type=kind) as log:
        log.info("still here")
    written = capfd.readouterr()
    assert written.out.splitlines()[1:] == ["still here"]
    assert written.err == ""


def test_a_server_that_goes_away_loses_no_message(log_server):
    stream = io.StringIO()
    with speak_to(log_server, stream=stream) as log:
        log.info("one")
        log_server.wait_for(1)
        log_server.hang_up()
        log.info("two")
        log.info("three")
    assert [event["short_message"] for event in log_server.events] == ["one"]
    assert stream.getvalue().splitlines()[1:] == ["two", "three"]
    assert stream.getvalue().count("cannot be used") == 1


def test_a_server_of_another_kind_loses_no_message(log_server):
    stream = io.StringIO()
    port = int(log_server.port)
    with open_log(logger_addr=LOCAL, logger_port=port, logger_type="http", stream=stream) as log:
        log.info("over http to a server of tcp")
    assert stream.getvalue().splitlines()[1:] == ["over http to a server of tcp"]
