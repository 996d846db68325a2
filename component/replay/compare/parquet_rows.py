"""Rows of a Parquet file, each value as a text that says the same for the same value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from component.errors import Place, UserError
from component.formats.parquet import opened
from component.replay.compare.cells import text_cells
from component.replay.compare.rows import Batch, Restart
from component.tables.types import Column, column_of_arrow

_BATCH_ROWS: Final = 16_384


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """One Parquet file; `kinds` are the Arrow types of its columns."""

    path: Path
    names: tuple[str, ...]
    kinds: Mapping[str, str]
    types: Mapping[str, Column]
    key: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self.path.stat().st_size

    def batches(self, restart: Restart) -> Iterator[Batch]:
        """Yield rows; UserError `source.format` for a damaged file."""
        del restart  # nothing is read twice
        done = 0
        with opened(self.path, Place(slice=self.path.name)) as file:
            for batch in file.iter_batches(_BATCH_ROWS, use_threads=False):
                columns = [text_cells(column) for column in batch.columns]
                yield Batch(self.path.name, columns, range(done + 1, done + batch.num_rows + 1))
                done += batch.num_rows


def open_parquet(path: Path) -> ParquetRows:
    """Open a Parquet file; UserError `source.format` for a damaged one."""
    with opened(path, Place(slice=path.name)) as file:
        schema = file.schema_arrow
    types = {field.name: column for field in schema if (column := _column(field)) is not None}
    return ParquetRows(path, tuple(schema.names), {field.name: str(field.type) for field in schema}, types)


def _column(field: pa.Field) -> Column | None:
    try:
        return column_of_arrow(field.name, field.type)
    except UserError:
        return None
