"""Rows of cells gathered to columns of text, within limits; what is much goes to disk and is mapped from there."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from component.naming import MIB
from component.workbench.parse.options import PARSER
from component.workbench.parse.records import columns_of
from component.workbench.render.messages import Message
from component.workbench.rules.limits import TableSizes, cut_text

IN_MEMORY: Final = 128 * MIB
"""Bytes of columns that are held before they go to disk."""
_BLOCK_ROWS: Final = 50_000
_BLOCK_CHARACTERS: Final = 4 * MIB


@dataclass(slots=True)
class TextColumns:
    """Columns of text. Rows count with the row of names (reference workbench 5); a cell that is not there is null."""

    limits: TableSizes
    stored: int = 0
    rows_beyond: int = 0
    columns_beyond: int = 0
    cut: int = 0
    first_cut: tuple[int, int] | None = None
    widths: Counter[int] = field(default_factory=Counter)
    """How many rows have how many cells."""
    _rows: list[Sequence[str | None]] = field(default_factory=list)
    _characters: int = 0
    _blocks: list[list[pa.Array]] = field(default_factory=list)
    _bytes: int = 0
    _mapped: list[pa.Table] = field(default_factory=list)

    def add(self, row: Sequence[str | None]) -> None:
        """Take a row; one beyond the limit is only counted."""
        if self.limits.rows is not None and self.stored >= self.limits.rows:
            self.rows_beyond += 1
            return
        most = self.limits.columns
        if most is not None and len(row) > most:
            self.columns_beyond = max(self.columns_beyond, len(row) - most)
            row = row[:most]
        self.stored += 1
        self.widths[len(row)] += 1
        self._rows.append(row)
        self._characters += sum(len(cell) for cell in row if cell is not None)
        if len(self._rows) >= _BLOCK_ROWS or self._characters >= _BLOCK_CHARACTERS:
            self._close_block()

    def _close_block(self) -> None:
        columns = columns_of(self._rows)
        if self.limits.cell_bytes is not None:
            self._cut_cells(columns, self.limits.cell_bytes)
        block = [pa.array(column, pa.string()) for column in columns]
        self._blocks.append(block)
        self._bytes += sum(column.nbytes for column in block)
        self._rows, self._characters = [], 0
        if self._bytes > IN_MEMORY:
            self._mapped.append(_on_disk(_table(self._blocks)))
            self._blocks, self._bytes = [], 0

    def _cut_cells(self, columns: list[list[str | None]], most: int) -> None:
        """Cut the cells that are too long, in place."""
        before = self.stored - len(self._rows)
        found = []
        for number, column in enumerate(columns):
            for row, cell in enumerate(column):
                if cell is not None and 4 * len(cell) > most and len(cell.encode()) > most:
                    column[row] = cut_text(cell, most)
                    found.append((before + row + 1, number + 1))
        self.cut += len(found)
        if found:
            self.first_cut = self.first_cut or min(found)

    def finish(self) -> list[Any]:
        """Return the columns, each one chunk unless it is on disk."""
        if self._rows:
            self._close_block()
        whole = [*self._mapped, *([_table(self._blocks)] if self._blocks else [])]
        table = pa.concat_tables(_of_one_width(whole)) if whole else pa.table({})
        return list((table if self._mapped else table.combine_chunks()).columns)

    def messages(self) -> list[Message]:
        """Return what was cut, in Workbench's order."""
        found = []
        if self.rows_beyond:
            counts = {"n_rows": self.rows_beyond, "max_n_rows": self.limits.rows or 0}
            found.append(Message("warning.skipped_rows", counts, PARSER))
        if self.columns_beyond:
            counts = {"n_columns": self.columns_beyond, "max_n_columns": self.limits.columns or 0}
            found.append(Message("warning.skipped_columns", counts, PARSER))
        if self.first_cut:
            row, column = self.first_cut
            where = {"row_number": row, "column_number": column}
            counts = {"n_values": self.cut, "max_n_bytes": self.limits.cell_bytes or 0}
            found.append(Message("warning.truncated_values", {**counts, **where}, PARSER))
        return found


def _table(blocks: Sequence[Sequence[pa.Array]]) -> pa.Table:
    """Return blocks of columns, which may have fewer columns than others, as one table."""
    return pa.concat_tables(_of_one_width([pa.table(list(block), _names(len(block))) for block in blocks]))


def _of_one_width(tables: Sequence[pa.Table]) -> list[pa.Table]:
    width = max(table.num_columns for table in tables)
    return [
        pa.table(
            [*table.columns, *(pa.nulls(len(table), pa.string()) for _ in range(width - table.num_columns))],
            _names(width),
        )
        for table in tables
    ]


def _names(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def _on_disk(table: pa.Table) -> pa.Table:
    """Return a table that is mapped from a file, which goes when nobody uses it any more."""
    with tempfile.NamedTemporaryFile(suffix=".arrow") as file:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        file.flush()
        with pa.memory_map(file.name) as mapped:
            return pa.ipc.open_file(mapped).read_all()
