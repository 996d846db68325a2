"""The column types of Tablemill, and the schema of a table.

Seven types, those of the platform (reference keboola 2.2, "Base types"); each has one Arrow type. `numeric` is exact:
decimal128 with the length that was declared, `NUMERIC_DEFAULT` otherwise. Rows that come as Arrow may hold more: a
column says in `stored` which Arrow type its values keep, and is of type `other` where no base type can express them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

import pyarrow as pa

from component.errors import Place, UserError

NUMERIC_DEFAULT: Final = (38, 9)
MAX_PRECISION: Final = 38
_LENGTH = re.compile(r"\s*(\d+)\s*(?:,\s*(\d+)\s*)?")


class TypeName(StrEnum):
    """Base types, in the platform's words in lower case; `other` is what has no text form, and passes through."""

    STRING = "string"
    INTEGER = "integer"
    NUMERIC = "numeric"
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"


BASE_TYPES: Final = tuple(name for name in TypeName if name is not TypeName.OTHER)
"""The types that a configuration or a manifest can name."""


class NullRule(StrEnum):
    """What an empty cell means.

    - `always`: an empty cell is null, quoted (`""`) or not. Default of every type but string.
    - `unquoted`: an empty cell without enclosure is null, `""` is the empty string. Default of string.
    - `never`: an empty cell is the empty string (strings only; for other types it does not fit the type).
    """

    ALWAYS = "always"
    UNQUOTED = "unquoted"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, type, and how its text is read and written.

    `length` is "precision,scale" for numeric and informative otherwise. `formats` are strptime formats tried in order
    for date and timestamp; empty means ISO 8601. `attributes` are what another family of formats knows of the column
    beyond its type (`tables/logical.py` names them); they go with the column and change nothing of its values here.
    `null_words` are cells that mean null, as `NA`, enclosed or not.
    `stored` is the Arrow type that the values keep where it is not the type's own: int32 for an integer, binary for
    `other`.
    """

    name: str
    type: TypeName = TypeName.STRING
    length: str | None = None
    nullable: bool = True
    formats: tuple[str, ...] = ()
    null_rule: NullRule | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    null_words: tuple[str, ...] = ()
    stored: pa.DataType | None = None

    @property
    def nulls(self) -> NullRule:
        """The null rule in force: the configured one, or the default of the type."""
        if self.null_rule is not None:
            return self.null_rule
        return NullRule.UNQUOTED if self.type is TypeName.STRING else NullRule.ALWAYS

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type of the column's values."""
        return arrow_type(self) if self.stored is None else self.stored

    def attribute(self, key: str) -> str | None:
        """Return what is known under a key, or None."""
        return dict(self.attributes).get(key)

    def with_attribute(self, key: str, value: str | None) -> Column:
        """Return the column with an attribute set, or without it."""
        others = {name: text for name, text in self.attributes if name != key}
        known = others if value is None else {**others, key: value}
        return replace(self, attributes=tuple(sorted(known.items())))


@dataclass(frozen=True, slots=True)
class TableSchema:
    """Columns in file order, and the primary key."""

    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in file order."""
        return tuple(column.name for column in self.columns)

    @property
    def arrow(self) -> pa.Schema:
        """The Arrow schema of the rows."""
        return pa.schema([pa.field(column.name, column.arrow) for column in self.columns])

    def column(self, name: str) -> Column:
        """Return the column of that name; KeyError when there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def select(self, names: Iterable[str]) -> tuple[Column, ...]:
        """Return the columns of these names, in their order; KeyError when there is none of a name."""
        found = {column.name: column for column in reversed(self.columns)}
        return tuple(found[name] for name in names)


def numeric_length(column: Column) -> tuple[int, int]:
    """Precision and scale of a numeric column; UserError `column.type` for a length Arrow cannot hold exactly."""
    if not column.length:
        return NUMERIC_DEFAULT
    found = _LENGTH.fullmatch(column.length)
    precision, scale = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
    if not 1 <= precision <= MAX_PRECISION or scale > precision:
        raise UserError(
            "column.type",
            f"Column {column.name!r} has the numeric length {column.length!r}",
            remedy=f"Use precision,scale with a precision of 1 to {MAX_PRECISION}, for example 12,2.",
        )
    return precision, scale


def arrow_type(column: Column) -> pa.DataType:
    """Return the Arrow type that holds a column's values without loss."""
    if column.type is TypeName.NUMERIC:
        return pa.decimal128(*numeric_length(column))
    return _PLAIN[column.type]


_PLAIN: Final = {
    TypeName.STRING: pa.string(),
    TypeName.INTEGER: pa.int64(),
    TypeName.FLOAT: pa.float64(),
    TypeName.BOOLEAN: pa.bool_(),
    TypeName.DATE: pa.date32(),
    TypeName.TIMESTAMP: pa.timestamp("us"),
}


def column_of_arrow(name: str, data_type: pa.DataType) -> Column:
    """Return the column that describes an Arrow type (from Parquet, or from a dataset).

    Unsigned 64-bit integers are numeric(20,0), since integer is signed. UserError `column.type` for nested and binary
    types, because no text form of them would come back the same, and for decimals of more than 38 digits.
    """
    if pa.types.is_dictionary(data_type):
        return column_of_arrow(name, data_type.value_type)
    if pa.types.is_decimal(data_type):
        unscaled = max(-data_type.scale, 0)
        column = Column(name, TypeName.NUMERIC, f"{data_type.precision + unscaled},{max(data_type.scale, 0)}")
        numeric_length(column)
        return column
    if pa.types.is_uint64(data_type):
        return Column(name, TypeName.NUMERIC, "20,0")
    for test, type_name in _OF_ARROW:
        if test(data_type):
            return Column(name, type_name)
    raise UserError(
        "column.type",
        f"The type {data_type} has no form in a table",
        place=Place(column=name),
        remedy="Leave the column out with `columns`, or write the output as a file of parquet or arrow.",
    )


def is_text(data_type: pa.DataType) -> bool:
    """Say whether an Arrow type is one of those that hold text."""
    return any(test(data_type) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


_OF_ARROW: Final = (
    (pa.types.is_integer, TypeName.INTEGER),
    (pa.types.is_floating, TypeName.FLOAT),
    (pa.types.is_boolean, TypeName.BOOLEAN),
    (pa.types.is_date, TypeName.DATE),
    (pa.types.is_timestamp, TypeName.TIMESTAMP),
    (pa.types.is_null, TypeName.STRING),
    (is_text, TypeName.STRING),
)
