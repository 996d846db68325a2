"""Two tables by content: columns by name, rows as a multiset, values by their types."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from component.replay.compare.cells import comparable, digest_of, digests, has_type
from component.replay.compare.leftover import LeftRow, left_rows, no_restart
from component.replay.compare.multiset import DigestFiles, Unequal, bucket_count, compare_digests
from component.replay.compare.near import Unpaired, pair_near
from component.replay.compare.options import CompareOptions
from component.replay.compare.rows import Batch, RowSource
from component.replay.compare.samples import SAMPLED, sample
from component.report.results.replayed import OutputDifference
from component.report.words.amounts import counted
from component.tables.types import Column, TypeName

_NUMBERS: Final = {TypeName.INTEGER, TypeName.NUMERIC, TypeName.FLOAT}


@dataclass(frozen=True, slots=True)
class _Side:
    """A source, and where the compared columns are in it; called with a batch it gives their comparable cells."""

    source: RowSource
    positions: tuple[int, ...]
    types: tuple[Column | None, ...]
    empty_is_null: bool

    def __call__(self, batch: Batch) -> list[pa.Array]:
        chosen = zip(self.positions, self.types, strict=True)
        return [comparable(batch.columns[at], column, empty_is_null=self.empty_is_null) for at, column in chosen]


def compare_tables(
    place: str, table: str, expected: RowSource, actual: RowSource, options: CompareOptions
) -> list[OutputDifference]:
    """Return how two tables differ; `place` is what the report calls them, `table` what options do.

    Memory: a few batches, and the digests of a bucket of rows; the rest is on disk in the folder for temporary files.
    UserError for a source that cannot be read.
    """
    left, right = _named(expected.names, actual.names), _named(actual.names, expected.names)
    taken = [name for name in left if options.takes_column(table, name)]
    also = [name for name in right if options.takes_column(table, name)]
    different = _columns(place, taken, also)
    common = list(dict.fromkeys(taken)) if taken == also else [name for name in dict.fromkeys(taken) if name in also]
    known = {**actual.types, **expected.types}
    types = tuple(column if (column := known.get(name)) and has_type(column) else None for name in common)
    sides = [
        _Side(source, tuple(names.index(name) for name in common), types, options.empty_is_null)
        for source, names in ((expected, left), (actual, right))
    ]
    with tempfile.TemporaryDirectory(prefix="tablemill-compare-") as work:
        return [*different, *_rows(place, sides[0], sides[1], common, options, Path(work))]


def _named(names: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Return names, those of the other side where nobody named the columns of this one and there are as many."""
    numbered = names == tuple(f"column {number + 1}" for number in range(len(names)))
    return others if numbered and len(names) == len(others) else names


def _columns(place: str, expected: Sequence[str], actual: Sequence[str]) -> list[OutputDifference]:
    if expected == actual:
        return []
    missing = [name for name in expected if name not in actual]
    extra = [name for name in actual if name not in expected]
    parts = [f"{word}: {', '.join(names)}" for word, names in (("missing", missing), ("extra", extra)) if names]
    text = "; ".join(parts) or f"their order is {', '.join(actual)}, expected is {', '.join(expected)}"
    return [OutputDifference(place, "columns", f"The columns differ: {text}.")]


def _rows(
    place: str, expected: _Side, actual: _Side, names: list[str], options: CompareOptions, work: Path
) -> list[OutputDifference]:
    buckets = bucket_count(max(expected.source.size, actual.source.size))
    with DigestFiles(work / "expected", buckets) as left, DigestFiles(work / "actual", buckets) as right:
        _fill(left, expected)
        _fill(right, actual)
        unequal = compare_digests(left, right)
        rows = f"{counted(left.rows, 'row')} expected, {counted(right.rows, 'row')} found"
    if not unequal.missing + unequal.extra:
        return _order(place, expected, actual, options) if options.ordered else []
    unpaired = _unpaired(expected, actual, unequal, options, work)
    if not unpaired.missing + unpaired.extra:
        return []
    text = f"{unpaired.missing:,} missing and {unpaired.extra:,} extra ({rows})."
    shown = sample(unpaired.expected, unpaired.actual, names, expected.source.key, options.show) if names else ()
    return [OutputDifference(place, "rows", f"Rows differ: {text}", shown)]


def _fill(files: DigestFiles, side: _Side) -> None:
    current = None
    for batch in side.source.batches(files.drop):
        if batch.slice != current:
            current = batch.slice
            files.mark()
        files.add(digests(side(batch), len(batch.numbers)))
        if batch.broken:
            files.add(np.array([digest_of(text) for _, text in batch.broken]))


def _unpaired(expected: _Side, actual: _Side, unequal: Unequal, options: CompareOptions, work: Path) -> Unpaired:
    left = left_rows(expected.source, expected, unequal, 1)
    right = left_rows(actual.source, actual, unequal, -1)
    if options.tolerance is None or not unequal.all_kept:
        return Unpaired(unequal.missing, unequal.extra, tuple(islice(left, SAMPLED)), tuple(islice(right, SAMPLED)))
    numeric = [column.type in _NUMBERS if column else None for column in expected.types]
    return pair_near(left, right, numeric=numeric, tolerance=options.tolerance, work=work / "near.sqlite", show=SAMPLED)


def _order(place: str, expected: _Side, actual: _Side, options: CompareOptions) -> list[OutputDifference]:
    """Return the first row that is not where it is expected, of two sides with the same rows."""
    for number, (one, other) in enumerate(zip_longest(_in_order(expected), _in_order(actual)), 1):
        if one is not None and other is not None and one.cells != other.cells:
            names = [expected.source.names[at] for at in expected.positions]
            rows = sample([one], [other], names, (), options.show)
            return [
                OutputDifference(
                    place, "order", f"The rows are the same in another order, from row {number:,} on.", rows
                )
            ]
    return []


def _in_order(side: _Side) -> Iterator[LeftRow]:
    for batch in side.source.batches(no_restart):
        texts = [array.to_pylist() for array in side(batch)]
        for number, *cells in zip(batch.numbers, *texts, strict=True):
            yield LeftRow(batch.slice, number, tuple(cells))
        yield from (LeftRow(batch.slice, number, (text,), broken=True) for number, text in batch.broken)
