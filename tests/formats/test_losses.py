"""What a format says that it loses is what its own reader does not give back."""

from __future__ import annotations

import json
import math
import re
from contextlib import closing
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from component.errors import Place
from component.formats.arrow_ipc import ArrowWriting, arrow_columns
from component.formats.avro import AvroWriting, avro_columns
from component.formats.columns import described_columns, described_rows
from component.formats.csv.dialect import Dialect
from component.formats.csv.write import CsvWriting
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.write import DelimitedWriting
from component.formats.json_lines import JsonLinesWriting
from component.formats.losses import Loss, LossKind, LostCells, lost_cells, retyped
from component.formats.parquet import ParquetWriting, parquet_columns
from component.outputs.workbench_files import HttpFileWriting, WorkbenchWriting
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


def read(path, columns_of):
    """What reading changes of the one column of a file, as its kind and what it becomes; None where nothing is."""
    found = columns_of(path, Place())
    losses = tuple(retyped(found.schema.columns, found.types))
    texts = [(str(one.kind), one.text.partition(" becomes ")[2].replace("element", "item")) for one in losses]
    return texts[0] if texts else None


def parquet_loss(tmp_path, data_type):
    pq.write_table(pa.schema([("v", data_type)]).empty_table(), tmp_path / "t")
    return read(tmp_path / "t", parquet_columns)


def arrow_loss(tmp_path, data_type):
    with pa.ipc.new_file(tmp_path / "t", pa.schema([("v", data_type)])):
        pass
    return read(tmp_path / "t", arrow_columns)


def avro_loss(tmp_path, field_type):
    schema = {"type": "record", "name": "r", "fields": [{"name": "v", "type": ["null", field_type]}]}
    with (tmp_path / "t").open("wb") as file:
        fastavro.writer(file, schema, [])
    return read(tmp_path / "t", avro_columns)


def logical(kind, name):
    return {"type": kind, "logicalType": name}


ENUM = {"type": "enum", "name": "e", "symbols": ["a"]}
UUID = {"type": "fixed", "name": "u", "size": 16, "logicalType": "uuid"}
TYPES_IN_FILES = {
    "time in seconds or milliseconds": ([pa.time32("s"), pa.time32("ms")], [logical("int", "time-millis")]),
    "timestamp in seconds, milliseconds or nanoseconds": (
        [pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("ns")],
        [logical("long", f"local-timestamp-{unit}s") for unit in ("milli", "nano")],
    ),
    "instant in milliseconds or nanoseconds": (
        [pa.timestamp("ms", "UTC"), pa.timestamp("ns", "UTC")],
        [logical("long", f"timestamp-{unit}s") for unit in ("milli", "nano")],
    ),
    "int of 32 bits": ([pa.int32()], ["int"]),
    "float of 32 bits": ([pa.float32()], ["float"]),
    "float of 16 bits": ([pa.float16()], []),
    "date in milliseconds": ([pa.date64()], []),
    "dictionary, enum": ([pa.dictionary(pa.int32(), pa.string())], [ENUM]),
    "UUID of 16 bytes": ([pa.uuid()], [UUID]),
    "decimal256 of at most 38 digits": ([pa.decimal256(12, 2)], []),
    "list of fixed size": ([pa.list_(pa.int32(), 2)], []),
}
PAGE = (Path(__file__).parents[2] / "docs" / "convert.md").read_text(encoding="utf-8")


def test_what_reading_changes_is_what_the_page_says(tmp_path):
    rows = [line.strip("| ").split("|") for line in PAGE.partition("| in the file |")[2].splitlines() if "|" in line]
    said = {cells[0].strip(): [one.strip() for one in (*cells[1:], "")][:2] for cells in rows[2:]}
    assert list(said) == list(TYPES_IN_FILES)
    for name, (arrow, avro) in TYPES_IN_FILES.items():
        found = [arrow_loss(tmp_path, one) for one in arrow]
        # Parquet itself has no seconds, and keeps the types of Arrow beside its own.
        found += [parquet_loss(tmp_path, one) for one in arrow if one not in {pa.timestamp("s"), pa.date64()}]
        expected = None if said[name][0] == "\N{EN DASH}" else ("other_type", said[name][0])
        assert set(found) == {expected}, name
        expected = ("other_type", said[name][1]) if said[name][1] else None
        assert {avro_loss(tmp_path, one) for one in avro} == ({expected} if avro else set()), name


@pytest.mark.parametrize(
    "kept",
    [
        *(pa.int64(), pa.uint8(), pa.float64(), pa.bool_(), pa.date32(), pa.time64("us"), pa.binary(), pa.string()),
        *(pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.timestamp("us", "Europe/Berlin"), pa.decimal128(12, 2)),
        *(pa.large_string(), pa.string_view(), pa.large_binary(), pa.large_list(pa.large_string()), pa.null()),
        *(pa.list_(pa.int16()), pa.struct([("a", pa.int8())]), pa.map_(pa.string(), pa.float32())),
    ],
    ids=str,
)
def test_what_reading_does_not_change(tmp_path, kept):
    assert arrow_loss(tmp_path, kept) is None


def test_the_zone_of_instants_is_written_again(tmp_path):
    table = pa.table({"v": MOMENTS.cast(pa.timestamp("us")), "other": TEXTS})
    attributes = {"v": {"logical": "timestamptz", "zone": "Europe/Berlin"}}
    assert counted(PARQUET, table, attributes) == {}
    assert counted(AVRO, table, attributes) == {("v", "dropped_zone"): 3}
    with closing(PARQUET.open(tmp_path / "t", table.schema, attributes)) as writer:
        writer.write(table)
    assert pq.read_table(tmp_path / "t")["v"].equals(pa.chunked_array([BERLIN]))
