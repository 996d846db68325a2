"""The real plateau 4.6 for tests, with pandas 2 and with pandas 3: a process of its own environment per session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from component.store.local import LocalStore
from tests.foreign.process import ForeignError, ForeignProcess, required_python, rows_as_bytes


class PlateauError(ForeignError):
    """What plateau raised, as text."""


class Plateau(ForeignProcess):
    """Calls to plateau on the directory of a local store; arguments as in `client`."""

    error = PlateauError

    def __init__(self, name: str) -> None:
        super().__init__(required_python(name, "plateau"), Path(__file__).with_name("client.py"))

    def call(self, name: str, store: LocalStore, uuid: str, **arguments: Any) -> Any:
        return self.ask(name, root=str(store.root), uuid=uuid, **arguments)

    def read(self, store: LocalStore, uuid: str, **question: Any) -> pa.Table:
        return pa.ipc.open_file(self.call("read", store, uuid, **question)).read_all()

    def schema(self, store: LocalStore, uuid: str) -> dict[str, str]:
        return dict(self.call("schema", store, uuid))

    def dispatched(self, store: LocalStore, uuid: str, predicates: Any) -> list[str]:
        return self.call("dispatched", store, uuid, predicates=predicates)

    def index(self, store: LocalStore, uuid: str, column: str) -> dict[Any, list[str]]:
        return dict(self.call("index", store, uuid, column=column))

    def create(self, store: LocalStore, uuid: str, *tables: pa.Table, **options: Any) -> None:
        self.call("create", store, uuid, frames=[rows_as_bytes(rows) for rows in tables], **options)

    def append(self, store: LocalStore, uuid: str, *tables: pa.Table, **options: Any) -> None:
        self.call("append", store, uuid, frames=[rows_as_bytes(rows) for rows in tables], **options)

    def create_implicit(self, store: LocalStore, uuid: str, *tables: pa.Table, partition_on: list[str]) -> None:
        frames = [rows_as_bytes(rows) for rows in tables]
        self.call("create_implicit", store, uuid, frames=frames, partition_on=partition_on)

    def set_metadata(self, store: LocalStore, uuid: str, metadata: Mapping[str, Any]) -> None:
        self.call("set_metadata", store, uuid, metadata=dict(metadata))

    def collect(self, store: LocalStore, uuid: str) -> None:
        self.call("collect", store, uuid)


@pytest.fixture(scope="session")
def plateau() -> Iterator[Plateau]:
    process = Plateau("plateau")
    yield process
    process.close()


@pytest.fixture(scope="session")
def plateau_pandas3() -> Iterator[Plateau]:
    process = Plateau("plateau-pandas3")
    yield process
    process.close()
