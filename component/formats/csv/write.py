"""Typed rows to RFC 4180 text that reads back the same, nulls included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
from isal import igzip

from component import naming
from component.errors import Place, UserError
from component.formats.columns import described_columns
from component.formats.contract import Attributes
from component.formats.csv.dialect import Dialect
from component.formats.losses import Loss, dropped_zones, empty_to_null, not_finite, null_to_empty
from component.tables.numeric import decimal_texts
from component.tables.types import is_text

GZIP_LEVEL: Final = 2
"""Of isal's 0 to 3: about the size of zlib's 3, several times faster."""


@dataclass(frozen=True, slots=True)
class CsvWriting:
    """CSV files with or without a line of names, compressed or not."""

    keeps_arrow_types: ClassVar = False

    header: bool
    gzip: bool
    dialect: Dialect = field(default_factory=Dialect)

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say what text without types does not tell, and which nulls and empty strings look the same."""
        return csv_losses(schema, attributes, self.dialect)

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> CsvWriter:
        """Begin a file; times and instants are written as they are kept."""
        del attributes
        return CsvWriter(target, schema, header=self.header, gzip=self.gzip, dialect=self.dialect)


def csv_losses(schema: pa.Schema, attributes: Attributes, dialect: Dialect | None = None) -> tuple[Loss, ...]:
    """Say what CSV does not tell of columns; what looks empty is told apart by enclosures."""
    found = [*not_finite(schema), *dropped_zones(schema, attributes, says_utc=False)]
    if dialect is not None and not dialect.enclosure:
        return (*found, *empty_to_null(schema))
    return (*found, *null_to_empty(schema)) if _is_single(described_columns(schema, attributes).arrow) else tuple(found)


def _is_single(schema: pa.Schema) -> bool:
    return len(schema) == 1 and not pa.types.is_string(schema.types[0])


class CsvWriter:
    """Writes batches of rows to one file. Every value is enclosed, a null is an empty cell without enclosure.

    In a table of one column that is no text a null is `""`, since an empty line might be taken for no row. `header`:
    the first line holds the names. UserError `cell.unwritable` for a name or value that strict reading would refuse or
    read otherwise: one that holds a NUL, and without an enclosure one that holds a delimiter or a line end. Not
    `checked`: such values are written as they are, for a reader that takes them.
    """

    def __init__(
        self,
        path: Path,
        schema: pa.Schema,
        *,
        header: bool,
        gzip: bool,
        dialect: Dialect | None = None,
        checked: bool = True,
    ) -> None:
        self._dialect = dialect or Dialect()
        self._checked = checked
        self._single = _is_single(schema)
        self._schema = schema
        self._name, self._rows = path.name, 0
        others = "" if self._dialect.enclosure else re.escape(self._dialect.delimiter) + r"\r\n"
        self._refused = rf"[\x00{others}]"
        for name in schema.names if header else ():
            if re.search(self._refused, name):
                raise self._unwritable(name, None, name)
        self._file = _open(path, gzip=gzip)
        self._sink = self._file.__enter__()
        if header:
            names = pa.table([pa.array([name]) for name in schema.names], names=[str(n) for n in range(len(schema))])
            self._write(names)

    def write(self, rows: pa.Table) -> None:
        """Write rows in the schema of the file."""
        for name, column in zip(rows.column_names, rows.columns, strict=True) if self._checked else ():
            self._hold_writable(name, column)
        self._rows += rows.num_rows
        columns = [self._text(column) for column in rows.columns]
        self._write(pa.table(columns, names=[str(number) for number in range(len(columns))]))

    def _hold_writable(self, name: str, column: pa.ChunkedArray) -> None:
        if not is_text(column.type) or (self._dialect.enclosure and not _may_hold_nul(column)):
            return
        texts = column if pa.types.is_string(column.type) else column.cast(pa.large_string())
        found = pc.index(pc.match_substring_regex(texts, self._refused), True).as_py()
        if found >= 0:
            raise self._unwritable(name, self._rows + found + 1, column[found].as_py())

    def _unwritable(self, column: str, row: int | None, value: str) -> UserError:
        holds = "a NUL character" if "\0" in value else "a delimiter or line end, and nothing encloses it"
        return UserError(
            "cell.unwritable",
            f"The value cannot be written as CSV: it holds {holds}",
            place=Place(table=self._name, row=row, column=column, value=value),
            remedy="Correct the value, or write the output in another format, such as Parquet.",
        )

    def _text(self, column: pa.ChunkedArray) -> Any:
        if pa.types.is_decimal(column.type):
            column = decimal_texts(column)
        elif pa.types.is_floating(column.type) or self._single:
            column = column.cast(pa.string())
        return pc.fill_null(column, "") if self._single else column

    def _write(self, table: pa.Table) -> None:
        if self._dialect.enclosure != naming.ENCLOSURE:
            self._sink.write(_enclosed(table, self._dialect))
            return
        options = pacsv.WriteOptions(include_header=False, quoting_style="all_valid", delimiter=self._dialect.delimiter)
        pacsv.write_csv(table, self._sink, options)

    def close(self) -> None:
        """Finish the file."""
        self._file.__exit__(None, None, None)


def _may_hold_nul(column: pa.ChunkedArray) -> bool:
    """Tell by the bytes of texts, those of rows beside included, whether one may hold a NUL: at the speed of memory."""
    if not pa.types.is_string(column.type):
        return True
    texts = (chunk.buffers()[2] for chunk in column.chunks)
    return any(data is not None and data.size > 0 and not np.frombuffer(data, np.uint8).all() for data in texts)


def _enclosed(table: pa.Table, dialect: Dialect) -> bytes:
    """Return the lines of rows in an enclosure that Arrow's writer does not have."""
    mark = dialect.enclosure
    cells = []
    for column in table.columns:
        text = column.cast(pa.string())
        text = pc.replace_substring(text, mark, mark + mark) if mark else text  # Arrow never ends with an empty mark
        cells.append(pc.fill_null(pc.binary_join_element_wise(mark, text, mark, ""), ""))
    rows = pc.binary_join_element_wise(*cells, dialect.delimiter) if len(cells) > 1 else cells[0]
    return "".join(f"{row}\n" for row in rows.to_pylist()).encode()


def _open(path: Path, *, gzip: bool) -> AbstractContextManager[Any]:
    if not gzip:
        return path.open("wb")
    return _packed(path)


@contextmanager
def _packed(path: Path) -> Iterator[Any]:
    """Yield a gzip file without time and name in its header: the same rows give the same bytes."""
    with path.open("wb") as raw, igzip.IGzipFile("", "wb", GZIP_LEVEL, raw, 0) as packed:  # type: ignore[no-untyped-call]
        yield packed
