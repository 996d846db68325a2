"""Columns of text cells to typed columns: what fits a type in the records format.

Integers, decimals and floats are what `tables.cast` says. Booleans are the words of Redshift, Vertica, BigQuery and
records-mover in any case (reference records 3.1), dates and times follow the formats of the hints.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component.formats.csv.typed import typed
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.temporal import TemporalKind, parse_column
from component.tables.cast import BLANKS, Cast, apply_null_rule, cast_text
from component.tables.logical import Logical, logical_of
from component.tables.types import Column, TypeName

TRUE_WORDS: Final = ("true", "t", "1", "yes", "y")
FALSE_WORDS: Final = ("false", "f", "0", "no", "n")
_LOGICAL_KINDS: Final = {
    Logical.TIME: TemporalKind.TIME,
    Logical.TIMETZ: TemporalKind.TIMETZ,
    Logical.TIMESTAMPTZ: TemporalKind.DATETIMETZ,
}
_KINDS: Final = {TypeName.DATE: TemporalKind.DATE, TypeName.TIMESTAMP: TemporalKind.DATETIME}


def kind_of(column: Column) -> TemporalKind | None:
    """Return what kind of date or time a column holds; None for any other."""
    logical = logical_of(column)
    return _KINDS.get(column.type) if logical is None else _LOGICAL_KINDS.get(logical)


def format_of(kind: TemporalKind, dialect: DelimitedDialect) -> str:
    """Return the format of a kind of date or time."""
    return {
        TemporalKind.DATE: dialect.dateformat,
        TemporalKind.TIME: dialect.timeonlyformat,
        TemporalKind.TIMETZ: dialect.timeonlyformat,
        TemporalKind.DATETIME: dialect.datetimeformat,
        TemporalKind.DATETIMETZ: dialect.datetimeformattz,
    }[kind]


def cast_cells(
    cells: pa.Array,
    column: Column,
    dialect: DelimitedDialect,
    *,
    quoted_empty: bool = False,
    assume_tz: str | None = None,
) -> Cast:
    """Return the values of a column, and the positions of cells that do not fit.

    `cells`: text in which an empty cell is null; `quoted_empty` says that one in quotes may be the empty string.
    """
    cells = apply_null_rule(cells, quoted_empty=quoted_empty, column=column)
    kind = kind_of(column)
    if kind is not None:
        values, bad = parse_column(_trimmed(cells), format_of(kind, dialect), kind, assume_tz=assume_tz)
        return Cast(values, tuple(bad))
    if column.type is TypeName.STRING:
        return Cast(cells)
    if column.type is TypeName.BOOLEAN:
        return _cast_booleans(cells)
    try:
        return Cast(typed(cells, column))
    except pa.ArrowInvalid:
        return cast_text(cells, column)


def reason_for(column: Column, dialect: DelimitedDialect) -> str:
    """Return why a cell does not fit."""
    kind = kind_of(column)
    if kind is not None:
        return f"The cell is no {kind.value} of the format {format_of(kind, dialect)}"
    if column.type is TypeName.NUMERIC:
        return f"The cell does not fit the type numeric({column.arrow.precision},{column.arrow.scale})"
    if column.type is TypeName.BOOLEAN:
        return f"The cell is no boolean: {', '.join((*TRUE_WORDS, *FALSE_WORDS))} in any case"
    return f"The cell does not fit the type {column.type.value}"


def _cast_booleans(cells: pa.Array) -> Cast:
    words = pc.ascii_lower(_trimmed(cells))
    true = pc.is_in(words, value_set=pa.array(TRUE_WORDS))
    known = pc.or_(true, pc.is_in(words, value_set=pa.array(FALSE_WORDS)))
    values = pc.if_else(known, true, pa.scalar(None, pa.bool_()))
    bad = pc.and_(pc.is_valid(cells), pc.invert(known))
    return Cast(values, tuple(pc.indices_nonzero(bad).to_pylist()))


def _trimmed(cells: pa.Array) -> pa.Array:
    """Return cells without blanks around them."""
    data = cells.buffers()[2]
    first = np.frombuffer(data or b"", np.uint8)
    if not len(first) or first.min() > ord(" "):
        return cells
    return pc.ascii_trim(cells, BLANKS)
