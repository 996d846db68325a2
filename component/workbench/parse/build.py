"""Names and columns of text to a Workbench table: what every parser ends with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from component.errors import Place, UserError
from component.workbench.render.messages import Message
from component.workbench.rules.column_names import name_messages, unique_names
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import default_column
from component.workbench.tables.table import WorkbenchTable, kind_of


def named_table(names: Sequence[str], columns: Iterable[Any]) -> WorkbenchTable:
    """Return a table of columns in Arrow types that Workbench has; formats and units are the default ones."""
    arrays = list(columns)
    rows = pa.table(arrays, names=list(names)) if arrays else pa.table({})
    kinds = [kind_of(array.type) for array in arrays]
    described = [default_column(name, kind) for name, kind in zip(names, kinds, strict=True) if kind is not None]
    return WorkbenchTable(tuple(described), rows)


def final_names(
    found: Sequence[str | None], most: int | None, reading: ReadingMode, place: Place
) -> tuple[list[str], tuple[Message, ...]]:
    """Return the names of columns, each valid and different, and what was done to them.

    UserError `column.duplicate` and `source.format` where something would have to be done (strict).
    """
    cleaned = unique_names([name or "" for name in found], most)
    messages = name_messages(cleaned, most)
    if messages and reading is ReadingMode.STRICT:
        raise _refused([name or "" for name in found], messages[0], place)
    return [one.name for one in cleaned], messages


def _refused(names: Sequence[str], message: Message, place: Place) -> UserError:
    twice = next((name for name in names if name and names.count(name) > 1), None)
    at = Place(place.table, place.slice, column=twice)
    remedy = "Give each column its own name, or set reading to lenient, which renames them."
    if twice is not None:
        return UserError("column.duplicate", "The table has a column twice", place=at, remedy=remedy)
    return UserError(
        "source.format",
        f"Column {names.index('') + 1} has no name" if "" in names else f"A column name is not allowed: {message.id}",
        place=at,
        remedy=remedy,
    )
