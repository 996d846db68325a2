from __future__ import annotations

import io
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.report.messages.opening import open_log, open_progress
from component.report.messages.progress import LineProgress, SilentProgress, StageView, ended_line, moving_line


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def stream():
    return io.StringIO()


@pytest.fixture
def lines(clock, stream):
    return LineProgress(open_log(stream=stream), clock, interval=5)


def test_a_stage_that_is_named_again_goes_on(lines, clock, stream):
    lines.stage("plan")
    clock.now += 2
    lines.stage("plan")
    clock.now += 1
    lines.stage("mill", total_splits=2)
    clock.now += 1
    lines.stage("mill", total_splits=3)
    lines.finish()
    assert [name for name, _ in lines.stages] == ["plan", "mill", "mill"]
    assert lines.stages[0] == ("plan", 3)


def test_the_time_left_is_told_once_enough_is_done():
    assert StageView("infer", 4, 10_000, byte_count=88, seconds=10).left_text.endswith(" so far")
    assert StageView("infer", 4, 10_000, byte_count=200, seconds=10).left_text.endswith(" left")


def test_a_line_comes_when_the_interval_has_passed_and_at_the_end_of_a_stage(lines, clock, stream):
    lines.stage("Mill flights", total_splits=4, total_bytes=400_000_000)
    for _ in range(4):
        clock.now += 3
        lines.advance(splits=1, rows=1000, byte_count=100_000_000)
    lines.finish()
    assert stream.getvalue().splitlines() == [
        "Mill flights: 2 of 4 splits, 2,000 rows, 33.3 MB/s, 6.0 s left",
        "Mill flights: 4 of 4 splits, 4,000 rows, 33.3 MB/s, 0.0 s left",
        "Mill flights: 4 splits, 4,000 rows, 400.0 MB in 12.0 s (33.3 MB/s)",
    ]


def test_a_stage_that_does_not_move_says_seldom_that_it_lives(lines, clock, stream):
    lines.stage("Start Spark")
    for _ in range(65):
        clock.now += 1
        lines.tick()
    lines.finish()
    assert stream.getvalue().splitlines() == [
        "Start Spark: 30.0 s so far",
        "Start Spark: 1 min 00 s so far",
        "Start Spark: 1 min 05 s",
    ]


def test_a_short_stage_has_one_line(lines, clock, stream):
    lines.stage("Plan")
    clock.now += 0.25
    lines.stage("Commit", total_splits=0)
    lines.finish()
    assert stream.getvalue() == "Plan: 0.2 s\nCommit: 0.0 s\n"


def test_without_a_stage_there_is_no_line(lines, clock, stream):
    clock.now += 100
    lines.tick()
    lines.finish()
    lines.advance(splits=1)
    lines.finish()
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    "begin", [lambda clock, log: SilentProgress(clock), lambda clock, log: LineProgress(log, clock)]
)
def test_the_seconds_of_every_stage_are_measured(begin, clock, stream):
    progress = begin(clock, open_log(stream=stream))
    progress.stage("Read")
    clock.now += 2
    progress.stage("Mill")
    assert progress.stages == (("Read", 2.0),)
    clock.now += 3.5
    progress.finish()
    clock.now += 10
    progress.advance(rows=1)
    progress.finish()
    assert progress.stages == (("Read", 2.0), ("Mill", 3.5))


def test_advances_of_many_threads_all_count(clock):
    progress = SilentProgress(clock)
    progress.stage("Mill", total_splits=4000)
    go = threading.Barrier(4)

    def work() -> None:
        go.wait()
        for _ in range(1000):
            progress.advance(splits=1, rows=2, byte_count=3)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    view = progress.view()
    assert view is not None
    assert (view.splits, view.rows, view.byte_count) == (4000, 8000, 12000)


def test_without_a_terminal_lines_come_although_nothing_calls(stream):
    progress = open_progress(False, open_log(stream=stream), time.monotonic, interval=0.01)
    assert isinstance(progress, LineProgress)
    progress.stage("Mill", total_splits=2)
    progress.advance(splits=1)
    deadline = time.monotonic() + 5
    while "left" not in stream.getvalue() and time.monotonic() < deadline:
        time.sleep(0.005)
    progress.finish()
    assert stream.getvalue().startswith("Mill: 1 of 2 splits, ")


def test_a_finished_progress_leaves_no_thread(stream):
    progress = open_progress(False, open_log(stream=stream), time.monotonic, interval=0.01)
    progress.stage("Mill")
    progress.finish()
    deadline = time.monotonic() + 5
    while any(thread.name == "progress" for thread in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert not any(thread.name == "progress" for thread in threading.enumerate())


def test_gelf_gets_lines_even_on_a_terminal(log_server):
    with open_log(logger_addr="127.0.0.1", logger_port=int(log_server.port), terminal=True) as log:
        progress = open_progress(True, log, Clock())
        progress.stage("Plan")
        progress.finish()
    assert [event["short_message"] for event in log_server.wait_for(1)] == ["Plan: 0.0 s"]


@pytest.mark.parametrize(
    ("view", "line"),
    [
        (StageView("Plan", seconds=1), "Plan: 1.0 s so far"),
        (StageView("Mill", total_splits=1, seconds=1), "Mill: 0 of 1 split, 1.0 s so far"),
        (StageView("Mill", splits=2, rows=1, seconds=1), "Mill: 2 splits, 1 row, 1.0 s so far"),
        (StageView("Mill", total_bytes=10**9, byte_count=10**8, seconds=10), "Mill: 10.0 MB/s, 1 min 30 s left"),
        (StageView("Mill", total_splits=1, splits=3, seconds=1), "Mill: 3 of 1 split, 0.0 s left"),
        (StageView("Mill", byte_count=10), "Mill: 0.0 s so far"),
    ],
)
def test_a_line_says_what_is_known(view, line):
    assert moving_line(view) == line


amounts = st.integers(0, 10**15)


@given(
    st.builds(
        StageView,
        st.just("S"),
        st.none() | amounts,
        st.none() | amounts,
        amounts,
        amounts,
        amounts,
        st.floats(0, 1e6),
    )
)
def test_any_state_of_a_stage_can_be_said(view):
    assert moving_line(view).startswith("S: ")
    assert ended_line(view).startswith("S: ")
    assert view.seconds_left is None or view.seconds_left >= 0
