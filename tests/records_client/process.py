"""The real records-mover 1.6.4 for tests: one process of its own environment per test session."""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parents[2]
_VARIABLE = "TABLEMILL_RECORDS_PYTHON"


class ClientError(Exception):
    """What records-mover raised, as text."""


def client_python() -> Path:
    """Where its interpreter is; the test fails when there is none."""
    python = Path(os.environ.get(_VARIABLE) or _ROOT / ".venv-records" / "bin" / "python")
    if not python.exists():
        pytest.fail(f"The environment of records-mover is missing ({python}): run `make records`, or set {_VARIABLE}.")
    return python


class Client:
    """Calls to records-mover; arguments as in `client`."""

    def __init__(self, python: Path, home: Path) -> None:
        self._process = subprocess.Popen(
            [python, "-W", "ignore", Path(__file__).with_name("client.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it tells its whole day
            cwd=home,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "TZ": "UTC"},
        )

    def call(self, name: str, **arguments: Any) -> Any:
        calls, answers = self._process.stdin, self._process.stdout
        pickle.dump((name, arguments), calls)
        calls.flush()
        well, result = pickle.load(answers)
        if not well:
            raise ClientError(result)
        return result

    def write(
        self, root: Path, variant: str | None, hints: dict[str, Any], types: dict[str, str], rows: list[Any]
    ) -> None:
        root.mkdir()
        names, kinds = list(types), list(types.values())
        arguments = {"variant": variant, "hints": hints, "columns": names, "types": kinds, "rows": rows}
        self.call("write", root=str(root), zone="US/Eastern", **arguments)

    def read(self, root: Path) -> tuple[list[str], list[list[Any]]]:
        return self.call("read", root=str(root))

    def describe(self, root: Path) -> dict[str, Any]:
        return self.call("describe", root=str(root))

    def copy(self, root: Path, target: Path) -> None:
        target.mkdir()
        self.call("copy", root=str(root), target=str(target))

    def close(self) -> None:
        self._process.communicate(timeout=60)


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    process = Client(client_python(), tmp_path_factory.mktemp("home"))
    yield process
    process.close()
