"""Dates, times and timestamps to text and back in the formats of the hints (tokens: `time_tokens`).

| kind | values |
|---|---|
| date | date32 |
| time | text `HH:MM:SS[.ffffff]`; Arrow's times are taken too |
| timetz | text `HH:MM:SS[.ffffff]+HH:MM` |
| datetime | timestamp[us] |
| datetimetz | timestamp[us] in UTC, without zone |

`SS` of a datetime is written with six digits of a fraction, as records-mover does; that of a time only where there is
one. A value that a format cannot carry is refused (`format_or_lost`), never cut. Fields become days and
microseconds, and back, by numpy's calendar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place, UserError
from component.formats.delimited.time_fields import Fields, Mask, Numbers, read_fields
from component.formats.delimited.time_tokens import PIVOT, TemporalKind, TimeFormat, Token, compiled, losses
from component.tables.cast import CALENDAR
from component.tables.types import TypeName, is_text

__all__ = ["TemporalKind", "format_column", "format_or_lost", "losses", "parse_column"]

SECOND: Final = 1_000_000
DAY: Final = 86_400 * SECOND
_HALF_DAY: Final = 12
_MINUTE: Final = 60 * SECOND
_PLAIN: Final = {TemporalKind.TIME: "HH24:MI:SS", TemporalKind.TIMETZ: "HH24:MI:SSOF"}
"""How times are kept in a table."""
_CENTURY: Final = (1900 + PIVOT, 1999 + PIVOT)
_ZERO: Final = np.uint8(48)
_NUMBERS: Final = {
    Token.YEAR: ("year", 4),
    Token.SHORT_YEAR: ("short_year", 2),
    Token.MONTH: ("month", 2),
    Token.DAY: ("day", 2),
    Token.HOUR: ("hour", 2),
    Token.HOUR12: ("hour12", 2),
    Token.MINUTE: ("minute", 2),
}


@dataclass(frozen=True, slots=True)
class _Values:
    """Days, microseconds, or microseconds of the day, and offsets in minutes; `fits` is false for nulls and faults."""

    numbers: Numbers
    offsets: Numbers
    has_offset: Mask
    fits: Mask


def parse_column(
    texts: Any, text_format: str, kind: TemporalKind, *, assume_tz: str | None = None
) -> tuple[pa.Array, tuple[int, ...]]:
    """Read texts; return the values, and the positions of texts that do not fit (null in the values).

    Instants without offset are UTC, or on the clocks of the zone `assume_tz` (its earlier hour where clocks went back).
    UserError `records.hint` for a format that is none, or a zone that is not known.
    """
    form = compiled(text_format, kind)
    texts = _plain_texts(texts)
    read = _read(texts, form)
    if kind in _PLAIN:
        values = _write(compiled(_PLAIN[kind], kind), read)
    elif kind is TemporalKind.DATE:
        values = pa.array(read.numbers.astype(np.int32), mask=~read.fits).cast(pa.date32())
    else:
        values = _timestamps(read, assume_tz)
    bad = np.flatnonzero((values.is_null().to_numpy(zero_copy_only=False)) & _valid(texts))
    return values, tuple(int(position) for position in bad)


def format_column(values: Any, text_format: str, kind: TemporalKind) -> pa.Array:
    """Write values; nulls stay null. UserError `cell.unwritable` for a value that would lose something."""
    texts, lost = format_or_lost(values, text_format, kind)
    if lost is not None:
        raise UserError(
            "cell.unwritable",
            f"The format {text_format!r} cannot carry the value",
            place=Place(row=lost + 1, value=str(values[lost])),
        )
    return texts


def format_or_lost(values: Any, text_format: str, kind: TemporalKind) -> tuple[pa.Array, int | None]:
    """Write values, and return the position of the first one that would lose something or is none of its kind.

    Where there is one, the texts are not to be used.
    """
    form = compiled(text_format, kind)
    kept = _kept(values, kind)
    lost = _first(_lost(kept, form) & _valid(values))
    return _write(form, kept) if lost is None else pa.nulls(len(values), pa.string()), lost


def _first(mask: Mask) -> int | None:
    return int(mask.argmax()) if mask.any() else None


def _valid(values: Any) -> Mask:
    valid: Mask = values.is_valid().to_numpy(zero_copy_only=False) if values.null_count else np.ones(len(values), bool)
    return valid


def _plain_texts(texts: Any) -> pa.StringArray:
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    return texts if pa.types.is_string(texts.type) else texts.cast(pa.string())


def _read(texts: pa.StringArray, form: TimeFormat) -> _Values:
    count = len(texts)
    read = _Values(np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, bool), np.zeros(count, bool))
    for where, fields in read_fields(texts, form):
        numbers, fits = _numbers(fields, form)
        read.numbers[where] = np.where(fits, numbers, 0)
        read.fits[where] = fits
        if "offset" in fields:
            read.offsets[where] = fields["offset"]
            read.has_offset[where] = True
    return read


def _numbers(fields: Fields, form: TimeFormat) -> tuple[Numbers, Mask]:
    if not form.has_time:
        return days_of(fields)
    micros, fits = time_of(fields)
    if not form.has_date:
        return micros, fits
    days, exists = days_of(fields)
    return days * DAY + micros, fits & exists


def _timestamps(read: _Values, assume_tz: str | None) -> pa.Array:
    numbers = read.numbers - read.offsets * _MINUTE
    first, last = CALENDAR[TypeName.TIMESTAMP]
    fits = read.fits & (numbers >= first) & (numbers <= last)
    values = pa.array(numbers, mask=~fits).cast(pa.timestamp("us"))
    if assume_tz is None:
        return values
    try:
        instants = pc.assume_timezone(values, assume_tz, ambiguous="earliest", nonexistent="earliest")
    except pa.ArrowInvalid as error:
        raise UserError(
            "records.hint", f"The time zone {assume_tz!r} is not known", remedy="Use a name such as US/Eastern."
        ) from error
    return pc.if_else(pa.array(read.has_offset), values, instants.cast(pa.timestamp("us")))


def _kept(values: Any, kind: TemporalKind) -> _Values:
    """Return a table's values as numbers; of an instant the clock of UTC."""
    if kind in _PLAIN and is_text(values.type):
        return _read(_plain_texts(values), compiled(_PLAIN[kind], kind))
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_date64(values.type):
        values = values.cast(pa.date32())
    elif pa.types.is_time(values.type):
        values = values.cast(pa.time64("us"))
    elif pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us", values.type.tz))
    whole = pa.int32() if pa.types.is_date32(values.type) else pa.int64()
    numbers = pc.fill_null(values.cast(whole), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    nothing = np.zeros(len(numbers), np.int64)
    return _Values(numbers, nothing, np.zeros(len(numbers), bool), _valid(values))


def _lost(kept: _Values, form: TimeFormat) -> Mask:
    lost: Mask = ~kept.fits
    if form.has_time and not form.has(Token.SECOND):
        lost = lost | (kept.numbers % (60 * (1 if form.has(Token.MINUTE) else 60) * SECOND) != 0)
    if form.has_date:
        first, last = CALENDAR[TypeName.TIMESTAMP if form.has_time else TypeName.DATE]
        inside = (kept.numbers >= first) & (kept.numbers <= last)
        lost = lost | ~inside
        if form.has(Token.SHORT_YEAR):
            days = np.where(inside, kept.numbers, 0) // (DAY if form.has_time else 1)
            years = date_fields(days)["year"]
            lost = lost | (years < _CENTURY[0]) | (years > _CENTURY[1])
    return lost


def _write(form: TimeFormat, kept: _Values) -> pa.StringArray:
    """Build the texts as a matrix of bytes, one row per character; characters not kept are those of no fraction."""
    fields = _fields(form, kept)
    rows: list[Any] = []
    fraction = slice(0, 0)
    for part in form.parts:
        rows += _rows(part, fields)
        if part is Token.SECOND:
            fraction = slice(len(rows) - 7, len(rows))
    count, width = len(kept.numbers), len(rows)
    matrix = np.empty((count, width), np.uint8)
    for place, row in enumerate(rows):
        matrix[:, place] = row
    if form.has_date or fraction.stop == 0:
        return _strings(matrix, np.full(count, width, np.int64), kept.fits)
    has_fraction = fields["fraction"] != 0
    keep = np.ones((count, width), bool)
    keep[:, fraction] = has_fraction[:, None]
    return _strings(matrix[keep], np.where(has_fraction, width, width - 7), kept.fits)


def _fields(form: TimeFormat, kept: _Values) -> Fields:
    numbers = np.where(kept.fits, kept.numbers, 0)
    days = numbers // DAY if form.has_time else numbers
    fields: Fields = {"offset": kept.offsets}
    if form.has_date:
        fields |= date_fields(days)
        fields["short_year"] = fields["year"] % 100
    if form.has_time:
        fields |= time_fields(numbers - days * DAY)
        fields["hour12"] = (fields["hour"] + 11) % 12 + 1
    return fields


def _rows(part: Token | str, fields: Fields) -> list[Any]:
    """Return the characters of one part of the format, each a number or one for each text."""
    if part in _NUMBERS:
        name, width = _NUMBERS[Token(part)]
        return _digits(fields[name], width)
    if part is Token.SECOND:
        return [*_digits(fields["second"], 2), ord("."), *_digits(fields["fraction"], 6)]
    if part is Token.MERIDIAN:
        return [np.where(fields["hour"] >= 12, ord("P"), ord("A")), ord("M")]
    if part is Token.OFFSET:
        minutes = np.abs(fields["offset"])
        sign = np.where(fields["offset"] < 0, ord("-"), ord("+"))
        return [sign, *_digits(minutes // 60, 2), ord(":"), *_digits(minutes % 60, 2)]
    return list(part.encode())


def _digits(numbers: Numbers, width: int) -> list[Any]:
    small = numbers.astype(np.int32)
    return [(small // 10**place % 10).astype(np.uint8) + _ZERO for place in reversed(range(width))]


def _strings(data: npt.NDArray[np.uint8], lengths: Numbers, valid: Mask) -> pa.StringArray:
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    bitmap = None if valid.all() else pa.array(valid).buffers()[1]
    return pa.StringArray.from_buffers(
        len(lengths), pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(data)), bitmap
    )


def full_year(fields: Fields) -> Numbers:
    """Return the year; two digits are taken about `PIVOT`."""
    if "year" in fields:
        return fields["year"]
    short = fields["short_year"]
    return np.where(short >= PIVOT, short + 1900, short + 2000)


def days_of(fields: Fields) -> tuple[Numbers, Mask]:
    """Return days since 1970-01-01, and which of the dates exist."""
    year, month, day = full_year(fields), fields["month"], fields["day"]
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    first: Numbers = _days(months)
    fits = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= _days(months + 1) - first)
    return first + day - 1, fits


def _days(months: Any) -> Any:
    return months.astype("datetime64[D]").astype(np.int64)


def time_of(fields: Fields) -> tuple[Numbers, Mask]:
    """Return microseconds of the day, and which of the times exist."""
    nothing = np.zeros_like(fields["hour"])
    hour, minute, second = fields["hour"], fields.get("minute", nothing), fields.get("second", nothing)
    fits = (minute < 60) & (second < 60)
    if "meridian" in fields:
        fits &= (hour >= 1) & (hour <= _HALF_DAY)
        hour = hour % _HALF_DAY + _HALF_DAY * fields["meridian"]
    else:
        fits &= hour < 24
    if "offset_fits" in fields:
        fits &= fields["offset_fits"].astype(np.bool_)
    return ((hour * 60 + minute) * 60 + second) * SECOND + fields.get("fraction", nothing), fits


def date_fields(days: Numbers) -> Fields:
    """Return year, month and day of days since 1970-01-01."""
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    count = months.astype(np.int64)
    return {"year": count // 12 + 1970, "month": count % 12 + 1, "day": days - _days(months) + 1}


def time_fields(micros: Numbers) -> Fields:
    """Return hour, minute, second and fraction of microseconds of the day."""
    seconds = micros // SECOND
    return {
        "hour": seconds // 3600,
        "minute": seconds // 60 % 60,
        "second": seconds % 60,
        "fraction": micros - seconds * SECOND,
    }
