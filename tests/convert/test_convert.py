"""Any format to any other, with real Spark."""

import contextlib
import datetime as dt
import json
import signal
from decimal import Decimal
from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component import clock
from component.convert.configuration import Options
from component.convert.convert import convert
from component.convert.places import source_of, target_of
from component.dataset.reading.reader import open_dataset, read_dataset
from component.errors import TablemillError, UserError
from component.report.messages.lines import KeepingHandler
from component.report.messages.log import Log
from component.report.messages.progress import SilentProgress
from component.runner.interrupts import SIGNALS
from component.store.local import LocalStore

pytestmark = pytest.mark.spark
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "name": pa.array(["a", 'ž,"\n', None]),
        "price": pa.array([Decimal("1.50"), None, Decimal("-0.01")], pa.decimal128(10, 2)),
        "share": pa.array([0.1, None, -2.5]),
        "on": pa.array([dt.date(2024, 2, 29), None, dt.date(1, 1, 1)]),
        "at": pa.array([dt.time(1, 2, 3, 4), None, dt.time(23, 59)], pa.time64("us")),
        "moment": pa.array([dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC), None, None], pa.timestamp("us", "UTC")),
        "naive": pa.array([dt.datetime(2024, 1, 1, 12), None, None], pa.timestamp("us")),  # noqa: DTZ001
        "yes": pa.array([True, None, False]),
    }
)


@pytest.fixture
def converted(engine, tmp_path):
    """Convert as the command does, on the Spark that is there."""

    def carry_out(source, target, *, overwrite=False, **options):
        found = source_of(str(tmp_path / source))
        slash = "/" if str(target).endswith("/") else ""
        kind = options.pop("kind", None)
        wanted = target_of(str(tmp_path / target) + slash, kind)
        log, progress = Log(KeepingHandler()), SilentProgress(clock.monotonic)
        start = lambda *_: contextlib.nullcontext(engine)  # noqa: E731
        return convert(found, wanted, Options(**options), log, progress, overwrite=overwrite, start=start)

    pq.write_table(ROWS, tmp_path / "rows.parquet")
    return carry_out


CHAINS = [
    ("avro", ["a.avro"], {}),
    ("arrow", ["a.arrow"], {}),
    ("records", ["dir/"], {"output": {"records": {"files": 2}}}),
    ("vertica", ["dir/"], {"output": {"records": {"variant": "vertica"}}}),
    ("zipped", ["dir.zip"], {}),
    ("records of Parquet", ["dir/"], {"output": {"records": {"format": "parquet"}}}),
    ("records of Avro", ["dir/"], {"output": {"records": {"format": "avro"}}}),
    ("everything", ["a.avro", "dir/", "a.arrow"], {}),
]


@pytest.mark.parametrize(("steps", "options"), [pytest.param(*case[1:], id=case[0]) for case in CHAINS])
def test_a_table_comes_back_equal_with_its_types(converted, tmp_path, steps, options):
    places = ["rows.parquet", *steps, "back.parquet"]
    for number, (source, target) in enumerate(pairwise(places)):
        converted(source, target, **(options if number == 0 else {}))
    back = pq.read_table(tmp_path / "back.parquet")
    assert back.schema.equals(ROWS.schema), back.schema
    assert back.equals(ROWS)


def test_a_dataset_as_target_and_as_source(converted, tmp_path):
    (tmp_path / "store").mkdir()
    from component.convert.places import To

    dataset = {"partition_on": ["id"], "secondary_indices": ["name"]}
    converted("rows.parquet", "store/rows", kind=To.DATASET, dataset=dataset)
    opened = open_dataset(LocalStore(tmp_path / "store"), "rows")
    assert sum(table.num_rows for table in read_dataset(opened)) == 3
    converted("store/rows", "back.parquet", output={"predicates": [[["id", ">", 1]]], "columns": ["name", "id"]})
    assert pq.read_table(tmp_path / "back.parquet").to_pydict() == {"name": ['ž,"\n', None], "id": [2, 3]}
    with pytest.raises(TablemillError) as caught:
        converted("rows.parquet", "store/rows", kind=To.DATASET, dataset=dataset)
    assert caught.value.code == "commit.refused"
    converted("rows.parquet", "store/rows", kind=To.DATASET, dataset={"mode": "append"})
    assert sum(t.num_rows for t in read_dataset(open_dataset(LocalStore(tmp_path / "store"), "rows"))) == 6


def test_json_lines_are_exact(converted, tmp_path):
    converted("rows.parquet", "a.jsonl")
    first, second, _ = (json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines())
    assert first == {
        "id": 1,
        "name": "a",
        "price": "1.50",
        "share": 0.1,
        "on": "2024-02-29",
        "at": "01:02:03.000004",
        "moment": "2024-01-01T12:00:00.000000Z",
        "naive": "2024-01-01T12:00:00.000000",
        "yes": True,
    }
    assert second["price"] is None


def test_any_file_is_a_source(converted, tmp_path):
    (tmp_path / "a.json").write_text('{"rows": [{"n": 1, "t": "x"}, {"n": 2.5}]}')
    converted("a.json", "a.csv")
    assert (tmp_path / "a.csv").read_text() == '"n","t"\n"1","x"\n"2.5",\n'


def test_a_file_that_is_there_stays_unless_it_may_be_replaced(converted, tmp_path):
    (tmp_path / "a.csv").write_text("mine")
    with pytest.raises(UserError) as caught:
        converted("rows.parquet", "a.csv")
    assert caught.value.code == "output.exists"
    assert (tmp_path / "a.csv").read_text() == "mine"
    converted("rows.parquet", "a.csv", overwrite=True)
    assert (tmp_path / "a.csv").read_text().startswith('"id"')


def test_a_records_directory_is_not_written_over_anything(converted, tmp_path):
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir/.hidden").touch()
    with pytest.raises(UserError) as caught:
        converted("rows.parquet", "dir/")
    assert caught.value.code == "records.target"
    assert [path.name for path in (tmp_path / "dir").iterdir()] == [".hidden"]


def test_a_value_that_a_dialect_cannot_carry_leaves_nothing(converted, tmp_path):
    with pytest.raises(UserError) as caught:
        converted("rows.parquet", "dir/", output={"records": {"variant": "dumb"}})
    assert (caught.value.code, caught.value.place.column) == ("cell.unwritable", "name")
    assert not (tmp_path / "dir").exists()


def test_signals_are_those_of_the_caller_afterwards(converted):
    before = [signal.getsignal(one) for one in SIGNALS]
    converted("rows.parquet", "a.avro")
    assert [signal.getsignal(one) for one in SIGNALS] == before


def test_the_summary_says_what_was_converted_and_nothing_in_between(converted, tmp_path):
    summary = converted("rows.parquet", "a.avro")
    assert summary.datasets == ()
    assert [(one.name, one.rows, one.destination) for one in summary.outputs] == [
        ("rows.parquet", 3, str(tmp_path / "a.avro"))
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.avro", "rows.parquet"]
