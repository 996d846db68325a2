"""A run with columns that no table of text has: from Parquet into a dataset, and out again."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tablemill
from component.check.folder import check_folder

ROWS = pa.table(
    {
        "k": [1, 2],
        "u": pa.array([2**63, None], pa.uint64()),
        "f": pa.array([0.5, None], pa.float32()),
        "b": [b"x\xff", None],
        "l": pa.array([[1, None], None], pa.list_(pa.int32())),
        "s": [{"a": 1, "b": "x"}, None],
        "t": [dt.time(1, 2, 3), None],
        "z": pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.UTC), None], pa.timestamp("us", "Europe/Prague")),
    }
)


def parquet(folder, name="x.parquet"):
    sink = pa.BufferOutputStream()
    pq.write_table(ROWS, sink)
    folder.file(name, sink.getvalue().to_pybytes())


def values(rows):
    return sorted(rows.drop_columns(["z"]).to_pylist(), key=str), rows["z"].cast(pa.timestamp("us")).to_pylist()


def test_what_python_wrote_a_run_appends_to_and_writes_out(folder, run):
    store = folder.store
    dataset = tablemill.create(f"{store.as_uri()}/d", ROWS, primary_key=["k"])
    parquet(folder)
    outputs = [
        {"dataset": "d", "as": "file", "format": "parquet", "name": "o.parquet"},
        {"dataset": "d", "name": "o", "columns": ["k", "u", "f", "t", "z"], "slices": False},
    ]
    datasets = [{"uuid": "d", "mode": "append", "tables": [{"source": "x.parquet"}]}]
    folder.file_store(datasets=datasets, outputs=outputs)
    assert run().code == 0
    dataset.refresh()
    assert dataset.primary_key == ("k",)  # it is not lost by an append that does not name it
    assert dataset.schema == ROWS.schema.set(2, pa.field("f", pa.float64())).set(4, pa.field("l", pa.list_(pa.int64())))
    assert values(dataset.read()) == values(pa.concat_tables([ROWS, ROWS]))
    assert values(pq.read_table(folder.root / "out/files/o.parquet")) == values(pa.concat_tables([ROWS, ROWS]))
    lines = (folder.root / "out/tables/o").read_text().splitlines()
    assert sorted(set(lines[1:])) == [
        '"1","9223372036854775808","0.5","01:02:03","2020-01-01 00:00:00.000000"',
        '"2",,,,',
    ]


def test_an_output_table_of_such_a_column_is_refused_before_any_work(folder, run):
    parquet(folder)
    datasets = [{"uuid": "d", "tables": [{"source": "x.parquet"}]}]
    folder.file_store(datasets=datasets, outputs=[{"dataset": "d", "name": "o"}])
    outcome = run()
    assert outcome.code == 1
    assert "The type binary has no form in a table" in outcome.err
    assert "column 'b'" in outcome.err


@pytest.mark.parametrize("kind", ["jsonl", "csv", "avro", "records"])
@pytest.mark.parametrize("there", [False, True])
def test_a_file_that_cannot_hold_such_a_column_is_refused_before_any_work(folder, run, kind, there):
    rows = ROWS.select(["k", "l"])
    if there:
        tablemill.create(f"{folder.store.as_uri()}/d", rows)
        folder.file_store(outputs=[{"dataset": "d", "as": "file", "format": kind, "name": "o"}])
    else:
        sink = pa.BufferOutputStream()
        pq.write_table(rows, sink)
        folder.file("x.parquet", sink.getvalue().to_pybytes())
        datasets = [{"uuid": "d", "tables": [{"source": "x.parquet"}]}]
        folder.file_store(datasets=datasets, outputs=[{"dataset": "d", "as": "file", "format": kind, "name": "o"}])
    text = "has no form in a table"
    assert [(one.code, one.place) for one in check_folder({}, folder.root).findings if text in one.text] == [
        ("column.type", "parameters.outputs[0]")
    ]
    outcome = run()
    assert outcome.code == 1
    assert text in outcome.err
    assert "column 'l'" in outcome.err
    assert "mill:" not in outcome.out
