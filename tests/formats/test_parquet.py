from __future__ import annotations

import datetime as dt
import pickle
import subprocess
import sys
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.formats.columns import described_columns
from component.formats.parquet import ParquetReader, ParquetSplit, ParquetWriting, parquet_schema, parquet_splits
from component.tables.logical import Logical, logical_of
from component.tables.types import Column, NullRule, TableSchema, TypeName
from tests.strategies.csv_text import one_file

PLACE = Place(table="t", slice="s")


def written(path: Path, table: pa.Table, **options: Any) -> Path:
    pq.write_table(table, path, **options)
    return path


def read(path: Path, schema: TableSchema | None = None, *, split_bytes: int = 1 << 20) -> list[dict[str, Any]]:
    schema = schema or parquet_schema(path, PLACE)
    parsed = [
        one
        for split in parquet_splits(path, PLACE, split_bytes=split_bytes)
        for one in ParquetReader(schema).read(split)
    ]
    assert all(one.rows.schema.equals(schema.arrow) for one in parsed)
    assert all(one.records == one.rows.num_rows and one.bad == () for one in parsed)
    return [row for one in parsed for row in one.rows.to_pylist()]


def error_of(path: Path, schema: TableSchema | None = None) -> UserError:
    with pytest.raises(UserError) as caught:
        read(path, schema)
    assert (caught.value.place.table, caught.value.place.slice) == ("t", "s")
    return caught.value


MOMENT = dt.datetime(2024, 2, 29, 10, 30, 15)  # noqa: DTZ001 - timestamps of tables have no zone
TYPED = {
    "int8": (pa.array([1, None], pa.int8()), 1),
    "uint32": (pa.array([2**32 - 1, None], pa.uint32()), 2**32 - 1),
    "uint64": (pa.array([2**64 - 1, None], pa.uint64()), Decimal(2**64 - 1)),
    "half": (pa.array([np.float16(1.5), None], pa.float16()), 1.5),
    "float": (pa.array([0.5, None], pa.float32()), 0.5),
    "decimal": (pa.array([Decimal("1.25"), None], pa.decimal128(5, 2)), Decimal("1.25")),
    "small decimal": (pa.array([Decimal("1.25"), None], pa.decimal32(5, 2)), Decimal("1.25")),
    "wide decimal": (pa.array([Decimal("1.25"), None], pa.decimal256(38, 2)), Decimal("1.25")),
    "bool": (pa.array([True, None]), True),
    "date": (pa.array([dt.date(2024, 2, 29), None], pa.date32()), dt.date(2024, 2, 29)),
    "date64": (pa.array([dt.date(2024, 2, 29), None], pa.date64()), dt.date(2024, 2, 29)),
    "seconds": (pa.array([MOMENT, None], pa.timestamp("s")), MOMENT),
    "nanoseconds": (pa.array([MOMENT, None], pa.timestamp("ns")), MOMENT),
    "zoned": (pa.array([MOMENT, None], pa.timestamp("ms", "Europe/Prague")), MOMENT),
    "text": (pa.array(["ž", None]), "ž"),
    "large text": (pa.array(["ž", None], pa.large_string()), "ž"),
    "view": (pa.array(["ž", None], pa.string_view()), "ž"),
    "dictionary": (pa.array(["ž", None]).dictionary_encode(), "ž"),
    "nothing": (pa.nulls(2), None),
}


@pytest.mark.parametrize(("values", "expected"), TYPED.values(), ids=TYPED)
def test_a_column_is_read_as_the_type_of_the_file_or_the_wider_one(tmp_path, values, expected):
    path = written(tmp_path / "t.parquet", pa.table({"c": values}))
    assert read(path) == [{"c": expected}, {"c": None}]


def test_columns_are_found_by_name_and_the_others_left_out(tmp_path):
    path = written(tmp_path / "t.parquet", pa.table({"a": [1], "a.b": ["x"], "b": [2.5], "ž ": [True]}))
    assert read(path) == [{"a": 1, "a.b": "x", "b": 2.5, "ž ": True}]
    schema = TableSchema((Column("ž ", TypeName.BOOLEAN), Column("a.b"), Column("a", TypeName.INTEGER)))
    assert read(path, schema) == [{"ž ": True, "a.b": "x", "a": 1}]


CONFIGURED: dict[str, tuple[Any, Column, Any]] = {
    "text as date": (["2024-02-29", ""], Column("c", TypeName.DATE), [dt.date(2024, 2, 29), None]),
    "text as numeric": (["1.50", None], Column("c", TypeName.NUMERIC, "5,2"), [Decimal("1.50"), None]),
    "text with formats": (["29.2.2024"], Column("c", TypeName.DATE, formats=("%d.%m.%Y",)), [dt.date(2024, 2, 29)]),
    "integer as text": ([1, None], Column("c"), ["1", None]),
    "integer as numeric": ([1, None], Column("c", TypeName.NUMERIC, "3,2"), [Decimal(1), None]),
    "float as integer": ([1.0, None], Column("c", TypeName.INTEGER), [1, None]),
    "integer as float": ([1, None], Column("c", TypeName.FLOAT), [1.0, None]),
    "longer numeric": (pa.array([Decimal(4)], pa.decimal128(30, 0)), Column("c", TypeName.NUMERIC), [Decimal(4)]),
}


@pytest.mark.parametrize(("values", "column", "expected"), CONFIGURED.values(), ids=CONFIGURED)
def test_a_configured_type_is_cast_to(tmp_path, values, column, expected):
    path = written(tmp_path / "t.parquet", pa.table({"c": values}))
    assert [row["c"] for row in read(path, TableSchema((column,)))] == expected


MISFITS: dict[str, tuple[Any, Column]] = {
    "fraction": ([1.5], Column("c", TypeName.INTEGER)),
    "text": (["x"], Column("c", TypeName.INTEGER)),
    "null where the rule says never": (["1", ""], Column("c", TypeName.INTEGER, null_rule=NullRule.NEVER)),
    "too many digits": ([Decimal("1000.5")], Column("c", TypeName.NUMERIC, "4,2")),
    "digits that would wrap": (
        pa.array([Decimal(4 * 10**29)], pa.decimal128(30, 0)),
        Column("c", TypeName.NUMERIC),
    ),
    "year 0": (pa.array([-719_163], pa.int32()).cast(pa.date32()), Column("c", TypeName.DATE)),
    "year 10000": (pa.array([253_402_300_800], pa.timestamp("s")), Column("c", TypeName.TIMESTAMP)),
    "another kind": ([True], Column("c", TypeName.DATE)),
}


@pytest.mark.parametrize(("values", "column"), MISFITS.values(), ids=MISFITS)
def test_what_does_not_fit_names_its_column(tmp_path, values, column):
    path = written(tmp_path / "t.parquet", pa.table({"c": values}))
    error = error_of(path, TableSchema((column,)))
    assert (error.code, error.place.column) == ("cell.type", "c")
    assert error.text.startswith(f"A cell does not fit the type {column.type.value}")
    assert error.remedy


@one_file
@given(st.integers(0, 60), st.integers(1, 20), st.integers(1, 3000))
def test_splits_cover_all_row_groups_once_and_in_order(tmp_path, rows, group_rows, split_bytes):
    table = pa.table({"n": pa.array(range(rows), pa.int64())})
    path = written(tmp_path / "t.parquet", table, row_group_size=group_rows)
    splits = parquet_splits(path, PLACE, split_bytes=split_bytes)
    groups = pq.ParquetFile(path).metadata.num_row_groups
    assert [number for split in splits for number in range(split.first, split.stop)] == list(range(groups))
    assert [row["n"] for row in read(path, split_bytes=split_bytes)] == list(range(rows))
    assert all(split.place == PLACE and split.size > 0 for split in splits if rows)


def test_larger_splits_hold_more_row_groups(tmp_path):
    path = written(tmp_path / "t.parquet", pa.table({"n": range(10_000)}), row_group_size=100)
    assert len(parquet_splits(path, PLACE, split_bytes=1)) == 100
    assert 1 < len(parquet_splits(path, PLACE, split_bytes=40_000)) < 20
    assert len(parquet_splits(path, PLACE, split_bytes=10**9)) == 1


@pytest.mark.parametrize("columns", [{}, {"a": pa.array([], pa.string())}], ids=["no columns", "no rows"])
def test_a_file_without_rows_gives_none(tmp_path, columns):
    path = written(tmp_path / "t.parquet", pa.table(columns))
    assert parquet_schema(path, PLACE).names == tuple(columns)
    assert read(path) == []


def test_a_file_that_is_no_parquet_is_an_error(tmp_path):
    path = tmp_path / "t.parquet"
    for data in (b"", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1", b"id,name\n1,2\n"):
        path.write_bytes(data)
        with pytest.raises(UserError) as caught:
            parquet_schema(path, PLACE)
        assert caught.value.code == "source.format"
        assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    assert error_of(tmp_path / "gone.parquet").code == "source.format"


def test_a_damaged_page_is_an_error_while_rows_are_read(tmp_path):
    path = written(
        tmp_path / "t.parquet", pa.table({"n": np.random.default_rng(1).random(100_000)}), compression="zstd"
    )
    data = bytearray(path.read_bytes())
    data[1_000 : len(data) // 2] = b"\xff" * (len(data) // 2 - 1_000)
    path.write_bytes(data)
    assert parquet_schema(path, PLACE).names == ("n",)
    assert error_of(path).code == "source.format"


def test_a_column_that_is_not_in_the_file_is_named(tmp_path):
    path = written(tmp_path / "t.parquet", pa.table({"a": [1]}))
    error = error_of(path, TableSchema((Column("a", TypeName.INTEGER), Column("b"))))
    assert (error.code, error.place.column) == ("column.missing", "b")


def test_a_column_that_is_there_twice_is_named(tmp_path):
    path = written(tmp_path / "t.parquet", pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(UserError) as caught:
        parquet_schema(path, PLACE)
    assert (caught.value.code, caught.value.place.column) == ("column.duplicate", "a")


@pytest.mark.parametrize(
    "values",
    [pa.array([b"x"]), pa.array([[1]]), pa.array([{"a": 1}]), pa.array([1], pa.duration("us"))],
    ids=lambda values: str(values.type),
)
def test_a_type_without_text_form_passes_through(tmp_path, values):
    rows = pa.table({"c": values})
    path = written(tmp_path / "t.parquet", rows)
    schema = parquet_schema(path, PLACE)
    assert [column.type for column in schema.columns] == [TypeName.OTHER]
    assert [row["c"] for row in read(path)] == values.to_pylist()
    with closing(ParquetWriting().open(tmp_path / "o", rows.schema, {})) as writer:
        writer.write(rows)
    assert pq.read_table(tmp_path / "o").equals(rows)
    with pytest.raises(UserError) as caught:  # a writer of text
        described_columns(rows.schema, {})
    assert (caught.value.code, caught.value.place.column) == ("column.type", "c")


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (pa.array([1], pa.time32("s")), Logical.TIME, "00:00:01"),
        (pa.array([1000], pa.time64("ns")), Logical.TIME, "00:00:00.000001"),
        (pa.array([MOMENT], pa.timestamp("ms", "UTC")), Logical.TIMESTAMPTZ, MOMENT),
        (pa.array([MOMENT], pa.timestamp("ns", "Asia/Tokyo")), Logical.TIMESTAMPTZ, MOMENT),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_times_and_instants_are_kept_with_what_they_are(tmp_path, values, kind, expected):
    path = written(tmp_path / "t.parquet", pa.table({"c": values}))
    assert logical_of(parquet_schema(path, PLACE).column("c")) is kind
    assert read(path) == [{"c": expected}]


@pytest.mark.parametrize("data_type", [pa.timestamp("ns"), pa.time64("ns")], ids=str)
def test_nanoseconds_that_would_be_lost_name_their_column(tmp_path, data_type):
    error = error_of(written(tmp_path / "t.parquet", pa.table({"c": pa.array([1], data_type)})))
    assert (error.code, error.place.column) == ("cell.type", "c")
    assert "microseconds" in error.text


def test_a_large_row_group_is_not_held_as_a_whole(tmp_path):
    columns = {f"c{number}": np.random.default_rng(number).random(1_500_000) for number in range(8)}
    path = written(tmp_path / "t.parquet", pa.table(columns), row_group_size=1_500_000)
    script = (
        "import sys; from pathlib import Path; import pyarrow as pa; from component.errors import Place\n"
        "from component.formats.parquet import *\n"
        "path, place = Path(sys.argv[1]), Place()\n"
        "[split] = parquet_splits(path, place, split_bytes=1)\n"
        "rows = sum(one.records for one in ParquetReader(parquet_schema(path, place)).read(split))\n"
        "print(rows, pa.default_memory_pool().max_memory() // 2**20)\n"
    )
    said = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True).stdout
    rows, megabytes = map(int, said.split())
    assert rows == 1_500_000
    assert megabytes < 60 < path.stat().st_size // 2**20


def test_a_split_travels():
    split = ParquetSplit("t", "s", Path("t.parquet"), 0, 2, 10)
    assert pickle.loads(pickle.dumps(split)) == split


@pytest.mark.parametrize("part", [0.2, 0.9])
def test_a_truncated_file_is_called_that(tmp_path, part):
    whole = written(tmp_path / "t.parquet", pa.table({"a": list(range(1000))})).read_bytes()
    (tmp_path / "t.parquet").write_bytes(whole[: int(len(whole) * part)])
    error = error_of(tmp_path / "t.parquet", TableSchema((Column("a", TypeName.INTEGER),)))
    assert (error.code, error.text) == ("source.format", "The Parquet file is truncated: its end is missing")
