"""Any split of any text gives the rows of Python's csv module."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import CsvSplit, read_header
from component.formats.csv.split import ByteRange, plan_splits
from component.tables.types import Column, TableSchema
from tests.strategies.csv_text import hostile_text, read_with_python, tables, write_rfc4180

small_blocks = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def schema_of(width: int) -> TableSchema:
    return TableSchema(tuple(Column(f"c{i}") for i in range(width)))


def read_all(
    path: Path, schema: TableSchema, dialect: Dialect, split_bytes: int, block_bytes: int, start: int = 0
) -> list[list[str]]:
    """Read every split, as the job does: a split that asks for it is read again as the whole slice."""
    reader = CsvReader(schema, dialect)
    splits = [
        CsvSplit("t", "t", path, False, part, start, block_bytes=block_bytes)
        for part in plan_splits(path, dialect, start=start, split_bytes=split_bytes, threads=2)
    ]
    try:
        return [row for split in splits for row in rows_of(reader, split)]
    except ReadAgainError as again:
        assert again.whole_slice
        return rows_again(reader, again.split)


def rows_again(reader: CsvReader, split: CsvSplit) -> list[list[str]]:
    try:
        return rows_of(reader, split)
    except ReadAgainError as again:
        return rows_of(reader, again.split)


def rows_of(reader: CsvReader, split: CsvSplit) -> list[list[str]]:
    rows = []
    for parsed in reader.read(split):
        columns = [column.to_pylist() for column in parsed.rows.columns]
        rows += [["" if cell is None else cell for cell in row] for row in zip(*columns, strict=True)]
    return rows


def expected(text: str, width: int) -> list[list[str]]:
    rows = read_with_python(text)
    return [row or [""] for row in rows] if width == 1 else [row for row in rows if row]


@small_blocks
@given(
    tables(),
    st.sampled_from(["\n", "\r", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.integers(1, 60),
    st.integers(1, 60),
)
def test_any_split_of_rfc4180_text_gives_the_rows_of_pythons_csv(
    tmp_path, rows, terminator, quoting, split_bytes, block_bytes
):
    width = len(rows[0]) if rows else 1
    text = write_rfc4180(rows, terminator=terminator, quoting=quoting)
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    assert read_all(path, schema_of(width), Dialect(), split_bytes, block_bytes) == expected(text, width)


@small_blocks
@given(hostile_text, st.integers(1, 40), st.integers(1, 40))
def test_any_split_of_any_text_gives_the_rows_of_pythons_csv_or_names_the_fault(
    tmp_path, text, split_bytes, block_bytes
):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    rows = read_with_python(text)
    widths = {len(row) for row in rows if row}
    width = max(widths, default=1)
    try:
        got = read_all(path, schema_of(width), Dialect(), split_bytes, block_bytes)
    except UserError as error:
        assert error.code in {"row.cells", "csv.unclosed_quote"}
        if error.code == "row.cells":
            assert len(widths) > 1
        else:
            with pytest.raises(csv.Error):
                list(csv.reader(text.splitlines(keepends=True), strict=True))
    else:
        assert got == expected(text, width)


@small_blocks
@given(tables(), st.integers(1, 60))
def test_a_gzip_stream_is_one_split_with_the_same_rows(tmp_path, rows, block_bytes):
    width = len(rows[0]) if rows else 1
    text = write_rfc4180(rows)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(text[: len(text) // 2].encode()) + gzip.compress(text[len(text) // 2 :].encode()))
    split = CsvSplit("t", "t", path, True, ByteRange(0, path.stat().st_size), block_bytes=block_bytes)
    assert rows_again(CsvReader(schema_of(width), Dialect()), split) == expected(text, width)
