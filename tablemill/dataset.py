"""A dataset that can be changed: every change is one commit, and the object is then the state after it.

The first paragraph of each docstring is the help of the command that calls the method (component/cli/dataset). What an
operation needs is loaded when it is called, so that a command loads no more than its own.
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from component import naming
from component.errors import Place, UserError
from tablemill.place import Spark, executor_of
from tablemill.reading import Predicates, Reading, State, state_of

if TYPE_CHECKING:
    from component.dataset.changes.columns import TypeLike
    from component.dataset.changes.execution import Executor
    from component.dataset.changes.writing import FileLayout
    from component.dataset.commits.commit import Prepared
    from component.dataset.commits.garbage import Garbage
    from component.dataset.commits.intent import Intent
    from component.dataset.commits.scope import Scope
    from component.dataset.format.history import Commit
    from component.dataset.verification.faults import Verdict

OnDuplicateKey: TypeAlias = Literal["warn", "fail"]
"""What becomes of new rows whose primary key is null, stands twice among them, or is in the dataset already."""


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
    """A dataset by its address: what it is, and, unless it is a state of the past, what can be done to it.

    `open` returns one that has been read. `Dataset(address)` reads nothing until it is asked something: it is also the
    handle of a dataset that cannot be opened any more, to `verify`, `gc` or `delete` it.

    A change is decided on the live state, which others may have changed since, and committed to it. It returns the
    commit, or None when there was nothing to do, and moves this object to the state after it. Errors of all: UserError
    `dataset.history` for a state of the past, CommitRefusedError when other writers win again and again,
    CommitUnknownError when the store does not say whether it happened.
    """

    def __init__(
        self, address: str, *, as_of: State | None = None, table: str | None = None, spark: Spark = None
    ) -> None:
        super().__init__(address, as_of=as_of, table=table)
        self._spark = spark

    def refresh(self) -> None:
        """Move to the live state."""
        self._as_of = None
        self._state = self._open(self._state.table if self._state is not None else self._named)

    def _move_on(self) -> None:
        """Move to the live state if one was read; else it is read when it is needed."""
        if self._state is not None:
            self.refresh()

    def _check_live(self) -> None:
        if self._as_of is not None:
            raise UserError(
                "dataset.history",
                "This is a state of the past, and only the live one can be changed",
                place=Place(table=self.uuid),
                remedy="Open the dataset without as_of, or restore the state.",
            )

    def _change(self, make: Callable[[Executor], Prepared | None]) -> Commit | None:
        from component.dataset.format.history import commit_of

        self._check_live()
        with executor_of(self._spark) as executor:
            done = make(executor)
        if done is None:
            return None
        self._move_on()
        return commit_of(done.header)

    # --- rows ---

    def append(
        self, rows: Any, files: FileLayout | None = None, *, on_duplicate_key: OnDuplicateKey = "warn"
    ) -> Commit | None:
        """Add rows.

        UserError `dataset.schema` for other columns or types, `row.null_partition`. A primary key that is null, stands
        twice in the rows or is in the dataset already is a warning, or with `on_duplicate_key="fail"` a UserError,
        `row.null_key` or `row.duplicate_key`.
        """
        from component.dataset.commits.intent import Intent

        return self._add(rows, Intent("append", on_duplicate_key=on_duplicate_key), files)

    def upsert(self, rows: Any, key: Sequence[str] = (), files: FileLayout | None = None) -> Commit | None:
        """Add rows in the place of those with the same key, by default the primary key.

        UserError `dataset.key` for a key that is unknown, null, or stands twice in the rows, and as `append`.
        """
        from component.dataset.commits.intent import Intent

        return self._add(rows, Intent("upsert", key=tuple(key)), files)

    def replace_partitions(
        self,
        rows: Any,
        delete_scope: Sequence[Scope] | None = None,
        files: FileLayout | None = None,
        *,
        on_duplicate_key: OnDuplicateKey = "warn",
    ) -> Commit | None:
        """Delete whole partitions and add rows, in one commit.

        The partitions in scope go, or without a scope those that the rows are of. UserError `dataset.scope` for a scope
        that would be everything or names no partition key, and as `append`.
        """
        from component.dataset.commits.intent import Intent

        scope = None if delete_scope is None else tuple(delete_scope)
        return self._add(rows, Intent("replace_partitions", scope=scope, on_duplicate_key=on_duplicate_key), files)

    def delete_keys(self, rows: Any, key: Sequence[str] = ()) -> Commit | None:
        """Delete the rows that have a key of the given ones, by default the primary key.

        Of the given rows only the key is looked at. Errors as `upsert`, but a key may stand twice.
        """
        from component.dataset.commits.intent import Intent

        return self._add(rows, Intent("delete", key=tuple(key)))

    def _add(self, rows: Any, intent: Intent, files: FileLayout | None = None) -> Commit | None:
        from component.dataset.changes.arrow_rows import given_rows
        from component.dataset.changes.writing import FileLayout, add_rows

        return self._change(
            lambda executor: add_rows(
                self._store,
                self.uuid,
                given_rows(rows, self.uuid),
                intent,
                files or FileLayout(),
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
        files: FileLayout | None = None,
        metadata: Mapping[str, Any] | None = None,
        on_duplicate_key: OnDuplicateKey = "warn",
    ) -> Commit | None:
        """Put rows in the place of all that are there, or of one table of several; the columns may be others.

        What is not given stays as it is: partition keys, indices, primary key, metadata; and of several tables all but
        the one that was opened by name. UserError `column.missing` for one of these that the rows do not have, and as
        `append` for primary keys.
        """
        from component.dataset.changes.arrow_rows import given_rows
        from component.dataset.changes.writing import overwrite_rows

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
        """Delete the rows for which predicates are true; where one is unknown, because of a null, the row stays.

        UserError `dataset.predicate`.
        """
        from component.dataset.changes.operations import delete_rows

        return self._change(
            lambda executor: delete_rows(self._store, self.uuid, predicates, table=self._named, executor=executor)
        )

    def delete_partitions(self, delete_scope: Sequence[Scope]) -> Commit | None:
        """Delete whole partitions; no file is read.

        UserError `dataset.scope` as `replace_partitions`.
        """
        from component.dataset.changes.operations import delete_partitions

        return self._change(lambda _: delete_partitions(self._store, self.uuid, delete_scope))

    # --- files, indices, metadata ---

    def compact(self, *, target_bytes: int = naming.COMPACT_BYTES, sort_by: Sequence[str] = ()) -> Commit | None:
        """Write the small files of each partition again as few larger ones, their rows sorted if asked.

        A new file has about `target_bytes`. UserError `column.missing`.
        """
        from component.dataset.changes.operations import compact

        return self._change(
            lambda executor: compact(
                self._store, self.uuid, target_bytes=target_bytes, sort_by=tuple(sort_by), executor=executor
            )
        )

    def build_index(self, *columns: str) -> Commit | None:
        """Build secondary indices from the data, or build them again.

        UserError `column.missing`, `column.type`.
        """
        from component.dataset.changes.operations import build_indices
        from component.dataset.commits.fit import index_doubts

        def build(_: Executor) -> Prepared | None:
            done = build_indices(self._store, self.uuid, columns)
            for doubt in index_doubts(done.plan.layouts) if done is not None else ():
                warnings.warn(doubt, stacklevel=4)
            return done

        return self._change(build)

    def drop_index(self, *columns: str) -> Commit | None:
        """Drop secondary indices.

        UserError `column.missing` for one that is not there.
        """
        from component.dataset.changes.operations import drop_indices

        return self._change(lambda _: drop_indices(self._store, self.uuid, columns))

    def rebuild(self) -> Commit | None:
        """Build all indices that there are again from the data."""
        return self.build_index(*self.indices) if self.indices else None

    def set_metadata(self, values: Mapping[str, Any], unset: Collection[str] = ()) -> Commit | None:
        """Set and unset keys of the metadata.

        UserError `dataset.format` for a key that is the format's, or ours.
        """
        from component.dataset.changes.operations import set_metadata

        return self._change(lambda _: set_metadata(self._store, self.uuid, values, unset))

    # --- columns ---

    def add_column(
        self, name: str, data_type: TypeLike, value: Any = None, *, schema_only: bool = False
    ) -> Commit | None:
        """Add a column at the end, null or with one value in every row.

        `schema_only` writes no file (docs/dataset-operations.md). UserError `column.duplicate`, `column.type`,
        `cell.type`.
        """
        from component.dataset.changes.columns import add_column

        return self._change(
            lambda executor: add_column(
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
        """Give a column a wider type; refused where a value could lose something.

        UserError `column.type` or `cell.type`.
        """
        from component.dataset.changes.columns import widen_column

        return self._change(
            lambda executor: widen_column(self._store, self.uuid, name, data_type, table=self._named, executor=executor)
        )

    def rename_column(self, name: str, new_name: str) -> Commit | None:
        """Give a column another name; partition keys, indices and the primary key follow.

        UserError `column.duplicate`.
        """
        from component.dataset.changes.columns import rename_column

        return self._change(
            lambda executor: rename_column(self._store, self.uuid, name, new_name, table=self._named, executor=executor)
        )

    def drop_column(self, name: str) -> Commit | None:
        """Drop a column and its index; older states keep it until a collection.

        UserError for a partition key, a column of the primary key, or the last.
        """
        from component.dataset.changes.columns import drop_column

        return self._change(
            lambda executor: drop_column(self._store, self.uuid, name, table=self._named, executor=executor)
        )

    # --- the dataset as a whole ---

    def restore(self, as_of: State) -> Commit:
        """Make an earlier state the live one again, as a new commit.

        Returns that state. UserError `dataset.history`.
        """
        from component.dataset.changes.restore import restore

        self._check_live()
        state = restore(self._store, self.uuid, state_of(as_of))
        self._move_on()
        return state

    def copy(self, target: str, *, table: str | None = None) -> Dataset:
        """Copy the live state to another address; the history stays behind.

        `table` copies that table alone, as a dataset of one table. Returns the copy. CommitRefusedError when there is a
        dataset.
        """
        from component.dataset.changes.copying import copy_dataset
        from component.dataset.changes.table_copy import copy_table

        self._check_live()
        twin = Dataset(target, table=None if table else self._named, spark=self._spark)
        if table is None:
            copy_dataset(self._store, self.uuid, twin._store, twin.uuid)
        else:
            copy_table(self._store, self.uuid, table, twin._store, twin.uuid)
        twin.refresh()
        return twin

    def rename(self, uuid: str) -> None:
        """Give the dataset another uuid in its store; its history stays behind.

        This object is it from then on. Errors as `copy`.
        """
        from component.dataset.changes.copying import rename_dataset

        self._check_live()
        rename_dataset(self._store, self.uuid, uuid)
        self._address = replace(self._address, uuid=uuid)
        self._move_on()

    def delete(self) -> int:
        """Delete the dataset with its history; readers see it whole or gone.

        Returns how many objects went. UserError `dataset.missing`.
        """
        from component.dataset.commits.garbage import delete_dataset

        self._check_live()
        return delete_dataset(self._store, self.uuid)

    def verify(
        self,
        *,
        fast: bool = False,
        repair: bool = False,
        orphans: Literal["leave", "adopt", "remove"] = "leave",
        damaged: Literal["leave", "drop"] = "leave",
        state: str | None = None,
        rebuild_header: bool = False,
    ) -> Verified:
        """Look at the whole dataset and say what is wrong with it, after mending what can be mended if asked to.

        docs/dataset-verify.md has what is looked at. `fast` reads no data. `state` names the commit to put a lost
        header back as, where that is not the newest that is kept. `damaged` files are dropped only if asked to, and
        which rows went is said. `rebuild_header` makes a lost header of which no copy is kept from the data files,
        whichever of them were live. UserError `dataset.missing`, `dataset.history` for a state that is not kept, and
        `dataset.format` where the files do not allow a header.
        """
        from component.dataset.verification.repair import repair as mend
        from component.dataset.verification.verify import verify

        done: tuple[str, ...] = ()
        if repair:
            self._check_live()
            _, done = mend(
                self._store,
                self.uuid,
                orphans=orphans,
                damaged=damaged,
                state=state,
                rebuild_header=rebuild_header,
            )
            self._move_on()
        return Verified(verify(self._store, self.uuid, fast=fast), done)

    def gc(
        self,
        *,
        delete: bool = False,
        min_age: dt.timedelta = naming.GARBAGE_MIN_AGE,
        keep_commits: int = naming.KEEP_COMMITS,
        keep_days: float = naming.KEEP_DAYS,
    ) -> Garbage:
        """Find what nobody needs any more, files of older states and what failed runs left, and delete it if asked to.

        Younger objects than `min_age` stay; so do `keep_commits` states, and all that were live within `keep_days`.
        Works on the remains of a dataset that is gone, too. UserError `dataset.missing`, `dataset.format`.
        """
        from component.dataset.commits.garbage import Retention, check_there, collect, find_garbage

        check_there(self._store, self.uuid)
        retention = Retention(keep_commits, dt.timedelta(days=keep_days))
        found = find_garbage(self._store, self.uuid, min_age=min_age, retention=retention)
        if delete:
            collect(self._store, found)
        return found
