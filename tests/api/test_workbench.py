"""What Python code may import of Workbench: listed, described, and enough for the example of docs/workbench.md."""

import inspect
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import tablemill.workbench
from tablemill.workbench import ColumnKind, HttpFile, Place, read_http_file, write_http_file

ROOT = Path(__file__).parents[2]
EXAMPLE = (ROOT / "docs" / "workbench.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]


def test_every_public_name_says_what_it_is():
    shown = [getattr(tablemill.workbench, name) for name in tablemill.workbench.__all__]
    assert [one for one in shown if (inspect.isclass(one) or inspect.isfunction(one)) and not inspect.getdoc(one)] == []


def test_the_example_of_the_page_runs():
    given = {"module_function": lambda frame, _: (frame, "odd"), "frame": pd.DataFrame({"A": [1, 2]}), "params": {}}
    exec(EXAMPLE, given)
    assert given["again"].dataframe.equals(given["frame"])
    assert [column.kind for column in given["kept"].table.columns] == [ColumnKind.NUMBER]


def test_an_httpfile_comes_back_as_it_was_written():
    file = HttpFile({"url": "https://x/"}, "200 OK", (("Content-Type", "text/csv"),), b"a\r\n1\r\n")
    assert read_http_file(write_http_file(file), Place()) == file


@pytest.mark.parametrize("module", ["tablemill", "tablemill.workbench"])
def test_pandas_is_not_loaded_until_a_frame_is_asked_for(module):
    program = f"import sys, {module}; print(*sorted(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "pandas" not in ended.stdout.split()
