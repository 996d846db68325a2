"""Rejected rows as an output table: where each was, why, and its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from component.formats.csv.write import CsvWriter
from component.spark.jobs.job import SplitCount
from component.spark.jobs.rejects import REJECTED_SCHEMA
from component.tables.types import is_text


def write_rejected(counts: Iterable[SplitCount], target: Path) -> int:
    """Write one CSV file of all rejected rows without header, rows numbered within their slice; return how many."""
    writer = CsvWriter(target, REJECTED_SCHEMA, header=False, gzip=False)
    rows = 0
    for table in _numbered(counts):
        writer.write(table)
        rows += table.num_rows
    writer.close()
    return rows


def _numbered(counts: Iterable[SplitCount]) -> Iterator[pa.Table]:
    before: dict[str, int] = {}
    for count in counts:
        start = before.get(count.slice, 0)
        if count.rejected_file is not None:
            with pa.ipc.open_stream(count.rejected_file) as reader:
                for batch in reader:
                    table = pa.Table.from_batches([batch])
                    position = table.schema.get_field_index("row")
                    yield _without_nul(table.set_column(position, "row", pc.add(table["row"], start)))
        before[count.slice] = start + count.records


def _without_nul(table: pa.Table) -> pa.Table:
    """Return rows with U+2400, the symbol for NUL, in the place of NUL, which CSV does not carry."""
    texts = [
        pc.replace_substring(column, "\0", "\u2400") if is_text(column.type) else column for column in table.columns
    ]
    return pa.table(texts, schema=table.schema)
