"""What a format says that it loses is what its own reader does not give back."""

from __future__ import annotations

import json
import math
import re
from contextlib import closing

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from component.formats.arrow_ipc import ArrowWriting
from component.formats.avro import AvroWriting
from component.formats.columns import described_columns, described_rows
from component.formats.csv.dialect import Dialect
from component.formats.csv.write import CsvWriting
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.write import DelimitedWriting
from component.formats.json_lines import JsonLinesWriting
from component.formats.losses import Loss, LossKind, LostCells, lost_cells
from component.formats.parquet import ParquetWriting
from component.outputs.file_formats import HttpFileWriting, WorkbenchWriting
from tests.formats.delimited.reading import split_of
from tests.strategies.delimited_tables import VARIANTS
from tests.strategies.typed_tables import tables

CSV = CsvWriting(header=False, gzip=False)
BARE = CsvWriting(header=False, gzip=False, dialect=Dialect(enclosure=""))
JSON = JsonLinesWriting()
BLUELABS, BIGQUERY = (DelimitedWriting(VARIANTS[name]) for name in ("bluelabs", "bigquery"))
HTTP = HttpFileWriting("http://example.com/t.csv")
WORKBENCH, AVRO, PARQUET, ARROW = WorkbenchWriting(), AvroWriting(), ParquetWriting(), ArrowWriting()

TEXTS = pa.array(["", None, "a", ""])
FLOATS = pa.array([math.nan, math.inf, None, 1.5])
MOMENTS = pa.array([0, None, 1, 2], pa.int64())
UTC, BERLIN = (MOMENTS.cast(pa.timestamp("us")).cast(pa.timestamp("us", zone)) for zone in ("UTC", "Europe/Berlin"))
INT32 = pa.array([1, None, 3, 4], pa.int32())


def counted(writing, table, attributes=None):
    """The losses of the columns of a table, as {(column, kind): cells}."""
    losses = writing.losses(table.schema, attributes or {})
    return {
        (one.loss.column, str(one.loss.kind)): one.cells
        for one in lost_cells(LostCells(loss, loss.cells(table)) for loss in losses)
    }


def written(path, writing, table):
    columns = described_columns(table.schema, {})
    with closing(writing.open(path, columns.arrow, {})) as writer:
        writer.write(described_rows(table, columns))
    return path


@pytest.mark.parametrize(
    ("writing", "values", "expected"),
    [
        (CSV, TEXTS, {}),
        (BARE, TEXTS, {"empty_to_null": 2}),
        (JSON, TEXTS, {}),
        (BLUELABS, TEXTS, {"empty_to_null": 2}),
        (BIGQUERY, TEXTS, {"empty_to_null": 2}),
        (PARQUET, TEXTS, {}),
        (CSV, FLOATS, {"not_finite": 2}),
        (HTTP, FLOATS, {"not_finite": 2}),
        (JSON, FLOATS, {"not_finite": 2}),
        (BLUELABS, FLOATS, {}),
        (AVRO, FLOATS, {}),
        (PARQUET, FLOATS, {}),
        (CSV, UTC, {"dropped_zone": 3}),
        (HTTP, UTC, {"dropped_zone": 3}),
        (WORKBENCH, UTC, {"dropped_zone": 3}),
        (BLUELABS, UTC, {}),
        (BIGQUERY, UTC, {"dropped_zone": 3}),
        (JSON, UTC, {}),
        (JSON, BERLIN, {"dropped_zone": 3}),
        (BLUELABS, BERLIN, {"dropped_zone": 3}),
        (AVRO, UTC, {}),
        (AVRO, BERLIN, {"dropped_zone": 3}),
        (PARQUET, BERLIN, {}),
        (ARROW, BERLIN, {}),
        (AVRO, INT32, {"other_type": 3}),
        (AVRO, INT32.cast(pa.uint64()), {"other_type": 3}),
        (AVRO, INT32.cast(pa.int64()), {}),
        (PARQUET, INT32, {}),
        (CSV, INT32, {}),
        (WORKBENCH, INT32.cast(pa.bool_()), {"other_type": 3}),
        (WORKBENCH, INT32.cast(pa.decimal128(12, 2)), {"other_type": 3}),
    ],
)
def test_losses_of_a_format_and_a_type(writing, values, expected):
    table = pa.table({"v": values, "other": pa.array(["x"] * len(values))})
    assert counted(writing, table) == {("v", kind): cells for kind, cells in expected.items()}


def test_a_kept_instant_loses_its_zone_as_one_of_arrow_does():
    table = pa.table({"v": MOMENTS.cast(pa.timestamp("us")), "other": TEXTS})
    attributes = {"v": {"logical": "timestamptz"}}
    assert counted(CSV, table, attributes) == {("v", "dropped_zone"): 3}
    assert counted(CSV, table) == {}
    assert counted(PARQUET, table, attributes) == {}


def test_nulls_alone_in_their_rows_are_written_as_empty_strings():
    assert counted(CSV, pa.table({"v": INT32})) == {("v", "null_to_empty"): 1}
    assert counted(CSV, pa.table({"v": TEXTS})) == {}


def test_counts_of_several_files_are_added_and_none_is_left_out():
    loss, other = (Loss(name, LossKind.NOT_FINITE, "x") for name in "ab")
    sums = lost_cells([LostCells(loss, 2), LostCells(other, 0), LostCells(loss, 1)])
    assert sums == (LostCells(loss, 3),)
    assert sums[0].text == "x (3 cells)"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(table=tables(least=2))
def test_json_lines_have_other_values_than_those_written_only_where_it_is_counted(tmp_path, table):
    rows = [json.loads(line) for line in written(tmp_path / "t", JSON, table).read_text().splitlines()]
    expected = {}
    for name in table.column_names:
        is_float = pa.types.is_floating(table.schema.field(name).type)
        cells = [(row[name], old) for row, old in zip(rows, table[name].to_pylist(), strict=True)]
        lost = sum((new is None) != (old is None) or (is_float and isinstance(new, str)) for new, old in cells)
        if lost:
            expected[name, "not_finite"] = lost
    assert counted(JSON, table) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(table=tables(least=1, types=(pa.string(), pa.int64(), pa.float64(), pa.bool_())))
def test_csv_has_other_cells_than_those_written_only_where_it_is_counted(tmp_path, table):
    text = written(tmp_path / "t", CSV, table).read_bytes().decode()
    cells = [one[1] for one in re.finditer(r'(?:"((?:[^"]|"")*)")?[,\n]', text)]
    width = table.num_columns
    rows = [cells[start : start + width] for start in range(0, len(cells), width)]
    expected = {}
    for number, name in enumerate(table.column_names):
        is_float = pa.types.is_floating(table.schema.field(name).type)
        cells = [(row[number], old) for row, old in zip(rows, table[name].to_pylist(), strict=True)]
        nulls = sum(new == "" and old is None for new, old in cells)
        words = sum(is_float and (new or "").lstrip("-").isalpha() for new, _ in cells)
        assert all(old is None for new, old in cells if new is None)
        expected |= {key: one for key, one in (((name, "not_finite"), words), ((name, "null_to_empty"), nulls)) if one}
    assert counted(CSV, table) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(table=tables(least=2, types=(pa.string(), pa.int64(), pa.float64())))
def test_records_have_nulls_for_empty_strings_where_it_is_counted(tmp_path, table):
    columns, dialect = described_columns(table.schema, {}), VARIANTS["bluelabs"]
    path = written(tmp_path / "t", BLUELABS, table)
    parsed = list(DelimitedReader(columns, dialect).read(split_of(path, path.read_bytes())))
    back = pa.concat_tables([columns.arrow.empty_table(), *(one.rows for one in parsed)])
    expected = {}
    for name in table.column_names:
        pairs = list(zip(back[name].to_pylist(), table[name].to_pylist(), strict=True))
        lost = [old for new, old in pairs if repr(new) != repr(old)]
        assert set(lost) <= {""}
        if lost:
            expected[name, "empty_to_null"] = len(lost)
    assert counted(BLUELABS, table) == expected
