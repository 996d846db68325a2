"""`make run`: the main job on data-sample by the real command, and the runs after it."""

import csv
import io
import json
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.runner.conftest import finish, start_command
from tests.runner.data_folder import DataFolder, snapshot, unpacked

SAMPLE = Path(__file__).parents[2] / "data-sample"
ROWS = {"flights": 336_776, "weather": 26_115, "airports": 1_458, "planes": 3_322, "airlines": 16, "holidays": 10}
DELAYED = 11_215


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample after one run, and what was printed."""
    root = tmp_path_factory.mktemp("sample")
    shutil.copytree(SAMPLE, root / "data", ignore=lambda path, _: ["out"] if path == str(SAMPLE) else [])
    outcome = finish(start_command(root / "data", root))
    assert outcome.code == 0, outcome
    return DataFolder.existing(root / "data"), outcome


@pytest.fixture
def folder(sample, tmp_path):
    """A copy of the sample as the platform gives it to the next run."""
    shutil.copytree(sample[0].root, tmp_path / "data")
    copy = DataFolder.existing(tmp_path / "data")
    copy.next_run()
    return copy


def source_rows(name):
    path = SAMPLE / "in" / "tables" / f"{name}.csv"
    parts = sorted(path.iterdir()) if path.is_dir() else [path]
    return [row for part in parts for row in csv.reader(io.StringIO(unpacked(part).decode(), newline=""))]


def test_nothing_is_on_stderr_and_every_number_is_in_the_summary(sample):
    _, outcome = sample
    assert outcome.err == ""
    for uuid, rows in ROWS.items():
        assert f"dataset {uuid} (overwrite): {rows:,} rows in, {rows:,} written, 0 rejected;" in outcome.out
    assert "12 partitions" in outcome.out
    assert "indices: carrier (16 values), tailnum (4,043 values); in out/files/flights.dataset.zip" in outcome.out
    assert f"output delayed_flights: {DELAYED:,} rows, 1 slice" in outcome.out
    assert "to out.c-nycflights.delayed_flights (manifest)" in outcome.out


def test_the_delayed_flights_are_those_that_plain_python_finds(sample):
    folder, _ = sample
    columns = json.loads((SAMPLE / "in" / "tables" / "flights.csv.manifest").read_bytes())["columns"]
    wanted = folder.columns("delayed_flights")
    at = {name: columns.index(name) for name in columns}
    expected = Counter(
        tuple(row[at[name]] for name in wanted)
        for row in source_rows("flights")
        if row[at["arr_delay"]] and int(row[at["arr_delay"]]) >= 60
        if row[at["carrier"]] in {"AA", "DL", "UA"}
        or (row[at["carrier"]] == "B6" and row[at["month"]] in {"6", "7", "8"})
    )
    found = Counter(
        tuple((cell or "").removesuffix(".000000") for cell in row) for row in folder.rows("delayed_flights")
    )
    assert sum(found.values()) == DELAYED
    assert found == expected


@pytest.mark.parametrize("name", ["airlines", "planes", "airports", "weather"])
def test_whole_tables_come_back_with_every_cell(sample, name):
    folder, _ = sample
    header, *rows = source_rows(name)
    assert folder.columns(name) == header
    assert Counter(map(same, folder.rows(name))) == Counter(map(same, rows))


def same(row):
    """A row whose cells can be compared: numbers by value, timestamps without the fractions that are zero."""
    return tuple(value_of(cell) for cell in row)


def value_of(cell):
    try:
        return float(cell or "nan") if cell else ""
    except ValueError:
        return (cell or "").removesuffix(".000000")


def test_files_manifests_and_state_are_there(sample):
    folder, _ = sample
    assert folder.out_files == sorted([*(f"{uuid}.dataset.zip" for uuid in ROWS), "holidays.parquet"])
    manifest = folder.manifest("delayed_flights")
    assert manifest["incremental"] is True
    assert manifest["primary_key"] == ["time_hour", "carrier", "flight"]
    assert folder.state["tablemill"]["datasets"]["flights"]["rows"] == ROWS["flights"]
    days = pq.read_table(folder.root / "out" / "files" / "holidays.parquet")
    assert days.num_rows == ROWS["holidays"]
    assert str(days.schema.field("date").type) == "date32[day]"


def test_a_second_run_is_the_same_again(sample, folder, run):
    first, _ = sample
    assert run().done
    assert sorted(folder.rows("delayed_flights")) == sorted(first.rows("delayed_flights"))
    assert folder.out_files == first.out_files
    assert folder.header("flights")["metadata"]["tablemill"]["parent"] is not None


def test_an_append_doubles_what_is_there(folder, run):
    config = json.loads((folder.root / "config.json").read_bytes())
    for dataset in config["parameters"]["datasets"]:
        dataset["mode"] = "append"
    folder.config(config)
    assert run().done
    assert len(folder.rows("delayed_flights")) == 2 * DELAYED
    assert len(folder.rows("airlines")) == 2 * ROWS["airlines"]


def test_a_directory_as_store_keeps_the_datasets(folder, run):
    config = json.loads((folder.root / "config.json").read_bytes())
    config["parameters"]["store"] = {"url": folder.store.as_uri()}
    folder.config(config)
    before = snapshot(folder.root / "in")
    assert run().done
    assert folder.out_files == ["holidays.parquet"]
    assert len(folder.rows("delayed_flights")) == DELAYED
    assert snapshot(folder.root / "in") == before
    assert {path.name.split(".")[0] for path in folder.store.glob("*.by-dataset-metadata.*")} == set(ROWS)
