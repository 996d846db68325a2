"""`previewTable`: the first rows of an input table or of a dataset, as a Markdown table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from component.actions.evidence import Subject, find_dataset, find_source, find_subject, nothing_known
from component.actions.messages import markdown_table, message
from component.actions.parameters import asked
from component.actions.request import Request
from component.actions.sampling import Kept, batches, open_parquet, sample_source
from component.dataset.reader import Dataset, plan_scan
from component.naming import KIB
from component.plan.model import Source

PREVIEW_BYTES: Final = 64 * KIB
MOST_COLUMNS: Final = 40
"""More columns than that make a table that no browser shows well."""


def preview_table(request: Request) -> dict[str, Any]:
    """Return the first rows: of the input where the folder has it, else of the dataset in the store.

    `parameters.action.rows` says how many. UserError `dataset.missing` when there is neither.
    """
    subject = find_subject(request)
    count = asked(request).rows
    source = find_source(request, subject)
    if source is not None:
        takers, _ = sample_source(source, Kept, most_bytes=PREVIEW_BYTES, places=len(source.slices) or 1)
        blocks = [rows for kept in takers for rows in kept.rows]
        rows = pa.concat_tables(blocks).slice(0, count) if blocks else _no_rows(source)
        return _answer(rows, source.schema.names, f"the input {source.file_name!r}")
    dataset = find_dataset(subject)
    if dataset is None:
        raise nothing_known(subject)
    return _answer(_first_rows(dataset, count), dataset.columns, _what(subject))


def _what(subject: Subject) -> str:
    return f"the dataset {subject.uuid!r} in the store"


def _no_rows(source: Source) -> pa.Table:
    return pa.table({name: pa.array([], pa.string()) for name in source.schema.names})


def _first_rows(dataset: Dataset, count: int) -> pa.Table:
    """Return the first rows of the first files; each file gives no more than is still wanted."""
    names = [name for name in dataset.columns if name not in dataset.header.partition_keys]
    schema = pa.schema([dataset.schema.field(name) for name in names])
    whole = pa.schema([*schema, *(dataset.schema.field(name) for name in dataset.header.partition_keys)])
    found = whole.empty_table()
    for scan in plan_scan(dataset):
        if found.num_rows >= count:
            break
        with dataset.store.open(scan.key) as file:
            first = next(batches(open_parquet(file, scan.key), schema), schema.empty_table())
        first = first.slice(0, count - found.num_rows)
        found = pa.concat_tables([found, _with_path_values(first, whole, scan.partition_values)])
    return found


def _with_path_values(rows: pa.Table, schema: pa.Schema, values: Mapping[str, Any]) -> pa.Table:
    fields = list(schema)[rows.num_columns :]
    columns = [pa.repeat(pa.scalar(values[field.name], field.type), rows.num_rows) for field in fields]
    return pa.table([*rows.columns, *columns], schema=schema)


def _answer(rows: pa.Table, columns: Sequence[str], what: str) -> dict[str, Any]:
    shown = list(columns[:MOST_COLUMNS])
    cells = [[_text(value) for value in rows[name].to_pylist()] for name in shown]
    records = [list(record) for record in zip(*cells, strict=True)]
    hidden = len(columns) - len(shown)
    more = f" {hidden} more columns are not shown." if hidden else ""
    head = f"The first {rows.num_rows} rows of {what}.{more}" if rows.num_rows else f"No rows in {what}.{more}"
    return message(f"{head}\n\n{markdown_table(shown, records)}", "table", columns=shown, rows=records)


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)
