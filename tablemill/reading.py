"""A dataset as it was when it was opened: what it is, its rows, its history.

What a question needs is loaded when it is asked, so that a command loads no more than its own operation.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from component.errors import Place, UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from component.dataset.commits.difference import Difference
    from component.dataset.format.facts import Sums
    from component.dataset.format.history import Commit
    from component.dataset.reading import reader
    from component.dataset.reading.dispatch import Group
    from component.dataset.reading.statistics import Statistics
    from component.store.base import Store

Predicates: TypeAlias = Sequence[Sequence[Sequence[Any]]]
"""`[[(column, operator, value), …AND], …OR]`; docs/questions.md has the operators."""
State: TypeAlias = str | dt.datetime
"""A commit, by its name or how it begins, `HEAD`, `HEAD~1`; or a time, as a datetime or in ISO 8601, in UTC where it
names no zone."""


class Reading:
    """What can be asked of one state of one table of a dataset; what others commit later changes nothing of it."""

    def __init__(self, address: str, *, as_of: State | None = None, table: str | None = None) -> None:
        from component.dataset.format.address import open_address

        self._address = open_address(address)
        self._named = table
        self._as_of = as_of
        self._state: reader.Dataset | None = None

    def __repr__(self) -> str:
        at = f" at {self.commit.id[:12]}" if self._state is not None else ""
        return f"<{type(self).__name__} {self.address}{at}>"

    @property
    def _store(self) -> Store:
        return self._address.store

    @property
    def _opened(self) -> reader.Dataset:
        """The state, which is read when it is first needed."""
        if self._state is None:
            self._state = self._open(self._named)
        return self._state

    def load(self) -> None:
        """Read what the dataset is, unless that has been done: from here on the object is the state of now.

        UserError `dataset.missing`, `dataset.history`, `dataset.format`.
        """
        self._state = self._opened

    def _open(self, table: str | None) -> reader.Dataset:
        from component.dataset.reading.reader import open_dataset

        as_of = None if self._as_of is None else state_of(self._as_of)
        return open_dataset(self._store, self.uuid, table=table, as_of=as_of)

    @property
    def uuid(self) -> str:
        """Its uuid."""
        return self._address.uuid

    @property
    def address(self) -> str:
        """The URL of its store, a slash, its uuid."""
        return f"{self._address.store.url}/{self._address.uuid}"

    @property
    def table(self) -> str:
        """The table that is read, in most datasets the only one."""
        return self._opened.table

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of all tables."""
        return self._opened.header.tables

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types, in the order in which they are read."""
        import pyarrow as pa

        return pa.schema([self._opened.schema.field(name) for name in self.columns])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of their source."""
        return self._opened.columns

    @property
    def partition_keys(self) -> tuple[str, ...]:
        """The columns that the dataset is partitioned by."""
        return self._opened.header.partition_keys

    @property
    def indices(self) -> tuple[str, ...]:
        """The columns that have a secondary index."""
        return tuple(sorted(self._opened.header.indices))

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns that name a row; empty where that is not known."""
        return self._opened.primary_key

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What users, and the format, keep under `metadata`."""
        from component.dataset.format.header import EXTRAS

        return {key: value for key, value in self._opened.header.metadata.items() if key != EXTRAS}

    @property
    def commit(self) -> Commit:
        """Which commit made this state."""
        from component.dataset.format.history import commit_of

        return commit_of(self._opened.header)

    @property
    def rows(self) -> int:
        """How many rows there are; of files that another client wrote the footers are read."""
        sums = self.sums()
        return self.stats(columns=False).rows if sums.unknown else sums.rows.get(self.table, 0)

    def __len__(self) -> int:
        return self.rows

    def describe(self) -> dict[str, Any]:
        """Show columns, keys, indices, size and metadata.

        Returns the JSON of `tablemill dataset show`.
        """
        from component.report.results.datasets import describe_dataset

        return describe_dataset(self._opened, self.commit, self.sums())

    def read(self, columns: Sequence[str] | None = None, predicates: Predicates | None = None) -> pa.Table:
        """Return rows: those for which predicates are true, or all.

        They are one table; `batches` holds one file at a time. UserError `column.missing` and `dataset.predicate`.
        """
        return self.batches(columns, predicates).read_all()

    def batches(
        self, columns: Sequence[str] | None = None, predicates: Predicates | None = None
    ) -> pa.RecordBatchReader:
        """Return a reader of the same rows, which holds one file at a time; errors as `read`."""
        import pyarrow as pa

        from component.dataset.reading.reader import plan_scan, read_scan

        opened = self._opened
        scans, schema = plan_scan(opened, predicates), self._schema(columns)
        files = (read_scan(opened.store, opened.schema, scan, schema.names) for scan in scans)
        return pa.RecordBatchReader.from_batches(schema, (batch for file in files for batch in file.to_batches()))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand all rows to another library, a file at a time: `polars.DataFrame(dataset)`."""
        return self.batches().__arrow_c_stream__(requested_schema)

    def _schema(self, columns: Sequence[str] | None) -> pa.Schema:
        import pyarrow as pa

        schema = self.schema
        for name in columns or ():
            if name not in schema.names:
                raise UserError(
                    "column.missing",
                    "The dataset has no such column",
                    place=Place(column=name),
                    remedy=f"The columns are {', '.join(schema.names)}.",
                )
        return schema if columns is None else pa.schema([schema.field(name) for name in columns])

    def explain(self, predicates: Predicates | None = None) -> dict[str, Any]:
        """Return what `read` would read, and what is left out by what; the JSON of `tablemill dataset query --explain`.

        The footers of files are read, rows are not. UserError `dataset.predicate`.
        """
        from component.dataset.reading.explanation import explain_reading
        from component.dataset.reading.reader import explain_scan
        from component.report.results.datasets import describe_explanation

        scans, explanation = explain_scan(self._opened, predicates)
        return describe_explanation(explanation, explain_reading(self._store, self._opened.schema, scans))

    def dispatch(
        self, by: Sequence[str], columns: Sequence[str] | None = None, predicates: Predicates | None = None
    ) -> Iterator[Group]:
        """Yield the rows in groups that agree on some columns; rows with null are a group too.

        UserError `column.missing`, `column.type` for lists, `dataset.predicate`.
        """
        from component.dataset.reading.dispatch import dispatch

        return dispatch(self._opened, by, predicates=predicates, columns=columns)

    def stats(self, *, columns: bool = True) -> Statistics:
        """Count rows, files and bytes of each partition, and nulls, smallest and largest value of each column.

        Footers are read, rows are not. Without `columns` nothing is opened but files that another client wrote.
        """
        from component.dataset.reading.statistics import statistics

        return statistics(self._opened, columns=columns)

    def sums(self, commit: Commit | None = None) -> Sums:
        """Return rows and bytes of this state, or of one of the history, as far as facts say them; no file is opened.

        Of files that another client wrote nothing is known, but how many they are.
        """
        from component.dataset.format.facts import sums_of

        state = commit or self.commit
        return sums_of(self._store, state.header, foreign=state.foreign)

    def rows_deleted(self, commit: Commit) -> int:
        """Return how many rows less a state of the history has than the one it follows, in all tables.

        Negative where rows were added; footers of files without facts are read.
        """
        from itertools import islice

        from component.dataset.format.history import states_from
        from component.dataset.reading.statistics import rows_fewer

        before = next(islice(states_from(self._store, commit.header), 1, None), None)
        return (
            -sum(self.sums(commit).rows.values())
            if before is None
            else rows_fewer(self._store, before.header, commit.header)
        )

    def history(self) -> Iterator[Commit]:
        """List the states that can still be opened, the live one first."""
        from component.dataset.format.history import history

        return history(self._store, self.uuid)

    def diff(self, before: State = "HEAD~1", after: State = "HEAD") -> Difference:
        """Compare two states: rows, files, partitions, indices, columns, metadata. No data is read.

        UserError `dataset.history` for a state that is not kept.
        """
        from component.dataset.commits.difference import diff

        return diff(self._store, self.uuid, state_of(before), state_of(after))


def state_of(state: State) -> State:
    """Return a state as the history names it: a commit, `HEAD~1`, or a time in a zone.

    UserError `dataset.history` for a text that is none of these.
    """
    from component.dataset.format.history import named_state

    if isinstance(state, str):
        return named_state(state)
    return state if state.tzinfo is not None else state.replace(tzinfo=dt.UTC)
