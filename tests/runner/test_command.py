"""The real command: what it prints where, its exit code, and that it ends well however it is ended."""

import contextlib
import json
import re
import signal
import time

import psutil
import pytest

from tests.report.conftest import PlatformLogServer
from tests.runner.conftest import assert_one_sentence, finish
from tests.runner.data_folder import csv_text, snapshot

ENDED_SECONDS = 10


@pytest.fixture
def log_server():
    server = PlatformLogServer()
    yield server
    server.stop()


@pytest.fixture
def long_run(folder):
    """A run with some seconds of work in more than a thousand splits, in a store that has a dataset already."""
    folder.table("t.csv", csv_text(["k", "n"], [[f"k{row % 7}", row] for row in range(200_000)]))
    datasets = [{"uuid": "t", "tables": [{"source": "t.csv"}], "partition_on": ["k"], "secondary_indices": ["n"]}]
    folder.file_store(datasets=datasets, outputs=[{"dataset": "t"}], limits={"split_bytes": 1500})
    folder.store.mkdir()
    return folder


def wait_for(condition, seconds=120.0):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return found


def children(process, name):
    try:
        below = psutil.Process(process.pid).children(recursive=True)
        return [child for child in below if child.name().startswith(name)]
    except psutil.NoSuchProcess:
        return []


def has_begun_to_mill(folder):
    return any((folder.store / "t" / "table").rglob("*.parquet"))


def workers(process):
    """Python workers of Spark: children of its daemon, which is a child of the JVM."""
    return [child for child in children(process, "python") if child.parent().name().startswith("python")]


# --- what is printed ---


def test_progress_and_summary_are_on_stdout_and_nothing_on_stderr(folder, run_command):
    folder.table("t.csv", "id\n1\n")
    outcome = run_command()
    assert outcome.done
    lines = outcome.out.splitlines()
    assert [line.split(":")[0] for line in lines[:6]] == ["plan", "start", "mill", "index", "outputs", "publish"]
    assert lines[2].startswith("mill: 1 split, 1 row, ")
    assert lines[6].startswith("1 dataset, 1 output in ")


def test_json_is_all_there_is_on_stdout(folder, run):
    folder.table("t.csv", "id\n1\n")
    outcome = run(as_json=True)
    assert outcome.done
    summary = json.loads(outcome.out)
    assert [dataset["uuid"] for dataset in summary["datasets"]] == ["t"]
    assert [stage["name"] for stage in summary["stages"]] == ["plan", "start", "mill", "index", "outputs", "publish"]


def test_a_refusal_is_one_sentence_on_stderr(folder, run_command):
    folder.table("t.csv", "id\nx\n")
    folder.configure(datasets=[{"uuid": "t", "tables": [{"source": "t.csv", "columns": {"id": "integer"}}]}])
    outcome = run_command()
    assert outcome.code == 1
    assert_one_sentence(outcome)
    assert "row 1, column 'id', value 'x'" in outcome.err
    assert outcome.out.splitlines()[0].startswith("plan: ")


def test_everything_goes_to_the_platform_s_log_server(folder, run, log_server):
    folder.table("t.csv", "id\n1\n")
    (folder.root / "in" / "tables" / "t.csv.manifest").unlink()
    outcome = run({"KBC_LOGGER_ADDR": "127.0.0.1", "KBC_LOGGER_PORT": log_server.port})
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    texts = [str(event["short_message"]) for event in log_server.wait_for(9)]
    assert any(text.startswith("1 dataset, 1 output in ") for text in texts)
    assert any("has no manifest" in text for text in texts)
    assert log_server.dropped == []
    assert log_server.failed == []


def test_a_refusal_is_on_stderr_although_the_log_goes_elsewhere(folder, run_command, log_server):
    folder.config({"parameters": {"datset": []}})
    outcome = run_command(variables={"KBC_LOGGER_ADDR": "127.0.0.1", "KBC_LOGGER_PORT": log_server.port})
    assert outcome.code == 1
    assert outcome.out == ""
    assert_one_sentence(outcome)


def test_a_log_server_that_is_not_there_does_not_stop_the_run(folder, run):
    folder.table("t.csv", "id\n1\n")
    outcome = run({"KBC_LOGGER_ADDR": "127.0.0.1", "KBC_LOGGER_PORT": "1"})
    assert outcome.done
    assert "The log server 127.0.0.1:1 cannot be used" in outcome.out
    assert "1 dataset, 1 output in " in outcome.out


def test_a_reader_that_goes_away_is_no_fault(folder, command):
    folder.table("t.csv", "id\n1\n")
    process = command()
    process.stdout.close()
    process.wait(60)
    assert process.returncode == 0
    assert process.stderr.read() == ""
    assert folder.rows("t") == [("1",)]


# --- how it ends ---


@pytest.mark.parametrize(
    ("number", "moment"), [(signal.SIGINT, "spark is starting"), (signal.SIGTERM, "splits are milled")]
)
def test_a_signal_ends_the_run_within_seconds_and_leaves_nothing(long_run, command, tmp_path, number, moment):
    before = snapshot(long_run.root, long_run.store)
    process = command()
    java = wait_for(lambda: children(process, "java"))
    if moment == "splits are milled":
        wait_for(lambda: has_begun_to_mill(long_run))
    started = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    outcome = finish(process, seconds=ENDED_SECONDS)
    assert outcome.code == 128 + number
    assert outcome.err == f"Stopped by {signal.Signals(number).name}; nothing was changed.\n"
    assert snapshot(long_run.root, long_run.store) == before
    assert not list((tmp_path / "command-tmp").iterdir())
    assert java
    assert not psutil.wait_procs(started, timeout=3)[1]


def test_more_signals_do_not_disturb_the_tidying_up(long_run, command, tmp_path):
    before = snapshot(long_run.root, long_run.store)
    process = command()
    wait_for(lambda: has_begun_to_mill(long_run))
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    outcome = finish(process, seconds=ENDED_SECONDS)
    assert outcome.code == 130
    assert snapshot(long_run.root, long_run.store) == before
    assert not list((tmp_path / "command-tmp").iterdir())


def test_a_worker_that_is_killed_is_a_failure_to_retry(long_run, command, tmp_path):
    before = snapshot(long_run.root, long_run.store)
    process = command()
    wait_for(lambda: has_begun_to_mill(long_run))
    wait_for(lambda: workers(process))
    until = time.monotonic() + ENDED_SECONDS
    while process.poll() is None and time.monotonic() < until:  # one that is between two tasks is not missed
        with contextlib.suppress(psutil.NoSuchProcess, AttributeError):  # it may end while it is looked at
            for worker in workers(process):
                worker.kill()
        time.sleep(0.05)
    outcome = finish(process, seconds=ENDED_SECONDS)
    assert outcome.code == 1
    assert_one_sentence(outcome)
    assert "A worker was killed, probably for want of memory. Give more memory" in outcome.err
    assert snapshot(long_run.root, long_run.store) == before
    assert not list((tmp_path / "command-tmp").iterdir())


def test_a_spark_that_is_killed_is_a_failure_to_retry(long_run, command, tmp_path):
    before = snapshot(long_run.root, long_run.store)
    process = command()
    wait_for(lambda: has_begun_to_mill(long_run))
    for java in children(process, "java"):
        java.kill()
    outcome = finish(process, seconds=ENDED_SECONDS)
    assert outcome.code == 1
    assert_one_sentence(outcome)
    assert "Spark was killed, probably for want of memory" in outcome.err
    assert snapshot(long_run.root, long_run.store) == before
    assert not list((tmp_path / "command-tmp").iterdir())


@pytest.mark.parametrize(
    ("spark", "says"),
    [
        (
            {"master": "moon://far"},
            "Spark did not start: Master must either be yarn or start with spark, k8s, or local.",
        ),
        ({"conf": {"spark.driver.memory": "huge"}}, "Spark did not start: Invalid maximum heap size: -Xmxhuge."),
        ({"conf": {"spark.task.cpus": "x"}}, "The value 'x' in the config \"spark.task.cpus\" is invalid"),
        ({"conf": {"spark.local.dir": "/proc/nothing"}}, "Spark did not start: "),
    ],
)
def test_a_spark_that_does_not_start_says_why(folder, run_command, spark, says):
    folder.table("t.csv", "id\n1\n")
    folder.configure(spark=spark)
    before = snapshot(folder.root)
    outcome = run_command()
    assert outcome.code == 1
    assert_one_sentence(outcome)
    assert says in outcome.err
    assert "Check parameters.spark" in outcome.err
    assert snapshot(folder.root) == before


# --- faults of our own ---


def test_a_fault_of_ours_is_one_sentence_with_an_id_and_its_details_are_in_the_log(folder, run, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("deep inside")

    folder.table("t.csv", "id\n1\n")
    monkeypatch.setattr("component.runner.run.build_plan", fail)
    before = snapshot(folder.root)
    outcome = run()
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    assert "deep inside" not in outcome.err
    fault = re.search(r"exception id (tablemill-\w+)", outcome.err)
    assert fault is not None
    assert fault[1] in outcome.out
    assert "ZeroDivisionError: deep inside" in outcome.out
    assert snapshot(folder.root) == before
