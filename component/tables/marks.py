"""Numbers as people write them elsewhere: a comma before the decimals, marks between thousands.

A column says so by its attributes `decimal` and `thousands`. What a cell is then is what `tables.cast` says of the same
number with a point and without marks.
"""

from __future__ import annotations

import re
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.tables.types import Column, TypeName

DECIMAL: Final = "decimal"
THOUSANDS: Final = "thousands"
"""Keys of attributes: what stands before the decimals where it is no point, and between thousands."""
POINT: Final = "."
NO_MARKS: Final = (POINT, "")
_WITH_MARKS: Final = frozenset({TypeName.INTEGER, TypeName.NUMERIC, TypeName.FLOAT})
_SAME: Final = {" ": " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "'": "'\N{RIGHT SINGLE QUOTATION MARK}"}
"""Characters that are written for a mark."""
NO_NUMBER: Final = " ?"


def with_marks(column: Column, decimal: str, thousands: str) -> Column:
    """Return a column of numbers that are written with marks; columns of other types as they are."""
    if column.type not in _WITH_MARKS or column.stored is not None:
        return column
    column = column.with_attribute(DECIMAL, None if decimal == POINT else decimal)
    return column.with_attribute(THOUSANDS, thousands or None)


def marks_of(column: Column) -> tuple[str, str] | None:
    """Return what stands before the decimals and between thousands; None for numbers as they are written by default."""
    if not column.attributes or column.type not in _WITH_MARKS:
        return None
    found = (column.attribute(DECIMAL) or POINT, column.attribute(THOUSANDS) or "")
    return None if found == NO_MARKS else found


def marks_text(column: Column) -> str:
    """Return in words what stands before decimals and between thousands."""
    decimal, thousands = marks_of(column) or (POINT, "")
    between = f", {thousands!r} between thousands" if thousands else ""
    return f"{decimal!r} before decimals{between}"


def with_point(cells: Any, decimal: str, thousands: str) -> Any:
    """Return cells with the marks of numbers gone, and a point before decimals.

    A cell with a point or a mark that is no such number gets `NO_NUMBER` at its end, so that it fits no type of
    numbers; any other cell stays as it is.
    """
    between = f"[{_SAME.get(thousands, thousands)}]" if thousands else ""
    whole = rf"([0-9]*|[0-9]{{1,3}}({between}[0-9]{{3}})+)" if between else "[0-9]*"
    number = rf"^[ \t]*[+-]?{whole}({re.escape(decimal)}[0-9]*)?([eE][+-]?[0-9]+)?[ \t]*$"
    marked = pc.match_substring_regex(cells, rf"{between or re.escape(decimal)}|[.,]")
    if not pc.any(marked).as_py():
        return cells
    plain = pc.utf8_trim(cells, " \t")
    plain = pc.replace_substring_regex(plain, between, "") if between else plain
    plain = pc.replace_substring(plain, decimal, POINT)
    misfits = pc.binary_join_element_wise(pc.utf8_trim(cells, " \t"), pa.scalar(NO_NUMBER, cells.type), "")
    return pc.if_else(marked, pc.if_else(pc.match_substring_regex(cells, number), plain, misfits), cells)
