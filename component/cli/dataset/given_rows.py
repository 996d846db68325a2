"""Rows that a command is given in a file."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

import tablemill
from component.errors import UserError

_SUFFIXES = (".parquet", ".arrow", ".csv")


def rows_of(path: Path, address: str, table: str | None = None) -> pa.Table:
    """Return the rows of a file; text becomes what the dataset's columns are, and a bare empty cell null.

    UserError `source.missing` and `source.format`, `dataset.missing` where a text needs the dataset's types.
    """
    if path.suffix not in _SUFFIXES:
        raise UserError(
            "config.value", f"{path.name!r} names no format", remedy=f"End it in one of {', '.join(_SUFFIXES)}."
        )
    try:
        if path.suffix == ".parquet":
            return pq.ParquetFile(path).read()
        if path.suffix == ".arrow":
            with pa.ipc.open_file(str(path)) as file:
                return file.read_all()
        return _read_text(path, tablemill.open(address, table=table).schema)
    except FileNotFoundError as error:
        raise UserError("source.missing", f"There is no file {path}", remedy="Name a file that is there.") from error
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0]
        raise UserError("source.format", f"The file {path.name!r} cannot be read: {first}") from error


def _read_text(path: Path, schema: pa.Schema) -> pa.Table:
    types = {field.name: field.type for field in schema}
    return pacsv.read_csv(
        path,
        convert_options=pacsv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
        ),
    )
