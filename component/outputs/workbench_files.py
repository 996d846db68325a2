"""How files of Workbench are written: Arrow files of its tables, and httpfiles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import pyarrow as pa

from component.formats.columns import described_columns
from component.formats.contract import Attributes
from component.formats.csv.write import CsvWriter, csv_losses
from component.formats.losses import Loss, LossKind, dropped_zones
from component.tables.types import TypeName
from component.workbench.conversion.from_tablemill import from_tablemill
from component.workbench.files.arrow_writing import write_arrow_file
from component.workbench.files.http_file import HttpFile, fetch_parameters, write_http_body
from component.workbench.render.messages import Message
from component.workbench.rules.limits import WORKBENCH_2021, TableSizes, too_large
from component.workbench.rules.reading import ReadingMode


@dataclass(frozen=True, slots=True)
class WorkbenchWriting:
    """Arrow files of Workbench, each with its sidecar; nothing is changed, what does not fit is refused."""

    keeps_arrow_types: ClassVar = False

    limits: TableSizes = WORKBENCH_2021

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say which zones and types Workbench does not have."""
        columns = described_columns(schema, attributes).columns
        texts = [Loss(one.name, LossKind.OTHER_TYPE, _RETYPED[one.type]) for one in columns if one.type in _RETYPED]
        return (*dropped_zones(schema, attributes, says_utc=False), *texts)

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> WorkbenchWriter:
        """Begin a file."""
        return WorkbenchWriter(target, schema, attributes, self.limits)


class WorkbenchWriter:
    """Holds the rows of one file, and writes them at its end as one batch; more than the limit it does not take."""

    def __init__(self, target: Path, schema: pa.Schema, attributes: Attributes, limits: TableSizes) -> None:
        self._target, self._limits, self._count = target, limits, 0
        self._columns = described_columns(schema, attributes)
        self._tables = [schema.empty_table()]

    def write(self, table: pa.Table) -> None:
        """Take rows. UserError `workbench.limit` once they are more than there may be."""
        self._count += table.num_rows
        if self._limits.rows is not None and self._count > self._limits.rows:
            over = {"n_rows": self._count - self._limits.rows, "max_n_rows": self._limits.rows}
            raise too_large(Message("warning.skipped_rows", over))
        self._tables.append(table)

    def close(self) -> None:
        """Write the file. UserError `workbench.limit`, `workbench.loss` and `workbench.invalid`."""
        rows = pa.concat_tables(self._tables)
        table = from_tablemill(self._columns, rows, ReadingMode.STRICT, self._limits).table
        write_arrow_file(self._target, table, limits=self._limits)


@dataclass(frozen=True, slots=True)
class HttpFileWriting:
    """Httpfiles whose body is CSV with a header, as a server would have sent it; equal rows give equal bytes."""

    keeps_arrow_types: ClassVar = False

    url: str

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say what the CSV of the body does not tell."""
        return csv_losses(schema, attributes)

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> HttpFileWriter:
        """Begin a file."""
        del attributes
        return HttpFileWriter(target, schema, self.url)


class HttpFileWriter:
    """Writes the body beside the target, since the file begins with what is said of it, and packs both at the end."""

    def __init__(self, target: Path, schema: pa.Schema, url: str) -> None:
        self._target = target
        self._body = target.with_name(f".{target.name}.body")
        self._url = url
        self._writer = CsvWriter(self._body, schema, header=True, gzip=False)

    def write(self, table: pa.Table) -> None:
        """Write rows."""
        self._writer.write(table)

    def close(self) -> None:
        """Write the file, and remove the body."""
        self._writer.close()
        said = HttpFile(fetch_parameters(self._url), _STATUS, (("Content-Type", _CSV),))
        try:
            with self._body.open("rb") as body, self._target.open("wb") as sink:
                write_http_body(said, body, sink)
        finally:
            self._body.unlink()


_RETYPED: Final = {
    TypeName.BOOLEAN: "the type boolean becomes text",
    TypeName.NUMERIC: "the type numeric becomes integers, or floats where it has fractions",
}
"""Types of ours that Workbench has not (`from_tablemill`)."""
_STATUS: Final = "200 OK"
_CSV: Final = "text/csv; charset=utf-8"
