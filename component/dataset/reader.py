"""Open a dataset, plan which files a question needs, and read them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from component.dataset.data_file import read_rows
from component.dataset.header import Header
from component.dataset.history import state_as_of
from component.dataset.implicit import read_whole_header
from component.dataset.keys import check_uuid, partition_texts
from component.dataset.layout import source_order
from component.dataset.lookup import labels_where, lookup, read_embedded
from component.dataset.predicates import Condition, Predicates, bind_predicates, residual
from component.dataset.trusted import read_schema
from component.dataset.values import parse_value
from component.errors import UserError
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset as it was when opened: header and schema of one table. Planning and reading see this state only."""

    store: Store
    header: Header
    table: str
    schema: pa.Schema

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in the order of the source where it is known, else in schema order."""
        return source_order(self.header.extras, self.schema)

    def partition_values(self, key: str) -> dict[str, Any]:
        """Return the typed partition values of a data file."""
        texts = partition_texts(key, self.header.partition_keys)
        return {name: parse_value(text, self.schema.field(name).type) for name, text in texts.items()}


@dataclass(frozen=True, slots=True)
class FileScan:
    """One data file to read: its partition values, and what is left to ask of its rows (empty: nothing)."""

    label: str
    key: str
    partition_values: Mapping[str, Any]
    keep: Predicates


def open_dataset(
    store: Store, uuid: str, *, table: str | None = None, as_of: str | dt.datetime | None = None
) -> Dataset:
    """Open a dataset: header and schema, three calls to the store at most; a listing only for an implicit one.

    `as_of` opens the state of a commit, or of a time. UserError `dataset.missing` when there is none, `dataset.history`
    when that state is not kept, `dataset.format` when the dataset does not follow the format.
    """
    header = _live_header(store, uuid) if as_of is None else state_as_of(store, uuid, as_of).header
    name = table or header.table
    return Dataset(store, header, name, read_schema(store, header, name))


def _live_header(store: Store, uuid: str) -> Header:
    stored = read_whole_header(store, check_uuid(uuid))
    if stored is None:
        raise UserError("dataset.missing", f"There is no dataset {uuid!r} in {store.url}")
    return stored.header


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a question was planned: files of the dataset, and how many of them each step left out.

    `indices` are the secondary indices that were read, `asked_rows` the files whose rows are still asked something.
    """

    files: int
    pruned_by_index: int
    pruned_by_partition: int
    indices: tuple[str, ...]
    asked_rows: int

    @property
    def read(self) -> int:
        """Files that are read."""
        return self.files - self.pruned_by_index - self.pruned_by_partition


def plan_scan(dataset: Dataset, predicates: Sequence[Sequence[Sequence[Any]]] | None = None) -> tuple[FileScan, ...]:
    """Return the files that may hold rows for the predicates: folder by folder, in each in the order of the header.

    That is the order in which they were written, so rows that are not partitioned come in the order of their source.
    Partition values prune, and secondary indices for every operator but `!=` and `not in`. Each index is opened once at
    most, whatever the number of conditions and partitions. Raises UserError as `bind_predicates`.
    """
    return explain_scan(dataset, predicates)[0]


def explain_scan(
    dataset: Dataset, predicates: Sequence[Sequence[Sequence[Any]]] | None = None
) -> tuple[tuple[FileScan, ...], Explanation]:
    """Return what `plan_scan` does, and how it came about."""
    bound = bind_predicates(predicates, dataset.schema) if predicates is not None else ()
    candidates, indices = _candidates(dataset, bound)
    scans, by_index, by_partition = [], 0, 0
    for label, files in sorted(dataset.header.partitions.items(), key=_folder):
        key = files.get(dataset.table)
        if key is None:
            raise UserError("dataset.format", f"The partition {label!r} has no file of table {dataset.table!r}")
        if candidates is not None and label not in candidates:
            by_index += 1
            continue
        values = dataset.partition_values(key)
        left = residual(bound, values) if bound else ()
        if left is None:
            by_partition += 1
        else:
            scans.append(FileScan(label, key, values, left))
    asked = sum(bool(scan.keep) for scan in scans)
    return tuple(scans), Explanation(len(dataset.header.partitions), by_index, by_partition, indices, asked)


def _folder(partition: tuple[str, Any]) -> str:
    return partition[0].rpartition("/")[0]


def _candidates(dataset: Dataset, predicates: Predicates) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """Return the labels that the indices leave over, and the columns of the indices that were read.

    No labels but None when some conjunction is not narrowed by an index: then none is read.
    """
    asked: dict[str, list[Condition]] = {}
    for conjunction in predicates:
        indexed = [condition for condition in conjunction if _has_index(dataset, condition)]
        if not indexed:
            return None, ()
        for condition in indexed:
            asked.setdefault(condition.column, []).append(condition)
    found = {column: iter(_lookup(dataset, column, conditions)) for column, conditions in asked.items()}
    labels = [
        frozenset.intersection(*(next(found[c.column]) for c in conjunction if _has_index(dataset, c)))
        for conjunction in predicates
    ]
    return (frozenset().union(*labels) if labels else None), tuple(found)


def _has_index(dataset: Dataset, condition: Condition) -> bool:
    return condition.indexable and condition.column in dataset.header.indices


def _lookup(dataset: Dataset, column: str, conditions: Sequence[Condition]) -> list[frozenset[str]]:
    index = dataset.header.indices[column]
    if isinstance(index, Mapping):
        return labels_where(read_embedded(index, column, dataset.schema.field(column).type), conditions)
    with dataset.store.open(index) as file:
        return lookup(file, column, conditions)


def read_scan(store: Store, schema: pa.Schema, scan: FileScan, columns: Sequence[str]) -> pa.Table:
    """Return the rows of one file, in the columns asked for. UserError `store.missing` when the file is not there."""
    with store.open(scan.key) as file:
        return read_rows(file, schema, columns, scan.partition_values, scan.keep)


def read_dataset(
    dataset: Dataset,
    *,
    predicates: Sequence[Sequence[Sequence[Any]]] | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[pa.Table]:
    """Yield the rows file by file; columns in the order asked for, or the source's."""
    wanted = list(columns) if columns is not None else list(dataset.columns)
    for scan in plan_scan(dataset, predicates):
        yield read_scan(dataset.store, dataset.schema, scan, wanted)
