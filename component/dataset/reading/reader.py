"""Open a dataset, plan which files a question needs, and read them.

Indices and partition values say which partitions may hold rows, and what is left to ask there. An index knows every
value of its column that is neither null nor NaN, with the labels of all partitions that hold it: so it answers for
conditions on values, and for no other; and a conjunction is narrowed by each of its indices, whatever the other
conjunctions ask.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from component.dataset.files.csv_file import open_data
from component.dataset.files.data_file import read_rows
from component.dataset.files.footer import naming_file
from component.dataset.files.predicates import Condition, Conjunction, Predicates, bind_predicates
from component.dataset.format.header import Header, missing_dataset
from component.dataset.format.history import state_as_of
from component.dataset.format.implicit import read_whole_header
from component.dataset.format.keys import check_uuid, partition_texts
from component.dataset.format.layout import described_attributes, source_order
from component.dataset.format.trusted import read_schema
from component.dataset.format.values import parse_value
from component.dataset.indices.lookup import labels_where, lookup, naming_index, read_embedded
from component.errors import UserError
from component.formats.columns import described_columns
from component.store.base import Store
from component.tables.types import Column


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
        return source_order(self.header.described(self.table), self.schema)

    @property
    def attributes(self) -> dict[str, dict[str, str]]:
        """What is known of columns beyond their types, by column."""
        return described_attributes(self.header.described(self.table))

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns that name a row, as far as that is known."""
        return tuple(self.header.described(self.table).get("primary_key", ()))

    def described(self, names: Sequence[str]) -> tuple[Column, ...]:
        """Return columns with all that is known of them; UserError `column.type` for one without a form in a table."""
        return described_columns(pa.schema([self.schema.field(name) for name in names]), self.attributes).columns

    def partition_values(self, key: str) -> dict[str, Any]:
        """Return the typed partition values of a data file."""
        texts = partition_texts(key, self.header.partition_keys)
        unknown = texts.keys() - set(self.schema.names)
        if unknown:
            raise UserError("dataset.format", f"The schema lacks the partition key {min(unknown)!r}")
        return {name: parse_value(text, self.schema.field(name).type) for name, text in texts.items()}


@dataclass(frozen=True, slots=True)
class FileScan:
    """One data file to read: its partition values, and what is left to ask of its rows (empty: nothing)."""

    label: str
    key: str
    partition_values: Mapping[str, Any]
    keep: Predicates


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a question was planned: files of the dataset, and how many of them each step left out.

    `indices` are the secondary indices that were read, each with the number of files that it leaves by itself;
    `asked_rows` the files whose rows are still asked something.
    """

    files: int
    pruned_by_index: int
    pruned_by_partition: int
    indices: tuple[tuple[str, int], ...]
    asked_rows: int

    @property
    def read(self) -> int:
        """Files that are read."""
        return self.files - self.pruned_by_index - self.pruned_by_partition


def open_dataset(
    store: Store, uuid: str, *, table: str | None = None, as_of: str | dt.datetime | None = None
) -> Dataset:
    """Open a dataset: header and schema, three calls to the store at most; a listing only for an implicit one.

    `table` is one of the dataset's tables, by default the first. `as_of` opens the state of a commit, or of a time.
    UserError `dataset.missing` when there is none, or it has no such table, `dataset.history` when that state is not
    kept, `dataset.format` when the dataset does not follow the format.
    """
    header = _live_header(store, uuid) if as_of is None else state_as_of(store, uuid, as_of).header
    name = table or header.table
    if name not in header.tables:
        raise UserError(
            "dataset.missing",
            f"The dataset {uuid!r} has no table {name!r}",
            remedy=f"It has {', '.join(header.tables)}.",
        )
    return Dataset(store, header, name, read_schema(store, header, name))


def _live_header(store: Store, uuid: str) -> Header:
    stored = read_whole_header(store, check_uuid(uuid))
    if stored is None:
        raise missing_dataset(store, uuid)
    return stored.header


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
    header = dataset.header
    narrowed, found = narrow(bound, header.partition_keys, Indices(dataset.store, dataset.schema, header.indices))
    scans, by_index, by_partition = [], 0, 0
    files = _files(dataset)
    for label, key in files:
        allowed = [conjunction for conjunction in narrowed if conjunction.allows(label)]
        if narrowed and not allowed:
            by_index += 1
            continue
        values = dataset.partition_values(key)
        left = residual(allowed, values) if narrowed else ()
        if left is None:
            by_partition += 1
        else:
            scans.append(FileScan(label, key, values, left))
    asked = sum(bool(scan.keep) for scan in scans)
    indices = tuple((column, len(labels & header.partitions.keys())) for column, labels in found.items())
    return tuple(scans), Explanation(len(files), by_index, by_partition, indices, asked)


def _files(dataset: Dataset) -> list[tuple[str, str]]:
    """Return labels and keys of the table's files, folder by folder.

    Of several tables, kartothek writes no file of one that has no rows in a partition.
    """
    header = dataset.header
    found, several = [], len(header.tables) > 1
    for label, files in sorted(header.partitions.items(), key=_folder):
        key = files.get(dataset.table)
        if key is not None:
            found.append((label, key))
        elif not several:
            raise UserError("dataset.format", f"The partition {label!r} has no file of table {dataset.table!r}")
    return found


def _folder(partition: tuple[str, Any]) -> str:
    return partition[0].rpartition("/")[0]


def read_scan(
    store: Store, schema: pa.Schema, scan: FileScan, columns: Sequence[str], *, as_stored: bool = False
) -> pa.Table:
    """Return the rows of one file, in the columns asked for; `as_stored` as `read_rows` has it.

    UserError `store.missing` when the file is not there.
    """
    with naming_file(scan.key), open_data(store, scan.key, schema) as file:
        return read_rows(file, schema, columns, scan.partition_values, scan.keep, as_stored=as_stored)


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


@dataclass(frozen=True, slots=True)
class Narrowed:
    """One conjunction: labels that indices leave (None: any), tests of partition values, what is asked of rows."""

    labels: frozenset[str] | None
    tests: tuple[tuple[str, Callable[[Any], bool]], ...]
    rest: Conjunction

    def allows(self, label: str) -> bool:
        """Whether the indices leave the partition over."""
        return self.labels is None or label in self.labels

    def holds(self, partition_values: Mapping[str, Any]) -> bool:
        """Whether what is asked of the partition values is true."""
        return all(test(partition_values[column]) for column, test in self.tests)


def residual(conjunctions: Sequence[Narrowed], partition_values: Mapping[str, Any]) -> Predicates | None:
    """Return what is left to ask of the rows in a partition. None: no row can be wanted. Empty: every row is."""
    left = tuple(one.rest for one in conjunctions if one.holds(partition_values))
    return () if not all(left) else left or None


@dataclass(frozen=True, slots=True)
class Indices:
    """The secondary indices of a dataset and where they are; `schema` is that of its rows."""

    store: Store
    schema: pa.Schema
    indices: Mapping[str, Any]

    def answers(self, condition: Condition) -> bool:
        """Whether an index says in which partitions the condition may be true."""
        return condition.indexable and condition.column in self.indices

    def labels(self, column: str, conditions: Sequence[Condition]) -> list[frozenset[str]]:
        """Return the labels for each condition on a column; the index is read once.

        UserError of the code of what is wrong when the index cannot be used.
        """
        index = self.indices[column]
        if isinstance(index, Mapping):
            return labels_where(read_embedded(index, column, self.schema.field(column).type), conditions)
        with naming_index(column), self.store.open(index) as file:
            return lookup(file, column, conditions)


def narrow(
    predicates: Predicates, partition_keys: Sequence[str], indices: Indices
) -> tuple[tuple[Narrowed, ...], dict[str, frozenset[str]]]:
    """Return the conjunctions as indices and partition keys narrow them, and what each index that was read leaves over.

    Each index is read once at most, and none where some conjunction leaves every partition open: all are read then.
    """
    asked: dict[str, list[Condition]] = {}
    if all(any(c.column in partition_keys or indices.answers(c) for c in conjunction) for conjunction in predicates):
        for conjunction in predicates:
            for condition in conjunction:
                if indices.answers(condition):
                    asked.setdefault(condition.column, []).append(condition)
    found = {column: indices.labels(column, conditions) for column, conditions in asked.items()}
    ahead = {column: iter(labels) for column, labels in found.items()}
    narrowed = []
    for conjunction in predicates:
        labels = [next(ahead[c.column]) for c in conjunction if c.column in found and indices.answers(c)]
        of_keys = [condition for condition in conjunction if condition.column in partition_keys]
        narrowed.append(
            Narrowed(
                frozenset.intersection(*labels) if labels else None,
                tuple((condition.column, condition.test()) for condition in of_keys),
                tuple(condition for condition in conjunction if condition.column not in partition_keys),
            )
        )
    return tuple(narrowed), {column: frozenset().union(*labels) for column, labels in found.items()}
