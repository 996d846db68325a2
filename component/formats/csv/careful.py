"""Cells read as bytes and cast column by column: says which row, column and value does not fit, and goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from component.formats.csv.dialect import Dialect
from component.formats.rows import BadRow, Parsed
from component.tables.cast import apply_null_rule, cast_text
from component.tables.logical import Logical, logical_of
from component.tables.types import Column, TableSchema, TypeName


def bytes_options(schema: TableSchema) -> pacsv.ConvertOptions:
    """Return options that read every cell as bytes; unquoted empty cells are null."""
    return pacsv.ConvertOptions(
        column_types=dict.fromkeys(schema.names, pa.binary()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )


def counting_options(schema: TableSchema, dialect: Dialect, wrong_count: list[Any]) -> pacsv.ParseOptions:
    """Return options that collect the records with too many or too few cells instead of failing.

    Only for text that is UTF-8: of other text Arrow cannot give the record (see `as_latin`).
    """
    options = dialect.parse_options(len(schema.columns))

    def note(row: Any) -> str:
        wrong_count.append(row)
        return "skip"

    options.invalid_row_handler = note
    return options


def as_latin(text: bytes) -> bytes:
    """Return bytes as the UTF-8 text in which each of them is one character; what is ASCII stays the same."""
    return text if text.isascii() else text.decode("latin-1").encode()


def cast_rows(
    cells: pa.Table,
    wrong_count: Sequence[Any],
    schema: TableSchema,
    dialect: Dialect,
    *,
    latin: bool = False,
) -> Parsed:
    """Cast cells that were read as bytes; `wrong_count` holds the records with too many or too few of them.

    A row with several faults is reported once, by its first column.
    `latin`: the text went through `as_latin`.
    """
    records = cells.num_rows + len(wrong_count)
    wrong = [row.number for row in wrong_count]
    numbers = np.setdiff1d(np.arange(1, records + 1), wrong, assume_unique=True)
    columns = [_raw(cells[name].combine_chunks(), latin=latin) for name in schema.names]
    arrays: list[pa.Array] = []
    faults: dict[int, BadRow] = {}
    for column, raw in zip(schema.columns, columns, strict=True):
        values, misfits = _cast_cells(raw, column)
        arrays.append(values)
        for at, code, reason in misfits:
            if at not in faults:
                bad = BadRow(int(numbers[at]), code, reason, column.name, _text(raw[at]), "")
                faults[at] = replace(bad, record=dialect.join([_text(cell[at]) for cell in columns]))
    table = pa.table(arrays, schema=schema.arrow)
    if faults:
        kept = np.ones(table.num_rows, np.bool_)
        kept[list(faults)] = False
        table = table.filter(pa.array(kept))
    bad_rows = sorted([*(_wrong_count(row, latin=latin) for row in wrong_count), *faults.values()], key=_number)
    return Parsed(table, tuple(bad_rows), records)


def _number(bad: BadRow) -> int:
    return bad.row


def _wrong_count(row: Any, *, latin: bool) -> BadRow:
    reason = f"The row has {row.actual_columns} cells where {row.expected_columns} are expected"
    record = row.text.encode("latin-1").decode(errors="replace") if latin else row.text
    return BadRow(row.number, "row.cells", reason, None, None, record)


def _text(cell: Any) -> str | None:
    value = cell.as_py()
    return None if value is None else value.decode(errors="replace")


def _raw(cells: pa.Array, *, latin: bool) -> pa.Array:
    """Return the bytes of cells as they are in the file."""
    if not latin:
        return cells
    texts = cells.cast(pa.string())
    odd = pc.fill_null(pc.invert(pc.string_is_ascii(texts)), False)
    originals = [text.encode("latin-1") for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(cells, odd, pa.array(originals, pa.binary()))


def _cast_cells(raw: pa.Array, column: Column) -> tuple[pa.Array, list[tuple[int, str, str]]]:
    """Return the typed values of one column, and position, code and reason of each cell that does not fit."""
    text, not_utf8 = _decode(raw)
    cast = cast_text(apply_null_rule(text, quoted_empty=True, column=column), column)
    misfits = {at: ("cell.type", _reason(column)) for at in cast.bad}
    misfits |= dict.fromkeys(not_utf8, ("csv.encoding", "The cell is not valid UTF-8"))
    return cast.values, [(at, code, reason) for at, (code, reason) in misfits.items()]


def _reason(column: Column) -> str:
    if logical_of(column) is Logical.ZONED:
        return "The cell is no timestamp"
    reason = f"The cell does not fit the type {column.type.value}"
    if column.type is TypeName.NUMERIC:
        reason += f"({column.arrow.precision},{column.arrow.scale})"
    if column.formats:
        reason += f" with the formats {', '.join(column.formats)}"
    return reason


def _decode(raw: pa.Array) -> tuple[pa.Array, list[int]]:
    try:
        return raw.cast(pa.string()), []
    except pa.ArrowInvalid:
        texts: list[str | None] = []
        bad: list[int] = []
        for at, cell in enumerate(raw.to_pylist()):
            try:
                texts.append(None if cell is None else cell.decode())
            except UnicodeDecodeError:
                texts.append(None)
                bad.append(at)
        return pa.array(texts, pa.string()), bad
