"""JSON and JSON lines to a table (reference workbench 5, "JSON")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from component.errors import Place, UserError
from component.workbench.column_names import clean_name
from component.workbench.limits import cut_text
from component.workbench.messages import Message, plain_message
from component.workbench.parse.build import named_table
from component.workbench.parse.json_columns import JsonColumn, column_of
from component.workbench.parse.json_values import JsonFaultError, JsonObject, NoRecordsError, compact, json_records
from component.workbench.parse.options import FileOptions, ParsedFile
from component.workbench.parse.text import decode
from component.workbench.reading import Reading


def parse_json(data: bytes, options: FileOptions, place: Place) -> ParsedFile:
    """Return the table of the first array in a JSON document, or of JSON lines; columns in the order of first sight.

    Strict reading raises UserError `source.format`, `csv.encoding` or `workbench.limit` for the first thing that
    lenient reading leaves out or changes.
    """
    decoded = decode(data, options.encoding, options.reading, place)
    gathered = _Gathered(options)
    try:
        for record in json_records(decoded.text):
            if not gathered.add(record):
                break
    except NoRecordsError as error:
        shown = error.found if len(error.found) <= 100 else error.found[:99] + "…"
        gathered.say(f"JSON is not an Array or Object containing an Array; got: {shown}")
    except JsonFaultError as error:
        position = len(decoded.text[: error.position].encode())
        gathered.say(f"JSON parse error at byte {position}: {error.why}")
    columns = {name: column_of(values, options.limits.table.cell_bytes) for name, values in gathered.filled()}
    table = named_table(list(columns), (column.values for column in columns.values()))
    messages = [*gathered.messages(), *_column_messages(columns, options.limits.table.cell_bytes)]
    if messages and options.reading is Reading.STRICT:
        said = [str(message.arguments.get("text", message.id)) for message in messages]
        telling = next((text for text in said if not text.startswith("chose string type")), None)
        if telling is not None:
            raise UserError(
                "source.format",
                f"The JSON cannot be read without a loss: {telling}",
                place=place,
                remedy="Correct the file, or set reading to lenient.",
            )
    return ParsedFile(table, (*decoded.messages, *messages))


@dataclass(slots=True)
class _Gathered:
    """Records, column by column, within the limits; and what was left out."""

    options: FileOptions
    rows: int = 0
    bytes: int = 0
    columns: dict[str, list[Any]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    skipped_rows: int = 0
    skipped_columns: dict[str, int] = field(default_factory=dict)
    duplicates: dict[str, int] = field(default_factory=dict)
    dropped_names: dict[str, int] = field(default_factory=dict)
    no_objects: list[tuple[int, str]] = field(default_factory=list)
    long_names: dict[str, str] = field(default_factory=dict)

    def say(self, text: str) -> None:
        self.said.append(text)

    def add(self, record: Any) -> bool:
        """Take a record; False when no more can be taken."""
        limits = self.options.limits
        if not isinstance(record, JsonObject):
            self.no_objects.append((self.rows + self.skipped_rows + len(self.no_objects), compact(record)))
            return True
        if limits.table.rows is not None and self.rows >= limits.table.rows:
            self.skipped_rows += 1
            return True
        if limits.text_bytes is not None:
            self.bytes += sum(len(text.encode()) for _, value in record.pairs if (text := _text_of(value)))
            if self.bytes > limits.text_bytes:
                self.say(f"stopped at limit of {limits.text_bytes} bytes of data")
                return False
        self._take(record)
        return True

    def _take(self, record: JsonObject) -> None:
        seen: set[str] = set()
        for key, value in record.pairs:
            name = self._name(key)
            if name is None:
                continue
            if name in seen:
                self.duplicates.setdefault(name, self.rows)
                continue
            seen.add(name)
            column = self._column(name)
            if column is not None:
                column.extend([None] * (self.rows - len(column)))
                column.append(value)
        self.rows += 1

    def _name(self, key: str) -> str | None:
        """Return the name of a key's column; None for one that cannot be a name."""
        most = self.options.limits.table.name_bytes
        if not key or clean_name(key, None).name != key:
            self.dropped_names.setdefault(key, self.rows)
            return None
        if most is not None and len(key.encode()) > most:
            self.long_names[key] = cut_text(key, most)
            return self.long_names[key]
        return key

    def _column(self, name: str) -> list[Any] | None:
        most = self.options.limits.table.columns
        if name not in self.columns:
            if most is not None and len(self.columns) >= most:
                self.skipped_columns.setdefault(name, self.rows)
                return None
            self.columns[name] = []
        return self.columns[name]

    def filled(self) -> Iterable[tuple[str, list[Any]]]:
        """Yield each column with as many values as there are rows."""
        for name, values in self.columns.items():
            yield name, values + [None] * (self.rows - len(values))

    def messages(self) -> list[Message]:
        """Return what was left out, in words."""
        limits, said = self.options.limits.table, list(self.said)
        if self.skipped_rows:
            said.append(f"skipped {self.skipped_rows} rows (after row limit of {limits.rows})")
        if self.skipped_columns:
            said.append(f"skipped {_listed(list(self.skipped_columns))} (after column limit of {limits.columns})")
        if self.no_objects:
            row, text = self.no_objects[0]
            said.append(f"skipped {len(self.no_objects)} non-Object records; example Array item {row}: {text[:100]}")
        said += [f"ignored duplicate {_since(name, row)}" for name, row in self.duplicates.items()]
        said += [f"ignored invalid {_since(repr(name), row)}" for name, row in self.dropped_names.items()]
        if self.long_names:
            said.append(
                f"truncated {len(self.long_names)} column names; example {next(iter(self.long_names.values()))}"
            )
        return [plain_message(text) for text in said]


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else compact(value)


def _since(name: str, row: int) -> str:
    return f"column {name} starting at row {row}"


def _listed(names: Sequence[str]) -> str:
    return f"column {names[0]}" if len(names) == 1 else f"columns {', '.join(names)}"


def _column_messages(columns: dict[str, JsonColumn], most: int | None) -> list[Message]:
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
            row, name = min(places, key=lambda place: place[0])
            said.append(text.format(count=len(places), see=f"see row {row} column {name}"))
    nulls = [name for name, column in columns.items() if column.all_null]
    if nulls:
        said.append(f"chose string type for null {_listed(nulls)}")
    return [plain_message(text) for text in said]
