import datetime as dt

import pyarrow as pa
import pytest

from component import naming
from component.dataset.changes.arrow_rows import given_rows
from component.errors import UserError
from component.tables.types import TypeName

ROWS = pa.table({"a": [1, 2], "b": ["x", None]})


def code_of(call):
    with pytest.raises(UserError) as caught:
        call()
    return caught.value.code


def read(rows, existing=None):
    given = given_rows(rows, "sales")
    given = given if existing is None else given.towards(existing)
    return pa.concat_tables([given.schema.arrow.empty_table(), *given.tables()])


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        ROWS.to_reader(),
        ROWS.to_batches()[0],
        [ROWS.slice(0, 1), ROWS.slice(1, 1)],
        (batch for batch in ROWS.to_batches(max_chunksize=1)),
        [ROWS.to_reader()],
    ],
    ids=["table", "reader", "batch", "tables", "generator", "readers"],
)
def test_whatever_arrow_reads_is_rows(rows):
    assert read(rows).equals(ROWS)


def test_frames_are_rows():
    import duckdb
    import pandas as pd

    views = ROWS.set_column(1, "b", ROWS["b"].cast(pa.string_view()))  # as polars has text
    assert read(views).equals(ROWS)
    assert read(pd.DataFrame({"a": [1, 2], "b": ["x", None]})).equals(ROWS)
    narrow = ROWS.set_column(0, "a", ROWS["a"].cast(pa.int32()))
    assert read(duckdb.sql("select * from (values (1, 'x'), (2, null)) as t(a, b)")).equals(narrow)


def test_types_stay_what_they_are_as_far_as_parquet_has_them():
    moment = dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)
    rows = pa.table(
        {
            "i": pa.array([1], pa.int8()),
            "w": pa.array(["x"]).dictionary_encode(),
            "t": pa.array([dt.time(12, 30)], pa.time64("us")),
            "z": pa.array([moment], pa.timestamp("ns", "UTC")),
            "f": pa.array([1.5], pa.float32()),
            "n": pa.nulls(1),
        }
    )
    found = read(rows)
    assert [str(kind) for kind in found.schema.types] == [
        "int8",
        "string",
        "time64[us]",
        "timestamp[us, tz=UTC]",
        "float",
        "string",
    ]
    assert found.to_pylist() == rows.to_pylist()


def test_rows_in_several_parts_have_room_for_wider_numbers():
    parts = [pa.table({"a": pa.array([1], pa.int8())}), pa.table({"a": [2**40]})]
    assert read(parts)["a"].to_pylist() == [1, 2**40]


def test_rows_go_into_wider_columns_of_a_dataset_and_no_others():
    existing = pa.schema([("a", pa.decimal128(12, 2)), ("b", pa.int64()), ("c", pa.timestamp("us")), ("d", pa.int64())])
    rows = pa.table({"a": [1], "b": pa.nulls(1), "c": [dt.date(2024, 1, 1)], "d": ["7"]})
    given = given_rows(rows, "sales").towards(existing)
    assert [column.type for column in given.schema.columns] == [
        TypeName.NUMERIC,
        TypeName.INTEGER,
        TypeName.TIMESTAMP,
        TypeName.STRING,
    ]


def test_what_holds_no_rows_is_named():
    for rows in (None, 1, "text", {"a": [1]}, [1], []):
        assert code_of(lambda rows=rows: given_rows(rows, "sales")) == "source.format"
    interval = pa.schema([("a", pa.month_day_nano_interval())]).empty_table()
    assert code_of(lambda: given_rows(interval, "sales")) == "column.type"
    assert code_of(lambda: given_rows(pa.table([[1], [2]], names=["a", "a"]), "sales")) == "column.duplicate"


def test_tables_that_do_not_agree_are_refused():
    assert code_of(lambda: read([ROWS, ROWS.drop_columns(["a"])])) == "dataset.schema"
    assert code_of(lambda: read([ROWS, pa.table({"a": ["1"], "b": ["x"]})])) == "dataset.schema"
    assert code_of(lambda: read([ROWS, pa.table({"a": [1.5], "b": ["x"]})])) == "cell.type"
    assert read([ROWS, pa.table({"b": ["x"], "a": [1]})]).num_rows == 3


def test_blocks_are_bounded_however_large_the_batches(monkeypatch):
    monkeypatch.setattr(naming, "BLOCK_BYTES", 1000)
    rows = pa.table({"a": list(range(1000))})
    for given in (rows, rows.to_batches(max_chunksize=7)):
        blocks = list(given_rows(given, "sales").tables())
        assert pa.concat_tables(blocks).equals(rows)
        assert all(block.nbytes <= 1000 for block in blocks)
        assert len(blocks) < 20
