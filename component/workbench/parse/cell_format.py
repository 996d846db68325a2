"""A spreadsheet's cell as text, in the commonest of its formats.

No kept-up library renders number formats; what is here covers whole numbers, decimals, thousands, percent and plain
dates, and shows the rest in full: a number as the shortest text that reads back, a moment as ISO 8601.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

_NUMBER: Final = re.compile(r"(#,##)?0(\.(?P<decimals>0+))?(?P<percent>%?)")
_LITERAL: Final = re.compile(r"\"[^\"]*\"|\\.|\[[^\]]*\]|[_*].")
_DIGITS: Final = 15
"""Significant digits that a sheet shows of a number."""


def formatted(value: str | float | bool | dt.datetime | None, number_format: str) -> str | None:
    """Return a cell's text; None for an empty cell."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return _moment(value)
    return _number(value, number_format)


def _moment(value: dt.datetime) -> str:
    whole_day = value.time() == dt.time()
    return value.date().isoformat() if whole_day else value.isoformat(sep=" ")


def _number(value: float, number_format: str) -> str:
    plain = _LITERAL.sub("", number_format.split(";", maxsplit=1)[0]).strip()
    found = _NUMBER.fullmatch(plain)
    if found is None:
        return shortest(value)
    decimals, percent = len(found["decimals"] or ""), found["percent"]
    scaled = value * 100 if percent else value
    return f"{scaled:{',' if found[1] else ''}.{decimals}f}{percent}"


def shortest(value: float) -> str:
    """Return a number with the digits that a sheet shows, whole numbers without fraction."""
    return f"{value:.{_DIGITS}g}"
