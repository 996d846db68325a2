"""Tables as JSON lines, exact: one object a row, in the order of the columns.

Integers are numbers, decimals strings without exponents (`tables.numeric`), floats numbers that read back the same
(`"NaN"`, `"Infinity"` and `"-Infinity"` are strings, since JSON has no such numbers), dates `"2024-02-29"`, timestamps
`"2024-02-29T10:30:15.000000"`, instants the same in UTC with `Z`, times as text; null is null.
"""

from __future__ import annotations

from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import Any, ClassVar, Final

import pyarrow as pa
import pyarrow.compute as pc
from isal import igzip

from component.formats.characters import held_bytes
from component.formats.columns import described_columns
from component.formats.contract import Attributes
from component.formats.delimited.plain_text import float_texts
from component.formats.delimited.temporal import Kind, format_column
from component.formats.losses import Loss, dropped_zones, not_finite
from component.tables.logical import Logical, logical_of
from component.tables.numeric import decimal_texts
from component.tables.types import Column, TableSchema, TypeName

GZIP_LEVEL: Final = 2
"""Of isal's 0 to 3."""
_PIECE_ROWS: Final = 65_536
_TIMESTAMP: Final = "YYYY-MM-DDTHH24:MI:SS"
_SPECIAL: Final = ("\\", '"', *map(chr, range(32)))
"""What a string of JSON cannot hold as it is; the backslash first, since others become one."""
_NOT_FINITE: Final = (("nan", '"NaN"'), ("inf", '"Infinity"'), ("-inf", '"-Infinity"'))


@dataclass(frozen=True, slots=True)
class JsonLinesWriting:
    """Files of JSON lines, plain or gzip."""

    keeps_arrow_types: ClassVar = False

    gzip: bool = False

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say which zones and numbers JSON does not have."""
        return (*not_finite(schema), *dropped_zones(schema, attributes, says_utc=True))

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> JsonLinesWriter:
        """Begin a file."""
        return JsonLinesWriter(target, described_columns(schema, attributes), gzip=self.gzip)


class JsonLinesWriter:
    """Writes one file; equal tables give equal bytes."""

    def __init__(self, target: Path, columns: TableSchema, *, gzip: bool = False) -> None:
        self._columns = columns.columns
        self._raw = target.open("wb")
        self._sink: Any = self._raw
        if gzip:
            self._sink = igzip.IGzipFile("", "wb", GZIP_LEVEL, self._raw, 0)  # type: ignore[no-untyped-call]

    def write(self, table: pa.Table) -> None:
        """Write rows; the columns are found by name."""
        for start in range(0, table.num_rows, _PIECE_ROWS):
            lines = _lines(table.slice(start, _PIECE_ROWS), self._columns)
            self._sink.write(lines.buffers()[2].to_pybytes()[: pc.sum(pc.binary_length(lines)).as_py()])

    def close(self) -> None:
        """End the file."""
        if self._sink is not self._raw:
            self._sink.close()
        self._raw.close()


def _lines(table: pa.Table, columns: tuple[Column, ...]) -> pa.LargeStringArray:
    parts: list[Any] = []
    for number, column in enumerate(columns):
        parts.append(f"{',' if number else '{'}{dumps(column.name, ensure_ascii=False)}:")
        parts.append(pc.fill_null(_json(_one_array(table[column.name]), column), "null").cast(pa.large_string()))
    scalars = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in (*parts, "}\n", "")]
    return pc.binary_join_element_wise(*scalars)


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    values = column.combine_chunks()
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _json(values: pa.Array, column: Column) -> pa.Array:
    """Return each value in JSON; nulls stay null."""
    if column.type in {TypeName.INTEGER, TypeName.BOOLEAN}:
        return values.cast(pa.string())
    if column.type is TypeName.FLOAT:
        return _floats(values)
    return _quoted(_texts(values, column))


def _texts(values: pa.Array, column: Column) -> pa.Array:
    """Return the text of values that are strings in JSON."""
    if column.type is TypeName.NUMERIC:
        return decimal_texts(values)
    if column.type is TypeName.DATE:
        return format_column(values, "YYYY-MM-DD", Kind.DATE)
    if column.type is TypeName.TIMESTAMP:
        texts = format_column(values, _TIMESTAMP, Kind.DATETIME)
        is_instant = logical_of(column) is Logical.TIMESTAMPTZ
        return pc.binary_join_element_wise(texts, "Z", "") if is_instant else texts
    return _escaped(values)


def _quoted(texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise('"', texts, '"', "")


def _floats(values: pa.Array) -> pa.Array:
    texts = float_texts(values)
    if pc.all(pc.is_finite(values)).as_py() is False:
        for text, word in _NOT_FINITE:
            texts = pc.if_else(pc.equal(texts, text), word, texts)
    return texts


def _escaped(texts: pa.Array) -> pa.Array:
    there = held_bytes(texts)
    for character in _SPECIAL:
        if ord(character) in there:
            texts = pc.replace_substring(texts, character, dumps(character)[1:-1])
    return texts
