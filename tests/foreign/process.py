"""Programs of others for tests: each a process in an environment of its own, which answers calls (`serving`)."""

from __future__ import annotations

import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

_ROOT = Path(__file__).parents[2]


class ForeignError(Exception):
    """What another program raised, as text."""


def environment_variable(name: str) -> str:
    return f"TABLEMILL_{name.replace('-', '_').upper()}_PYTHON"


def python_of(name: str) -> Path:
    """Where the interpreter of an environment is, if it was made: `plateau`, `kartothek`, `records`…"""
    return Path(os.environ.get(environment_variable(name)) or _ROOT / f".venv-{name}" / "bin" / "python")


def required_python(name: str, target: str) -> Path:
    """Where it is; the test fails when there is none, and says which target of make makes it."""
    python = python_of(name)
    if not python.exists():
        pytest.fail(
            f"The environment {name} is missing ({python}): run `make {target}`, or set {environment_variable(name)}."
        )
    return python


class ForeignProcess:
    """A script with CALLS, run by the interpreter of its program."""

    error: type[ForeignError] = ForeignError

    def __init__(self, python: Path, script: Path, **options: Any) -> None:
        self._process = subprocess.Popen(
            [python, "-W", "ignore", Path(__file__).with_name("serving.py"), script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **options,
        )

    def ask(self, name: str, **arguments: Any) -> Any:
        """Call a function; what it raises comes up as `error`."""
        calls, answers = self._process.stdin, self._process.stdout
        pickle.dump((name, arguments), calls)
        calls.flush()
        well, result = pickle.load(answers)
        if not well:
            raise self.error(result)
        return result

    def close(self) -> None:
        self._process.communicate(timeout=60)


def rows_as_bytes(rows: pa.Table) -> bytes:
    """Rows as the bytes of an Arrow file, as which they travel."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue().to_pybytes()
