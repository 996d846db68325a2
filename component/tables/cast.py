"""Text to typed values, cell by cell when it must be: the definition of what fits a type (docs/types.md).

What fits is what Arrow's own parsers accept, after blanks around the cell are cut (never for strings), with exceptions
stated here: hexadecimal integers do not fit, nor numbers that would overflow unnoticed, nor dates before the year 1,
and booleans are the words of `TRUE_WORDS` and `FALSE_WORDS`. The fast path of `formats.csv` uses Arrow's CSV
converters; a property test holds that whatever it accepts it reads the same.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.tables.logical import Logical, logical_of
from component.tables.marks import marks_of, with_point
from component.tables.numeric import doubtful_numbers, parse_numeric
from component.tables.types import Column, NullRule, TypeName, numeric_length

TRUE_WORDS: Final = ("true", "True", "TRUE", "t", "T", "yes", "Yes", "YES", "y", "Y", "on", "On", "ON", "1")
FALSE_WORDS: Final = ("false", "False", "FALSE", "f", "F", "no", "No", "NO", "n", "N", "off", "Off", "OFF", "0")
_DAY: Final = 86_400_000_000
CALENDAR: Final = {
    TypeName.DATE: (-719_162, 2_932_896),
    TypeName.TIMESTAMP: (-719_162 * _DAY, 2_932_897 * _DAY - 1),
}
"""The first and last day, or microsecond, of the years 1 to 9999: Python and most databases have no others."""
BLANKS: Final = " \t"
_CLOCK: Final = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?"
_ZONE: Final = r" ?(Z|UTC|[+-](0[0-9]|1[0-8])(:?[0-5][0-9])?)"
WITH_ZONE: Final = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[ T]{_CLOCK}{_ZONE}$"
"""A timestamp with its zone: `Z`, `UTC`, `+02:00`, `+0200` or `+02`, after a blank or at once."""
ZONED_TEXT: Final = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T]{_CLOCK}({_ZONE})?)?$"
"""What a column of such timestamps may hold: some of them may lack their zone, or the time of day."""
SLASHED_DATE: Final = "%Y/%m/%d"
SLASHED_TIMESTAMP: Final = "%Y/%m/%d %H:%M:%S"
_SLASHED: Final[Mapping[tuple[str, ...], str]] = {
    (SLASHED_DATE,): "^[0-9]{4}/[0-9]{2}/[0-9]{2}$",
    (SLASHED_TIMESTAMP,): "^[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-5][0-9]:[0-5][0-9]$",
}
"""Formats that are ISO 8601 but for their slashes, and cells of them that Arrow reads as strptime does."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Typed values of one column, and the positions of the cells that did not fit (null in `values`)."""

    values: pa.Array
    bad: tuple[int, ...] = ()


def cast_text(cells: pa.Array, column: Column) -> Cast:
    """Cast text cells to the column's type; nulls stay null, cells that do not fit are reported by position.

    Empty cells have been decided by the caller (`apply_null_rule`); an empty cell that is left fits no type but string.
    """
    if column.type is TypeName.STRING:
        return _checked_zoned(cells) if logical_of(column) is Logical.ZONED else Cast(cells)
    if column.type is TypeName.BOOLEAN:
        return _cast_boolean(cells)
    if column.formats:
        return _cast_formats(cells, column)
    if (marks := marks_of(column)) is not None:
        cells = with_point(cells, *marks)
    trimmed = pc.utf8_trim(cells, BLANKS)
    if column.type is TypeName.INTEGER:
        return _cast_halving(_without_hexadecimal(trimmed), column.arrow)
    if column.type is TypeName.NUMERIC:
        return _cast_numeric(trimmed, column)
    cast = _cast_halving(trimmed, column.arrow)
    return _within_calendar(cast, column) if column.type in CALENDAR else cast


def apply_null_rule(cells: pa.Array, quoted_empty: bool, column: Column) -> pa.Array:
    """Return cells with empty ones decided by the column's null rule.

    `cells` come with unquoted empty cells as null; `quoted_empty` says whether `""` may occur among them as the empty
    string. A word that stands for null is null, with blanks around it in all types but string.
    """
    if column.nulls is NullRule.ALWAYS and quoted_empty:
        cells = pc.if_else(pc.equal(cells, ""), pa.scalar(None, cells.type), cells)
    elif column.nulls is NullRule.NEVER:
        cells = pc.fill_null(cells, "")
    return _without_null_words(cells, column) if column.null_words else cells


def _without_null_words(cells: pa.Array, column: Column) -> pa.Array:
    bare = cells if column.type is TypeName.STRING else pc.utf8_trim(cells, BLANKS)
    is_word = pc.is_in(bare, value_set=pa.array(column.null_words, cells.type))
    return pc.if_else(is_word, pa.scalar(None, cells.type), cells)


def _cast_boolean(cells: pa.Array) -> Cast:
    trimmed = pc.utf8_trim(cells, BLANKS)
    true = pc.is_in(trimmed, value_set=pa.array(TRUE_WORDS, cells.type))
    false = pc.is_in(trimmed, value_set=pa.array(FALSE_WORDS, cells.type))
    known = pc.or_(true, false)
    values = pc.if_else(known, true, pa.scalar(None, pa.bool_()))
    return Cast(values, _positions(pc.and_(pc.is_valid(cells), pc.invert(known))))


def _positions(mask: pa.Array) -> tuple[int, ...]:
    return tuple(pc.indices_nonzero(mask).to_pylist())


def _without_hexadecimal(cells: pa.Array) -> pa.Array:
    hexadecimal = pc.match_substring_regex(cells, r"^0[xX]")
    return pc.if_else(hexadecimal, "not decimal", cells) if pc.any(hexadecimal).as_py() else cells


def _checked_zoned(cells: pa.Array) -> Cast:
    """Keep texts that are timestamps, with a zone or without, and say which are not."""
    trimmed = pc.utf8_trim(cells, BLANKS)
    looks_so = pc.match_substring_regex(trimmed, ZONED_TEXT)
    days = pc.if_else(looks_so, pc.utf8_slice_codeunits(trimmed, 0, 10), pa.scalar(None, cells.type))
    fits = pc.is_valid(cast_text(days, Column("", TypeName.DATE)).values)
    bad = pc.and_(pc.is_valid(cells), pc.invert(fits))
    if not pc.any(bad).as_py():
        return Cast(cells)
    return Cast(pc.if_else(bad, pa.scalar(None, cells.type), cells), _positions(bad))


def _cast_numeric(cells: pa.Array, column: Column) -> Cast:
    """Cast by Arrow what it cannot get wrong, and the rest one by one."""
    precision, scale = numeric_length(column)
    doubtful = doubtful_numbers(cells, scale)
    certain = _cast_halving(pc.if_else(doubtful, pa.scalar(None, cells.type), cells), column.arrow)
    if not pc.any(doubtful).as_py():
        return certain
    exact = [parse_numeric(text, precision, scale) for text in cells.filter(doubtful).to_pylist()]
    values = pc.replace_with_mask(certain.values, doubtful, pa.array(exact, column.arrow))
    return Cast(values, _positions(pc.and_(pc.is_valid(cells), pc.is_null(values))))


def _within_calendar(cast: Cast, column: Column) -> Cast:
    if is_within_calendar(cast.values, column.type):
        return cast
    first, last = CALENDAR[column.type]
    counts = _counts(cast.values)
    outside = pc.or_(pc.less(counts, first), pc.greater(counts, last))
    values = pc.if_else(outside, pa.scalar(None, column.arrow), cast.values)
    return Cast(values, tuple(sorted({*cast.bad, *_positions(outside)})))


def is_within_calendar(values: Any, type_name: TypeName) -> bool:
    """Say whether all dates or timestamps lie in the years 1 to 9999."""
    first, last = CALENDAR[type_name]
    ends = pc.min_max(_counts(values)).as_py()
    return ends["min"] is None or (ends["min"] >= first and ends["max"] <= last)


def _counts(values: Any) -> Any:
    """Return days or microseconds as numbers."""
    return values.cast(pa.int32() if pa.types.is_date32(values.type) else pa.int64())


def _cast_halving(cells: pa.Array, target: pa.DataType) -> Cast:
    """Cast whole ranges, and halve the ones that fail until the cells that do not fit are alone.

    Arrow's cast fails as a whole and does not say where. Few bad cells cost a few casts each.
    """
    pieces: list[pa.Array] = []
    bad: list[int] = []
    pending = [(0, len(cells))]
    while pending:
        start, stop = pending.pop()
        part = cells.slice(start, stop - start)
        try:
            pieces.append(part.cast(target))
        except pa.ArrowInvalid:
            if stop - start == 1:
                pieces.append(pa.nulls(1, target))
                bad.append(start)
            else:
                middle = (start + stop) // 2
                pending += [(middle, stop), (start, middle)]
    return Cast(pa.concat_arrays(pieces) if pieces else pa.array([], target), tuple(bad))


def _cast_formats(cells: pa.Array, column: Column) -> Cast:
    """Parse with strptime, each distinct text once; a cell that fits no format does not fit.

    Python's own strptime, because Arrow's knows no fractions of seconds. What is ISO 8601 but for its slashes is cast
    as such, which is a hundred times faster.
    """
    if (pattern := _SLASHED.get(column.formats)) is not None:
        trimmed = pc.utf8_trim(cells, BLANKS)
        if pc.all(pc.match_substring_regex(trimmed, pattern)).as_py() is not False:
            iso = pc.replace_substring(trimmed, "/", "-")
            return _within_calendar(_cast_halving(iso, column.arrow), column)
    encoded = cells.dictionary_encode()
    read = _read_date if column.type is TypeName.DATE else _read_timestamp
    texts = encoded.dictionary.to_pylist()
    parsed = [_first_format(text.strip(BLANKS), column.formats, read) for text in texts]
    values = pa.array(parsed, column.arrow).take(encoded.indices)
    return Cast(values, _positions(pc.and_(pc.is_valid(cells), pc.is_null(values))))


def _first_format(text: str, formats: tuple[str, ...], read: Callable[[str, str], Any]) -> Any:
    for pattern in formats:
        try:
            return read(text, pattern)
        except (ValueError, OverflowError):  # an offset may lead out of the years 1 to 9999
            continue
    return None


def _read_timestamp(text: str, pattern: str) -> dt.datetime:
    """Read a local timestamp; an offset in the text is applied, and the instant kept as UTC."""
    value = dt.datetime.strptime(text, pattern)  # noqa: DTZ007 - a naive timestamp is what the format says
    return value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value


def _read_date(text: str, pattern: str) -> dt.date:
    return dt.datetime.strptime(text, pattern).date()  # noqa: DTZ007 - only the date is kept
