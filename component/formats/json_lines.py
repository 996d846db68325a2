"""JSON lines, exact: one object a row, as output and as input.

As output, the keys are in the order of the columns. Integers are numbers, decimals strings without exponents
(`tables.numeric`), floats numbers that read back the same (`"NaN"`, `"Infinity"` and `"-Infinity"` are strings, since
JSON has no such numbers), dates `"2024-02-29"`, timestamps `"2024-02-29T10:30:15.000000"`, instants the same in UTC
with `Z`, times as text; null is null.

As input, values are cast to the types of a schema by the text they have in the file, so no digit of a number is lost.
Arrays and objects in a row have no form in a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from json import dumps
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final

import pyarrow as pa
import pyarrow.compute as pc
from isal import igzip

from component import naming
from component.errors import Place, UserError
from component.file_types import GZIP
from component.formats.characters import held_bytes
from component.formats.columns import described_columns
from component.formats.contract import Attributes
from component.formats.csv.source import GZIP_ERRORS, damaged_gzip
from component.formats.csv.write import GZIP_LEVEL
from component.formats.delimited.cells import kind_of
from component.formats.delimited.plain_text import float_texts
from component.formats.delimited.temporal import TemporalKind, format_column, parse_column
from component.formats.losses import Loss, dropped_zones, not_finite
from component.formats.rows import BadRow, Parsed
from component.staging.locations import Location, ReadAt, open_seekable, reading_at, size_of
from component.tables.cast import Cast, apply_null_rule, cast_text
from component.tables.logical import Logical, logical_of
from component.tables.numeric import decimal_texts
from component.tables.types import Column, TableSchema, TypeName

_PIECE_ROWS: Final = 65_536
_TIMESTAMP: Final = "YYYY-MM-DDTHH24:MI:SS"
_SPECIAL: Final = ("\\", '"', *map(chr, range(32)))
"""What a string of JSON cannot hold as it is; the backslash first, since others become one."""
_NOT_FINITE: Final = (("nan", '"NaN"'), ("inf", '"Infinity"'), ("-inf", '"-Infinity"'))
_BATCH_ROWS: Final = 16_384
_WINDOW: Final = 64 * 1024
_FORMATS: Final = {
    TemporalKind.TIME: "HH24:MI:SS",
    TemporalKind.TIMETZ: "HH24:MI:SS",
    TemporalKind.DATETIMETZ: "YYYY-MM-DDTHH24:MI:SS",
}


@dataclass(frozen=True, slots=True)
class JsonLinesSplit:
    """Whole lines of one file, by their bytes; `gzip`: the file is compressed, and the split is all of it."""

    table: str
    slice: str
    location: Location
    start: int
    stop: int
    gzip: bool = False

    @property
    def place(self) -> Place:
        """Where errors of this split are."""
        return Place(table=self.table, slice=self.slice)

    @property
    def size(self) -> int:
        """Bytes of the file that are read."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class JsonLinesReader:
    """Reads splits of one table into its schema; a key that a row lacks is null, one the schema lacks is left out."""

    schema: TableSchema

    def read(self, split: JsonLinesSplit) -> Iterator[Parsed]:
        """Yield batches of rows; lines that are no objects and cells that do not fit are bad rows."""
        first = 1
        with _lines_of(split) as lines:
            for batch in _batches(lines):
                yield _parsed(batch, first, self.schema)
                first += len(batch)


def json_lines_splits(location: Location, place: Place, *, split_bytes: int) -> tuple[JsonLinesSplit, ...]:
    """Cut a file at line ends into parts of about `split_bytes`; a compressed one is one split."""
    table, slice_name, size = place.table or "", place.slice or "", size_of(location)
    with reading_at(location) as read:
        if read(0, len(GZIP.magic)) == GZIP.magic:
            return (JsonLinesSplit(table, slice_name, location, 0, size, gzip=True),)
        cuts = [0]
        while cuts[-1] < size:
            cuts.append(_line_end(read, min(cuts[-1] + split_bytes, size), size))
    ranges = pairwise(cuts)
    return tuple(JsonLinesSplit(table, slice_name, location, start, stop) for start, stop in ranges)


def _line_end(read: ReadAt, at: int, size: int) -> int:
    """Return where the line ends that the byte before `at` is of."""
    at -= 1
    while at < size:
        window = read(at, _WINDOW)
        found = window.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(window)
    return size


def json_lines_schema(location: Location, place: Place) -> TableSchema:
    """Return the columns of a file, in the order in which their keys come up; all lines are looked at.

    Integers of 64 bits, floats, booleans; whatever is mixed or text is text. UserError `source.format` for a line that
    is no object, `column.type` for arrays and objects in it.
    """
    split = JsonLinesSplit(place.table or "", place.slice or "", location, 0, size_of(location), _is_gzip(location))
    kinds: dict[str, set[TypeName]] = {}
    with _lines_of(split) as lines:
        for row, line in enumerate(_filled(lines), 1):
            try:
                values = _object(line)
            except ValueError as error:
                raise UserError(
                    "source.format", f"A line is no JSON object: {error}", place=replace(place, row=row)
                ) from error
            for name, value in values.items():
                kinds.setdefault(name, set()).update(_kinds(value, replace(place, row=row, column=name)))
    return TableSchema(tuple(Column(name, _common(found)) for name, found in kinds.items()))


class _Number(str):
    """A number by its text."""

    __slots__ = ()


def _object(line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(
            line, parse_float=_Number, parse_int=_Number, parse_constant=_refuse, object_pairs_hook=_once
        )
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(values, dict):
        raise ValueError(f"it is {type(values).__name__}")  # noqa: TRY004 - as the parser says it
    if b"\\u" in line:
        json.dumps(values, ensure_ascii=False).encode()  # half of a pair is no character, and a ValueError here
    return values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key is there twice")
    return values


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _kinds(value: Any, place: Place) -> set[TypeName]:
    if isinstance(value, (list, dict)):
        remedy = "Leave the column out with `columns`, or flatten it."
        raise UserError("column.type", "Arrays and objects have no form in a table", place=place, remedy=remedy)
    if value is None:
        return set()
    if isinstance(value, bool):
        return {TypeName.BOOLEAN}
    if not isinstance(value, _Number):
        return {TypeName.STRING}
    if not value.lstrip("-").isdigit():
        return {TypeName.FLOAT}
    return {TypeName.INTEGER if -(2**63) <= int(value) < 2**63 else TypeName.STRING}


def _common(kinds: set[TypeName]) -> TypeName:
    if kinds == {TypeName.INTEGER, TypeName.FLOAT}:
        return TypeName.FLOAT
    return next(iter(kinds)) if len(kinds) == 1 else TypeName.STRING


def _parsed(lines: list[bytes], first: int, schema: TableSchema) -> Parsed:
    rows: list[dict[str, Any]] = []
    bad: dict[int, BadRow] = {}
    for number, line in enumerate(lines):
        try:
            rows.append(_object(line))
        except ValueError as error:
            rows.append({})
            bad[number] = _bad(first + number, line, "source.format", f"The line is no JSON object: {error}")
    columns = []
    for column in schema.columns:
        cells, nested = _texts_of_values(rows, column.name)
        cast = _cast(cells, column)
        columns.append(cast.values)
        for number in (*cast.bad, *nested):
            value = json.dumps(rows[number][column.name]) if number in nested else cells[number].as_py()
            reason = f"The cell does not fit the type {column.type.value}"
            bad.setdefault(number, _bad(first + number, lines[number], "cell.type", reason, column.name, value))
    table = pa.table(columns, schema=schema.arrow)
    if bad:
        table = table.take(pa.array([number for number in range(len(lines)) if number not in bad], pa.int64()))
    return Parsed(table, tuple(bad[number] for number in sorted(bad)), len(lines))


def _bad(row: int, line: bytes, code: str, reason: str, column: str | None = None, value: str | None = None) -> BadRow:
    return BadRow(row, code, reason, column, value, line.decode(errors="replace"))


def _texts_of_values(rows: list[dict[str, Any]], name: str) -> tuple[pa.Array, tuple[int, ...]]:
    """Return the texts of a column, and where arrays and objects are."""
    cells: list[str | None] = []
    nested = []
    for number, row in enumerate(rows):
        value = row.get(name)
        if isinstance(value, (list, dict)):
            nested.append(number)
            value = None
        cells.append(str(value).lower() if isinstance(value, bool) else value)
    return pa.array(cells, pa.string()), tuple(nested)


def _cast(cells: pa.Array, column: Column) -> Cast:
    ruled = apply_null_rule(cells, quoted_empty=True, column=column)
    kind = kind_of(column) if logical_of(column) else None
    if kind is None:
        return cast_text(ruled, column)
    values, bad = parse_column(ruled, _FORMATS[kind], kind)
    return Cast(values, bad)


def _batches(lines: BinaryIO) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for line in _filled(lines):
        batch.append(line)
        if len(batch) == _BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _filled(lines: Iterable[bytes]) -> Iterator[bytes]:
    return (line for each in lines if (line := each.strip(b" \t\r\n")))


def _is_gzip(location: Location) -> bool:
    with reading_at(location) as read:
        return read(0, len(GZIP.magic)) == GZIP.magic


@contextmanager
def _lines_of(split: JsonLinesSplit) -> Iterator[Any]:
    """Yield the lines of a split; UserError `gzip.truncated`."""
    with open_seekable(split.location) as raw:
        if not split.gzip:
            raw.seek(split.start)
            yield _limited(raw, split.size)
            return
        try:
            with igzip.open(raw, "rb") as file:  # type: ignore[no-untyped-call]
                yield file
        except GZIP_ERRORS as error:
            raise damaged_gzip(split.place, error) from error


def _limited(raw: Any, size: int) -> Iterator[bytes]:
    """Yield whole lines of the next `size` bytes."""
    rest = b""
    while size > 0 and (piece := raw.read(min(size, naming.MIB))):
        size -= len(piece)
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    yield rest


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
        return format_column(values, "YYYY-MM-DD", TemporalKind.DATE)
    if column.type is TypeName.TIMESTAMP:
        texts = format_column(values, _TIMESTAMP, TemporalKind.DATETIME)
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
