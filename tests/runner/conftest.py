from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from component.cli import boundary
from component.cli import run as cli
from component.folder.earlier import RECORD
from component.report.messages.failure import render_failure
from component.spark.engine import Engine
from tests.runner.data_folder import DataFolder, snapshot

TRACE = re.compile(
    r'Traceback \(most recent|^\s+at [\w.$]+\(|\bFile ".*", line \d|py4j|Py4J|java\.|\bException\b', re.MULTILINE
)
KEPT = ("PATH", "HOME", "JAVA_HOME", "PYTHONPATH", "LANG", "LC_ALL")


@dataclass(frozen=True)
class Outcome:
    """What somebody sees of a run."""

    code: int
    out: str
    err: str

    @property
    def done(self) -> bool:
        return self.code == 0 and not self.err


@pytest.fixture
def folder(tmp_path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def scratch(tmp_path, monkeypatch) -> Path:
    """The temporary folder of runs, to see that they leave nothing there."""
    path = tmp_path / "tmp"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


Run = Callable[..., Outcome]


@pytest.fixture
def run(folder, scratch, engine, capfd) -> Run:
    """Run a folder in this process, on the Spark that is there; everything but start and end of Spark is real."""

    def run_here(variables: Mapping[str, str] | None = None, *, as_json: bool = False) -> Outcome:
        capfd.readouterr()
        code = cli.run_folder(variables or {}, folder.root, as_json=as_json, start=lambda *_: _kept(engine))
        seen = capfd.readouterr()
        assert not list(scratch.iterdir()), "files are left in the temporary folder"
        hidden = [
            path for path in (folder.root / "out").rglob(".*") if "datasets" not in path.parts and path.name != RECORD
        ]
        assert not hidden, "hidden files are left in out/"
        return Outcome(code, seen.out, seen.err)

    return run_here


def _kept(engine: Engine) -> contextlib.AbstractContextManager[Engine]:
    return contextlib.nullcontext(engine)


@pytest.fixture
def refused(folder, run, monkeypatch) -> Callable[..., str]:
    """Run a folder that must be refused; return the one sentence, and hold that nothing else happened."""
    raised: list[BaseException] = []

    def look_at(error: BaseException, *arguments, **more) -> str:
        raised.append(error)
        return render_failure(error, *arguments, **more)

    monkeypatch.setattr(boundary, "render_failure", look_at)

    def run_refused(code: str, *fragments: str, but: str = "", variables: Mapping[str, str] | None = None) -> str:
        """Leave out of the comparison the objects of the name `but`, and the folders that they are in."""
        before = snapshot(folder.root, folder.store)
        outcome = run(variables)
        assert outcome.code == 1, outcome
        assert_one_sentence(outcome)
        assert [part for part in fragments if part not in outcome.err] == [], outcome.err
        assert getattr(raised[-1], "code", None) == code
        after = snapshot(folder.root, folder.store)
        kept = [path for path in after if but and path.endswith(but) and path not in before]
        for path in [path for path in after if any(one.startswith(path) for one in kept) and path not in before]:
            del after[path]
        assert after == before
        return outcome.err

    return run_refused


def assert_one_sentence(outcome: Outcome) -> None:
    """One line with a remedy at the end, and nowhere a stack trace."""
    assert outcome.err.count("\n") == 1, outcome.err
    assert outcome.err.rstrip("\n").endswith((".", "?", ".'")), outcome.err
    assert not TRACE.search(outcome.err + outcome.out), outcome


def start_command(
    data: Path,
    home: Path,
    *arguments: str,
    variables: Mapping[str, str] | None = None,
    wrapper: tuple[str, ...] = (),
) -> subprocess.Popen[str]:
    """Start the real command on a data folder, with a temporary folder of its own in `home`."""
    scratch = home / "command-tmp"
    scratch.mkdir(exist_ok=True)
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    return subprocess.Popen(
        [*wrapper, sys.executable, "-m", "component", "run", "--data", str(data), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "TMPDIR": str(scratch), **(variables or {})},
        cwd=Path(__file__).parents[2],
    )


def finish(process: subprocess.Popen[str], seconds: float = 60) -> Outcome:
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        process.kill()
    return Outcome(process.returncode, out, err)


@pytest.fixture
def command(folder, tmp_path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the real command on the folder."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **more) -> subprocess.Popen[str]:
        started.append(start_command(folder.root, tmp_path, *arguments, **more))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def run_command(command, tmp_path) -> Run:
    """Run the real command to its end."""

    def run_it(*arguments: str, **more) -> Outcome:
        outcome = finish(command(*arguments, **more))
        assert not list((tmp_path / "command-tmp").iterdir()), "files are left in the temporary folder"
        return outcome

    return run_it
