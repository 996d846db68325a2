"""Any split of any text gives the rows of Python's csv module."""

from __future__ import annotations

import csv
import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import UserError
from component.formats.csv.dialect import Dialect
from tests.formats.csv.reading import Cut, read_file, text_schema
from tests.strategies.csv_text import (
    bare_dialects,
    dialects,
    hostile_text,
    read_with_python,
    rows_with_python,
    tables,
    terminators,
    write_bare,
    write_rfc4180,
)

one_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
cuts = st.builds(Cut, st.integers(1, 60), st.integers(1, 60))
quotings = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
BOM = "\ufeff"


@one_file
@given(tables(), dialects, terminators, quotings, cuts, st.booleans(), st.booleans())
def test_any_split_of_rfc4180_text_gives_the_rows_of_pythons_csv(
    tmp_path, rows, dialect, terminator, quoting, cut, bom, ended
):
    width = len(rows[0]) if rows else 1
    text = write_rfc4180(rows, dialect=dialect, terminator=terminator, quoting=quoting)
    if not ended:
        text = text.removesuffix(terminator)
    path = tmp_path / "t.csv"
    path.write_bytes(((BOM if bom else "") + text).encode())
    expected = rows_with_python(text if bom else text.removeprefix(BOM), width, dialect)
    assert read_file(path, text_schema(width), dialect, cut) == expected


@one_file
@given(tables(), bare_dialects, terminators, cuts)
def test_without_enclosure_every_line_end_ends_a_row(tmp_path, rows, dialect, terminator, cut):
    width = len(rows[0]) if rows else 1
    text = write_bare(rows, dialect, terminator=terminator)
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    expected = rows_with_python(text.removeprefix(BOM), width, dialect)
    assert read_file(path, text_schema(width), dialect, cut) == expected


@one_file
@given(hostile_text, cuts)
def test_any_split_of_any_text_gives_the_rows_of_pythons_csv_or_names_the_fault(tmp_path, text, cut):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    widths = {len(row) for row in read_with_python(text) if row}
    width = max(widths, default=1)
    try:
        got = read_file(path, text_schema(width), Dialect(), cut)
    except UserError as error:
        assert error.code in {"row.cells", "csv.unclosed_quote"}
        if error.code == "row.cells":
            assert len(widths) > 1
        else:
            with pytest.raises(csv.Error, match="unexpected end of data"):
                read_with_python(text, strict=True)
    else:
        assert got == rows_with_python(text, width)


@one_file
@given(tables(), terminators, st.integers(1, 60), st.integers(0, 200), st.booleans(), st.booleans())
def test_a_gzip_stream_is_one_split_with_the_same_rows(tmp_path, rows, terminator, block_bytes, middle, bom, header):
    width = len(rows[0]) if rows else 1
    text = write_rfc4180(rows, terminator=terminator)
    named = write_rfc4180([[f"name {at}" for at in range(width)]], terminator=terminator) if header else ""
    data = ((BOM if bom else "") + named + text).encode()
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(data[:middle]) + gzip.compress(data[middle:]))
    expected = rows_with_python(text if bom or header else text.removeprefix(BOM), width)
    cut = Cut(block_bytes=block_bytes, header=header)
    assert read_file(path, text_schema(width), Dialect(), cut, gzip=True) == expected
