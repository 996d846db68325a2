"""Runs of a folder as a person has it, and of tables without manifests."""

from __future__ import annotations

import gzip
import json
import os
import shutil

import pytest

from component.dataset.reading.reader import open_dataset
from component.store.local import LocalStore

R_DATA = '"","mpg","gear","day"\n"Mazda RX4",21,NA,2012/01/31\n"Datsun 710",22.46,4,2012/12/01\n'


@pytest.fixture
def lying(folder):
    """The folder of runs without in/ and configuration."""
    shutil.rmtree(folder.root)
    folder.root.mkdir()
    return folder


def test_files_lying_in_a_folder_become_typed_datasets_and_plain_tables(lying, run):
    (lying.root / "cars.csv").write_text(R_DATA)
    (lying.root / "n.json").write_text('[{"a": 1}, {"a": 2}]')
    (lying.root / "notes.md").write_text("no table")
    outcome = run()
    assert outcome.done, outcome
    for said in (
        "'notes.md' (neither name nor content",
        "it is called 'index'",
        "types found: mpg numeric(38,2), gear integer (NA is null), day date",
        f"Results are in {lying.root / 'out'}.",
    ):
        assert said in outcome.out
    assert (lying.root / "out/tables/cars.csv").read_text() == (
        '"index","mpg","gear","day"\n"Mazda RX4","21",,"2012-01-31"\n"Datsun 710","22.46","4","2012-12-01"\n'
    )
    stored = open_dataset(LocalStore(lying.root / "out/datasets"), "cars")
    types = {field.name: str(field.type) for field in stored.schema}
    assert types == {"index": "string", "mpg": "decimal128(38, 2)", "gear": "int64", "day": "date32[day]"}


def test_the_cell_that_keeps_a_column_text_is_named(lying, run):
    (lying.root / "t.csv").write_text("n\n1\n2\nthree\n4\n")
    outcome = run()
    assert outcome.done, outcome
    assert "stays text, since a cell is no integer (table 't.csv', row 3, column 'n', value 'three')" in outcome.out


def test_inferred_rows_join_a_dataset_in_its_types(lying, run):
    dataset = {"uuid": "t", "tables": [{"source": "t.csv"}], "mode": "append"}
    (lying.root / "config.json").write_text(json.dumps({"parameters": {"store": {"url": "s"}, "datasets": [dataset]}}))
    (lying.root / "t.csv").write_text("price,code\n1.25,x\n")
    assert run().done
    (lying.root / "t.csv").write_text("price,code\n2.5,7\n")
    outcome = run()
    assert outcome.done, outcome
    found = open_dataset(LocalStore(lying.root / "s"), "t").schema
    assert [str(found.field(name).type) for name in ("price", "code")] == ["decimal128(38, 2)", "string"]


def test_a_second_run_leaves_no_table_of_the_first_but_what_a_person_put_there(lying, run):
    (lying.root / "a.csv").write_text("n\n1\n")
    (lying.root / "b.csv").write_text("n\n2\n")
    assert run().done
    (lying.root / "out/files/mine.csv").write_text("x")
    (lying.root / "a.csv").unlink()
    assert run().done
    assert sorted(path.name for path in (lying.root / "out/tables").iterdir()) == ["b.csv", "b.csv.manifest"]
    assert (lying.root / "out/files/mine.csv").exists()
    shutil.copy(lying.root / "b.csv", lying.root / "c.csv")
    assert run({"KBC_RUNID": "1"}).done  # the platform empties out/ by itself
    assert len(list((lying.root / "out/tables").iterdir())) == 4


def test_all_damaged_files_are_named_at_once_whatever_step_finds_them(lying, run):
    (lying.root / "good.csv").write_text("a,b\n1,x\n2,y\n")
    (lying.root / "cut.parquet").write_bytes(b"PAR1 and no end")
    (lying.root / "cut.csv.gz").write_bytes(gzip.compress(f"a,b\n{'1,x' * 999}\n".encode() + os.urandom(999))[:-300])
    rows = "1,x\n" * 20_000  # more than is looked at before the run
    (lying.root / "open.csv").write_text(f'a,b\n{rows}1,"x\n')
    (lying.root / "long.csv").write_text(f"a,b\n{rows}1,2,3\n")
    outcome = run(as_json=True)
    assert outcome.code == 1
    error = json.loads(outcome.out)["error"]
    assert [(one["code"], one["place"]["table"]) for one in error["errors"]] == [
        ("gzip.truncated", "cut.csv.gz"),
        ("source.format", "cut.parquet"),
        ("row.cells", "long.csv"),
        ("csv.unclosed_quote", "open.csv"),
    ]
    assert all(one["remedy"] and one["text"] for one in error["errors"])
    assert outcome.err.startswith("4 inputs cannot be read. (1) gzip.truncated: The gzip file ends early or is damaged")
    assert "Correct the row, or set on_bad_row to reject. (4) csv.unclosed_quote: " in outcome.err
    assert not list((lying.root / "out/datasets").rglob("*.parquet"))


def test_files_that_cannot_be_read_are_named_at_once_where_datasets_are_configured_too(lying, run):
    names = ["a.parquet", "b.parquet"]
    for name in names:
        (lying.root / name).write_bytes(b"PAR1 and no end")
    datasets = [{"uuid": name[0], "tables": [{"source": name}]} for name in names]
    (lying.root / "config.json").write_text(json.dumps({"parameters": {"datasets": datasets}}))
    outcome = run()
    assert outcome.code == 1
    assert outcome.err.startswith("2 inputs cannot be read. (1) ")
    assert all(f"table '{name}'" in outcome.err for name in names)
