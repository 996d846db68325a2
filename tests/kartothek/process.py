"""The real kartothek 5.3 for tests: one process of its own environment per test session."""

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
_VARIABLE = "TABLEMILL_KARTOTHEK_PYTHON"


class KartothekError(Exception):
    """What kartothek raised, as text."""


def kartothek_python() -> Path:
    """Where kartothek's interpreter is, if it was made."""
    return Path(os.environ.get(_VARIABLE) or _ROOT / ".venv-kartothek" / "bin" / "python")


class Kartothek:
    """Calls to kartothek on the directory of a local store; arguments as in `client`. A partition is rows by table."""

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
            raise KartothekError(result)
        return result

    def read(self, store: LocalStore, uuid: str, table: str = "table", **question: Any) -> pa.Table:
        return pa.ipc.open_file(self.call("read", store, uuid, table=table, **question)).read_all()

    def tables(self, store: LocalStore, uuid: str) -> list[str]:
        return self.call("tables", store, uuid)

    def pairs(self, store: LocalStore, uuid: str) -> list[dict[str, int]]:
        return self.call("pairs", store, uuid)

    def dispatched(self, store: LocalStore, uuid: str, predicates: Any) -> list[str]:
        return self.call("dispatched", store, uuid, predicates=predicates)

    def create(self, store: LocalStore, uuid: str, *partitions: Mapping[str, pa.Table], **options: Any) -> None:
        self.call("create", store, uuid, partitions=list(map(_to_bytes, partitions)), **options)

    def append(self, store: LocalStore, uuid: str, *partitions: Mapping[str, pa.Table], **options: Any) -> None:
        self.call("append", store, uuid, partitions=list(map(_to_bytes, partitions)), **options)

    def set_metadata(self, store: LocalStore, uuid: str, metadata: Mapping[str, Any]) -> None:
        self.call("set_metadata", store, uuid, metadata=dict(metadata))

    def collect(self, store: LocalStore, uuid: str) -> None:
        self.call("collect", store, uuid)

    def delete(self, store: LocalStore, uuid: str) -> None:
        self.call("delete", store, uuid)

    def close(self) -> None:
        self._process.communicate(timeout=60)


def _to_bytes(partition: Mapping[str, pa.Table]) -> dict[str, bytes]:
    found = {}
    for table, rows in partition.items():
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        found[table] = sink.getvalue().to_pybytes()
    return found


@pytest.fixture(scope="session")
def kartothek() -> Iterator[Kartothek]:
    process = Kartothek(kartothek_python())
    yield process
    process.close()
