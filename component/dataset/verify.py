"""Everything that can be wrong with a dataset, found by reading all of it; and what of it can be mended.

Header, schema, every data file (there, readable to the last page, of the right columns and types, under a path that
says its partition), every index exactly against the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component.dataset.change import Base, Change, apply_change
from component.dataset.data_file import read_rows
from component.dataset.header import Header, decode_header
from component.dataset.history import commit_of, lost_commits
from component.dataset.implicit import read_whole_header
from component.dataset.index import Fragment, fragment_of_files, fragment_of_index
from component.dataset.keys import check_uuid, header_key, history_key, schema_key
from component.dataset.layout import Layout, trusted_schema
from component.dataset.lookup import read_embedded, read_index
from component.dataset.reader import Dataset
from component.dataset.schema import decode_schema
from component.dataset.writable import newer_hidden
from component.errors import TablemillError, UserError
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. `code` is stable; `mend` says what `repair` would do, None where it cannot."""

    code: str
    text: str
    key: str | None = None
    label: str | None = None
    column: str | None = None
    mend: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification found, and how much it read."""

    uuid: str
    faults: tuple[Fault, ...]
    files: int = 0
    rows: int = 0
    indices: int = 0


def verify(store: Store, uuid: str) -> Verdict:
    """Read a whole dataset and return what is wrong with it; changes nothing.

    UserError `dataset.missing` when there is none. A header that cannot be read is a fault, and the only one.
    """
    try:
        stored = read_whole_header(store, check_uuid(uuid))
    except UserError as error:
        if error.code != "dataset.format":
            raise
        return Verdict(uuid, (Fault("verify.header", str(error), header_key(uuid, "json")),))
    if stored is None:
        raise UserError("dataset.missing", f"There is no dataset {uuid!r} in {store.url}")
    header = stored.header
    faults = [*_hidden_header(store, header, stored.storage_format), *_lost(store, uuid)]
    try:
        schema = decode_schema(store.get(schema_key(uuid, header.table)))
    except UserError as error:
        text = f"The schema cannot be read: {error.text}"
        return Verdict(uuid, (*faults, Fault("verify.schema", text, schema_key(uuid, header.table))))
    dataset = Dataset(store, header, header.table, trusted_schema(header.extras, schema, header.partition_keys))
    reading = _Reading(dataset)
    faults += reading.files()
    if not any(fault.code == "verify.file" for fault in faults):
        faults += reading.indices()
    return Verdict(uuid, tuple(faults), len(header.partitions), reading.rows, len(header.indices))


def _hidden_header(store: Store, header: Header, storage_format: str) -> Iterator[Fault]:
    key = header_key(header.uuid, "msgpack.zstd")
    found = store.get_versioned(key) if storage_format == "json" else None
    if found is None:
        return
    try:
        same = commit_of(decode_header(found[0], "msgpack.zstd", header.uuid)).id == commit_of(header).id
    except UserError:
        same = False
    if newer_hidden(store, header) is not None:
        text = "The JSON header is older than the one that it hides"
        yield Fault("verify.hidden_header", text, key, mend="the next commit takes the older one away")
    elif not same:
        yield Fault("verify.hidden_header", "An older header is hidden by the JSON one", key, mend="gc deletes it")


def _lost(store: Store, uuid: str) -> Iterator[Fault]:
    """Name the commits that another client has overwritten, as far as that can be told."""
    try:
        for commit in lost_commits(store, uuid):
            made = f"{commit.operation or 'another client'}, {commit.time or 'at a time that it does not say'}"
            text = f"The commit {commit.id} ({made}) is lost: another client put its header onto an older state"
            yield Fault("verify.lost_commit", f"{text}, unless its own writer was killed", history_key(uuid, commit.id))
    except UserError as error:
        yield Fault("verify.history", f"The history cannot be read: {error.text}")


class _Reading:
    """One pass over the files of a dataset: their faults, their rows, and what the indices should hold."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._store = dataset.store
        self._indexed: dict[str, list[tuple[str, Any]]] = {
            name: [] for name in dataset.header.indices if name in dataset.schema.names
        }
        self.rows = 0

    def files(self) -> Iterator[Fault]:
        header, table = self._dataset.header, self._dataset.table
        present = {stat.key for stat in self._store.list(f"{header.uuid}/")}
        for label, files in header.partitions.items():
            key = files.get(table)
            if key is None:
                yield Fault("verify.table", f"The partition has no file of table {table!r}", label=label)
            elif key not in present:
                mend = "drop the partition from the header"
                yield Fault("verify.file", "The file is not there", key, label, mend=mend)
            else:
                yield from self._file(label, key)

    def _file(self, label: str, key: str) -> Iterator[Fault]:
        """Read a file whole, so that every page is decoded; `read_rows` checks its types."""
        schema = self._dataset.schema
        try:
            values = self._dataset.partition_values(key)
            with self._store.open(key) as file:
                rows = read_rows(file, schema, schema.names, values)
        except TablemillError as error:
            yield Fault("verify.file", error.text, key, label)
            return
        self.rows += rows.num_rows
        with self._store.open(key) as file:
            stored = set(pq.read_schema(file).names)
        for name in sorted(set(schema.names) - stored - set(values)):
            text = "The file lacks a column, whose values read as null"
            yield Fault("verify.column", text, key, label, name)
        for name, columns in self._indexed.items():
            columns.append((label, pc.unique(rows[name])))

    def indices(self) -> Iterator[Fault]:
        header = self._dataset.header
        layout = Layout(header.uuid, self._dataset.schema, header.partition_keys)
        for column, index in header.indices.items():
            key = index if isinstance(index, str) else None
            if column not in self._indexed:
                yield Fault("verify.index", "The indexed column is not in the schema", key, column=column)
                continue
            data_type = layout.index_type(column)
            mend = "build the index again"
            try:
                table = self._index(column, index, data_type)
                found = fragment_of_index(table, column, header.partitions, data_type)
            except (TablemillError, pa.ArrowException) as error:
                yield Fault("verify.index", f"The index cannot be read: {error}", key, column=column, mend=mend)
                continue
            exact = fragment_of_files(self._indexed[column], data_type)
            for text in _differences(table, column, found, exact, header.partitions):
                yield Fault("verify.index", text, key, column=column, mend=mend)

    def _index(self, column: str, index: Any, data_type: pa.DataType) -> pa.Table:
        if isinstance(index, Mapping):
            return read_embedded(index, column, data_type)
        with self._store.open(index) as file:
            return read_index(file, column)


def _differences(
    table: pa.Table, column: str, found: Fragment, exact: Fragment, partitions: Mapping[str, Any]
) -> Iterator[str]:
    nulls = table[column].null_count
    if nulls:
        yield f"The index has {nulls} nulls, which the original clients cannot read"
    values = table[column].drop_null()
    if len(pc.unique(values)) != len(values):
        yield "A value stands more than once in the index, and the original clients see one of them"
    labels = pc.unique(pc.list_flatten(table["partition"].combine_chunks()).cast(pa.string())).to_pylist()
    unknown = [label for label in labels if label not in partitions]
    if unknown:
        yield f"The index names {len(unknown)} partitions that are not there, as {unknown[0]!r}"
    lost, extra = _pairs(exact) - _pairs(found), _pairs(found) - _pairs(exact)
    if lost:
        value, label = min(lost, key=str)
        yield f"The index lacks {len(lost)} entries, so rows cannot be found: {value!r} of partition {label!r}"
    if extra:
        yield f"The index has {len(extra)} entries more than the data, which costs reading"


def _pairs(fragment: Fragment) -> set[tuple[Any, str]]:
    positions = fragment.positions.to_pylist()
    return {
        (value, fragment.labels[position])
        for value, position in zip(fragment.values.to_pylist(), positions, strict=True)
    }


def repair(store: Store, uuid: str) -> tuple[Verdict, tuple[str, ...]]:
    """Mend what can be mended, in one commit, and return what was found before and what was done.

    Partitions whose file is gone are dropped from the header, and wrong indices are built again from the data. Files
    that are there and cannot be read stay, and stay faults. Errors as `verify`.
    """
    found = verify(store, uuid)
    dropped = [fault.label for fault in found.faults if fault.code == "verify.file" and fault.mend and fault.label]
    unreadable = any(fault.code == "verify.file" and not fault.mend for fault in found.faults)
    wrong = {fault.column for fault in found.faults if fault.code == "verify.index" and fault.mend and fault.column}
    if not dropped and not wrong:
        return found, ()

    def decide(base: Base) -> Change | None:
        rebuilt = set(base.layout.secondary_indices) if dropped and not unreadable else wrong
        return Change("repair", removed=dropped, rebuilt=rebuilt)

    apply_change(store, uuid, decide)
    done = [f"dropped the partition {label}, whose file is gone" for label in dropped]
    return found, (*done, *(f"built the index on {column} again" for column in sorted(wrong)))
