"""A dataset as it was when it was opened: what it is, its rows, its history."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from component.dataset.commits.difference import Difference
from component.dataset.commits.difference import diff as difference
from component.dataset.format.address import Address
from component.dataset.format.facts import sums_of
from component.dataset.format.header import EXTRAS
from component.dataset.format.history import Commit, commit_of
from component.dataset.format.history import history as states
from component.dataset.reading import reader
from component.dataset.reading.dispatch import Group
from component.dataset.reading.dispatch import dispatch as groups
from component.dataset.reading.explanation import explain_reading
from component.dataset.reading.statistics import Statistics, statistics
from component.errors import Place, UserError

Predicates: TypeAlias = Sequence[Sequence[Sequence[Any]]]
"""`[[(column, operator, value), …AND], …OR]`; docs/questions.md has the operators."""
State: TypeAlias = str | dt.datetime
"""A commit, by its name or how it begins, `HEAD`, `HEAD~1`; or a time, in UTC where it names no zone."""


class Reading:
    """What can be asked of one state of one table of a dataset; what others commit later changes nothing of it."""

    def __init__(self, address: Address, opened: reader.Dataset) -> None:
        self._address = address
        self._opened = opened

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address} at {self.commit.id[:12]}>"

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
        return {key: value for key, value in self._opened.header.metadata.items() if key != EXTRAS}

    @property
    def commit(self) -> Commit:
        """Which commit made this state."""
        return commit_of(self._opened.header)

    @property
    def rows(self) -> int:
        """How many rows there are; of files that another client wrote the footers are read."""
        sums = sums_of(self._address.store, self._opened.header, foreign=self.commit.foreign)
        return self.stats(columns=False).rows if sums.unknown else sums.rows.get(self.table, 0)

    def __len__(self) -> int:
        return self.rows

    def read(self, columns: Sequence[str] | None = None, predicates: Predicates | None = None) -> pa.Table:
        """Return the rows for which predicates are true, in one table.

        UserError `column.missing` and `dataset.predicate`.
        """
        wanted = self._schema(columns)
        return pa.concat_tables([wanted.empty_table(), *self._tables(wanted.names, predicates)])

    def batches(
        self, columns: Sequence[str] | None = None, predicates: Predicates | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the same rows, a file at a time; errors as `read`."""
        for table in self._tables(self._schema(columns).names, predicates):
            yield from table.to_batches()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand all rows to another library, a file at a time: `polars.DataFrame(dataset)`."""
        stream = pa.RecordBatchReader.from_batches(self.schema, self.batches())
        return stream.__arrow_c_stream__(requested_schema)

    def _schema(self, columns: Sequence[str] | None) -> pa.Schema:
        schema = self.schema
        if columns is None:
            return schema
        for name in columns:
            if name not in schema.names:
                raise UserError(
                    "column.missing",
                    "The dataset has no such column",
                    place=Place(table=self.uuid, column=name),
                    remedy=f"The columns are {', '.join(schema.names)}.",
                )
        return pa.schema([schema.field(name) for name in columns])

    def _tables(self, columns: Sequence[str], predicates: Predicates | None) -> Iterator[pa.Table]:
        return reader.read_dataset(self._opened, predicates=predicates, columns=columns)

    def explain(self, predicates: Predicates) -> dict[str, Any]:
        """Return what answering would read, and what is left out by what; as `tablemill dataset query --explain`."""
        from component.report.results.datasets import describe_explanation  # noqa: PLC0415 - words for people, seldom asked for

        scans, explanation = reader.explain_scan(self._opened, predicates)
        read = explain_reading(self._address.store, self._opened.schema, scans)
        return describe_explanation(explanation, read)

    def dispatch(
        self, by: Sequence[str], columns: Sequence[str] | None = None, predicates: Predicates | None = None
    ) -> Iterator[Group]:
        """Yield the rows in groups that agree on some columns; rows with null are a group too.

        UserError `column.missing`, `column.type` for lists, `dataset.predicate`.
        """
        return groups(self._opened, by, predicates=predicates, columns=columns)

    def stats(self, *, columns: bool = True) -> Statistics:
        """Return rows, files and bytes by partition, and nulls, minimum and maximum by column, from footers.

        Without `columns` nothing is opened but files that another client wrote.
        """
        return statistics(self._opened, columns=columns)

    def history(self) -> Iterator[Commit]:
        """Yield the states of the dataset that can still be opened, the live one first."""
        return states(self._address.store, self.uuid)

    def diff(self, before: State = "HEAD~1", after: State = "HEAD") -> Difference:
        """Return what lies between two states: files, rows, partitions, indices, columns, metadata.

        UserError `dataset.history` for a state that is not kept.
        """
        return difference(self._address.store, self.uuid, in_utc(before), in_utc(after))


def in_utc(state: State) -> State:
    """Return a state, a time without a zone as one in UTC."""
    if isinstance(state, dt.datetime) and state.tzinfo is None:
        return state.replace(tzinfo=dt.UTC)
    return state
