"""Texts of one format to numbers and back, whole columns at a time.

Cells of the same length have their digits in the same columns: they are read as a matrix of bytes, one row per
character. What fits no such layout (fields of one digit, long fractions) is cut by the format's expression. Both give
the same numbers; the expression is the definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from component.formats.delimited.time_tokens import TemporalKind, TimeFormat, Token, is_between

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Fields = dict[str, Numbers]
"""Numbers by name, absent where the text has none: year short_year month day hour minute second fraction (in
microseconds) meridian (0 AM, 1 PM) offset (in minutes)."""

_ZERO: Final = 48
_OFFSETS: Final = ("", "Z", "+HH:MM", "+HH", "+HHMM")
_FRACTIONS: Final = (0, 6, 3, 1, 2, 4, 5)
_WIDTHS: Final = {
    Token.YEAR: ("year", 4),
    Token.SHORT_YEAR: ("short_year", 2),
    Token.MONTH: ("month", 2),
    Token.DAY: ("day", 2),
    Token.HOUR: ("hour", 2),
    Token.HOUR12: ("hour", 2),
    Token.MINUTE: ("minute", 2),
    Token.SECOND: ("second", 2),
}


@dataclass(frozen=True, slots=True)
class TextLayout:
    """Where what stands in texts of one length: numbers by name, place and width, and characters by place.

    `meridian` and `sign` are the places of A or P, and of the sign of an offset.
    """

    length: int
    numbers: tuple[tuple[str, int, int], ...]
    characters: tuple[tuple[int, bytes], ...]
    meridian: int | None
    sign: int | None


@lru_cache(maxsize=256)
def layouts(form: TimeFormat) -> dict[int, tuple[TextLayout, ...]]:
    """Return the layouts of texts with all fields filled up to two digits, by length."""
    with_offset = form.has(Token.OFFSET) or form.kind in {TemporalKind.TIMETZ, TemporalKind.DATETIMETZ}
    fractions = _FRACTIONS if form.has(Token.SECOND) else (0,)
    found: dict[int, tuple[TextLayout, ...]] = {}
    for fraction, offset in product(fractions, _OFFSETS if with_offset else ("",)):
        layout = _layout(form, fraction, offset)
        found[layout.length] = (*found.get(layout.length, ()), layout)
    return found


def _layout(form: TimeFormat, fraction: int, offset: str) -> TextLayout:
    numbers: list[tuple[str, int, int]] = []
    characters: list[tuple[int, bytes]] = []
    meridian = sign = None
    at = 0
    parts = form.parts if form.has(Token.OFFSET) else (*form.parts, Token.OFFSET)
    for place, part in enumerate(parts):
        if part in _WIDTHS:
            name, width = _WIDTHS[Token(part)]
            numbers.append((name, at, width))
            at += width
            if part is Token.SECOND and fraction:
                characters.append((at, b"."))
                numbers.append(("fraction", at + 1, fraction))
                at += 1 + fraction
        elif part is Token.MERIDIAN:
            meridian = at
            characters.append((at + 1, b"Mm"))
            at += 2
        elif part is Token.OFFSET:
            sign = at if offset.startswith("+") else None
            _lay_offset(offset, at, numbers, characters)
            at += len(offset)
        else:
            characters += [(at, b" T")] if is_between(parts, place) else _each(at, part)
            at += len(part.encode())
    return TextLayout(at, tuple(numbers), tuple(characters), meridian, sign)


def _each(at: int, part: str) -> list[tuple[int, bytes]]:
    return [(at + n, bytes([byte])) for n, byte in enumerate(part.encode())]


def _lay_offset(offset: str, at: int, numbers: list[tuple[str, int, int]], characters: list[tuple[int, bytes]]) -> None:
    if offset == "Z":
        characters.append((at, b"Z"))
    if offset.startswith("+"):
        numbers.append(("offset_hour", at + 1, 2))
    if offset.endswith("MM"):
        numbers.append(("offset_minute", at + len(offset) - 2, 2))
    if ":" in offset:
        characters.append((at + 3, b":"))


def read_fields(texts: pa.Array, form: TimeFormat) -> Iterator[tuple[Numbers, Fields]]:
    """Yield positions of texts that fit the format, and their numbers; each position at most once."""
    lengths = pc.fill_null(pc.binary_length(texts), -1).to_numpy(zero_copy_only=False)
    by_length = layouts(form)
    left = lengths >= 0
    for length in np.unique(lengths):
        for layout in by_length.get(int(length), ()):
            where = np.flatnonzero((lengths == length) & left)
            if len(where):
                fits, fields = _read_layout(_matrix(texts, where, layout.length), layout)
                left[where[fits]] = False
                yield where[fits], {name: numbers[fits] for name, numbers in fields.items()}
    where = np.flatnonzero(left)
    if len(where):
        yield from _read_pattern(texts.take(pa.array(where)), where, form)


def _matrix(texts: pa.Array, where: Numbers, length: int) -> npt.NDArray[np.uint8]:
    """Return texts of one length as a matrix of bytes, one row per character."""
    taken = texts if len(where) == len(texts) else texts.take(pa.array(where))
    starts = np.frombuffer(taken.buffers()[1], np.int32)
    first = int(starts[taken.offset])
    data = np.frombuffer(taken.buffers()[2], np.uint8)[first : first + len(taken) * length]
    return np.ascontiguousarray(data.reshape(len(taken), length).T)


def _read_layout(matrix: npt.NDArray[np.uint8], layout: TextLayout) -> tuple[Mask, Fields]:
    fits = np.ones(matrix.shape[1], np.bool_)
    for place, allowed in layout.characters:
        fits &= np.isin(matrix[place], list(allowed)) if len(allowed) > 1 else matrix[place] == allowed[0]
    fields: Fields = {}
    for name, start, width in layout.numbers:
        number = np.zeros(matrix.shape[1], np.int64)
        for row in matrix[start : start + width]:
            digit = row - np.uint8(_ZERO)  # what is below the digits wraps to a large number
            fits &= digit < 10
            number = number * 10 + digit
        fields[name] = number * 10 ** (6 - width) if name == "fraction" else number
    if layout.meridian is not None:
        letter = matrix[layout.meridian] | 32
        fits &= (letter == ord("a")) | (letter == ord("p"))
        fields["meridian"] = (letter == ord("p")).astype(np.int64)
    if layout.sign is not None:
        fits &= (matrix[layout.sign] == ord("+")) | (matrix[layout.sign] == ord("-"))
        fields["sign"] = np.where(matrix[layout.sign] == ord("-"), -1, 1)
    elif any(allowed == b"Z" for _, allowed in layout.characters):
        fields["zulu"] = np.ones(matrix.shape[1], np.int64)
    return fits, _with_offset(fields)


def _with_offset(fields: Fields) -> Fields:
    """Put the parts of an offset together; the minutes of one that is too large fit no time."""
    if "zulu" in fields:
        fields["offset"] = np.zeros_like(fields.pop("zulu"))
    if "sign" in fields:
        hours, minutes = fields.pop("offset_hour"), fields.pop("offset_minute", np.int64(0))
        fields["offset"] = fields.pop("sign") * (hours * 60 + minutes)
        fields["offset_fits"] = np.asarray((hours < 24) & (minutes < 60)).astype(np.int64)
    return fields


def _read_pattern(texts: pa.Array, where: Numbers, form: TimeFormat) -> Iterator[tuple[Numbers, Fields]]:
    """Cut texts by the format's expression, and yield those with the same groups filled together."""
    cut = pc.extract_regex(texts, pattern=f"^(?:{form.pattern})$")
    there = cut.filter(cut.is_valid())
    where = where[cut.is_valid().to_numpy(zero_copy_only=False)]
    groups = {field.name: there.field(n) for n, field in enumerate(there.type)}
    filled = {name: pc.not_equal(group, "").to_numpy(zero_copy_only=False) for name, group in groups.items()}
    shape = np.zeros(len(where), np.int64)
    for n, mask in enumerate(filled.values()):
        shape |= mask.astype(np.int64) << n
    for code in np.unique(shape):
        same = shape == code
        names = [name for n, name in enumerate(groups) if code >> n & 1]
        yield where[same], _with_offset({name: _number(name, groups[name].filter(pa.array(same))) for name in names})


def _number(name: str, texts: pa.Array) -> Numbers:
    if name == "meridian":
        return _flag(pc.starts_with(pc.ascii_lower(texts), pattern="p"))
    if name == "sign":
        return 1 - 2 * _flag(pc.equal(texts, "-"))
    if name == "zulu":
        return np.ones(len(texts), np.int64)
    if name == "fraction":
        texts = pc.ascii_rpad(texts, width=6, padding="0")
    number: Numbers = texts.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return number


def _flag(mask: Any) -> Numbers:
    flag: Numbers = mask.to_numpy(zero_copy_only=False).astype(np.int64)
    return flag
