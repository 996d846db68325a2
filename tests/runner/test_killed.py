"""The platform ends a run that takes too long by SIGKILL, without a word: what is left must do no harm."""

import json
import signal

import psutil
import pytest

from tests.runner.conftest import finish
from tests.runner.data_folder import csv_text, snapshot

STAGES = ("plan", "start", "mill", "index", "outputs")
"""A run is killed when it says that one of them has ended: while Spark starts, splits are milled, indices built,
outputs written, and everything published."""
ROWS = 3000


@pytest.fixture
def appending(folder, run_command):
    """A folder whose dataset has two rows, made by an earlier run; each run appends `ROWS` rows."""
    facts = {"partition_on": ["k"], "secondary_indices": ["n"], "mode": "append"}
    table = {"source": "t.csv", "columns": {"n": "integer"}}
    folder.file_store(
        datasets=[{"uuid": "t", "tables": [table], **facts}],
        outputs=[{"dataset": "t"}],
        limits={"split_bytes": 4000},
    )
    folder.table("t.csv", csv_text(["k", "n"], [["k1", -1], ["k2", -2]]))
    assert run_command().done
    folder.next_run()
    folder.table("t.csv", csv_text(["k", "n"], [[f"k{row % 5}", row] for row in range(ROWS)]))
    return folder


def kill_after(process, stage):
    """Kill a run at the end of a stage; what it started must not outlive it."""
    for line in process.stdout:
        if line.startswith(f"{stage}: "):
            break
    below = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    assert finish(process).code == -signal.SIGKILL
    assert not psutil.wait_procs(below, timeout=10)[1], "something outlives the run"


def commits(folder):
    """How many runs the header of the dataset knows of: its data files are named after their runs."""
    return len({file for files in folder.header("t")["partitions"].values() for file in files["files"].values()})


def visible(folder):
    """What the platform would look at in out/."""
    return {path: data for path, data in snapshot(folder.root / "out").items() if "/." not in path}


def test_a_run_that_is_killed_changes_nothing_or_all_and_the_next_one_is_whole(appending, command):
    folder, inputs, out = appending, snapshot(appending.root / "in"), visible(appending)
    header = folder.header("t")
    for stage in STAGES:
        kill_after(command(), stage)
        assert snapshot(folder.root / "in") == inputs
        if stage != STAGES[-1]:
            assert (visible(folder), folder.header("t")) == (out, header), stage
    published = commits(folder) > len(header["partitions"])
    assert finish(command()).done  # what the killed ones left in the temporary folder is still there
    expected = [("k1", "-1"), ("k2", "-2")]
    expected += [(f"k{row % 5}", str(row)) for row in range(ROWS)] * (2 if published else 1)
    assert sorted(folder.rows("t")) == sorted(expected)
    assert json.loads((folder.root / "out" / "state.json").read_bytes())["tablemill"]["datasets"]["t"]


def test_a_run_that_is_told_to_stop_ends_before_it_is_killed(appending, command):
    """`docker stop` waits for 10 seconds before it kills."""
    header = appending.header("t")
    for number in (signal.SIGTERM, signal.SIGHUP):
        process = command()
        for line in process.stdout:
            if line.startswith("start: "):
                break
        process.send_signal(number)
        outcome = finish(process, seconds=10)
        assert outcome.code == 128 + number
        assert outcome.err == f"Stopped by {number.name}; nothing was changed.\n"
        assert appending.header("t") == header


def test_a_run_past_its_deadline_stops_by_itself(appending, command):
    config = json.loads((appending.root / "config.json").read_bytes())
    config["parameters"]["limits"]["deadline_seconds"] = 1
    appending.config(config)
    header, out = appending.header("t"), visible(appending)
    outcome = finish(command(), seconds=15)
    assert outcome.code == 1
    assert outcome.err.startswith("The run was not done within parameters.limits.deadline_seconds; nothing was changed")
    assert (appending.header("t"), visible(appending)) == (header, out)
