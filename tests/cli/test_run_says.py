"""What a run says, and where: exit codes, one sentence on stderr, one JSON document on stdout, and never a secret."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.cli import run as cli
from component.cli.main import app
from component.cli.run import Voice, run_folder
from component.config.environment import Environment
from component.config.load import parse_config
from component.errors import Place, UserError
from component.report.results.summary import OutputSummary, RunSummary
from component.report.words.masking import printable
from component.runner.interrupts import SIGNALS, Interrupted
from tests.report.log_server import PlatformLogServer
from tests.strategies.config_documents import KEYS, documents
from tests.strategies.json_values import changed

ROOT = Path(__file__).parents[2]
SUMMARY = RunSummary((), (OutputSummary("t", 1, 0, 5, "out.c-a.t", "manifest"),), (("plan", 0.1),), 0.2)


def configure(folder, document):
    (folder / "config.json").write_text(json.dumps(document))


@pytest.fixture(autouse=True)
def signals():
    """Take back what a run that was interrupted leaves until its process ends."""
    before = {one: signal.getsignal(one) for one in SIGNALS}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.fixture
def runs(monkeypatch):
    """Put a function in the place of the run itself; it gets the environment, the configuration and the log."""

    def put(function):
        def in_place(environment, config, voice, start):
            return function(environment, config, voice.log)

        monkeypatch.setattr(cli, "_run_logged", in_place)

    return put


# --- exit codes ---


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UserError("config.value", "Wrong"), 1),
        (ZeroDivisionError("deep"), 2),
        (MemoryError(), 2),
        (KeyboardInterrupt(), 2),
        (Interrupted(15), 143),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_every_end_has_its_code_and_one_sentence_without_a_trace(tmp_path, capfd, runs, error, code, as_json):
    def fail(*_):
        raise error

    configure(tmp_path, {})
    runs(fail)
    assert run_folder({}, tmp_path, as_json=as_json) == code
    seen = capfd.readouterr()
    assert seen.err.count("\n") == 1
    assert "Traceback" not in seen.err
    assert len(seen.err) <= 4001


def test_a_green_run_says_nothing_on_stderr_whatever_it_warns_of(tmp_path, capfd, runs):
    def warn(environment, config, log):
        log.warning("look at this")
        log.error("and at that", details="more")
        return SUMMARY

    configure(tmp_path, {})
    runs(warn)
    assert run_folder({}, tmp_path) == 0
    seen = capfd.readouterr()
    assert seen.err == ""
    assert seen.out.startswith("warning: look at this\nerror: and at that\nmore\n0 datasets, 1 output")
    assert run_folder({}, tmp_path, as_json=True) == 0
    seen = capfd.readouterr()
    assert seen.err == ""
    assert json.loads(seen.out)["log"] == [
        {"level": "warning", "text": "look at this"},
        {"level": "error", "text": "and at that", "details": "more"},
    ]


def test_a_failure_is_one_document_too(tmp_path, capfd, runs):
    def fail(environment, config, log):
        log.warning("before")
        raise UserError("config.value", "Wrong", remedy="Mend it.")

    configure(tmp_path, {})
    runs(fail)
    assert run_folder({}, tmp_path, as_json=True) == 1
    seen = capfd.readouterr()
    assert json.loads(seen.out) == {
        "error": {"code": "config.value", "text": "Wrong. Mend it."},
        "log": [{"level": "warning", "text": "before"}],
    }
    assert seen.err == "Wrong. Mend it.\n"


def test_the_details_of_a_fault_are_in_the_document_under_its_id(tmp_path, capfd, runs):
    configure(tmp_path, {})
    runs(lambda *_: 1 // 0)
    assert run_folder({}, tmp_path, as_json=True) == 2
    document = json.loads(capfd.readouterr().out)
    (detailed,) = document["log"]
    assert document["error"]["code"] == "internal"
    assert detailed["text"].split()[1].strip(":") in document["error"]["text"]
    assert "ZeroDivisionError" in detailed["details"]


# --- streams that are not there ---


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"])
def test_a_stream_that_is_closed_or_full_changes_no_exit_code(tmp_path, redirection):
    configure(tmp_path, {"parameters": {"wrong": 1}})
    command = f'"{sys.executable}" -m component run --data "{tmp_path}" {redirection}'
    ended = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr + ended.stdout


def test_a_reader_of_the_document_that_has_gone_changes_no_exit_code(tmp_path, runs, monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    configure(tmp_path, {})
    runs(lambda *_: SUMMARY)
    monkeypatch.setattr(sys, "stdout", os.fdopen(writing, "w", buffering=1))
    assert run_folder({}, tmp_path, as_json=True) == 0
    with pytest.raises(BrokenPipeError):
        sys.stdout.close()


# --- where the log goes ---


@pytest.mark.parametrize("kind", ["tcp", "udp", "http"])
@pytest.mark.parametrize("said_by", ["address", "operator"])
def test_the_log_goes_to_the_server_of_the_kind_that_it_is(tmp_path, capfd, runs, kind, said_by):
    def speak(environment, config, log):
        log.info("hello")
        return SUMMARY

    server = PlatformLogServer(kind)
    try:
        configure(tmp_path, {"image_parameters": {"logger": kind if said_by == "operator" else None}})
        runs(speak)
        address = f"{kind}://127.0.0.1" if said_by == "address" else "127.0.0.1"
        assert run_folder({"KBC_LOGGER_ADDR": address, "KBC_LOGGER_PORT": server.port}, tmp_path) == 0
        texts = [event["short_message"] for event in server.wait_for(2)]
    finally:
        server.stop()
    assert texts[0] == "hello"
    assert texts[1].startswith("0 datasets, 1 output")
    assert (server.dropped, server.failed) == ([], [])
    assert capfd.readouterr() == ("", "")


# --- secrets ---

hidden_values = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=6, max_size=12).filter(str.strip),
    min_size=1,
    max_size=3,
    unique=True,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hidden=hidden_values, document=changed(documents, KEYS), as_json=st.booleans(), fails=st.booleans())
def test_no_secret_is_in_anything_that_is_printed(tmp_path, runs, hidden, document, as_json, fails):
    """Secrets of the configuration, wherever they are in it, and the token, in messages, errors and summaries."""
    token, *marked = hidden
    text = " ".join(hidden)

    def speak(environment, config, log):
        log.info(f"reading {text}", details=json.dumps(text))
        log.warning(f"odd: {text!r}")
        if fails:
            raise UserError("cell.type", f"Not {text}", place=Place(table=text, value=text * 9), remedy=text)
        return replace(SUMMARY, outputs=(replace(SUMMARY.outputs[0], name=text, destination=text, rule=text),))

    runs(speak)
    if isinstance(document, dict):
        document = {**document, "tomorrow": {"#x": [{"y": marked}]}}
        configure(tmp_path, document)
        written = said(tmp_path, {"KBC_TOKEN": token}, as_json)
        for secret in hidden:
            assert printable(secret) not in written.replace("[hidden]", "\n")


def said(folder, variables, as_json):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        run_folder(variables, folder, as_json=as_json)
    return out.getvalue() + err.getvalue()


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_a_conversion_draws_its_progress_on_a_terminal(tmp_path, monkeypatch):
    drawn = []

    def carry_out(_source, _target, _options, log, progress, **_more):
        drawn.append((log.screen is not None, type(progress).__name__, progress.view().name))
        return SUMMARY

    monkeypatch.setattr("component.convert.convert.convert", carry_out)
    monkeypatch.setattr(sys, "stdout", Terminal(io.BytesIO(), encoding="utf-8"))
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "a.csv").write_text("a\n1\n")
    app(["convert", str(tmp_path / "a.csv"), str(tmp_path / "a.parquet")], standalone_mode=False)
    assert drawn == [(True, "ScreenProgress", "plan")]


def test_secrets_stay_hidden_when_the_log_moves(capfd):
    voice = Voice(as_json=False)
    voice.log.hide(["first-secret"])
    voice.speak_to(Environment(), parse_config({}))
    voice.log.hide(["staging-secret"])
    voice.log.info("first-secret, staging-secret")
    assert capfd.readouterr().out == "[hidden], [hidden]\n"


@pytest.mark.parametrize("action", ["", None])
def test_an_action_without_a_name_is_a_run(tmp_path, capfd, runs, action):
    runs(lambda *_: SUMMARY)
    configure(tmp_path, {"action": action})
    assert run_folder({}, tmp_path) == 0
    assert "1 output" in capfd.readouterr().out
