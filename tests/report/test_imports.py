from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

COMPONENT = Path(__file__).parents[2] / "component"


@pytest.mark.parametrize("room", ["report", "config"])
def test_modules_know_each_other_in_one_direction(room):
    """Imports inside of functions count too: an import that is put off still points back."""
    graph = {path.stem: set(_imported(path, room)) for path in (COMPONENT / room).glob("*.py")}
    TopologicalSorter(graph).prepare()  # CycleError names the modules of a cycle


def _imported(path, room):
    package = f"component.{room}"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{package}."):
            yield node.module.rsplit(".", 1)[1]
