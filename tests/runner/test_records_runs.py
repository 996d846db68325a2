"""Issue 5: records directories as inputs and outputs of whole runs."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from tests.runner.data_folder import DataFolder

CASES = Path(__file__).parents[1] / "data/records/cases"


def copy(folder: DataFolder, case: str, name: str) -> None:
    """Put a directory that the real client wrote into in/files."""
    target = folder.root / "in/files" / name
    target.mkdir()
    for path in (CASES / case).iterdir():
        (target / path.name).write_bytes(path.read_bytes())


def zipped(case: str) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for path in (CASES / case).iterdir():
            archive.write(path, path.name)
    return sink.getvalue()


def read_zip(folder: DataFolder, name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(folder.root / "out/files" / name) as archive:
        return {entry: archive.read(entry) for entry in archive.namelist()}


def dataset(uuid, source, **more):
    return {"uuid": uuid, "tables": [{"source": source, **more}]}


def test_with_nothing_configured_a_records_directory_becomes_a_table(folder, run):
    copy(folder, "csv-two-files", "orders")
    outcome = run()
    assert outcome.done, outcome.err
    assert "orders: The directory was moved" in outcome.out
    assert folder.out_tables == ["orders"]
    assert len(folder.rows("orders")) == 35
    assert folder.columns("orders")[:3] == ["id", "i_null", "f"]


def test_a_directory_and_the_zip_of_it_give_the_same_rows_in_any_variant(folder, run):
    copy(folder, "bluelabs-plain", "one")
    folder.file("two.zip", zipped("bluelabs-plain"))
    outcome = run()
    assert outcome.done, outcome.err
    assert folder.rows("one") == folder.rows("two")


def test_several_at_once_each_with_its_own_options(folder, run):
    copy(folder, "csv-two-files", "a")
    copy(folder, "vertica-header-on", "b")
    hints = {"dateformat": "MM/DD/YY"}
    folder.configure(
        datasets=[dataset("a", "a", records={"hints": hints}), dataset("b", "b", columns={"id": "string"})],
        outputs=[{"dataset": "a"}, {"dataset": "b", "columns": ["id"]}],
    )
    outcome = run()
    assert outcome.done, outcome.err
    assert len(folder.rows("a")) == len(folder.rows("b")) == 35


@pytest.mark.parametrize("variant", ["bluelabs", "csv", "bigquery", "vertica"])
def test_what_is_written_is_read_again_with_its_types(folder, run, variant):
    copy(folder, "bluelabs-plain", "orders")
    records = {"variant": variant, "files": 3, "hints": {"datetimeformat": "YYYY-MM-DD HH24:MI:SS"}}
    records["hints"] |= {"datetimeformattz": "YYYY-MM-DD HH24:MI:SSOF", "dateformat": "YYYY-MM-DD"}
    folder.configure(
        datasets=[dataset("orders", "orders")],
        outputs=[{"dataset": "orders"}, {"dataset": "orders", "as": "file", "format": "records", "records": records}],
    )
    outcome = run()
    assert outcome.done, outcome.err
    files = read_zip(folder, "orders.zip")
    assert list(files)[-1] == "_manifest"
    manifest = json.loads(files["_manifest"])
    assert [len(files[entry["url"].rpartition("/")[2]]) for entry in manifest["entries"]] == [
        entry["meta"]["content_length"] for entry in manifest["entries"]
    ]
    assert len(manifest["entries"]) == 3
    schema = json.loads(files["_schema.json"])
    assert schema["fields"]["d"]["type"] == "date"
    assert schema["fields"]["t"]["type"] == "time"
    assert schema["fields"]["tz"]["type"] == "datetimetz"
    assert schema["fields"]["id"]["statistics"]["total_rows"] == 35
    before = folder.rows("orders")

    back = DataFolder(folder.root.parent / "back")
    back.file("orders.zip", (folder.root / "out/files/orders.zip").read_bytes())
    folder.root = back.root
    folder.configure()
    assert run().done
    assert sorted(map(repr, folder.rows("orders"))) == sorted(map(repr, before))


def test_a_directory_at_a_url_appears_with_the_outputs_and_must_be_empty(folder, run, refused, tmp_path):
    copy(folder, "bluelabs-plain", "orders")
    target = tmp_path / "export"
    output = {"dataset": "orders", "as": "file", "format": "records", "records": {"url": target.as_uri()}}
    folder.configure(datasets=[dataset("orders", "orders")], outputs=[output])
    outcome = run()
    assert outcome.done, outcome.err
    assert {path.name for path in target.iterdir()} == {
        "_format_delimited",
        "_manifest",
        "_schema",
        "_schema.json",
        "data001.csv.gz",
    }
    assert folder.out_files == ["orders.dataset.zip"]
    refused("records.target", "is not empty")


def test_a_run_that_fails_late_leaves_nothing_at_the_url(folder, refused, tmp_path):
    copy(folder, "bluelabs-plain", "orders")
    target = tmp_path / "new" / "export"
    outputs = [
        {"dataset": "orders", "as": "file", "format": "records", "records": {"url": target.as_uri()}},
        {"dataset": "orders", "as": "file", "format": "records", "name": "x.zip", "records": {"variant": "dumb"}},
    ]
    folder.configure(datasets=[dataset("orders", "orders")], outputs=outputs)
    refused("cell.unwritable", "column")
    assert not target.parent.exists()
    target.mkdir(parents=True)
    refused("cell.unwritable", "column")
    assert list(target.iterdir()) == []


def test_a_cell_that_does_not_fit_is_named_or_rejected(folder, run, refused):
    copy(folder, "bluelabs-plain", "orders")
    path = folder.root / "in/files/orders/data001.csv"
    lines = path.read_bytes().split(b"\n")
    lines[0] = b"x" + lines[0][1:]
    data = b"\n".join(lines)
    path.write_bytes(data)
    refused("cell.type", "column 'id'")
    folder.configure(
        datasets=[{**dataset("orders", "orders"), "on_bad_row": "reject"}], outputs=[{"dataset": "orders"}]
    )
    outcome = run()
    assert outcome.done, outcome.err
    assert len(folder.rows("orders")) == 34
    assert len(folder.rows("orders.rejected")) == 1
