"""A dataset that can be changed: every change is one commit, and the object is then the state after it."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from component.dataset.changes import columns as column_changes
from component.dataset.changes import operations
from component.dataset.changes.arrow_rows import given_rows
from component.dataset.changes.columns import TypeLike
from component.dataset.changes.copying import copy_dataset, rename_dataset
from component.dataset.changes.execution import Executor
from component.dataset.changes.restore import restore as go_back
from component.dataset.changes.writing import FileLayout, add_rows, overwrite_rows
from component.dataset.commits.commit import Prepared
from component.dataset.commits.fit import index_doubts
from component.dataset.commits.garbage import MIN_AGE, Garbage, Retention, collect, delete_dataset, find_garbage
from component.dataset.commits.intent import Intent
from component.dataset.commits.scope import Scope
from component.dataset.format.address import Address, open_address
from component.dataset.format.history import Commit, commit_of
from component.dataset.reading import reader
from component.dataset.verification.faults import Verdict
from component.dataset.verification.repair import repair as mend
from component.dataset.verification.verify import verify as look
from component.errors import Place, UserError
from component.naming import KEEP_COMMITS, KEEP_DAYS
from component.store.base import Store
from tablemill.place import Spark, executor_of
from tablemill.reading import Predicates, Reading, State, in_utc

LIKE_ANY: Final = FileLayout()
"""Files as the rows come: not sorted, in no buckets."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification found, and what a repair before it did, in sentences."""

    verdict: Verdict
    repaired: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether there is no fault."""
        return not self.verdict.faults


class Dataset(Reading):
    """A dataset: what it was when opened, and, if it was opened as it is, what can be done to it.

    A change is decided on the live state, which others may have changed since, and committed to it. It returns the
    commit, or None when there was nothing to do, and moves this object to the state after it. Errors of all: UserError
    `dataset.history` for a state of the past, CommitRefusedError when other writers win again and again,
    CommitUnknownError when the store does not say whether it happened.
    """

    def __init__(
        self,
        address: Address,
        opened: reader.Dataset,
        *,
        live: bool = True,
        spark: Spark = None,
        table: str | None = None,
    ) -> None:
        super().__init__(address, opened)
        self._named = table
        self._live = live
        self._spark = spark

    def refresh(self) -> None:
        """Move to the live state."""
        self._opened = reader.open_dataset(self._store, self.uuid, table=self._opened.table)
        self._live = True

    @property
    def _store(self) -> Store:
        return self._address.store

    def _check_live(self) -> None:
        if not self._live:
            raise UserError(
                "dataset.history",
                "This is a state of the past, and only the live one can be changed",
                place=Place(table=self.uuid),
                remedy="Open the dataset without as_of, or restore the state.",
            )

    def _change(self, make: Callable[[Executor], Prepared | None]) -> Commit | None:
        self._check_live()
        with executor_of(self._spark) as executor:
            done = make(executor)
        if done is None:
            return None
        self.refresh()
        return commit_of(done.header)

    # --- rows ---

    def append(
        self, rows: Any, files: FileLayout = LIKE_ANY, *, on_duplicate_key: Literal["warn", "fail"] = "warn"
    ) -> Commit | None:
        """Add rows. UserError `dataset.schema` for other columns or types, `row.null_partition`.

        A primary key that is null, stands twice in the rows or is in the dataset already is a warning, or with
        `on_duplicate_key="fail"` a UserError, `row.null_key` or `row.duplicate_key`.
        """
        return self._add(rows, Intent("append", on_duplicate_key=on_duplicate_key), files)

    def upsert(self, rows: Any, key: Sequence[str] = (), files: FileLayout = LIKE_ANY) -> Commit | None:
        """Add rows in the place of those with the same key, by default the primary key.

        UserError `dataset.key` for a key that is unknown, null, or stands twice in the rows, and as `append`.
        """
        return self._add(rows, Intent("upsert", key=tuple(key)), files)

    def replace_partitions(
        self,
        rows: Any,
        delete_scope: Sequence[Scope] | None = None,
        files: FileLayout = LIKE_ANY,
        *,
        on_duplicate_key: Literal["warn", "fail"] = "warn",
    ) -> Commit | None:
        """Add rows in the place of whole partitions: those in scope, or without one those that the rows are of.

        UserError `dataset.scope` for a scope that would be everything or names no partition key, and as `append`.
        """
        scope = None if delete_scope is None else tuple(delete_scope)
        return self._add(rows, Intent("replace_partitions", scope=scope, on_duplicate_key=on_duplicate_key), files)

    def delete_keys(self, rows: Any, key: Sequence[str] = ()) -> Commit | None:
        """Delete the rows that have a key of the given ones, of which only the key is looked at; errors as `upsert`."""
        return self._add(rows, Intent("delete", key=tuple(key)))

    def _add(self, rows: Any, intent: Intent, files: FileLayout = LIKE_ANY) -> Commit | None:
        return self._change(
            lambda executor: add_rows(
                self._store,
                self.uuid,
                given_rows(rows, self.uuid),
                intent,
                files,
                table=self._named,
                executor=executor,
            )
        )

    def overwrite(
        self,
        rows: Any,
        *,
        partition_on: Sequence[str] | None = None,
        secondary_indices: Sequence[str] | None = None,
        primary_key: Sequence[str] | None = None,
        files: FileLayout = LIKE_ANY,
        metadata: Mapping[str, Any] | None = None,
        on_duplicate_key: Literal["warn", "fail"] = "warn",
    ) -> Commit | None:
        """Put rows in the place of all that are there, with other columns if they have others.

        What is not given stays as it is: partition keys, indices, primary key, metadata; and of several tables all but
        the one that was opened by name. UserError `column.missing` for one of these that the rows do not have, and as
        `append` for primary keys.
        """
        return self._change(
            lambda executor: overwrite_rows(
                self._store,
                self.uuid,
                given_rows(rows, self.uuid),
                table=self._named,
                partition_on=partition_on,
                secondary_indices=secondary_indices,
                primary_key=primary_key,
                files=files,
                metadata=metadata,
                on_duplicate_key=on_duplicate_key,
                executor=executor,
            )
        )

    def delete_rows(self, predicates: Predicates) -> Commit | None:
        """Delete the rows for which predicates are true; where one is unknown, because of a null, the row stays."""
        return self._change(
            lambda executor: operations.delete_rows(
                self._store, self.uuid, predicates, table=self._named, executor=executor
            )
        )

    def delete_partitions(self, delete_scope: Sequence[Scope]) -> Commit | None:
        """Delete whole partitions; no file is read. UserError `dataset.scope` as `replace_partitions`."""
        return self._change(lambda _: operations.delete_partitions(self._store, self.uuid, delete_scope))

    # --- files, indices, metadata ---

    def compact(self, *, target_bytes: int = operations.COMPACT_BYTES, sort_by: Sequence[str] = ()) -> Commit | None:
        """Write the small files of each partition again as few larger ones, their rows sorted if asked."""
        return self._change(
            lambda executor: operations.compact(
                self._store, self.uuid, target_bytes=target_bytes, sort_by=tuple(sort_by), executor=executor
            )
        )

    def build_index(self, *columns: str) -> Commit | None:
        """Build secondary indices from the data, or build them again. UserError `column.missing`, `column.type`."""

        def build(_: Executor) -> Prepared | None:
            done = operations.build_indices(self._store, self.uuid, columns)
            for doubt in index_doubts(done.plan.layouts) if done is not None else ():
                warnings.warn(doubt, stacklevel=4)
            return done

        return self._change(build)

    def drop_index(self, *columns: str) -> Commit | None:
        """Drop secondary indices. UserError `column.missing` for one that is not there."""
        return self._change(lambda _: operations.drop_indices(self._store, self.uuid, columns))

    def rebuild(self) -> Commit | None:
        """Build all indices that there are again from the data."""
        return self.build_index(*self.indices) if self.indices else None

    def set_metadata(self, values: Mapping[str, Any], unset: Collection[str] = ()) -> Commit | None:
        """Set and unset keys of the metadata. UserError `dataset.format` for a key that is the format's, or ours."""
        return self._change(lambda _: operations.set_metadata(self._store, self.uuid, values, unset))

    # --- columns ---

    def add_column(
        self, name: str, data_type: TypeLike, value: Any = None, *, schema_only: bool = False
    ) -> Commit | None:
        """Add a column, null or with one value in every row; `schema_only` writes no file (docs/python.md).

        UserError `column.duplicate`, `column.type`, `cell.type`.
        """
        return self._change(
            lambda executor: column_changes.add_column(
                self._store,
                self.uuid,
                name,
                data_type,
                value,
                schema_only=schema_only,
                table=self._named,
                executor=executor,
            )
        )

    def widen(self, name: str, data_type: TypeLike) -> Commit | None:
        """Give a column a wider type. UserError `column.type` or `cell.type` where a value could lose something."""
        return self._change(
            lambda executor: column_changes.widen_column(
                self._store, self.uuid, name, data_type, table=self._named, executor=executor
            )
        )

    def rename_column(self, name: str, new_name: str) -> Commit | None:
        """Give a column another name; partition keys, indices and primary key follow. UserError `column.duplicate`."""
        return self._change(
            lambda executor: column_changes.rename_column(
                self._store, self.uuid, name, new_name, table=self._named, executor=executor
            )
        )

    def drop_column(self, name: str) -> Commit | None:
        """Drop a column and its index. UserError for a partition key, a column of the primary key, or the last."""
        return self._change(
            lambda executor: column_changes.drop_column(
                self._store, self.uuid, name, table=self._named, executor=executor
            )
        )

    # --- the dataset as a whole ---

    def restore(self, as_of: State) -> Commit:
        """Make an earlier state the live one again, and return that state. UserError `dataset.history`."""
        self._check_live()
        state = go_back(self._store, self.uuid, in_utc(as_of))
        self.refresh()
        return state

    def copy(self, target: str) -> Dataset:
        """Copy the live state to another address, and return it; the history stays behind.

        CommitRefusedError when there is a dataset.
        """
        self._check_live()
        goal = open_address(target)
        copy_dataset(self._store, self.uuid, goal.store, goal.uuid)
        return Dataset(goal, reader.open_dataset(goal.store, goal.uuid, table=self.table), spark=self._spark)

    def rename(self, uuid: str) -> None:
        """Give the dataset another uuid in its store; this object is it from then on. Errors as `copy`."""
        self._check_live()
        rename_dataset(self._store, self.uuid, uuid)
        self._address = Address(self._store, uuid)
        self.refresh()

    def delete(self) -> int:
        """Delete the dataset with its history, and return how many objects; readers see it whole or gone."""
        self._check_live()
        return delete_dataset(self._store, self.uuid)

    def verify(
        self,
        *,
        repair: bool = False,
        fast: bool = False,
        orphans: Literal["leave", "adopt", "remove"] = "leave",
        damaged: Literal["leave", "drop"] = "leave",
    ) -> Verified:
        """Look at the whole live dataset, after mending what can be mended if asked to (docs/dataset-verify.md).

        `tablemill.repair` does the same for a dataset that cannot be opened any more.
        """
        done: tuple[str, ...] = ()
        if repair:
            self._check_live()
            _, done = mend(self._store, self.uuid, orphans=orphans, damaged=damaged)
            self.refresh()
        return Verified(look(self._store, self.uuid, fast=fast), done)

    def gc(
        self,
        *,
        delete: bool = False,
        min_age: dt.timedelta = MIN_AGE,
        keep_commits: int = KEEP_COMMITS,
        keep_days: float = KEEP_DAYS,
    ) -> Garbage:
        """Find what nobody needs any more, and delete it if asked to.

        Younger objects than `min_age` stay; so do `keep_commits` states, and all that were live within `keep_days`.
        """
        retention = Retention(keep_commits, dt.timedelta(days=keep_days))
        found = find_garbage(self._store, self.uuid, min_age=min_age, retention=retention)
        if delete:
            collect(self._store, found)
        return found
