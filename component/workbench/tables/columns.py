"""The four column types, and a column's JSON form in both eras (reference workbench 0, 1.1, 2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from component.errors import UserError
from component.workbench.tables.date_unit import DateUnit
from component.workbench.tables.faults import TableRule, invalid
from component.workbench.tables.number_format import DEFAULT_FORMAT, parse_number_format


class Era(StrEnum):
    """Which of the two forms of Workbench tables is meant.

    - `2019`: text, number, datetime; formats live beside the file only.
    - `2021`: text, number, date, timestamp; formats and units live in the Arrow file's field metadata.
    """

    E2019 = "2019"
    E2021 = "2021"


class ColumnKind(StrEnum):
    """The four column types, by the names of 2021."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    TIMESTAMP = "timestamp"


DATETIME: Final = "datetime"
"""What 2019 calls a timestamp; read in both eras."""


@dataclass(frozen=True, slots=True)
class WorkbenchColumn:
    """A column's name and type: a number has a format, a date a unit, nothing else has either.

    UserError `workbench.invalid` for a format that is none, and for one that is missing or too many.
    """

    name: str
    kind: ColumnKind
    format: str | None = None
    unit: DateUnit | None = None

    def __post_init__(self) -> None:
        if (self.format is not None) != (self.kind is ColumnKind.NUMBER):
            raise invalid(
                TableRule.INVALID_NUMBER_FORMAT, f"a {self.kind} with format {self.format!r}", column=shown(self.name)
            )
        if (self.unit is not None) != (self.kind is ColumnKind.DATE):
            raise invalid(
                TableRule.INVALID_DATE_UNIT, f"a {self.kind} with unit {self.unit!r}", column=shown(self.name)
            )
        if self.format is not None:
            parse_number_format(self.format)


def text_column(name: str) -> WorkbenchColumn:
    """Return a column of text."""
    return WorkbenchColumn(name, ColumnKind.TEXT)


def number_column(name: str, number_format: str = DEFAULT_FORMAT) -> WorkbenchColumn:
    """Return a column of numbers shown in a format."""
    return WorkbenchColumn(name, ColumnKind.NUMBER, format=number_format)


def date_column(name: str, unit: DateUnit = DateUnit.DAY) -> WorkbenchColumn:
    """Return a column of dates of a unit."""
    return WorkbenchColumn(name, ColumnKind.DATE, unit=unit)


def timestamp_column(name: str) -> WorkbenchColumn:
    """Return a column of timestamps (nanoseconds, UTC)."""
    return WorkbenchColumn(name, ColumnKind.TIMESTAMP)


def default_column(name: str, kind: ColumnKind) -> WorkbenchColumn:
    """Return a column of a type with the default format or unit."""
    if kind is ColumnKind.NUMBER:
        return number_column(name)
    return date_column(name) if kind is ColumnKind.DATE else WorkbenchColumn(name, kind)


def column_document(column: WorkbenchColumn, era: Era = Era.E2021) -> dict[str, str]:
    """Return a column's JSON form. UserError `workbench.invalid` for a date in 2019, which has none."""
    if era is Era.E2019 and column.kind is ColumnKind.DATE:
        raise invalid(TableRule.WRONG_COLUMN_TYPE, "there were no dates in 2019", column=shown(column.name))
    word = DATETIME if era is Era.E2019 and column.kind is ColumnKind.TIMESTAMP else str(column.kind)
    more = {"format": column.format, "unit": None if column.unit is None else str(column.unit)}
    return {"name": column.name, "type": word, **{key: value for key, value in more.items() if value is not None}}


_MORE: Final = {"text": set(), "number": {"format"}, "date": {"unit"}, "timestamp": set(), DATETIME: set()}


def column_of_document(document: Any) -> WorkbenchColumn:
    """Return the column that a JSON form says, of either era.

    The keys must be exactly those of the type; a number without format has the default, as in Workbench's own reader.
    UserError `workbench.metadata` for any other form, `workbench.invalid` for a format or unit that is none.
    """
    if not isinstance(document, dict) or not all(isinstance(value, str) for value in document.values()):
        raise _no_column(document)
    allowed = _MORE.get(document.get("type", ""))
    if allowed is None or "name" not in document or document.keys() - {"name", "type"} - allowed:
        raise _no_column(document)
    name, word = document["name"], document["type"]
    if word == ColumnKind.NUMBER:
        return number_column(name, document.get("format", DEFAULT_FORMAT))
    if word == ColumnKind.DATE:
        if "unit" not in document:
            raise _no_column(document)
        return date_column(name, date_unit_of(document["unit"], name))
    return WorkbenchColumn(name, ColumnKind.TIMESTAMP if word == DATETIME else ColumnKind(word))


def date_unit_of(word: str, column: str) -> DateUnit:
    """Return the unit of a word; UserError `workbench.invalid` (InvalidDateUnit) when there is none."""
    try:
        return DateUnit(word)
    except ValueError as error:
        raise invalid(TableRule.INVALID_DATE_UNIT, f"there is no unit {word!r}", column=shown(column)) from error


def shown(name: str) -> str:
    """Return a name for use in a message, halves of surrogate pairs escaped."""
    return name.encode("utf-8", "backslashreplace").decode()


def _no_column(document: Any) -> UserError:
    text = str(document)[:80]
    return UserError("workbench.metadata", f"This is no column of a Workbench table: {text!r}")
