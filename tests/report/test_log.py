from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.report.messages.log import silent_log
from component.report.messages.opening import open_log
from component.report.messages.record import EVENT_BYTES, MESSAGE_LIMIT
from component.report.words.masking import HIDDEN, printable

LEVELS = ("debug", "info", "warning", "error")


def test_warnings_and_errors_go_to_stdout_and_nothing_to_stderr(capfd):
    with open_log() as log:
        log.info("reading")
        log.warning("no manifest")
        log.error("stopped", details="line 1\nline 2")
    written = capfd.readouterr()
    assert written.out == "reading\nwarning: no manifest\nerror: stopped\nline 1\nline 2\n"
    assert written.err == ""


def test_a_plain_log_does_not_pay_for_what_it_does_not_use():
    messages, results = "component.report.messages", "component.report.results"
    rooms = f"{messages}.opening, {messages}.failure, {results}.summary_text, component.cli.run"
    heavy = "{'rich', 'pygelf', 'http.client', 'ssl'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", f"import sys, {rooms}; sys.exit(bool({heavy}))"], check=True)


def test_debug_messages_are_written_only_when_asked_for():
    usual, verbose = io.StringIO(), io.StringIO()
    open_log(stream=usual).debug("inside")
    open_log(stream=verbose, debug=True).debug("inside")
    assert (usual.getvalue(), verbose.getvalue()) == ("", "debug: inside\n")


def test_percent_signs_are_not_taken_for_formats():
    stream = io.StringIO()
    open_log(stream=stream).info("100 %s done %(x)d")
    assert stream.getvalue() == "100 %s done %(x)d\n"


def test_other_loggers_are_untouched(capfd):
    before = (list(logging.root.handlers), logging.root.level, dict(logging.root.manager.loggerDict))
    with open_log() as log:
        log.info("ours")
        logging.getLogger("somebody").info("theirs")
    assert (list(logging.root.handlers), logging.root.level) == before[:2]
    assert "tablemill" not in logging.root.manager.loggerDict
    assert capfd.readouterr().out == "ours\n"


@given(
    hidden=st.lists(st.text(min_size=4, max_size=10), min_size=1, max_size=3),
    around=st.text(max_size=10),
    level=st.sampled_from(LEVELS),
    late=st.booleans(),
)
def test_a_secret_never_occurs_in_what_is_written(hidden, around, level, late):
    stream = io.StringIO()
    log = open_log(stream=stream, debug=True, secrets=() if late else hidden)
    if late:
        log.hide(hidden)
    text = around.join([*hidden, json.dumps(hidden)])
    getattr(log, level)(text, details=text[::-1] + text)
    written = stream.getvalue().removeprefix(f"{level}: ").split(HIDDEN)
    for secret in hidden:
        assert not any(printable(secret) in line for piece in written for line in _of_one_text(piece, secret))


def _of_one_text(piece: str, secret: str) -> list[str]:
    """Message and details are masked apart; the newline between and after them is no part of a secret."""
    return piece.split("\n") if "\n" in secret else [piece.strip("\n")]


def test_a_secret_is_hidden_before_the_text_is_cut():
    stream = io.StringIO()
    secret = "s3cr3t-token"
    open_log(stream=stream, secrets=[secret]).info("x" * (MESSAGE_LIMIT - 20) + secret * 3)
    assert "s3cr" not in stream.getvalue()


def test_a_message_is_cut_to_the_limit_of_the_platform():
    stream = io.StringIO()
    open_log(stream=stream).info("x" * 100_000)
    line = stream.getvalue().removesuffix("\n")
    assert len(line) == MESSAGE_LIMIT
    assert line.endswith("x [trimmed]")


@pytest.mark.parametrize("character", ["x", "ž", "\N{SNAKE}", "\n"])
@pytest.mark.parametrize("shape", [(100_000, 0), (100, 100_000), (100_000, 100_000), (100_000, 100)])
def test_an_event_is_within_the_limit_of_the_platform_and_its_message_is_the_last_to_be_cut(character, shape):
    stream = io.StringIO()
    message, details = (character * length for length in shape)
    open_log(stream=stream).info(f"begun{message}", details=details)
    assert len(stream.getvalue().encode()) <= EVENT_BYTES + 2
    assert stream.getvalue().startswith(f"begun{character * 100}")
    assert ("[trimmed]" in stream.getvalue()) == (max(shape) > 100)


def test_all_that_is_hidden_can_be_handed_on():
    log = silent_log(["first-secret"])
    log.hide(["second-secret", ""])
    assert log.secrets == {"first-secret", "second-secret"}
    assert log.mask("first-secret, second-secret") == "[hidden], [hidden]"


def test_a_name_that_is_not_utf8_can_be_logged():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    open_log(stream=stream).info(os.fsdecode(b"caf\xe9"))
    stream.seek(0)
    assert stream.read() == "caf\\udce9\n"


@pytest.mark.parametrize("terminal", [False, True])
def test_a_stream_of_another_encoding_gets_what_it_can_hold(terminal):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    open_log(stream=stream, terminal=terminal).info("Žluť …")
    stream.seek(0)
    assert stream.read() == "\\u017dlu\\u0165 \\u2026\n"


def test_a_reader_that_has_gone_fails_nothing(capfd):
    reading, writing = os.pipe()
    os.close(reading)
    stream = os.fdopen(writing, "w", encoding="utf-8", buffering=1)
    log = open_log(stream=stream)
    log.info("nobody listens")
    log.info("still nobody")
    with pytest.raises(BrokenPipeError):
        stream.close()
    log.info("closed")
    assert capfd.readouterr().err == ""


def test_a_silent_log_says_nothing_and_still_masks(capfd):
    with silent_log(["token"]) as log:
        log.error("no", details="nothing")
        assert log.mask("a token") == "a [hidden]"
    assert capfd.readouterr() == ("", "")


def test_lines_of_several_threads_stay_whole():
    stream = io.StringIO()
    log = open_log(stream=stream)
    threads = [threading.Thread(target=lambda n=n: [log.info(str(n) * 50) for _ in range(50)]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(stream.getvalue().split()) == sorted(str(n) * 50 for n in range(4) for _ in range(50))
