"""Those who update one dataset in turn: us, plateau and kartothek behind one face, and what each of them refuses.

What a client refuses follows from the types in the store (reference kartothek 2.4, C.5): the two clients have texts of
different Arrow types, and neither takes the other's.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.changes.operations import replace_partitions, set_metadata
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.commits.garbage import collect, find_garbage
from component.dataset.format.header import read_header
from component.dataset.format.layout import Layout
from component.store.local import LocalStore
from tests.dataset.making import read_all, write_splits
from tests.kartothek.process import Kartothek
from tests.plateau.process import Plateau

UUID = "sales"
INDICES = ("text", "exact", "ratio", "flag", "day", "moment", "count", "raw")
KEYS = ("é=% ", "", "b", "c")
"""Values of the partition key; none has a slash, at which kartothek and plateau cut."""


def rows_of(turn: int, keys: Sequence[str]) -> pa.Table:
    """Three rows of every type that all can write, with nulls where pandas has some for the type.

    kartothek takes the length of an exact number from the rows of each frame, so one fills it.
    """
    days = [dt.date(2024, 1, 1) + dt.timedelta(turn), None, dt.date(1700, 1, 1)]
    moments = [
        dt.datetime.fromisoformat(f"2024-01-01T12:34:56.{turn:06}"),
        None,
        dt.datetime.fromisoformat("2200-01-01"),
    ]
    return pa.table(
        {
            "k": pa.array(keys[:1] * 2 + keys[1:2], pa.string()),
            "text": [f"t{turn}", None, "ü/"],
            "whole": pa.array([turn, None, -1], pa.int64()),
            "exact": pa.array([turn, 2**62 + turn, -turn - 1], pa.int64()),
            "amount": pa.array([Decimal("1234567890.12"), None, Decimal(turn)], pa.decimal128(12, 2)),
            "ratio": [turn / 2, None, float("inf")],
            "flag": [True, None, False],
            "day": pa.array(days, pa.date32()),
            "moment": pa.array(moments, pa.timestamp("us")),
            "count": pa.array([turn, 2**64 - 1, 0], pa.uint64()),
            "raw": [bytes([turn + 1, 255]), None, b""],
        }
    )


class Types:
    """The types of texts that lie in the store: in the schema, in its partition keys, in the indices, in data files."""

    def __init__(self, store: LocalStore) -> None:
        header = read_header(store, UUID).header
        schema = pq.read_schema(store.open(f"{UUID}/table/_common_metadata"))
        self.schema_is_large = pa.large_string() in schema.types
        self.key_is_large = any(schema.field(name).type == pa.large_string() for name in header.partition_keys)
        indices = {pq.read_schema(store.open(key)).field(0).type for key in header.indices.values()}
        self.index_is_large = pa.large_string() in indices
        self.index_is_plain = pa.string() in indices


class Us:
    """Tablemill, which refuses nothing here."""

    def __init__(self, compatibility: Any) -> None:
        self.compatibility = compatibility

    def _commit(self, store: LocalStore, rows: pa.Table, keys: Any, indices: Any, mode: Any) -> None:
        layout = Layout(UUID, rows.schema, tuple(keys), tuple(indices), compatibility=self.compatibility)
        plan = plan_commit(store, layout, mode)
        commit(store, plan, write_splits(store, plan, rows))

    def create(self, store: LocalStore, rows: pa.Table, keys: Any, indices: Any) -> None:
        self._commit(store, rows, keys, indices, "overwrite")

    def append(self, store: LocalStore, rows: pa.Table, keys: Any, indices: Any) -> None:
        self._commit(store, rows, keys, indices, "append")

    def replace(self, store: LocalStore, rows: pa.Table, keys: Any, indices: Any, scope: Any) -> None:
        replace_partitions(store, UUID, [rows], scope)

    def set_metadata(self, store: LocalStore, values: Any) -> None:
        set_metadata(store, UUID, values)

    def collect(self, store: LocalStore) -> None:
        collect(store, find_garbage(store, UUID, min_age=dt.timedelta(0)))

    def read(self, store: LocalStore, **question: Any) -> pa.Table:
        return read_all(store, UUID, **question)

    def refuses(self, what: str, types: Types) -> str | None:
        return None


class _Client:
    """Another client, in a process of its own."""

    def __init__(self, process: Any) -> None:
        self.process = process

    def _rows(self, rows: pa.Table) -> Any:
        return rows

    def create(self, store: LocalStore, rows: pa.Table, keys: Any, indices: Any) -> None:
        options = {"partition_on": list(keys), "secondary_indices": list(indices)}
        self.process.create(store, UUID, self._rows(rows), **options)

    def append(self, store: LocalStore, rows: pa.Table, keys: Any, indices: Any, **options: Any) -> None:
        options |= {"partition_on": list(keys), "secondary_indices": list(indices)}
        self.process.append(store, UUID, self._rows(rows), **options)

    def replace(self, store: LocalStore, rows: pa.Table, keys: Any, indices: Any, scope: Any) -> None:
        self.append(store, rows, keys, indices, delete_scope=scope)

    def set_metadata(self, store: LocalStore, values: Any) -> None:
        self.process.set_metadata(store, UUID, values)

    def collect(self, store: LocalStore) -> None:
        self.process.collect(store, UUID)

    def read(self, store: LocalStore, **question: Any) -> pa.Table:
        return self.process.read(store, UUID, **question)


class OfPlateau(_Client):
    """plateau 4.6, which refuses to update a text index of kartothek's, and nothing else here."""

    def __init__(self, process: Plateau) -> None:
        super().__init__(process)

    def refuses(self, what: str, types: Types) -> str | None:
        if what in {"append", "replace"} and types.index_is_plain:
            return r"TypeError.*Expected `string` but got `large_string`"
        return None


class OfKartothek(_Client):
    """kartothek 5.3, which can read texts of plateau where they are neither keys nor looked up, and write none."""

    def __init__(self, process: Kartothek) -> None:
        super().__init__(process)

    def _rows(self, rows: pa.Table) -> Any:
        return {"table": rows}

    def refuses(self, what: str, types: Types) -> str | None:
        if what == "collect":
            return None
        if types.key_is_large:
            return "NotImplementedError.*large_string"
        if what == "read":
            return None
        if types.index_is_large:
            return "ArrowNotImplementedError.*large_string"
        if what in {"append", "replace"} and types.schema_is_large:
            return "ValueError: Schemas for table 'table' of dataset 'sales' are not compatible"
        return None
