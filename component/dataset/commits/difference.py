"""What lies between two states of a dataset: files and their rows, partitions, indices, columns, metadata.

Told by headers and facts; of files that have no facts the footer is read. A file that is written again counts as one
that goes and one that comes, with all its rows: states name files, not rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from component.dataset.files.footer import open_footer
from component.dataset.format.facts import FileFacts, known_facts
from component.dataset.format.header import EXTRAS, Header
from component.dataset.format.history import Commit, state_as_of
from component.errors import UserError
from component.store.base import Store

State = str | dt.datetime
"""A commit, a time, or `HEAD`, `HEAD~1`."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A data file that only one of two states names; None: not known, since the file is gone."""

    table: str
    label: str
    key: str
    rows: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A column with its type in both states; None where it is not there."""

    table: str
    column: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """What a later state has that an earlier one had not, and the other way round.

    `partitions_*` are the paths of partitions of which the other state has no file. `columns` is None where a state
    does not say its columns. `metadata` has the value of both, None where the key is not there. `footers_read` counts
    the files that had no facts.
    """

    before: Commit
    after: Commit
    added: tuple[FileChange, ...]
    removed: tuple[FileChange, ...]
    partitions_added: tuple[str, ...]
    partitions_removed: tuple[str, ...]
    indices_added: tuple[str, ...]
    indices_removed: tuple[str, ...]
    columns: tuple[ColumnChange, ...] | None
    partition_keys: tuple[tuple[str, ...], tuple[str, ...]]
    metadata: Mapping[str, tuple[Any, Any]]
    footers_read: int

    @property
    def rows_added(self) -> int | None:
        """Rows of the files that come; None where one is not known."""
        return _sum(one.rows for one in self.added)

    @property
    def rows_removed(self) -> int | None:
        """Rows of the files that go; None where one is not known."""
        return _sum(one.rows for one in self.removed)


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def diff(store: Store, uuid: str, before: State = "HEAD~1", after: State = "HEAD") -> Difference:
    """Return the difference between two states, by default the last commit.

    UserError `dataset.missing`, and `dataset.history` for a state that is not kept.
    """
    old, new = state_as_of(store, uuid, before), state_as_of(store, uuid, after)
    files_before, files_after = _files(old.header), _files(new.header)
    known = known_facts(store, old.header).by_file() | known_facts(store, new.header).by_file()
    facts = _Facts(store, uuid, known)
    added = tuple(facts.change(*files_after[key], key) for key in files_after if key not in files_before)
    removed = tuple(facts.change(*files_before[key], key) for key in files_before if key not in files_after)
    folders_before, folders_after = _folders(old.header), _folders(new.header)
    return Difference(
        old,
        new,
        added,
        removed,
        tuple(sorted(folders_after - folders_before)),
        tuple(sorted(folders_before - folders_after)),
        tuple(sorted(new.header.indices.keys() - old.header.indices.keys())),
        tuple(sorted(old.header.indices.keys() - new.header.indices.keys())),
        _columns(old.header, new.header),
        (old.header.partition_keys, new.header.partition_keys),
        _metadata(old.header.metadata, new.header.metadata),
        facts.footers_read,
    )


def _files(header: Header) -> dict[str, tuple[str, str]]:
    """Return table and label of each data file, by key."""
    return {key: (table, label) for label, files in header.partitions.items() for table, key in files.items()}


def _folders(header: Header) -> set[str]:
    """Return the paths of the partitions; none of a dataset without partition keys."""
    return {folder for label in header.partitions if (folder := label.rpartition("/")[0])}


class _Facts:
    """Rows and bytes of files: known, or read from the footer."""

    def __init__(self, store: Store, uuid: str, known: Mapping[str, FileFacts]) -> None:
        self._store, self._start, self._known = store, len(uuid) + 1, known
        self.footers_read = 0

    def change(self, table: str, label: str, key: str) -> FileChange:
        facts = self._known.get(key[self._start :])
        if facts is not None:
            return FileChange(table, label, key, facts.rows, facts.bytes)
        try:
            with self._store.open(key) as file:
                self.footers_read += 1
                return FileChange(table, label, key, open_footer(file).metadata.num_rows, file.size())
        except UserError:
            return FileChange(table, label, key, None, None)


def _columns(before: Header, after: Header) -> tuple[ColumnChange, ...] | None:
    old, new = _described(before), _described(after)
    if old is None or new is None:
        return None
    names = dict.fromkeys([*old, *new])
    return tuple(
        ColumnChange(table, column, old.get((table, column)), new.get((table, column)))
        for table, column in names
        if old.get((table, column)) != new.get((table, column))
    )


def _described(header: Header) -> dict[tuple[str, str], str] | None:
    """Return the types of columns by table and column, as the extras say them."""
    found: dict[tuple[str, str], str] = {}
    for table in header.tables:
        columns = header.described(table).get("columns")
        if not isinstance(columns, list):
            return None
        found |= {(table, column): data_type for column, data_type in columns}
    return found


def _metadata(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    names = [name for name in dict.fromkeys([*before, *after]) if name != EXTRAS]
    return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}
