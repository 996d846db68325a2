"""JSON and JSON lines to a table (reference workbench 5, "JSON").

Records are gathered column by column, within limits, with a note of what was left out; the type of a column is chosen
by all of its values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pyarrow as pa

from component.errors import Place, UserError
from component.workbench.parse.build import named_table
from component.workbench.parse.content import Content
from component.workbench.parse.json_faults import JsonTextError
from component.workbench.parse.json_values import (
    UNWRITTEN,
    JsonObject,
    NoRecordsError,
    Number,
    compact,
    json_lines,
    json_records,
)
from component.workbench.parse.numbers import narrowest
from component.workbench.parse.options import FileLimits, ParsedFile, ParseOptions
from component.workbench.parse.text import decode
from component.workbench.render.messages import plain_message
from component.workbench.rules.column_names import clean_name
from component.workbench.rules.limits import cut_text
from component.workbench.rules.reading import ReadingMode

_SHOWN: Final = 100
"""Bytes of a value that a message shows."""
_NULLS: Final = "chose string type for null"
"""Begins the one message that tells of no loss."""


def parse_json(data: bytes | Content, options: ParseOptions, place: Place) -> ParsedFile:
    """Return the table of the first array in a JSON document, or of several documents; columns as they come up.

    Strict reading raises UserError `source.format`, `csv.encoding` or `workbench.limit` for the first thing that
    lenient reading leaves out or changes.
    """
    return _parsed(data, options, place, json_records)


def parse_json_lines(data: bytes | Content, options: ParseOptions, place: Place) -> ParsedFile:
    """Return the table of JSON lines, whatever is in them; errors as `parse_json`."""
    return _parsed(data, options, place, json_lines)


def _parsed(
    data: bytes | Content, options: ParseOptions, place: Place, records_of: Callable[[str], Iterator[Any]]
) -> ParsedFile:
    decoded = decode(Content.of(data).whole(place), options.encoding, options.reading, place)
    gathered, faults = Gathered(options.limits), []
    try:
        for record in records_of(decoded.text):
            gathered.add(record)
    except NoRecordsError as error:
        faults.append(f"JSON is not an Array or Object containing an Array; got: {cut_text(error.found, _SHOWN)}")
    except JsonTextError as error:
        position = len(decoded.text[: error.position].encode())
        faults.append(f"JSON parse error at byte {position}: {error.why}")
    cell_bytes = options.limits.table.cell_bytes
    columns = {name: column_of(values, cell_bytes) for name, values in gathered.filled()}
    rows, names, values = (
        _said_of_rows(gathered.left_out, options.limits),
        _said_of_names(gathered.left_out, options.limits, columns),
        _said_of_values(columns, cell_bytes),
    )
    said = [*faults, *rows, *names, *values]
    if options.reading is ReadingMode.STRICT:
        _hold_nothing_lost(said, gathered.left_out, columns, place)
    table = named_table(list(columns), (column.values for column in columns.values()))
    return ParsedFile(table, (*decoded.messages, *map(plain_message, said)), decoded.notes)


def _hold_nothing_lost(said: Sequence[str], left_out: LeftOut, columns: dict[str, JsonColumn], place: Place) -> None:
    """Raise for the first thing that is left out or changed."""
    blank = [(column.blanks[0], name) for name, column in columns.items() if column.blanks]
    lost = [text for text in said if not text.startswith(_NULLS)]
    lost += [f"row {row} column {name} is blank among numbers" for row, name in blank]
    if lost:
        is_limit = left_out.rows or left_out.columns or left_out.stopped
        raise UserError(
            "workbench.limit" if is_limit else "source.format",
            f"The JSON cannot be read without a loss: {lost[0]}",
            place=place,
            remedy="Correct the file, or set reading to lenient.",
        )


def _said_of_rows(left_out: LeftOut, limits: FileLimits) -> list[str]:
    said = []
    if left_out.rows:
        said.append(f"skipped {left_out.rows} rows (after row limit of {limits.table.rows})")
    if left_out.stopped:
        said.append(f"stopped at limit of {limits.text_bytes} bytes of data")
    if left_out.no_objects:
        row, text = left_out.no_objects[0]
        shown = cut_text(text, _SHOWN)
        said.append(f"skipped {len(left_out.no_objects)} non-Object records; example Array item {row}: {shown}")
    return said


def _said_of_names(left_out: LeftOut, limits: FileLimits, columns: dict[str, JsonColumn]) -> list[str]:
    said = []
    nulls = [name for name, column in columns.items() if column.all_null]
    if left_out.columns:
        said.append(f"skipped column {_first(list(left_out.columns))} (after column limit of {limits.table.columns})")
    if nulls:
        said.append(f"{_NULLS} column {_first(nulls)}")
    if left_out.cut_names:
        said.append(f"truncated {len(left_out.cut_names)} column names; example {left_out.cut_names[0]}")
    if left_out.invalid_names:
        said.append(f"ignored invalid column {_first([compact(name) for name in left_out.invalid_names])}")
    if left_out.duplicates:
        row = next(iter(left_out.duplicates.values()))
        said.append(f"ignored duplicate column {_first(list(left_out.duplicates))} starting at row {row}")
    return said


def _first(names: Sequence[str]) -> str:
    """Return the first of some names, and whether there are more."""
    return names[0] if len(names) == 1 else f"{names[0]} and more"


def _said_of_values(columns: dict[str, JsonColumn], most: int | None) -> list[str]:
    """Return what happened to values: a text for each kind of change, with how many and the first place."""
    kinds = (
        ("cut", f"truncated {{count}} values (value byte limit is {most}; {{see}})"),
        ("lost", "lost precision converting {count} int64 Numbers to float64; {see}"),
        ("infinite", "replaced infinity with null for {count} Numbers; {see}"),
        ("as_text", "interpreted {count} Numbers as String; {see}"),
    )
    said = []
    for kind, text in kinds:
        places = [(row, name) for name, column in columns.items() for row in getattr(column, kind)]
        if places:
            row, name = min(places, key=lambda place: place[0]) if kind == "cut" else places[0]
            said.append(text.format(count=len(places), see=f"see row {row} column {name}"))
    return said


_INT64: Final = range(-(2**63), 2**63)
_DOUBLE_INTEGERS: Final = 2**53


@dataclass(frozen=True, slots=True)
class JsonColumn:
    """A column, and what happened: counts with the first row of each, from 0.

    `lost` are integers that a double does not hold, `infinite` numbers beyond doubles, `as_text` numbers among texts,
    `cut` texts that were too long, `blanks` texts of blanks among numbers, which are null; `all_null`: nothing says
    what type the column is.
    """

    values: pa.Array
    all_null: bool = False
    lost: tuple[int, ...] = ()
    infinite: tuple[int, ...] = ()
    as_text: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()
    blanks: tuple[int, ...] = ()


def column_of(values: Sequence[Any], cell_bytes: int | None) -> JsonColumn:
    """Return the column of values: numbers, text, true and false, None, lists and objects.

    Integers get the smallest signed type; with a fraction among them, doubles. Anything else among numbers makes all of
    it text, numbers as they were written; but a text of blanks among numbers is null.
    """
    if any(isinstance(value, Number) for value in values):
        others = [value for value in values if not isinstance(value, Number) and value is not None]
        if all(isinstance(value, str) and not value.strip(" ") for value in others):
            blanks = tuple(row for row, value in enumerate(values) if isinstance(value, str)) if others else ()
            return replace(_numbers([value if isinstance(value, Number) else None for value in values]), blanks=blanks)
    return _texts(values, cell_bytes)


def _numbers(values: Sequence[Number | None]) -> JsonColumn:
    known = [value for value in values if value is not None]
    if all(value.is_integer for value in known) and all(_integer(value) in _INT64 for value in known):
        integers = [None if value is None else _integer(value) for value in values]
        return JsonColumn(narrowest(pa.array(integers, pa.int64())))
    doubles = [None if value is None else float(value.text) for value in values]
    lost = tuple(row for row, value in enumerate(values) if value is not None and value.is_integer and _loses(value))
    infinite = tuple(row for row, double in enumerate(doubles) if double in {float("inf"), float("-inf")})
    finite = [None if row in set(infinite) else double for row, double in enumerate(doubles)] if infinite else doubles
    return JsonColumn(pa.array(finite, pa.float64()), lost=lost, infinite=infinite)


_MOST_DIGITS: Final = 400
"""More than a double has; Python refuses to read integers of more than 4,300 digits."""


def _integer(value: Number) -> int:
    return int(value.text) if len(value.text) <= _MOST_DIGITS else _INT64.stop


def _loses(value: Number) -> bool:
    integer = _integer(value)
    return abs(integer) > _DOUBLE_INTEGERS and (integer not in _INT64 or int(float(integer)) != integer)


def _texts(values: Sequence[Any], cell_bytes: int | None) -> JsonColumn:
    as_text = tuple(row for row, value in enumerate(values) if isinstance(value, Number))
    texts = [None if value is None else value if isinstance(value, str) else compact(value) for value in values]
    cut: tuple[int, ...] = ()
    if cell_bytes is not None:
        cut = tuple(row for row, text in enumerate(texts) if text is not None and len(text.encode()) > cell_bytes)
        for row in cut:
            texts[row] = cut_text(texts[row] or "", cell_bytes)
    return JsonColumn(
        pa.array(texts, pa.string()),
        all_null=all(text is None for text in texts),
        as_text=as_text,
        cut=cut,
    )


@dataclass(slots=True)
class LeftOut:
    """What was left out. Names have the row, from 0, in which they came first."""

    rows: int = 0
    stopped: bool = False
    no_objects: list[tuple[int, str]] = field(default_factory=list)
    columns: dict[str, int] = field(default_factory=dict)
    invalid_names: dict[str, int] = field(default_factory=dict)
    duplicates: dict[str, int] = field(default_factory=dict)
    cut_names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Gathered:
    """Columns of values; each has at most as many as there are rows."""

    limits: FileLimits
    rows: int = 0
    columns: dict[str, list[Any]] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)
    _bytes: int = 0

    def add(self, record: Any) -> None:
        """Take a record; nothing more once the limit of bytes is reached."""
        left_out, most = self.left_out, self.limits.table.rows
        if left_out.stopped:
            return
        if not isinstance(record, JsonObject):
            left_out.no_objects.append((self.rows + left_out.rows + len(left_out.no_objects), compact(record)[:1000]))
        elif most is not None and self.rows >= most:
            left_out.rows += 1
        elif self._take(record):
            self.rows += 1

    def _take(self, record: JsonObject) -> bool:
        """Take the values of a record; return whether it is a row, which one that breaks off at once is not."""
        seen: set[str] = set()
        is_row = record.pairs[-1][1] is not UNWRITTEN if record.pairs else True
        for key, value in record.pairs:
            found = self._column(key)
            if found is None:
                continue
            name, column = found
            if name in seen:
                self.left_out.duplicates.setdefault(name, self.rows)
                continue
            seen.add(name)
            if value is UNWRITTEN or not self._within_bytes(value):
                return is_row and any(len(one) > self.rows for one in self.columns.values())
            column.extend([None] * (self.rows - len(column)))
            column.append(value)
            is_row = True
        return is_row

    def _within_bytes(self, value: Any) -> bool:
        most = self.limits.text_bytes
        if most is not None and value is not None:
            size, cell = _size(value), self.limits.table.cell_bytes
            self._bytes += size if cell is None else min(size, cell)
            self.left_out.stopped = self._bytes > most
        return not self.left_out.stopped

    def _column(self, key: str) -> tuple[str, list[Any]] | None:
        """Return name and column of a key; None for one that cannot be a name, or is beyond the limit."""
        limits = self.limits.table
        name = key if limits.name_bytes is None else cut_text(key, limits.name_bytes)
        column = self.columns.get(name)
        if column is not None:
            return name, column
        if not name or clean_name(name, None).name != name:
            self.left_out.invalid_names.setdefault(name, self.rows)
            return None
        if limits.columns is not None and len(self.columns) >= limits.columns:
            self.left_out.columns.setdefault(name, self.rows)
            return None
        if name != key:
            self.left_out.cut_names.append(name)
        self.columns[name] = column = []
        return name, column

    def filled(self) -> Iterable[tuple[str, list[Any]]]:
        """Yield each column with as many values as there are rows."""
        for name, values in self.columns.items():
            yield name, values + [None] * (self.rows - len(values))


def _size(value: Any) -> int:
    if isinstance(value, Number):
        return len(value.text)
    return len((value if isinstance(value, str) else compact(value)).encode())
