"""Count the records of a split, as the reader numbers them; for the place of an error, not for speed."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from component.formats.csv.careful import counting_options
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import CsvSplit, open_split, record_blocks
from component.tables.types import TableSchema


def count_records(split: CsvSplit, schema: TableSchema, dialect: Dialect) -> int:
    """Return how many records a split holds, those with a wrong count of cells included."""
    total = 0
    with open_split(split) as stream:
        for block in record_blocks(stream, split, dialect):
            wrong: list[Any] = []
            table = pacsv.read_csv(
                pa.BufferReader(block.data),
                read_options=pacsv.ReadOptions(
                    use_threads=False, column_names=schema.names, block_size=len(block.data) + 1
                ),
                parse_options=counting_options(schema, dialect, wrong),
                convert_options=pacsv.ConvertOptions(
                    include_columns=[schema.names[0]], column_types={schema.names[0]: pa.binary()}
                ),
            )
            total += table.num_rows + len(wrong)
    return total
