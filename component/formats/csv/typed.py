"""Columns of text to typed columns, fast: by Arrow's casts where they cannot be wrong, else cell by cell.

What fits a type, and as which value, is what `tables.cast` says; this room only finds the columns of a block for which
a cheaper way gives the same. That no byte of a column is a letter rules out at once what Arrow's casts take and the
definition does not, hexadecimal integers, and what they may get wrong, exponents.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component.tables.cast import BLANKS, CALENDAR, apply_null_rule, cast_text, is_within_calendar
from component.tables.marks import marks_of
from component.tables.numeric import safe_digits
from component.tables.types import Column, NullRule, TypeName, numeric_length

_NO_BLANK: Final = ord(" ") + 1
_LAST_OF_NUMBERS: Final = ord("9")
_EXACT_DIGITS: Final = 15
"""Decimal digits of which doubles tell all numbers apart."""
_LONGEST_WITH_EXPONENT: Final = 11
"""Characters that leave nine digits at most to an exponent, as `parse_numeric` does."""
_LARGEST_EXACT_POWER: Final = 22
"""The largest power of ten that is a double."""


def typed(cells: pa.Array, column: Column) -> pa.Array:
    """Return the values of one column; ArrowInvalid when a cell does not fit.

    `cells`: text, in which an empty cell is null unless it was enclosed.
    """
    empty = column.nulls is NullRule.ALWAYS and _holds_empty(cells)
    cells = apply_null_rule(cells, quoted_empty=empty, column=column)
    if column.type is TypeName.STRING and not column.attributes:
        return cells
    if column.type in {TypeName.STRING, TypeName.BOOLEAN} or column.formats or marks_of(column) is not None:
        return _cast_as_defined(cells, column)
    if _bytes(cells).min(initial=_NO_BLANK) < _NO_BLANK:  # a cast that fails for each cell takes very long
        cells = pc.ascii_trim(cells, BLANKS)
    values = _cast_fast(cells, column)
    return _cast_as_defined(cells, column) if values is None else values


def _cast_fast(cells: pa.Array, column: Column) -> pa.Array | None:
    """Return the values of one column; None where a cell does not fit, or Arrow might read it wrong."""
    try:
        if column.type is TypeName.NUMERIC:
            return _cast_numeric(cells, column)
        if column.type is TypeName.INTEGER and _holds_letters(cells):
            return None
        values = cells.cast(column.arrow)
    except pa.ArrowInvalid:
        return None
    return None if column.type in CALENDAR and not is_within_calendar(values, column.type) else values


def _cast_as_defined(cells: pa.Array, column: Column) -> pa.Array:
    cast = cast_text(cells, column)
    if cast.bad:
        raise pa.ArrowInvalid("a cell does not fit")
    return cast.values


def _cast_numeric(cells: pa.Array, column: Column) -> pa.Array | None:
    longest, letters = _lengths(cells).max(initial=0), _holds_letters(cells)
    precision, scale = numeric_length(column)
    if longest <= (_LONGEST_WITH_EXPONENT if letters else _EXACT_DIGITS) and scale <= _LARGEST_EXACT_POWER:
        values = cast_by_doubles(cells, precision, scale)
        if values is not None:
            return values
    return cells.cast(column.arrow) if longest <= safe_digits(scale) and not letters else None


def cast_by_doubles(cells: pa.Array, precision: int, scale: int) -> pa.Array | None:
    """Cast cells of at most 15 characters, or 11 with an exponent, to decimals; None when it is not sure of a cell.

    Two numbers of at most 15 digits never have the same double, unless one is too small and becomes zero. So if a cell
    and an integer of such units have, the cell is that many units, no matter how the integer was found.
    """
    doubles = cells.cast(pa.float64()).fill_null(0.0).to_numpy()
    unit, bound = 10.0**scale, 10 ** min(precision, _EXACT_DIGITS)
    units = doubles * unit
    np.rint(units, out=units)
    is_small = units.max(initial=0) < bound and units.min(initial=0) > -bound
    if not is_small or not np.array_equal(units / unit, doubles):
        return None
    if pc.any(pc.match_substring_regex(cells.filter(pa.array(doubles == 0)), "^[^eE]*[1-9]")).as_py():
        return None
    return _decimals(units.astype(np.int64), cells, pa.decimal128(precision, scale))


def _decimals(integers: Any, cells: pa.Array, decimal: pa.DataType) -> pa.Array:
    """Return integers of 64 bits as decimals of 128 bits, null where the cells are."""
    words = np.empty((len(integers), 2), np.int64)
    words[:, 0] = integers
    np.right_shift(integers, 63, out=words[:, 1])
    values = pa.Array.from_buffers(decimal, len(integers), [None, pa.py_buffer(words)])
    return pc.if_else(cells.is_valid(), values, pa.scalar(None, decimal)) if cells.null_count else values


def _lengths(cells: pa.Array) -> Any:
    """Return the bytes of each cell; 0 where it is null, as Arrow's CSV reader has it."""
    return np.diff(_offsets(cells))


def _offsets(cells: pa.Array) -> Any:
    return np.frombuffer(cells.buffers()[1], np.int32)[cells.offset : cells.offset + len(cells) + 1]


def _holds_empty(cells: pa.Array) -> bool:
    """Say whether a cell is the empty string."""
    return len(cells) > 0 and int(np.count_nonzero(_lengths(cells) == 0)) > cells.null_count


def _holds_letters(cells: pa.Array) -> bool:
    """Say whether a byte lies behind the digits, as all letters do."""
    return bool(_bytes(cells).max(initial=0) > _LAST_OF_NUMBERS)


def _bytes(cells: pa.Array) -> Any:
    """Return the bytes of all cells."""
    offsets, data = _offsets(cells), cells.buffers()[2]
    return np.frombuffer(data or b"", np.uint8)[offsets[0] : offsets[-1]] if len(cells) else np.empty(0, np.uint8)
