"""`previewTable`: the first rows of an input table or of a dataset, as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from component.actions.evidence import find_dataset, find_source, find_subject, nothing_known
from component.actions.messages import CELL_LIMIT, markdown_table, message
from component.actions.parameters import asked
from component.actions.request import Request
from component.actions.sampling import LIMITS, MOST_LEFT_OUT, batches, open_parquet, read_split, sample_reader
from component.dataset.files.csv_file import open_data
from component.dataset.reading.reader import Dataset, plan_scan
from component.errors import shorten
from component.formats.contract import Reader, Split
from component.formats.csv.read import ReadAgainError
from component.formats.csv.source import CsvSplit
from component.formats.rows import Parsed
from component.naming import KIB
from component.plan.model import Source
from component.plan.splits import splits_of
from component.tables.numeric import with_decimal_texts

BLOCK_BYTES: Final = 64 * KIB
MOST_COLUMNS: Final = 40
"""More columns than that make a table that no browser shows well."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of something; `left_out` are rows among them that do not fit, `reason` is that of the first."""

    rows: pa.Table
    columns: Sequence[str]
    what: str
    left_out: int = 0
    reason: str = ""


def preview_table(request: Request) -> dict[str, Any]:
    """Return the first rows: of the input where the folder has it, else of the dataset in the store.

    `parameters.action.rows` says how many. UserError `dataset.missing` when there is neither.
    """
    subject = find_subject(request)
    count = asked(request).rows
    source = find_source(request, subject)
    if source is not None:
        return _answer(_of_source(source, count))
    dataset = find_dataset(subject)
    if dataset is None:
        raise nothing_known(subject)
    return _answer(Preview(_first_rows(dataset, count), dataset.columns, f"the dataset {subject.uuid!r} in the store"))


def _of_source(source: Source, count: int) -> Preview:
    names = source.schema.names
    blocks = _first_blocks(source, count)
    bad = [row for block in blocks for row in block.bad]
    rows = pa.concat_tables([one.rows for one in blocks]) if blocks else pa.table({name: [] for name in names})
    reason = bad[0].reason if bad else ""
    return Preview(rows.slice(0, count), names, f"the input {source.file_name!r}", len(bad), reason)


def _first_blocks(source: Source, count: int) -> list[Parsed]:
    """Read an input from its beginning until there are so many rows, or no more."""
    reader = sample_reader(source)
    blocks: list[Parsed] = []
    for split in _splits_in_order(source):
        blocks = _read_on(reader, split, blocks, count)
        if _are_enough(blocks, count):
            break
    return blocks


def _splits_in_order(source: Source) -> Iterator[Split]:
    """Yield the splits of files that say where they may be cut; CSV as a whole, so that no cut can be wrong."""
    limits = replace(LIMITS, split_bytes=1 if source.says_types else max(1, source.size), block_bytes=BLOCK_BYTES)
    for part in source.slices:
        splits = splits_of(replace(source, slices=(part,)), limits, cores=1)
        yield from (replace(split.whole(), exact=False) for split in splits[:1] if isinstance(split, CsvSplit))
        yield from (split for split in splits if not isinstance(split, CsvSplit))


def _read_on(reader: Reader, split: Split, before: list[Parsed], count: int) -> list[Parsed]:
    """Return the blocks before and those of a split, as many as are wanted."""
    while True:
        blocks = list(before)
        try:
            for block in read_split(reader, split):
                blocks.append(block)
                if _are_enough(blocks, count):
                    break
        except ReadAgainError as again:
            split = again.split
        else:
            return blocks


def _are_enough(blocks: Sequence[Parsed], count: int) -> bool:
    rows, left_out = sum(block.rows.num_rows for block in blocks), sum(len(block.bad) for block in blocks)
    return rows >= count or left_out >= MOST_LEFT_OUT


def _first_rows(dataset: Dataset, count: int) -> pa.Table:
    """Return the first rows of the first files; each file gives no more than is still wanted."""
    names = [name for name in dataset.columns if name not in dataset.header.partition_keys]
    schema = pa.schema([dataset.schema.field(name) for name in names])
    whole = pa.schema([*schema, *(dataset.schema.field(name) for name in dataset.header.partition_keys)])
    found = whole.empty_table()
    for scan in plan_scan(dataset):
        if found.num_rows >= count:
            break
        with open_data(dataset.store, scan.key, dataset.schema) as file:
            first = next(batches(open_parquet(file, scan.key), schema), schema.empty_table())
        first = first.slice(0, count - found.num_rows)
        found = pa.concat_tables([found, _with_path_values(first, whole, scan.partition_values)])
    return found


def _with_path_values(rows: pa.Table, schema: pa.Schema, values: Mapping[str, Any]) -> pa.Table:
    fields = list(schema)[rows.num_columns :]
    columns = [pa.repeat(pa.scalar(values[field.name], field.type), rows.num_rows) for field in fields]
    return pa.table([*rows.columns, *columns], schema=schema)


def _answer(found: Preview) -> dict[str, Any]:
    shown = list(found.columns[:MOST_COLUMNS])
    rows = with_decimal_texts(found.rows)
    cells = [[_text(value) for value in rows[name].to_pylist()] for name in shown]
    records = [list(record) for record in zip(*cells, strict=True)]
    text = f"{' '.join(_sentences(found))}\n\n{markdown_table(shown, records)}"
    return message(text, "table", columns=shown, rows=records)


def _sentences(found: Preview) -> Iterator[str]:
    count, hidden = found.rows.num_rows, len(found.columns) - MOST_COLUMNS
    first = "The first row" if count == 1 else f"The first {count} rows"
    yield f"{first} of {found.what}." if count else f"No rows in {found.what}."
    if hidden > 0:
        yield f"{hidden} more column{' is' if hidden == 1 else 's are'} not shown."
    if found.left_out:
        rows = "1 row that does not fit is" if found.left_out == 1 else f"{found.left_out} rows that do not fit are"
        yield f"{rows} not shown: {found.reason}."


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else shorten(str(value), CELL_LIMIT)
