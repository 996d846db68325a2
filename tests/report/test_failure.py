from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import BugError, CommitRefusedError, Place, RetryError, UserError
from component.report.messages.failure import FAILURE_LIMIT, render_failure
from component.report.messages.log import silent_log
from component.report.messages.opening import open_log

CELL = UserError(
    "cell.type",
    "A cell is not an integer",
    place=Place("flights", "part-00001.csv", 7, "distance", "1O0"),
    remedy="Correct the cell, or set the type of the column to string.",
)
SENTENCE = (
    "A cell is not an integer (table 'flights', slice 'part-00001.csv', row 7, column 'distance', value '1O0')."
    " Correct the cell, or set the type of the column to string."
)


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    """Return an error with the traceback that it has after having been raised."""
    try:
        raise error from cause  # noqa: TRY301 # so that it has a traceback
    except BaseException as caught:  # noqa: BLE001 # whatever was given
        return caught


def test_an_error_of_the_user_is_one_sentence_with_place_and_remedy():
    stream = io.StringIO()
    assert render_failure(raised(CELL), None, log=open_log(stream=stream, debug=True)) == SENTENCE
    assert stream.getvalue() == ""


def test_the_sentence_is_folded_for_a_terminal():
    folded = render_failure(CELL, 40, log=silent_log())
    assert all(len(line) <= 40 for line in folded.splitlines())
    assert folded.replace("\n", " ") == SENTENCE


@pytest.mark.parametrize("kind", [RetryError, CommitRefusedError])
def test_what_another_try_may_mend_says_its_own_sentence(kind):
    error = kind("store.failed", "The store did not answer", remedy="Run again.")
    assert render_failure(error, None, log=silent_log()) == "The store did not answer. Run again."


def test_what_is_behind_an_expected_failure_is_in_the_debug_log_only():
    stream = io.StringIO()
    error = raised(RetryError("store.failed", "The store failed"), cause=OSError("errno 5"))
    assert render_failure(error, None, log=open_log(stream=stream, debug=True)) == "The store failed. Run again later."
    assert "OSError: errno 5" in stream.getvalue()
    assert "Traceback" in stream.getvalue()


@pytest.mark.parametrize("error", [BugError("internal", "secret-1 state"), KeyError("secret-1"), MemoryError()])
def test_a_fault_of_ours_gives_an_id_under_which_the_log_has_the_details(error):
    stream = io.StringIO()
    text = render_failure(raised(error), None, log=open_log(stream=stream, secrets=["secret-1"]))
    found = re.fullmatch(
        r"Tablemill stopped because of a fault of its own, not of your data or configuration"
        r" \(exception id (tablemill-[0-9a-f]{12})\)\. The log has the details under this id: please report them\.",
        text,
    )
    assert found
    first, second, *_ = stream.getvalue().splitlines()
    assert first == f"error: Fault {found[1]}: {type(error).__name__}"
    assert second == "Traceback (most recent call last):"
    assert "secret-1" not in stream.getvalue()


def test_the_platform_gets_the_details_apart_from_the_message(log_server):
    with open_log(logger_addr="127.0.0.1", logger_port=int(log_server.port)) as log:
        render_failure(raised(ValueError("odd")), None, log=log)
    (event,) = log_server.wait_for(1)
    assert event["level"] == 3
    assert "Traceback" not in event["short_message"]
    assert event["full_message"].endswith("ValueError: odd\n")


JAVA = """Spark failed: Job aborted due to stage failure
\tat org.apache.spark.scheduler.DAGScheduler.failJob(DAGScheduler.scala:2898)
\tat java.base/java.lang.Thread.run(Thread.java:840)
\t... 17 more
Traceback (most recent call last):
  File "worker.py", line 12, in main
disk full"""


def test_a_stack_trace_from_below_is_left_out():
    error = UserError("spark.failed", JAVA, place=Place(table="t"), remedy="Give it room.")
    text = render_failure(error, None, log=silent_log())
    assert text == "Spark failed: Job aborted due to stage failure disk full (table 't'). Give it room."


def test_a_long_sentence_is_cut_in_the_middle():
    error = UserError("config.value", "x" * 10_000, remedy="Shorten it.")
    text = render_failure(error, None, log=silent_log())
    assert len(text) == FAILURE_LIMIT
    assert text.startswith("xxx")
    assert text.endswith("xxx. Shorten it.")
    assert " … " in text


def test_a_secret_is_hidden_before_the_text_is_cut_or_folded():
    secret = "a secret of several words"
    error = UserError("config.value", "x" * (FAILURE_LIMIT // 2 - 10) + secret + "y" * FAILURE_LIMIT)
    assert "a sec" not in render_failure(error, 40, log=silent_log([secret]))


@given(st.text(max_size=6000), st.text(max_size=100), st.none() | st.integers(1, 200))
def test_any_failure_is_short_enough_for_the_platform_and_can_be_shown(text, value, width):
    error = UserError("cell.type", text, place=Place(value=value), remedy=text[:50])
    shown = render_failure(error, width, log=silent_log())
    assert len(shown) <= FAILURE_LIMIT
    assert "\x1b" not in shown
    shown.encode("utf-8")
    if width is None:
        assert len(shown.splitlines()) == 1
