"""Count the records of a split, as the reader numbers them; for the place of an error, not for speed."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from component.formats.csv.blocks import record_blocks
from component.formats.csv.careful import as_latin, counting_options
from component.formats.csv.dialect import Dialect
from component.formats.csv.parse import with_mark
from component.formats.csv.scan import is_utf8
from component.formats.csv.sentinel import sentinel_record, sentinel_text, without_sentinel
from component.formats.csv.source import CsvSplit, open_split
from component.formats.csv.split import Bytes
from component.tables.types import TableSchema


def count_records(split: CsvSplit, schema: TableSchema, dialect: Dialect) -> int:
    """Return how many records a split holds, those with a wrong count of cells included.

    Raises SplitIsNotExactError or RecordTooLongError when enclosures that do not pair up have led astray.
    """
    tail = sentinel_record(schema, dialect)
    with open_split(split, dialect) as stream:
        blocks = record_blocks(stream, dialect, block_bytes=split.block_bytes, tail=tail)
        return sum(_count_block(with_mark(block), schema, dialect) for block in blocks)


def _count_block(text: Bytes, schema: TableSchema, dialect: Dialect) -> int:
    data = text if is_utf8(text) else as_latin(bytes(text))
    wrong: list[Any] = []
    ends = list(dict.fromkeys([schema.names[0], schema.names[-1]]))
    table = pacsv.read_csv(
        pa.BufferReader(data),
        read_options=pacsv.ReadOptions(use_threads=False, column_names=schema.names, block_size=len(data) + 1),
        parse_options=counting_options(schema, dialect, wrong),
        convert_options=pacsv.ConvertOptions(
            include_columns=ends,
            column_types=dict.fromkeys(ends, pa.binary()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    text_of_sentinel = sentinel_text(schema.columns[0], dialect).encode()
    return int(without_sentinel(table, text_of_sentinel, wrong).num_rows) + len(wrong)
