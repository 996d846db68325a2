"""The tables of all reports on a terminal: one look for them, and one for each level of a finding."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from rich import box
from rich.table import Table

from component.findings import Level

LEVEL_STYLES: Final = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.NOTE: "dim"}


def table(*columns: str, numbers: Collection[str] = (), styled: Collection[str] | None = None) -> Table:
    """Return an empty table. Columns fold, but those of `numbers`, which stand to the right and stay whole.

    `styled` are the columns that name what a row is about; the first one where nothing else is given.
    """
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        right = column in numbers
        named = column in (columns[:1] if styled is None else styled)
        made.add_column(
            column,
            overflow="fold",
            style="cyan" if named else None,
            justify="right" if right else "left",
            no_wrap=right,
        )
    return made
