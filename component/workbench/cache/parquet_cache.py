"""The Parquet dialect of cached tables, which Workbench's own readers take (reference workbench 4)."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from component.workbench.files.table_metadata import TableMetadata, require_agreement
from component.workbench.tables.dictionaries import one_batch
from component.workbench.tables.faults import TableRule, invalid
from component.workbench.tables.table import WorkbenchTable, bare

ROW_GROUP_ROWS: Final = 1_000_000
_WHOLE_DICTIONARY: Final = 1 << 31
"""Bytes of a dictionary from which on the writer would give it up half-way."""


def encode_table(table: WorkbenchTable) -> pa.Buffer:
    """Return a Parquet file of a table that has columns.

    Version 2.6 (nanoseconds), snappy, a dictionary for exactly the columns that have one in Arrow, row groups of at
    most a million rows, one even when there are no rows, and no metadata: types are the file's own, formats and units
    live beside it.
    """
    rows = one_batch(table.rows)
    sink = pa.BufferOutputStream()
    pq.write_table(
        rows,
        sink,
        version="2.6",
        compression="snappy",
        use_dictionary=[field.name for field in rows.schema if pa.types.is_dictionary(field.type)],
        dictionary_pagesize_limit=_WHOLE_DICTIONARY - 1,
        row_group_size=ROW_GROUP_ROWS,
        store_schema=False,
    )
    return sink.getvalue()


def decode_table(content: pa.Buffer, metadata: TableMetadata) -> WorkbenchTable:
    """Return the table of a Parquet file as one batch; formats and units are what `metadata` says.

    Text of which the first row group has a dictionary page comes as a dictionary. UserError `workbench.invalid` for a
    file that cannot be read, or disagrees with its metadata.
    """
    try:
        rows = _rows(content)
    except (pa.ArrowException, OSError) as error:
        raise invalid(TableRule.INVALID_ARROW_FILE, f"not readable as Parquet: {str(error).splitlines()[0]}") from error
    require_agreement(metadata, rows.schema, rows.num_rows)
    return WorkbenchTable(metadata.columns, rows)


def _rows(content: pa.Buffer) -> pa.Table:
    footer = pq.read_metadata(pa.BufferReader(content))
    coded = []
    if footer.num_row_groups:
        group = footer.row_group(0)
        chunks = [group.column(number) for number in range(group.num_columns)]
        coded = [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page]
    file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=coded)
    return one_batch(bare(file.read()))
