"""JSON and JSON lines to a table (reference workbench 5, "JSON")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from component.errors import Place, UserError
from component.workbench.limits import cut_text
from component.workbench.messages import plain_message
from component.workbench.parse.build import named_table
from component.workbench.parse.content import Content
from component.workbench.parse.json_columns import JsonColumn, column_of
from component.workbench.parse.json_faults import JsonFaultError
from component.workbench.parse.json_gathering import Gathered, LeftOut
from component.workbench.parse.json_values import NoRecordsError, compact, json_lines, json_records
from component.workbench.parse.options import FileLimits, FileOptions, ParsedFile
from component.workbench.parse.text import decode
from component.workbench.reading import Reading

_SHOWN: Final = 100
"""Bytes of a value that a message shows."""
_NULLS: Final = "chose string type for null"
"""Begins the one message that tells of no loss."""


def parse_json(data: bytes | Content, options: FileOptions, place: Place) -> ParsedFile:
    """Return the table of the first array in a JSON document, or of several documents; columns as they come up.

    Strict reading raises UserError `source.format`, `csv.encoding` or `workbench.limit` for the first thing that
    lenient reading leaves out or changes.
    """
    return _parsed(data, options, place, json_records)


def parse_json_lines(data: bytes | Content, options: FileOptions, place: Place) -> ParsedFile:
    """Return the table of JSON lines, whatever is in them; errors as `parse_json`."""
    return _parsed(data, options, place, json_lines)


def _parsed(
    data: bytes | Content, options: FileOptions, place: Place, records_of: Callable[[str], Iterator[Any]]
) -> ParsedFile:
    decoded = decode(Content.of(data).whole(place), options.encoding, options.reading, place)
    gathered, faults = Gathered(options.limits), []
    try:
        for record in records_of(decoded.text):
            gathered.add(record)
    except NoRecordsError as error:
        faults.append(f"JSON is not an Array or Object containing an Array; got: {cut_text(error.found, _SHOWN)}")
    except JsonFaultError as error:
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
    if options.reading is Reading.STRICT:
        _hold_nothing_lost(said, gathered.left_out, columns, place)
    table = named_table(list(columns), (column.values for column in columns.values()))
    return ParsedFile(table, (*decoded.messages, *map(plain_message, said)))


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
