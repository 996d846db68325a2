"""The real test runner of the platform's components on a case laid out for it; it runs Tablemill in its own process."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.foreign.process import required_python

pytestmark = pytest.mark.datadirtest
ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests/functional"
SCRIPT = ROOT / "src/component.py"


def run_cases(cases: Path, scratch: Path) -> subprocess.CompletedProcess[str]:
    """Start datadirtest as its users do, with the Python that has Tablemill."""
    packages = next((required_python("datadirtest", "datadirtest").parents[1] / "lib").glob("python3*/site-packages"))
    return subprocess.run(
        [sys.executable, "-m", "keboola.datadirtest.datadirtest", str(cases), str(SCRIPT)],
        env={**os.environ, "PYTHONPATH": str(packages), "TMPDIR": str(scratch)},
        cwd=scratch,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_case_of_the_platforms_runner_runs_unchanged_and_its_bytes_are_the_same(tmp_path):
    done = run_cases(CASES, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ran 1 test" in done.stderr


def test_a_run_that_fails_fails_the_case(tmp_path):
    case = tmp_path / "cases" / "refused"
    shutil.copytree(CASES / "orders", case)
    (case / "source/data/config.json").write_text('{"parameters": {"datasets": [{"uuid": "x", "mode": "never"}]}}')
    done = run_cases(case.parent, tmp_path)
    assert done.returncode != 0
    assert "SystemExit: 1" in done.stderr


def test_the_script_can_be_imported_and_does_nothing_then(monkeypatch):
    before = list(sys.path)
    assert callable(runpy.run_path(str(SCRIPT), run_name="component_script")["main"])
    assert sys.path == before
