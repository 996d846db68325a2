"""What is written in any dialect is read back the same by Python's csv module, and nulls are bare."""

from __future__ import annotations

import csv
import gzip
import io
import time
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.csv.split import ByteRange
from component.formats.csv.write import CsvWriter
from component.tables.types import Column, TableSchema
from tests.strategies.typed_tables import tables

DIALECTS = [Dialect(), Dialect(";"), Dialect("\t", "'"), Dialect(",", "|")]


def written(path, table, dialect, *, header=False):
    writer = CsvWriter(path, table.schema, header=header, gzip=False, dialect=dialect)
    writer.write(table)
    writer.close()
    return path.read_bytes().decode()


def rows(text, dialect):
    options = {"delimiter": dialect.delimiter, "quotechar": dialect.enclosure, "doublequote": True, "strict": True}
    return list(csv.reader(io.StringIO(text, newline=""), **options))


@pytest.mark.parametrize("dialect", DIALECTS, ids=repr)
def test_names_and_values_are_enclosed_and_nulls_are_not(tmp_path, dialect):
    table = pa.table({"a'|\"": ["x;'|,\"\ty", None, ""], "n": [1, None, 3]})
    text = written(tmp_path / "t.csv", table, dialect, header=True)
    assert rows(text, dialect) == [["a'|\"", "n"], ["x;'|,\"\ty", "1"], ["", ""], ["", "3"]]
    assert text.splitlines()[2:] == [
        dialect.delimiter,
        f"{dialect.enclosure * 2}{dialect.delimiter}{dialect.enclosure}3{dialect.enclosure}",
    ]


def test_only_floats_have_exponents(tmp_path):
    decimals = pa.array([0, Decimal("1E-8"), Decimal("77.46")], pa.decimal128(38, 9))
    text = written(tmp_path / "t.csv", pa.table({"d": decimals, "f": [0.0, 1e-8, 77.46]}), Dialect())
    assert text == '"0","0"\n"0.00000001","1e-8"\n"77.46","77.46"\n'


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables(), dialect=st.sampled_from(DIALECTS[1:]))
def test_every_dialect_has_the_cells_of_the_usual_one(tmp_path, table, dialect):
    assume(not any("\0" in cell for column in table.columns for cell in column.to_pylist() if isinstance(cell, str)))
    usual = written(tmp_path / "usual.csv", table, Dialect())
    other = written(tmp_path / "other.csv", table, dialect)
    assert rows(other, dialect) == rows(usual, Dialect())


def test_the_same_rows_are_the_same_gzip_bytes_at_any_time_and_under_any_name(tmp_path, monkeypatch):
    found = []
    for name, now in [("a.csv.gz", 1.0), ("b.csv.gz", 1_900_000_000.0)]:
        monkeypatch.setattr(time, "time", lambda now=now: now)
        writer = CsvWriter(tmp_path / name, pa.schema([("n", pa.int64())]), header=True, gzip=True, dialect=Dialect())
        writer.write(pa.table({"n": [1, None]}))
        writer.close()
        found.append((tmp_path / name).read_bytes())
    assert found[0] == found[1]
    assert gzip.decompress(found[0]) == b'"n"\n"1"\n""\n'


TEXTS = st.one_of(st.none(), st.text("a,;|\t\"'\r\n\0\ufeff ", max_size=6))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    columns=st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[TEXTS] * width), min_size=1, max_size=5)),
    dialect=st.sampled_from([*DIALECTS, Dialect(";", "")]),
    cut=st.integers(0, 5),
)
def test_what_is_written_is_read_strictly_as_the_same_or_refused_with_its_place(tmp_path, columns, dialect, cut):
    rows_in = [dict(zip("xyz", row, strict=False)) for row in columns]
    table = pa.Table.from_pylist(rows_in, pa.schema([(name, pa.string()) for name in rows_in[0]]))
    special = "\0" if dialect.enclosure else "\0;\r\n"
    odd = [number for number, row in enumerate(columns, 1) if any(set(special) & set(cell or "") for cell in row)]
    path = tmp_path / "t.csv"
    writer = CsvWriter(path, table.schema, header=False, gzip=False, dialect=dialect)
    try:
        if odd:
            with pytest.raises(UserError) as caught:
                writer.write(table)
            assert caught.value.code == "cell.unwritable"
            assert caught.value.place.row in odd
            return
        writer.write(table.slice(0, cut))
        writer.write(table.slice(cut))
    finally:
        writer.close()
    split = CsvSplit("t", "t", path, gzip=False, range=ByteRange(0, path.stat().st_size))
    schema = TableSchema(tuple(map(Column, table.column_names)))
    found = [row for parsed in CsvReader(schema, dialect).read(split) for row in parsed.rows.to_pylist()]
    empty = None if not dialect.enclosure else ""
    wanted = [{name: empty if cell == "" else cell for name, cell in row.items()} for row in rows_in]
    assert found == wanted


def test_a_name_with_a_nul_is_refused(tmp_path):
    with pytest.raises(UserError, match="NUL"):
        CsvWriter(tmp_path / "t.csv", pa.schema([("a\0", pa.string())]), header=True, gzip=False)
