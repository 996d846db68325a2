"""Columns of text to numbers: Workbench's way, and one that loses nothing (reference workbench 5, "Numbers").

A column is converted whole or not at all. One without a number stays text; empty cells are null in a column of numbers.
"""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.workbench.parse.options import Numbers
from component.workbench.render.messages import Message

KEPT_AS_TEXT: Final = "tablemill.numbers_kept_as_text"
_SCARY: Final = "[nNaAiIfF]"
"""Characters of NaN, NA, Inf: a column in which one occurs stays text, and so do hexadecimal numbers."""
_LEADING: Final = " \t\n\v\f\r"
"""Blanks that Workbench passes by before a number; Arrow has come to refuse them since."""
_INTEGERS: Final = (pa.int8(), pa.int16(), pa.int32())
_PLAIN_INTEGER: Final = r"^(0|-?[1-9][0-9]{0,17})$"
_PLAIN_FLOAT: Final = r"^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$"
_DOUBLE_DIGITS: Final = 15


def with_numbers(cells: pa.Array, name: str, numbers: Numbers) -> tuple[pa.Array, Message | None]:
    """Return a column as numbers, or as it is; a message when `exact` leaves as text what looks like numbers."""
    if numbers is Numbers.TEXT:
        return cells, None
    filled = pc.if_else(pc.equal(cells, ""), pa.scalar(None, pa.string()), cells)
    if filled.null_count == len(filled):
        return cells, None
    found = _as_workbench(filled)
    if found is None:
        return cells, None
    if numbers is Numbers.WORKBENCH:
        return found, None
    exact = _exactly(filled)
    return (cells, Message(KEPT_AS_TEXT, {"column": name})) if exact is None else (exact, None)


def _as_workbench(cells: pa.Array) -> pa.Array | None:
    """Return doubles, or the smallest integers of up to 32 bits; None when some cell is no number."""
    if pc.any(pc.match_substring_regex(cells, _SCARY)).as_py():
        return None
    try:
        values = pc.utf8_ltrim(cells, _LEADING).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    if not pc.all(pc.is_finite(values)).as_py():
        return None
    return _smallest(values)


def _smallest(values: pa.Array) -> pa.Array:
    for data_type in _INTEGERS:
        try:
            return values.cast(data_type)
        except pa.ArrowInvalid:
            continue
    return values


def _exactly(cells: pa.Array) -> pa.Array | None:
    """Return numbers whose usual text is that of the cells: none that would come back in another form."""
    if pc.all(pc.match_substring_regex(cells, _PLAIN_INTEGER)).as_py():
        return narrowest(cells.cast(pa.int64()))
    digits: Any = pc.replace_substring_regex(cells, r"[-.]", "")
    plain = pc.and_(
        pc.match_substring_regex(cells, _PLAIN_FLOAT), pc.less_equal(pc.utf8_length(digits), _DOUBLE_DIGITS)
    )
    return cells.cast(pa.float64()) if pc.all(plain).as_py() else None


def narrowest(values: pa.Array) -> pa.Array:
    """Return integers in the smallest signed type that holds them all."""
    for data_type in _INTEGERS:
        try:
            return values.cast(data_type)
        except pa.ArrowInvalid:
            continue
    return values
