"""Arrow files of Workbench and their sidecars: opened without a copy, and checked (reference workbench 1.3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from component.errors import UserError
from component.workbench.arrow_schema import check_schema, check_type, column_of_field, era_of
from component.workbench.cell_checks import check_dates, check_name, check_values
from component.workbench.columns import Era, WorkbenchColumn
from component.workbench.faults import Rule, invalid
from component.workbench.limits import WORKBENCH_2021, Limits, within_limits
from component.workbench.messages import Message
from component.workbench.reading import Reading
from component.workbench.renaming import within_name_limit
from component.workbench.table import NO_TABLE, WorkbenchTable, bare
from component.workbench.table_metadata import TableMetadata, metadata_of_text, require_agreement

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
        raise invalid(Rule.INVALID_ARROW_FILE, str(error).splitlines()[0]).at(table=path.name) from error
    except OSError as error:
        if error.errno is None:  # Arrow says so of messages that end early
            raise invalid(Rule.INVALID_ARROW_FILE, str(error).splitlines()[0]).at(table=path.name) from error
        text = f"{str(path)!r} cannot be read: {error.strerror}"
        raise UserError("store.unreadable", text) from error


def read_arrow_file(path: Path, *, limits: Limits = WORKBENCH_2021, reading: Reading = Reading.STRICT) -> ReadTable:
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
        table = checked_table(open_arrow(path), sidecar, limits.name_bytes if reading is Reading.STRICT else None)
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
        raise invalid(Rule.WRONG_ROW_COUNT, "a table without columns has rows")
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
