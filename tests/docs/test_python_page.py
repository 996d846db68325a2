"""docs/python.md: its examples run in their order, and no function is left out."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import tablemill

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
FOUND = list(re.finditer(r"```python\n(.*?)```", PAGE, re.DOTALL))
EXAMPLES = ["\n" * PAGE[: found.start(1)].count("\n") + found[1] for found in FOUND]
"""Each at its line of the page, so that a failure shows it."""


@pytest.mark.spark
def test_the_examples_run_in_their_order(tmp_path):
    names = {"STORE": tmp_path.as_uri()}
    for example in EXAMPLES:
        exec(compile(example, "docs/python.md", "exec"), names)
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
