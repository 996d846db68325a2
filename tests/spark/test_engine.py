import os
import time
from functools import partial
from pathlib import Path

import pytest
from py4j.protocol import Py4JError

from component.errors import BugError, Place, RetryError, UserError
from component.spark.engine import Engine

pytestmark = pytest.mark.spark


def double(number):
    return 2 * number


def refuse_some(wrong, number):
    if number in wrong:
        raise UserError("cell.type", f"{number} is wrong", place=Place(row=number))
    return number


def fail(number):
    return 1 // (number - number)


def score(number):
    return int(Path("/proc/self/oom_score_adj").read_text())


def die(number):
    os.kill(os.getpid(), 9)
    return number


def write_slowly(folder, number):
    """Refuse at once, or go on writing files for some seconds."""
    if number == 0:
        raise UserError("cell.type", "wrong")
    for turn in range(300):
        (Path(folder) / f"{number}-{turn}").write_text("x")
        time.sleep(0.01)
    return number


def test_results_come_in_the_order_of_the_tasks(engine):
    said = []
    assert engine.run(double, range(20), on_done=lambda number, result: said.append((number, result))) == [
        2 * number for number in range(20)
    ]
    assert sorted(said) == [(number, 2 * number) for number in range(20)]


def test_small_tasks_share_a_task_of_sparks_and_say_each_its_own_result(engine):
    said = []
    tracker = engine.context.statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    found = engine.run(double, range(600), sizes=[1] * 600, on_done=lambda *one: said.append(one))
    (job,) = set(tracker.getJobIdsForGroup(None)) - before
    (stage,) = tracker.getJobInfo(job).stageIds
    assert tracker.getStageInfo(stage).numTasks == 10
    assert found == [2 * number for number in range(600)]
    assert sorted(said) == list(enumerate(found))


def test_the_first_error_of_a_batch_is_raised(engine):
    with pytest.raises(UserError, match="3 is wrong"):
        engine.run(partial(refuse_some, {3, 5}), range(8), sizes=[1] * 8)


def test_no_tasks_are_no_job(engine):
    assert engine.run(double, []) == []


def test_an_error_on_purpose_comes_back_as_it_was_raised(engine):
    with pytest.raises(UserError) as caught:
        engine.run(partial(refuse_some, {1}), [0, 1])
    assert (caught.value.code, caught.value.text, caught.value.place.row) == ("cell.type", "1 is wrong", 1)
    assert caught.value.__cause__ is None


def test_anything_else_is_a_fault_of_ours(engine):
    with pytest.raises(BugError, match="ZeroDivisionError"):
        engine.run(fail, [1])


def test_a_worker_that_dies_is_told_so_and_the_engine_goes_on(engine):
    with pytest.raises(RetryError, match="A worker was killed"):
        engine.run(die, [1])
    assert engine.run(double, [4]) == [8]


def test_where_memory_runs_out_the_kernel_kills_workers_and_the_jvm_before_the_driver(engine):
    ours = score(0)
    jvm = int(Path(f"/proc/{engine._jvm.process.pid}/oom_score_adj").read_text())
    assert engine.run(score, [0]) == [jvm]
    assert jvm > ours


def test_when_a_run_has_failed_nothing_of_it_goes_on(engine, tmp_path):
    with pytest.raises(UserError):
        engine.run(partial(write_slowly, str(tmp_path)), range(8))
    written = sorted(path.name for path in tmp_path.iterdir())
    time.sleep(0.5)
    assert sorted(path.name for path in tmp_path.iterdir()) == written


def test_what_the_caller_raises_stops_the_run(engine, tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.run(partial(refuse_some, set()), range(50), on_done=interrupt)
    assert engine.run(double, [1]) == [2]


def scatter(buckets, number):
    for bucket in range(buckets):
        yield bucket, bytes([number])
    yield f"task {number}"


def gather(parts):
    return sorted(part[0] for part in parts)


def refuse_to_gather(parts):
    raise UserError("store.full", f"no room for {len(list(parts))}")


def test_every_bucket_gathers_what_was_scattered_to_it(engine):
    said, gathered = engine.shuffle(partial(scatter, 3), [5, 6], 4, gather)
    assert said == ["task 5", "task 6"]
    assert gathered == [[5, 6]] * 3


def test_an_error_while_gathering_comes_back(engine):
    with pytest.raises(UserError, match="no room for 2"):
        engine.shuffle(partial(scatter, 1), [5, 6], 1, refuse_to_gather)


def test_an_engine_that_does_not_start_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    monkeypatch.setattr("component.spark.java.importlib.util.find_spec", lambda _: None)
    with pytest.raises(UserError):
        Engine("local[1]", {})
    assert list(tmp_path.iterdir()) == []


class Gone:
    """A context whose JVM was killed."""

    @property
    def defaultParallelism(self):  # noqa: N802 - the name is pyspark's
        raise Py4JError("An error occurred while calling o26.sc")

    def accumulator(self, *_):
        raise ConnectionRefusedError


def test_a_jvm_that_is_gone_is_told_whatever_is_asked_of_it(engine, monkeypatch):
    monkeypatch.setattr(engine, "_context", Gone())
    monkeypatch.setattr(engine._jvm, "ends_within", lambda _seconds: True)
    for ask in (lambda: engine.parallelism, lambda: engine.run(double, [1]), lambda: engine.shuffle(0, [1], 1, 0)):
        with pytest.raises(RetryError, match="Spark was killed"):
            ask()


def test_a_jvm_that_ends_early_prints_no_stack_trace(engine, capfd):
    engine.context._accumulatorServer.handle_error(None, None)
    assert capfd.readouterr() == ("", "")
