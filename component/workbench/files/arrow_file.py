"""Arrow files of Workbench and their sidecars: opened without a copy, and checked (reference workbench 1.3).

What the columns are is in the metadata of the fields (2021) or in the sidecar (2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from component.errors import UserError
from component.workbench.files.table_metadata import TableMetadata, metadata_of_text, require_agreement
from component.workbench.render.messages import Message
from component.workbench.rules.cell_checks import check_dates, check_name, check_values
from component.workbench.rules.column_names import within_name_limit
from component.workbench.rules.limits import WORKBENCH_2021, TableSizes, within_limits
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import (
    ColumnKind,
    Era,
    WorkbenchColumn,
    date_column,
    date_unit_of,
    number_column,
    shown,
    text_column,
    timestamp_column,
)
from component.workbench.tables.faults import TableRule, invalid
from component.workbench.tables.table import NO_TABLE, WorkbenchTable, bare, kind_of

SIDECAR_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that was read, and what was changed to read it."""

    table: WorkbenchTable
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenedArrow:
    """An Arrow file in memory as it lies on disk: pages come when they are touched. Nothing of it has been checked."""

    schema: pa.Schema
    batches: tuple[pa.RecordBatch, ...]

    @property
    def rows(self) -> pa.Table:
        """The batches as one table."""
        return pa.Table.from_batches(self.batches, self.schema)


def sidecar_of(path: Path) -> Path:
    """Return where the metadata of an Arrow file is: `X.arrow.json` beside `X.arrow`."""
    return path.with_name(path.name + SIDECAR_SUFFIX)


def open_arrow(path: Path) -> OpenedArrow:
    """Map an Arrow file (IPC file format) into memory without reading its values.

    UserError `workbench.invalid` (InvalidArrowFile) when it is none, `store.unreadable` when it cannot be opened.
    """
    with _opening(path):
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        schema = reader.schema
        _ = schema.names  # a name that is no UTF-8 fails here, not where it is used
        return OpenedArrow(schema, tuple(reader.get_batch(number) for number in range(reader.num_record_batches)))


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise invalid(TableRule.INVALID_ARROW_FILE, str(error).splitlines()[0]).at(table=path.name) from error
    except OSError as error:
        if error.errno is None:  # Arrow says so of messages that end early
            raise invalid(TableRule.INVALID_ARROW_FILE, str(error).splitlines()[0]).at(table=path.name) from error
        text = f"{str(path)!r} cannot be read: {error.strerror}"
        raise UserError("store.unreadable", text) from error


def read_arrow_file(
    path: Path, *, limits: TableSizes = WORKBENCH_2021, reading: ReadingMode = ReadingMode.STRICT
) -> ReadTable:
    """Return the table of an Arrow file of either era, checked in Workbench's order, without copying it.

    A file of no bytes is a table without columns. A sidecar, where there is one, must agree. What breaks a rule is
    refused in both readings; what exceeds a limit is refused (strict), or cut, which copies what is cut (lenient).
    UserError `workbench.invalid`, `workbench.metadata`, `workbench.limit`, `store.unreadable`.
    """
    try:
        sidecar = _read_sidecar(sidecar_of(path))
        if path.stat().st_size == 0:
            if sidecar is not None:
                require_agreement(sidecar, pa.schema([]), 0)
            return ReadTable(NO_TABLE)
        table = checked_table(open_arrow(path), sidecar, limits.name_bytes if reading is ReadingMode.STRICT else None)
    except FileNotFoundError as error:
        raise UserError("store.unreadable", f"There is no file {str(path)!r}") from error
    except UserError as error:
        raise error.at(table=path.name) from error
    table, renamed = within_name_limit(table, limits, reading)
    table, cut = within_limits(table, limits, reading)
    return ReadTable(table, (*renamed, *cut))


def _read_sidecar(path: Path) -> TableMetadata | None:
    try:
        return metadata_of_text(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError("store.unreadable", f"{str(path)!r} cannot be read: {error.strerror}") from error


def checked_table(opened: OpenedArrow, sidecar: TableMetadata | None, name_bytes: int | None) -> WorkbenchTable:
    """Return the table of an opened file if it breaks no rule: of the file first, then of the table, then agreement.

    UserError `workbench.invalid` with the first rule that is broken.
    """
    _check_file(opened, name_bytes)
    era = era_of(opened.schema, has_sidecar=sidecar is not None)
    check_schema(opened.schema, len(opened.batches), era)
    columns = _columns(opened, sidecar, era)
    for column in columns:
        if column.unit is not None:
            for batch in opened.batches:
                check_dates(column.name, batch.column(opened.schema.get_field_index(column.name)), column.unit)
    if not columns and opened.rows.num_rows:
        raise invalid(TableRule.WRONG_ROW_COUNT, "a table without columns has rows")
    return WorkbenchTable(columns, bare(opened.rows)) if columns else NO_TABLE


def _check_file(opened: OpenedArrow, name_bytes: int | None) -> None:
    for batch in opened.batches:
        for number, field in enumerate(opened.schema):
            check_values(field.name, batch.column(number))
    for name in opened.schema.names:
        check_name(name, name_bytes)


def _columns(opened: OpenedArrow, sidecar: TableMetadata | None, era: Era) -> tuple[WorkbenchColumn, ...]:
    if era is Era.E2019 and sidecar is not None:
        for field in opened.schema:
            check_type(field, era)
        require_agreement(sidecar, opened.schema, opened.rows.num_rows)
        return sidecar.columns
    columns = tuple(column_of_field(field) for field in opened.schema)
    if sidecar is not None:
        require_agreement(sidecar, opened.schema, opened.rows.num_rows, columns)
    return columns


_NEEDED: Final = {ColumnKind.NUMBER: b"format", ColumnKind.DATE: b"unit"}


def era_of(schema: pa.Schema, *, has_sidecar: bool) -> Era:
    """Return the era of a file: 2021 where a field has metadata, or where nothing needs any; else 2019.

    UserError `workbench.invalid` (FormatsUnknown) for numbers or dates that neither the file nor a sidecar describes.
    """
    bare = [field for field in schema if kind_of(field.type) in _NEEDED]
    if not bare or any(field.metadata for field in schema):
        return Era.E2021
    if not has_sidecar:
        raise invalid(
            TableRule.FORMATS_UNKNOWN,
            "the file says no formats of its numbers, and there is no sidecar that does",
            column=shown(bare[0].name),
            remedy="Put the file's metadata beside it, as NAME.arrow.json.",
        )
    return Era.E2019


def check_schema(schema: pa.Schema, batches: int, era: Era) -> None:
    """Hold what concerns a table as a whole: no metadata (2021), one record batch, unique names.

    Even an empty map is metadata. UserError `workbench.invalid`.
    """
    if era is Era.E2021 and schema.metadata is not None:
        raise invalid(TableRule.TABLE_SCHEMA_HAS_METADATA, "the schema of the table has metadata")
    if batches > 1:
        raise invalid(TableRule.TABLE_HAS_TOO_MANY_RECORD_BATCHES, f"the table has {batches} record batches, not one")
    seen: set[str] = set()
    for name in schema.names:
        if name in seen:
            raise invalid(TableRule.DUPLICATE_COLUMN_NAME, "two columns have the same name", column=shown(name))
        seen.add(name)


def check_type(field: pa.Field, era: Era) -> ColumnKind:
    """Return the column type that a field's Arrow type holds; UserError `workbench.invalid` for one that holds none."""
    kind = kind_of(field.type)
    if kind is None or (era is Era.E2019 and kind is ColumnKind.DATE):
        raise invalid(TableRule.WRONG_COLUMN_TYPE, f"no column may be {field.type}", column=shown(field.name))
    if kind is ColumnKind.TIMESTAMP and field.type.tz is not None:
        raise invalid(TableRule.TIMESTAMP_TIMEZONE_NOT_ALLOWED, "a timestamp has a time zone", column=shown(field.name))
    if kind is ColumnKind.TIMESTAMP and field.type.unit != "ns":
        text = f"a timestamp has the unit {field.type.unit}, not ns"
        raise invalid(TableRule.TIMESTAMP_UNIT_NOT_ALLOWED, text, column=shown(field.name))
    return kind


def column_of_field(field: pa.Field) -> WorkbenchColumn:
    """Return the column that a field of a file of 2021 describes.

    Text and timestamps have no metadata, a number exactly `format`, a date exactly `unit`. UserError
    `workbench.invalid` otherwise.
    """
    kind = check_type(field, Era.E2021)
    value = _metadata_value(field, kind)
    if value is None:
        return text_column(field.name) if kind is ColumnKind.TEXT else timestamp_column(field.name)
    if kind is ColumnKind.DATE:
        return date_column(field.name, date_unit_of(value, field.name))
    return number_column(field.name, value)


def _metadata_value(field: pa.Field, kind: ColumnKind) -> str | None:
    needed = _NEEDED.get(kind)
    if needed is None:
        if field.metadata is not None:
            raise invalid(TableRule.FIELD_METADATA_NOT_ALLOWED, f"a {kind} has metadata", column=shown(field.name))
        return None
    if field.metadata is None or field.metadata.keys() != {needed}:
        text = f"a {kind} must have exactly the metadata {needed.decode()}"
        raise invalid(TableRule.FIELD_METADATA_NOT_ALLOWED, text, column=shown(field.name))
    try:
        return str(field.metadata[needed].decode())
    except UnicodeDecodeError as error:
        rule = TableRule.INVALID_NUMBER_FORMAT if kind is ColumnKind.NUMBER else TableRule.INVALID_DATE_UNIT
        raise invalid(rule, f"the {needed.decode()} is not UTF-8", column=shown(field.name)) from error
