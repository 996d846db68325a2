"""The real plateau 4.6 for tests, with pandas 2 and with pandas 3: a process of its own environment per session."""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from component.store.local import LocalStore

_ROOT = Path(__file__).parents[2]


class PlateauError(Exception):
    """What plateau raised, as text."""


def plateau_python(name: str = "plateau") -> Path:
    """Where plateau's interpreter is, for `plateau` or `plateau-pandas3`; the test fails when there is none."""
    variable = f"TABLEMILL_{name.replace('-', '_').upper()}_PYTHON"
    python = Path(os.environ.get(variable) or _ROOT / f".venv-{name}" / "bin" / "python")
    if not python.exists():
        pytest.fail(f"The plateau environment is missing ({python}): run `make plateau`, or set {variable}.")
    return python


class Plateau:
    """Calls to plateau on the directory of a local store; arguments as in `client`."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [python, "-W", "ignore", Path(__file__).with_name("client.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def call(self, name: str, store: LocalStore, uuid: str, **arguments: Any) -> Any:
        calls, answers = self._process.stdin, self._process.stdout
        pickle.dump((name, {"root": str(store.root), "uuid": uuid, **arguments}), calls)
        calls.flush()
        well, result = pickle.load(answers)
        if not well:
            raise PlateauError(result)
        return result

    def read(self, store: LocalStore, uuid: str, **question: Any) -> pa.Table:
        return pa.ipc.open_file(self.call("read", store, uuid, **question)).read_all()

    def schema(self, store: LocalStore, uuid: str) -> dict[str, str]:
        return dict(self.call("schema", store, uuid))

    def dispatched(self, store: LocalStore, uuid: str, predicates: Any) -> list[str]:
        return self.call("dispatched", store, uuid, predicates=predicates)

    def index(self, store: LocalStore, uuid: str, column: str) -> dict[Any, list[str]]:
        return dict(self.call("index", store, uuid, column=column))

    def create(self, store: LocalStore, uuid: str, *tables: pa.Table, **options: Any) -> None:
        self.call("create", store, uuid, frames=[_to_bytes(rows) for rows in tables], **options)

    def append(self, store: LocalStore, uuid: str, *tables: pa.Table, **options: Any) -> None:
        self.call("append", store, uuid, frames=[_to_bytes(rows) for rows in tables], **options)

    def create_implicit(self, store: LocalStore, uuid: str, *tables: pa.Table, partition_on: list[str]) -> None:
        frames = [_to_bytes(rows) for rows in tables]
        self.call("create_implicit", store, uuid, frames=frames, partition_on=partition_on)

    def set_metadata(self, store: LocalStore, uuid: str, metadata: Mapping[str, Any]) -> None:
        self.call("set_metadata", store, uuid, metadata=dict(metadata))

    def collect(self, store: LocalStore, uuid: str) -> None:
        self.call("collect", store, uuid)

    def close(self) -> None:
        self._process.communicate(timeout=60)


def _to_bytes(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="session")
def plateau() -> Iterator[Plateau]:
    process = Plateau(plateau_python())
    yield process
    process.close()


@pytest.fixture(scope="session")
def plateau_pandas3() -> Iterator[Plateau]:
    process = Plateau(plateau_python("plateau-pandas3"))
    yield process
    process.close()
