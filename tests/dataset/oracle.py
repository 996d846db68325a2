"""Predicates answered row by row in plain Python: what the fast ways must agree with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from tests.strategies.typed_tables import values

Rows = list[dict[str, Any]]
_COMPARE = {
    "==": lambda cell, value: cell == value,
    "!=": lambda cell, value: cell != value,
    "<": lambda cell, value: cell < value,
    "<=": lambda cell, value: cell <= value,
    ">": lambda cell, value: cell > value,
    ">=": lambda cell, value: cell >= value,
    "in": lambda cell, value: any(cell == each for each in value),
    "not in": lambda cell, value: all(cell != each for each in value),
    "like": lambda cell, value: cell.startswith(value[:-1]),
}
_OF_NULLS = {"is null": lambda cell: cell is None, "is not null": lambda cell: cell is not None}


def keeps(row: dict[str, Any], predicates: Sequence[Sequence[tuple[str, str, Any]]]) -> bool:
    """SQL's answer: a comparison with null is not true. Python's floats are IEEE's, NaN and zeros included."""
    return any(
        all(_holds(row[column], operator, value) for column, operator, value in conjunction)
        for conjunction in predicates
    )


def _holds(cell: Any, operator: str, value: Any) -> bool:
    if operator in _OF_NULLS:
        return _OF_NULLS[operator](cell)
    return cell is not None and _COMPARE[operator](cell, value)


def filtered(rows: pa.Table, predicates: Sequence[Sequence[tuple[str, str, Any]]]) -> pa.Table:
    kept = [number for number, row in enumerate(rows.to_pylist()) if keeps(row, predicates)]
    return rows.take(pa.array(kept, pa.int64()))


def _operand(draw: st.DrawFn, rows: pa.Table, column: str) -> Any:
    """A value that is in the column, half of the time, or any other of its type."""
    there = [cell for cell in rows[column].to_pylist() if cell is not None]
    any_value = values(rows.schema.field(column).type)
    return draw(st.sampled_from(there) | any_value if there else any_value)


def _beginning(draw: st.DrawFn, rows: pa.Table, column: str) -> str:
    text = _operand(draw, rows, column).replace("%", "").replace("_", "")
    return text[: draw(st.integers(0, 3))] + "%"


@st.composite
def predicates(draw: st.DrawFn, rows: pa.Table) -> list[list[tuple[str, str, Any]]]:
    """Predicates in disjunctive normal form for the columns of a table."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        conjunction = []
        for _ in range(draw(st.integers(1, 3))):
            column = draw(st.sampled_from(rows.column_names))
            is_text = pa.types.is_string(rows.schema.field(column).type)
            operators = [name for name in (*_COMPARE, *_OF_NULLS) if is_text or name != "like"]
            operator = draw(st.sampled_from(operators))
            if operator in _OF_NULLS:
                value = None
            elif operator == "like":
                value = _beginning(draw, rows, column)
            elif operator in {"in", "not in"}:
                value = [_operand(draw, rows, column) for _ in range(draw(st.integers(0, 3)))]
            else:
                value = _operand(draw, rows, column)
            conjunction.append((column, operator, value))
        found.append(conjunction)
    return found


def index_of(files: dict[str, list[Any]]) -> dict[Any, list[str]]:
    """An index as a dictionary: each value that is neither null nor NaN, with the labels of the files that hold it."""
    found: dict[Any, set[str]] = {}
    for label, cells in files.items():
        for cell in cells:
            if cell is not None and not (isinstance(cell, float) and math.isnan(cell)):
                found.setdefault(cell, set()).add(label)
    return {value: sorted(labels) for value, labels in found.items()}
