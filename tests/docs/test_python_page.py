"""docs/python.md: its examples run in their order, and no function is left out."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tablemill

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.spark
def test_the_examples_run_in_their_order(tmp_path):
    """In a process of their own, since one starts a Spark, of which a process has one."""
    script = tmp_path / "page.py"
    script.write_text(f"STORE = {tmp_path.as_uri()!r}\n" + "".join(EXAMPLES))
    done = subprocess.run([sys.executable, script], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 0
    assert (tmp_path / "flights.csv").exists()


def test_every_function_has_an_example():
    code = "\n".join(EXAMPLES)
    methods = [name for name, _ in inspect.getmembers(tablemill.Dataset) if not name.startswith("_")]
    functions = [name for name in tablemill.__all__ if inspect.isfunction(getattr(tablemill, name))]
    assert [name for name in methods if f".{name}" not in code] == []
    assert [name for name in functions if f"tablemill.{name}(" not in code] == []


def test_every_public_name_says_what_it_is():
    for name in tablemill.__all__:
        assert name == "__version__" or inspect.getdoc(getattr(tablemill, name))
