"""What is written in any dialect is read back the same by Python's csv module, and nulls are bare."""

from __future__ import annotations

import csv
import gzip
import io
import time
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.formats.csv.dialect import Dialect
from component.formats.csv.write import CsvWriter
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
