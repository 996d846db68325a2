"""The sentinel record: where it comes back as the last row, the text before it ended outside of enclosures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from component.formats.csv.dialect import Dialect
from component.tables.types import Column, TableSchema, TypeName

_TEXTS: Final = {
    TypeName.STRING: ("x", "y", "z"),
    TypeName.INTEGER: ("0", "1", "2"),
    TypeName.NUMERIC: ("0", "1", "2"),
    TypeName.FLOAT: ("0", "1", "2"),
    TypeName.BOOLEAN: ("0", "1", "t"),
    TypeName.DATE: ("1970-01-01", "2222-02-22"),
    TypeName.TIMESTAMP: ("1970-01-01", "2222-02-22"),
}


class SplitIsNotExactError(Exception):
    """The text ended inside an enclosed cell: its beginning or its end is no record boundary."""


def sentinel_text(column: Column, dialect: Dialect) -> str:
    """Return a text that fits the column, is not empty, and holds neither delimiter nor enclosure where that can be."""
    texts = _TEXTS[TypeName.STRING if column.formats else column.type]
    special = {dialect.delimiter, dialect.enclosure}
    return next((text for text in texts if special.isdisjoint(text)), texts[0])


def sentinel_record(schema: TableSchema, dialect: Dialect) -> bytes:
    """Return a record with one cell that is not empty, the first; line end included."""
    first = dialect.join([sentinel_text(schema.columns[0], dialect)])
    return (first + dialect.delimiter * (len(schema.columns) - 1) + "\n").encode()


def without_sentinel(table: pa.Table, first_value: Any, wrong_count: Sequence[Any] = (), *, done: int = 0) -> pa.Table:
    """Return the rows before the sentinel; SplitIsNotExactError when the last record is not the sentinel.

    `wrong_count` holds the records that are no rows; `done` counts the records before all of these. A sentinel that an
    open cell took in ends the last cell of its record: either that cell is not null, or the record has too few.
    """
    last = table.num_rows - 1
    if last < 0 or (wrong_count and wrong_count[-1].number > done + last + len(wrong_count)):
        raise SplitIsNotExactError
    if table[0][last].as_py() != first_value:
        raise SplitIsNotExactError
    if table.num_columns > 1 and table[table.num_columns - 1][last].as_py() is not None:
        raise SplitIsNotExactError
    return table.slice(0, last)
