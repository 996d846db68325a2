"""Column names made valid and unique, or refused, and what was done to them (reference workbench 1.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from component.workbench.render.messages import Message
from component.workbench.rules.cell_checks import CONTROLS, check_name
from component.workbench.rules.limits import TableSizes, cut_text
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.table import WorkbenchTable

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_NUMBERED: Final = re.compile(r"(.+?) (\d{1,4000})")
"""A name with a number at its end; Python refuses to read longer numbers."""
_DEFAULT_KEY: Final = "Column"
_WARNINGS: Final = ("ascii_cleaned", "default", "truncated", "numbered", "unicode_fixed")
"""Their order is fixed."""


@dataclass(frozen=True, slots=True)
class CleanName:
    """A column name and what was done to make it valid and unique."""

    name: str
    ascii_cleaned: bool = False
    unicode_fixed: bool = False
    default: bool = False
    truncated: bool = False
    numbered: bool = False


def clean_name(name: str, most: int | None) -> CleanName:
    """Return a name without control characters (below U+0020) and halves of surrogate pairs, cut to `most` bytes.

    Each half becomes U+FFFD. The result may be empty.
    """
    printable = CONTROLS.sub("", name)
    unicode = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", printable)
    cut = unicode if most is None else cut_text(unicode, most)
    return CleanName(cut, printable != name, unicode != printable, truncated=cut != unicode)


def unique_names(names: Sequence[str], most: int | None, existing: Sequence[str] = ()) -> tuple[CleanName, ...]:
    """Return a valid name for each name, different from all others and from the existing ones.

    An empty name becomes `Column N`, N being its position from 1, existing columns counted. A name that is taken gets
    the next number from 2 that is not; names that end in a number of their own keep it if they can, whatever comes
    before them. The key before a number is cut so that the whole has at most `most` bytes.
    """
    cleaned = [clean_name(name, most) for name in names]
    keyed = [
        _key_and_number(one.name) if one.name else (_DEFAULT_KEY, position)
        for position, one in enumerate(cleaned, len(existing) + 1)
    ]
    taken = _Taken(existing, keyed, [one.name for one in cleaned])
    return tuple(
        _distinct(one, key, number, position, most, taken)
        for position, (one, (key, number)) in enumerate(zip(cleaned, keyed, strict=True), len(existing))
    )


class _Taken:
    """Which column has which key and number; names come before the defaults of empty names."""

    def __init__(
        self, existing: Sequence[str], keyed: Sequence[tuple[str, int | None]], cleaned: Sequence[str]
    ) -> None:
        self.owners: dict[tuple[str, int | None], int] = {}
        self.searched: dict[tuple[str, int | None], int | None] = {}
        for position, name in enumerate(existing):
            self.owners.setdefault(_key_and_number(name), position)
        positions = range(len(existing), len(existing) + len(keyed))
        for is_default in (False, True):
            for position, key, name in zip(positions, keyed, cleaned, strict=True):
                if (not name) is is_default:
                    self.owners.setdefault(key, position)


def _distinct(
    one: CleanName, key: str, number: int | None, position: int, most: int | None, taken: _Taken
) -> CleanName:
    """Return a name that is the column's own."""
    name = one.name or f"{key} {number}"
    if taken.owners[key, number] == position:
        return replace(one, name=name, default=not one.name)
    start, full = (key, number), key
    number = taken.searched.get(start, number)
    while (key, number) in taken.owners:
        number = 2 if number is None else number + 1
        if most is not None:
            key = cut_text(key, max(most - len(f" {number}"), 0))
    taken.owners[key, number] = position
    if key == full:
        taken.searched[start] = number
    shortened = one.truncated or key != full
    return replace(one, name=f"{key} {number}", default=not one.name, truncated=shortened, numbered=True)


def _key_and_number(name: str) -> tuple[str, int | None]:
    found = _NUMBERED.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, None)


def name_messages(names: Iterable[CleanName], most: int | None) -> tuple[Message, ...]:
    """Return a message for each kind of thing that was done, in Workbench's order, with how many and the first."""
    known = tuple(names)
    found = []
    for kind in _WARNINGS:
        touched = [one.name for one in known if getattr(one, kind)]
        if touched:
            arguments: dict[str, str | int | float] = {"n_columns": len(touched), "first_colname": touched[0]}
            if kind == "truncated" and most is not None:
                arguments["n_bytes"] = most
            found.append(Message(f"util.colnames.warnings.{kind}", arguments, "cjwmodule"))
    return tuple(found)


def within_name_limit(
    table: WorkbenchTable, limits: TableSizes, reading: ReadingMode
) -> tuple[WorkbenchTable, tuple[Message, ...]]:
    """Return the table with valid names, and messages for those that were changed (lenient).

    UserError `workbench.invalid` (InvalidArrowFile) for a name that is not valid (strict).
    """
    if reading is ReadingMode.STRICT:
        for name in table.names:
            check_name(name, limits.name_bytes)
        return table, ()
    names = unique_names(table.names, limits.name_bytes)
    messages = name_messages(names, limits.name_bytes)
    if not messages:
        return table, ()
    columns = tuple(replace(column, name=one.name) for column, one in zip(table.columns, names, strict=True))
    return WorkbenchTable(columns, table.rows.rename_columns([one.name for one in names])), messages
