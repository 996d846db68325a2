from __future__ import annotations

import os
import sys
import time

import psutil
import pytest

from component.errors import UserError
from component.replay import process
from component.replay.process import KEPT_BYTES, KILLED, Command, Ended, run_command
from component.replay.verdict import MESSAGE_LIMIT, NO_MESSAGE, OUT_OF_MEMORY, judge


def run(tmp_path, *words, timeout=20.0, **environment):
    command = Command(words, {"PATH": os.environ["PATH"], **environment}, tmp_path, timeout)
    return run_command(command, tmp_path)


def test_output_and_exit_code_are_those_of_the_command(tmp_path):
    ended = run(tmp_path, "sh", "-c", "echo out; echo err >&2; echo $NAME; pwd; exit 3", NAME="value")
    assert (ended.exit_code, ended.stdout, ended.stderr) == (3, f"out\nvalue\n{tmp_path}\n", "err\n")
    assert not ended.timed_out


def test_a_command_that_dies_of_a_signal_says_so(tmp_path):
    assert run(tmp_path, "sh", "-c", "kill -TERM $$").exit_code == 128 + 15


def test_a_command_gets_nothing_but_its_own_environment_and_no_input(tmp_path):
    assert run(tmp_path, "sh", "-c", "cat; env", A="1").stdout.count("=") <= 5


def test_a_command_that_takes_too_long_is_killed_with_its_children(tmp_path):
    begun = time.monotonic()
    ended = run(tmp_path, "sh", "-c", "(sleep 30; touch late) & trap '' TERM; sleep 30", timeout=0.3)
    assert (ended.exit_code, ended.timed_out) == (KILLED, True)
    assert time.monotonic() - begun < 10


def test_children_that_are_left_behind_are_ended(tmp_path):
    program = (
        "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    )
    child = int(run(tmp_path, sys.executable, "-c", program).stdout)
    deadline = time.monotonic() + 5
    while is_alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_alive(number):
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_output_is_cut_and_made_text(tmp_path):
    ended = run(tmp_path, sys.executable, "-c", "import os; os.write(1, b'\\xff' + b'x' * 100_000)")
    assert ended.stdout.endswith("x [trimmed]")
    assert (ended.stdout[0], len(ended.stdout)) == ("\ufffd", 60_000 + len(" [trimmed]"))


def test_an_output_without_end_does_not_fill_the_disk(tmp_path):
    ended = run(tmp_path, sys.executable, "-c", "import os\nfor _ in range(80): os.write(1, b'x' * 2**20)")
    assert ended.exit_code == 0
    assert (tmp_path / "stdout").stat().st_size == KEPT_BYTES


def test_a_process_that_left_its_group_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "LAST_WORDS", 0.2)
    ended = run(tmp_path, "sh", "-c", "setsid sleep 4 & echo said")
    assert (ended.exit_code, ended.stdout) == (0, "said\n")
    assert ended.seconds < 3


def test_a_working_directory_that_is_not_there_is_named(tmp_path):
    command = Command(("sh",), {}, tmp_path / "none", 1.0)
    with pytest.raises(UserError, match="working directory"):
        run_command(command, tmp_path)


@pytest.mark.parametrize("words", [("no-such-program-anywhere",), ("/",), ("a\0b",)])
def test_what_cannot_be_started_is_refused(tmp_path, words):
    with pytest.raises(UserError) as caught:
        run(tmp_path, *words)
    assert caught.value.code == "replay.command"


def verdict(code=0, stdout="", stderr="", expected=0, **more):
    found = judge(Ended(code, stdout, stderr, 1.0, **more), expected, 60)
    return found.message, [(remark.level.value, remark.code) for remark in found.remarks]


def test_success_says_nothing():
    assert verdict(stdout="hello") == ("", [])


def test_stderr_after_success_is_a_warning():
    assert verdict(stderr="oops") == ("", [("warning", "replay.stderr")])


@pytest.mark.parametrize(
    ("stdout", "stderr", "message"),
    [("out", "err\n", "err"), ("out\n", " \n", "out"), ("", "", NO_MESSAGE)],
)
def test_the_message_of_a_user_error_is_stderr_else_stdout(stdout, stderr, message):
    assert verdict(1, stdout, stderr) == (message, [("error", "replay.exit_code")])


def test_an_expected_end_is_no_error():
    assert verdict(1, stderr="bad password", expected=1) == ("bad password", [])
    assert verdict(0, expected=1) == ("", [("error", "replay.exit_code")])
    assert verdict(2, stderr="trace", expected=2)[1] == [("note", "replay.stderr")]


def test_an_application_error_tells_the_user_nothing():
    assert verdict(2, stderr="trace")[0] == "Internal Server Error occurred."


def test_a_long_message_is_cut_in_the_middle():
    message, _ = verdict(1, stderr="a" * 3000 + "b" * 3000)
    assert len(message) <= MESSAGE_LIMIT
    assert (message[0], message[-1]) == ("a", "b")
    assert "..." in message


def test_time_and_memory_end_a_run():
    assert verdict(KILLED, timed_out=True)[0] == "Running container exceeded the timeout of 60 seconds."
    assert verdict(KILLED)[0] == OUT_OF_MEMORY
    assert verdict(1, out_of_memory=True) == (OUT_OF_MEMORY, [("error", "replay.exit_code")])
    assert verdict(0, expected=KILLED, timed_out=True)[1] == [("error", "replay.exit_code")]


def test_who_wrote_the_component_sees_its_last_words():
    def words(stdout, stderr):
        remarks = judge(Ended(2, stdout, stderr, 1.0), 0, 60).remarks
        return [remark.text for remark in remarks if remark.level.value == "note"]

    assert words("out", "err") == ["It wrote to stderr: err"]
    assert words("out", "") == ["It wrote to stdout: out"]
    assert words("", "") == []


def test_a_signal_is_named():
    (remark,) = judge(Ended(139, "", "", 1.0), 0, 60).remarks
    assert "exit code 139 (application error, as after SIGSEGV)" in remark.text
