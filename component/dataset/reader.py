"""Open a dataset, plan which files a question needs, and read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from component import naming
from component.dataset.data_file import read_rows
from component.dataset.header import Header, StoredHeader, read_header
from component.dataset.index import embedded_labels, lookup
from component.dataset.keys import check_uuid, keys_in_path, label_of_key, partition_texts, schema_key
from component.dataset.layout import source_order, trusted_schema
from component.dataset.predicates import Conjunction, Predicates, bind_predicates, residual
from component.dataset.schema import decode_schema
from component.dataset.values import parse_value
from component.errors import UserError
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset as it was when opened: header and schema of one table. Planning and reading see this state only."""

    store: Store
    stored: StoredHeader
    table: str
    schema: pa.Schema

    @property
    def header(self) -> Header:
        """The header as it was read."""
        return self.stored.header

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
    """One data file to read: its partition values, and what is left to filter (None: nothing)."""

    label: str
    key: str
    partition_values: Mapping[str, Any]
    keep: pc.Expression | None


def open_dataset(store: Store, uuid: str, *, table: str | None = None) -> Dataset:
    """Open a dataset: header and schema, three calls to the store at most; a listing only for an implicit one.

    UserError `dataset.missing` when there is none, `dataset.format` when it does not follow the format.
    """
    stored = read_header(store, check_uuid(uuid))
    if stored is None:
        raise UserError("dataset.missing", f"There is no dataset {uuid!r} in {store.url}")
    if not stored.header.explicit:
        stored = _list_partitions(store, stored)
    name = table or stored.header.table
    schema = decode_schema(store.get(schema_key(uuid, name)))
    header = stored.header
    return Dataset(store, stored, name, trusted_schema(header.extras, schema, header.partition_keys))


def _list_partitions(store: Store, stored: StoredHeader) -> StoredHeader:
    """Find the files of a header that names none (reference kartothek 1.6)."""
    uuid = stored.header.uuid
    partitions: dict[str, dict[str, str]] = {}
    for stat in store.list(f"{uuid}/"):
        parts = stat.key.split("/")
        if stat.key.endswith(naming.PARQUET_SUFFIX) and parts[1] != naming.INDICES_FOLDER:
            partitions.setdefault(label_of_key(stat.key), {})[parts[1]] = stat.key
    first = next((key for files in partitions.values() for key in files.values()), None)
    keys = stored.header.partition_keys or (keys_in_path(first) if first else ())
    old = stored.header
    header = Header(uuid, partitions, tuple(keys), old.indices, old.metadata, explicit=False)
    return StoredHeader(header, stored.storage_format, stored.version)


def plan_scan(dataset: Dataset, predicates: Sequence[Sequence[Sequence[Any]]] | None = None) -> tuple[FileScan, ...]:
    """Return the files that may hold rows for the predicates, in label order.

    Partition values prune first, then secondary indices for `==` and `in`; one index is read per column at most. Raises
    UserError as `bind_predicates`.
    """
    bound = bind_predicates(predicates, dataset.schema) if predicates is not None else None
    candidates = _candidates(dataset, bound) if bound else None
    scans = []
    for label in sorted(dataset.header.partitions):
        key = dataset.header.partitions[label].get(dataset.table)
        if key is None:
            raise UserError("dataset.format", f"The partition {label!r} has no file of table {dataset.table!r}")
        if candidates is not None and label not in candidates:
            continue
        values = dataset.partition_values(key)
        left = residual(bound, values) if bound else True
        if left is not False:
            scans.append(FileScan(label, key, values, None if left is True else left))
    return tuple(scans)


def _candidates(dataset: Dataset, predicates: Predicates) -> set[str] | None:
    """Return the labels that the indices leave over, or None when some conjunction is not narrowed by an index."""
    found: set[str] = set()
    read: dict[str, set[str]] = {}
    for conjunction in predicates:
        labels = _conjunction_labels(dataset, conjunction, read)
        if labels is None:
            return None
        found |= labels
    return found


def _conjunction_labels(dataset: Dataset, conjunction: Conjunction, read: dict[str, set[str]]) -> set[str] | None:
    labels: set[str] | None = None
    for condition in conjunction:
        if condition.column not in dataset.header.indices or condition.values is None:
            continue
        memo = f"{condition.column}={condition.values}"
        if memo not in read:
            read[memo] = _lookup(dataset, condition.column, condition.values)
        labels = read[memo] if labels is None else labels & read[memo]
    return labels


def _lookup(dataset: Dataset, column: str, wanted: pa.Array) -> set[str]:
    index = dataset.header.indices[column]
    if isinstance(index, Mapping):
        return embedded_labels(index, wanted.to_pylist())
    with dataset.store.open(index) as file:
        return lookup(file, column, wanted)


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
