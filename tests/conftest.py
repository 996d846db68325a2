"""What holds for every test: no deadline for properties, and nothing of the platform in the environment."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from component.runner.interrupts import SIGNALS

ROOT = Path(__file__).parent.parent

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("fast", deadline=None, max_examples=10)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "local"))


@pytest.fixture(autouse=True)
def no_platform(monkeypatch):
    """Clear what a platform would set, so that a test sees only what it sets itself."""
    for name in [name for name in os.environ if name.startswith("KBC_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def signals_are_heard():
    """Take signals as in a terminal where the tests were started with some of them ignored (`nohup`, `&` in a script).

    What is ignored stays ignored in every program that a test starts; what is handled, even by doing nothing, does not.
    """
    ignored = [one for one in SIGNALS if signal.getsignal(one) is signal.SIG_IGN]
    for one in ignored:
        signal.signal(one, lambda _number, _frame: None)
    yield
    for one in ignored:
        signal.signal(one, signal.SIG_IGN)


@pytest.fixture(scope="session")
def engine():
    """One Spark for all tests of this process: to start one takes longer than most runs."""
    from component.spark.engine import Engine

    with Engine("local[2]", {"spark.executorEnv.PYTHONPATH": str(ROOT)}) as started:
        yield started


SLOW = (
    "cli/test_replay.py",
    "dataset/test_commit_model.py",
    "dataset/test_flipped_bytes.py",
    "dataset/test_mode_races.py",
    "docs/test_commands.py",
    "folders/",
    "formats/csv/test_limits.py",
    "formats/csv/test_split.py",
    "fuzz/",
    "replay/test_run.py",
    "runner/test_command.py",
    "runner/test_disk.py",
    "runner/test_killed.py",
    "runner/test_round_trip.py",
    "runner/test_sample_run.py",
    "staged/",
)
"""What tries every order of steps, writes large files, or starts processes and servers."""


def pytest_collection_modifyitems(items):
    """Mark what the fast lane (`make unit`) leaves out: all that asks for Spark, and what is slow."""
    for item in items:
        if "engine" in item.fixturenames:
            item.add_marker("spark")
        if item.path.relative_to(ROOT / "tests").as_posix().startswith(SLOW):
            item.add_marker("slow")
