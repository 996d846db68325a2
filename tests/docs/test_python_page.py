"""docs/python.md: its examples run in their order, and no function is left out."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
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


def imports(code: str) -> Iterator[tuple[str, str]]:
    """Modules that code imports, each with a name from it; the name is empty where the module is imported itself."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def shown_code() -> dict[str, str]:
    """The Python of every page for users, and of the notebooks."""
    fence = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = {path.name: "\n".join(fence.findall(path.read_text(encoding="utf-8"))) for path in pages}
    for path in sorted((ROOT / "examples").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found[path.name] = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return found


def test_documents_import_what_is_public_and_nothing_of_the_component():
    for page, code in shown_code().items():
        for module, name in imports(code):
            package = module.partition(".")[0]
            assert package != "component", f"{page} imports {module}"
            if package == "tablemill" and name:
                assert name in import_module(module).__all__, f"{page} imports {name} from {module}"


def test_the_python_of_several_pages_and_of_a_notebook_is_looked_at():
    ours = {page for page, code in shown_code().items() if any(one[0].startswith("tablemill") for one in imports(code))}
    assert {"python.md", "questions.md", "spark.md", "read_with_spark.ipynb"} <= ours


def test_every_public_name_says_what_it_is():
    for name in tablemill.__all__:
        assert name == "__version__" or inspect.getdoc(getattr(tablemill, name))
