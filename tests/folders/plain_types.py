"""What a cell means, in plain Python: the judge of sample and nasty data, independent of Tablemill's own casting."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

WHOLE: Final = re.compile(r"[+-]?\d+")
NUMERIC_DEFAULT: Final = "38,9"
INT64: Final = range(-(2**63), 2**63)
BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}


def parse_plain(text: str, type_name: str, length: str | None = None) -> Any:
    """Return the value of a cell that is not null; ValueError when it does not fit the type."""
    if type_name == "numeric":
        return _numeric(text, length or NUMERIC_DEFAULT)
    return _PARSE[type_name](text)


def comparable(value: Any) -> Any:
    """Return a value for which `==` means the same value: nan equals nan, -0.0 differs from 0.0, True from 1."""
    return (type(value).__name__, repr(value)) if isinstance(value, float | bool) else value


def first_difference(found: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> str | None:
    """Return the first difference of two tables in one short line, None when there is none; cells may be huge."""
    for number, (found_row, expected_row) in enumerate(zip(found, expected, strict=False)):
        if len(found_row) != len(expected_row):
            return f"row {number}: {len(found_row)} cells instead of {len(expected_row)}"
        for at, (cell, wanted) in enumerate(zip(found_row, expected_row, strict=True)):
            if comparable(cell) != comparable(wanted):
                return f"row {number}, column {at}: {cell!r:.200} instead of {wanted!r:.200}"
    return None if len(found) == len(expected) else f"{len(found)} rows instead of {len(expected)}"


def _integer(text: str) -> int:
    if not WHOLE.fullmatch(text) or int(text) not in INT64:
        raise ValueError(text)
    return int(text)


def _numeric(text: str, length: str) -> Decimal:
    precision, scale = map(int, length.split(","))
    value = Decimal(text)
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or -exponent > scale or len(digits) + exponent > precision - scale:
        raise ValueError(text)
    return value


def _boolean(text: str) -> bool:
    if text.lower() not in BOOLEANS:
        raise ValueError(text)
    return BOOLEANS[text.lower()]


def _timestamp(text: str) -> dt.datetime:
    value = dt.datetime.fromisoformat(text)
    if value.tzinfo is not None:
        raise ValueError(text)
    return value


_PARSE: Final[dict[str, Callable[[str], Any]]] = {
    "string": str,
    "integer": _integer,
    "float": float,
    "boolean": _boolean,
    "date": dt.date.fromisoformat,
    "timestamp": _timestamp,
}
