"""Everything that can be wrong with a dataset (docs/dataset-verify.md).

Without reading data: header, schema, history, facts, and whether every file is there in its size. In full, also: every
file against its checksum, readable to the last page, of the right columns and types, under a path that says its
partition; every index exactly against the data.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from component.dataset.commits.garbage import Garbage, Retention, find_garbage
from component.dataset.format.facts import FileFacts, known_facts
from component.dataset.format.header import Header, StoredHeader, missing_dataset
from component.dataset.format.history import kept_states
from component.dataset.format.implicit import listed_partitions, read_whole_header
from component.dataset.format.keys import check_uuid, header_key, stored_key
from component.dataset.format.layout import Layout
from component.dataset.format.trusted import read_schema
from component.dataset.reading.reader import Dataset
from component.dataset.verification.faults import Fault, Verdict
from component.dataset.verification.file_faults import FilePass, listed_faults, table_faults
from component.dataset.verification.header_faults import header_faults, header_notices, path_faults, schema_faults
from component.dataset.verification.history_faults import history_faults, history_notices
from component.dataset.verification.index_faults import IndexCheck
from component.dataset.verification.lost_header import REBUILD, lost_state
from component.errors import UserError
from component.store.base import Store

__all__ = ["Fault", "Verdict", "unnamed", "usual_tables", "verify"]

_ALL: Final = Retention(commits=1_000_000_000, age=dt.timedelta(days=36_500))


def verify(store: Store, uuid: str, *, fast: bool = False) -> Verdict:
    """Look at a whole dataset and return what is wrong with it; changes nothing. `fast`: data is not read.

    UserError `dataset.missing` when there is none. A header that cannot be read, or that is gone and has copies, is a
    fault, and the only one.
    """
    try:
        stored = read_whole_header(store, check_uuid(uuid))
    except UserError as error:
        if error.code not in {"dataset.format", "dataset.damaged"}:
            raise
        return Verdict(uuid, (_lost_header(store, uuid, str(error)),), fast=fast)
    if stored is None and next(kept_states(store, uuid), None) is not None:
        return Verdict(uuid, (_lost_header(store, uuid, "The header is gone"),), fast=fast)
    if stored is None:
        raise _no_header(store, uuid)
    return _Verification(store, stored, fast).verdict()


def _no_header(store: Store, uuid: str) -> UserError:
    """Return the error for a dataset without header and copies; where data files are there, it says what to do."""
    missing = missing_dataset(store, uuid)
    files = sum(map(len, listed_partitions(store, uuid).values()))
    if not files:
        return missing
    text = f"{missing.text}: it has no header, and {files} data files"
    return UserError(missing.code, text, remedy=f"Put the header back from a copy of the store. {REBUILD}")


def _lost_header(store: Store, uuid: str, text: str) -> Fault:
    """Return the fault of a header that is damaged or gone, and which state it can be put back as."""
    key = header_key(uuid, "json")
    try:
        state = lost_state(store, uuid)
    except UserError as error:
        return Fault("verify.header", f"{text}. {error}", key)
    return Fault(
        "verify.header", text, key, mend=f"put it back as of commit {state.id} ({state.operation}, {state.time})"
    )


def unnamed(store: Store, uuid: str) -> Garbage:
    """Return the objects that no kept state names and that are too old to be of a running writer."""
    return find_garbage(store, uuid, retention=_ALL)


def usual_tables(header: Header) -> tuple[str, ...]:
    """Return the tables that most partitions have files of; those of the first where as many have others.

    Of a dataset of several, all.
    """
    if len(header.tables) > 1:
        return header.tables
    counts = Counter(tuple(files) for files in header.partitions.values() if files)
    return counts.most_common(1)[0][0] if counts else header.tables


@dataclass(slots=True)
class _Verification:
    """One look at one state."""

    store: Store
    stored: StoredHeader
    fast: bool
    sizes: Mapping[str, int] = field(init=False)
    facts: Mapping[str, FileFacts] = field(init=False)
    rows: int = 0
    rewritten: tuple[Fault, ...] = ()

    def __post_init__(self) -> None:
        self.sizes = {stat.key: stat.size for stat in self.store.list(f"{self.header.uuid}/")}
        self.facts = known_facts(self.store, self.header).by_file()

    @property
    def header(self) -> Header:
        return self.stored.header

    def verdict(self) -> Verdict:
        header, tables = self.header, usual_tables(self.header)
        faults = [*header_faults(self.store, self.stored), *history_faults(self.store, header)]
        schemas = [fault for table in tables for fault in schema_faults(self.store, header, table)]
        faults += [*schemas, *table_faults(header, tables), *listed_faults(header, self.sizes, self.facts)]
        faults += path_faults(header)
        if not self.fast and all(fault.mend for fault in schemas):
            faults += self._read(tables)
        files = sum(len(files) for files in header.partitions.values())
        rows = sum(self._known_rows()) if self.fast else self.rows
        orphans = tuple(self._orphans())
        return Verdict(
            header.uuid,
            tuple(dict.fromkeys(faults)),
            tuple(self._notices(orphans)),
            files,
            rows,
            len(header.indices),
            orphans,
            self.fast,
        )

    def _orphans(self) -> Iterator[str]:
        with suppress(UserError):  # where the history cannot be read, which is said, nothing can be known to be garbage
            yield from (one.key for one in unnamed(self.store, self.header.uuid).objects)

    def _known_rows(self) -> Iterator[int]:
        start = len(self.header.uuid) + 1
        for files in self.header.partitions.values():
            yield from (self.facts[key[start:]].rows for key in files.values() if key[start:] in self.facts)

    def _read(self, tables: tuple[str, ...]) -> Iterator[Fault]:
        """Read every file and every index; indices only where all data could be read."""
        header = self.header
        try:
            datasets = [Dataset(self.store, header, table, read_schema(self.store, header, table)) for table in tables]
        except UserError as error:
            yield Fault("verify.schema", f"The schema cannot be read: {error.text}")
            return
        readings = [FilePass(dataset, self.facts) for dataset in datasets]
        whole = True
        for label, files in header.partitions.items():
            for reading, table in zip(readings, tables, strict=True):
                key = files.get(table)
                is_there = key is not None and stored_key(key) in self.sizes
                found = list(reading.file(label, key)) if key is not None and is_there else []
                whole &= is_there and not any(fault.code == "verify.file" for fault in found)
                yield from found
        self.rows = sum(reading.rows for reading in readings)
        if whole:
            yield from self._indices(datasets, readings)

    def _indices(self, datasets: list[Dataset], readings: list[FilePass]) -> Iterator[Fault]:
        header = self.header
        check = IndexCheck(self.store, header.uuid, header.partitions, self.facts)
        for column, index in header.indices.items():
            having = [
                (dataset, reading)
                for dataset, reading in zip(datasets, readings, strict=True)
                if column in dataset.schema.names
            ]
            if not having:
                key = index if isinstance(index, str) else None
                yield Fault("verify.index", "The indexed column is not in the schema", key, column=column)
                continue
            if isinstance(index, str) and stored_key(index) not in self.sizes:
                continue  # said of the listing
            data_type = Layout(header.uuid, having[0][0].schema, header.partition_keys).index_type(column)
            values = [pair for _, reading in having for pair in reading.indexed[column]]
            yield from check.faults(column, index, data_type, values)
        self.rewritten = tuple(check.notices)

    def _notices(self, orphans: tuple[str, ...]) -> Iterator[Fault]:
        header, start = self.header, len(self.header.uuid) + 1
        yield from header_notices(self.store, header)
        yield from self.rewritten
        yield from history_notices(self.store, header, self.sizes.keys(), fast=self.fast)
        keys = [key for files in header.partitions.values() for key in files.values()]
        unknown = [key for key in keys if key[start:] not in self.facts]
        if unknown:
            text = f"Of {len(unknown)} files there are no facts, since another client wrote them, or a version before"
            yield Fault("verify.unknown", text, unknown[0], mend="note them")
        if orphans:
            text = f"{len(orphans)} objects are named by no state that is kept"
            yield Fault("verify.orphans", text, orphans[0], mend="adopt or remove them, as asked")
