"""Counting the distinct values of columns block by block, exactly as long as there are few, else by an estimate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.actions.sampling import Extent

MOST_VALUES: Final = 50_000
"""Distinct values of a column that are held; one with more is counted no further."""
HELD_ROWS: Final = 20_000
"""Rows that are held as they are, to see how large they are as Parquet."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Distinct values of a column without null, whether that is exact, and whether any row was null."""

    values: int
    exact: bool
    has_nulls: bool


@dataclass(slots=True)
class ColumnTally:
    """The values of one column, each with how often it was there, in the first `rows` rows."""

    pieces: list[pa.Table] = field(default_factory=list)
    held: int = 0
    rows: int = 0
    nulls: int = 0
    full: bool = False

    def add(self, column: Any) -> None:
        """Count the values of a block; of types that cannot be counted (lists) there are none."""
        self.nulls += column.null_count
        if self.full:
            return
        try:
            counts = pc.value_counts(column.drop_null() if column.null_count else column)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            return
        self.rows += len(column)
        self.keep(pa.table({"value": counts.field("values"), "count": counts.field("counts")}))

    def keep(self, piece: pa.Table) -> None:
        """Hold the counts of a block; counts of the same value are united when they become many."""
        self.pieces.append(piece)
        self.held += piece.num_rows
        if self.held > 2 * MOST_VALUES:
            self.pieces = [self.united()]
            self.held = self.pieces[0].num_rows
            self.full = self.held > MOST_VALUES

    def united(self) -> pa.Table:
        """Return each value once, with its count."""
        grouped = pa.concat_tables(self.pieces).group_by("value", use_threads=False).aggregate([("count", "sum")])
        return grouped.rename_columns({"count_sum": "count"})

    def counted(self, extent: Extent) -> Counted:
        """Return the count for all rows.

        Of a sample of n out of N rows, each value seen once stands for sqrt(N/n) (the estimator of Charikar and
        others, whose error is bounded by that factor): values that return are common and have all been seen.
        """
        exact = extent.whole and not self.full
        if not self.pieces:
            return Counted(0, exact, self.nulls > 0)
        counts = self.united()["count"]
        if exact:
            return Counted(len(counts), exact, self.nulls > 0)
        once = pc.sum(pc.equal(counts, 1)).as_py() or 0
        factor = sqrt(max(1.0, extent.rows_there / max(1, self.rows)))
        return Counted(min(extent.rows_there, len(counts) - once + round(factor * once)), exact, self.nulls > 0)


@dataclass(slots=True)
class Tally:
    """The tallies of all columns of some rows, and the first of these rows."""

    columns: dict[str, ColumnTally] = field(default_factory=dict)
    first: list[pa.Table] = field(default_factory=list)
    rows: int = 0

    def add(self, rows: pa.Table) -> None:
        """Count the values of a block."""
        for name in rows.column_names:
            self.columns.setdefault(name, ColumnTally()).add(rows[name])
        if self.rows < HELD_ROWS:
            self.first.append(rows.slice(0, HELD_ROWS - self.rows))
        self.rows += rows.num_rows


def united(tallies: Sequence[Tally]) -> Tally:
    """Return the tally of all rows together; the rows that are held come from all of them."""
    whole = Tally()
    for tally in tallies:
        whole.rows += tally.rows
        whole.first += [rows.slice(0, HELD_ROWS // len(tallies)) for rows in tally.first[:1]]
        for name, other in tally.columns.items():
            _unite(whole.columns.setdefault(name, ColumnTally()), other.pieces, other)
    return whole


def _unite(one: ColumnTally, pieces: Iterable[pa.Table], other: ColumnTally) -> None:
    one.rows += other.rows
    one.nulls += other.nulls
    for piece in pieces:
        one.keep(piece)
    one.full |= other.full
