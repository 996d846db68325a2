"""The values of one key of JSON records to a column: its type by all of them (reference workbench 5, "JSON")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from component.workbench.limits import cut_text
from component.workbench.parse.json_values import Number, compact
from component.workbench.parse.numbers import narrowest

_INT64: Final = range(-(2**63), 2**63)
_DOUBLE_INTEGERS: Final = 2**53


@dataclass(frozen=True, slots=True)
class JsonColumn:
    """A column, and what happened: counts with the first row of each, from 0.

    `lost` are integers that a double does not hold, `infinite` numbers beyond doubles, `as_text` numbers among texts,
    `cut` texts that were too long, `blanks` texts of blanks among numbers, which are null; `all_null`: nothing says
    what type the column is.
    """

    values: pa.Array
    all_null: bool = False
    lost: tuple[int, ...] = ()
    infinite: tuple[int, ...] = ()
    as_text: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()
    blanks: tuple[int, ...] = ()


def column_of(values: Sequence[Any], cell_bytes: int | None) -> JsonColumn:
    """Return the column of values: numbers, text, true and false, None, lists and objects.

    Integers get the smallest signed type; with a fraction among them, doubles. Anything else among numbers makes all of
    it text, numbers as they were written; but a text of blanks among numbers is null.
    """
    if any(isinstance(value, Number) for value in values):
        others = [value for value in values if not isinstance(value, Number) and value is not None]
        if all(isinstance(value, str) and not value.strip(" ") for value in others):
            blanks = tuple(row for row, value in enumerate(values) if isinstance(value, str)) if others else ()
            return replace(_numbers([value if isinstance(value, Number) else None for value in values]), blanks=blanks)
    return _texts(values, cell_bytes)


def _numbers(values: Sequence[Number | None]) -> JsonColumn:
    known = [value for value in values if value is not None]
    if all(value.is_integer for value in known) and all(_integer(value) in _INT64 for value in known):
        integers = [None if value is None else _integer(value) for value in values]
        return JsonColumn(narrowest(pa.array(integers, pa.int64())))
    doubles = [None if value is None else float(value.text) for value in values]
    lost = tuple(row for row, value in enumerate(values) if value is not None and value.is_integer and _loses(value))
    infinite = tuple(row for row, double in enumerate(doubles) if double in {float("inf"), float("-inf")})
    finite = [None if row in set(infinite) else double for row, double in enumerate(doubles)] if infinite else doubles
    return JsonColumn(pa.array(finite, pa.float64()), lost=lost, infinite=infinite)


_MOST_DIGITS: Final = 400
"""More than a double has; Python refuses to read integers of more than 4,300 digits."""


def _integer(value: Number) -> int:
    return int(value.text) if len(value.text) <= _MOST_DIGITS else _INT64.stop


def _loses(value: Number) -> bool:
    integer = _integer(value)
    return abs(integer) > _DOUBLE_INTEGERS and (integer not in _INT64 or int(float(integer)) != integer)


def _texts(values: Sequence[Any], cell_bytes: int | None) -> JsonColumn:
    as_text = tuple(row for row, value in enumerate(values) if isinstance(value, Number))
    texts = [None if value is None else value if isinstance(value, str) else compact(value) for value in values]
    cut: tuple[int, ...] = ()
    if cell_bytes is not None:
        cut = tuple(row for row, text in enumerate(texts) if text is not None and len(text.encode()) > cell_bytes)
        for row in cut:
            texts[row] = cut_text(texts[row] or "", cell_bytes)
    return JsonColumn(
        pa.array(texts, pa.string()),
        all_null=all(text is None for text in texts),
        as_text=as_text,
        cut=cut,
    )
