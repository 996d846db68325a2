"""The real kartothek 5.3 for tests: one process of its own environment per test session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from component.store.local import LocalStore
from tests.foreign.process import ForeignError, ForeignProcess, python_of, rows_as_bytes


class KartothekError(ForeignError):
    """What kartothek raised, as text."""


def kartothek_python() -> Path:
    """Where kartothek's interpreter is, if it was made."""
    return python_of("kartothek")


class Kartothek(ForeignProcess):
    """Calls to kartothek on the directory of a local store; arguments as in `client`. A partition is rows by table."""

    error = KartothekError

    def __init__(self, python: Path) -> None:
        super().__init__(python, Path(__file__).with_name("client.py"))

    def call(self, name: str, store: LocalStore, uuid: str, **arguments: Any) -> Any:
        return self.ask(name, root=str(store.root), uuid=uuid, **arguments)

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


def _to_bytes(partition: Mapping[str, pa.Table]) -> dict[str, bytes]:
    return {table: rows_as_bytes(rows) for table, rows in partition.items()}


@pytest.fixture(scope="session")
def kartothek() -> Iterator[Kartothek]:
    process = Kartothek(kartothek_python())
    yield process
    process.close()
