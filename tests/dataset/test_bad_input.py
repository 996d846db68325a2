"""Datasets and rows that cannot be right are refused with a code and a remedy, and the store is then what it was.

Through the functions that read and change datasets; runs are in tests/runner/test_bad_datasets.py.
"""

import datetime as dt
import json

import pyarrow as pa
import pytest

from component.dataset.changes.operations import (
    replace_partitions,
)
from component.dataset.format.header import read_header
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from tests.dataset.changes import HEADER, OPERATIONS, ROWS, add, make, refused, two_commits
from tests.dataset.making import bag, read_all, write_dataset


@pytest.fixture
def store(tmp_path):
    return two_commits(tmp_path / "store")


# --- headers ---


def _cut(text):
    return text[: len(text) // 2]


def _with(**changed):
    return lambda text: json.dumps({**json.loads(text), **changed})


HEADERS = {
    "truncated": (_cut, "cannot be decoded"),
    "empty": (lambda _: "", "cannot be decoded"),
    "of version 3": (_with(dataset_metadata_version=3), "version is 3, not 4"),
    "of another dataset": (_with(dataset_uuid="other"), "names the dataset 'other'"),
    "without files": (_with(partitions={"l": {"files": None}}), "'l' has no files"),
}


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_that_is_none_is_refused_by_everything_and_stays(store, header):
    change, text = HEADERS[header]
    path = store.root / HEADER
    path.write_text(change(path.read_text()))
    for operation in OPERATIONS.values():
        error = refused(store, operation, "dataset.format")
        assert "'sales'" in error.text
        assert text in error.text
        assert "tablemill dataset verify, then --repair" in error.remedy


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_that_is_none_is_what_verify_says_and_repair_puts_back_from_its_copy(store, header):
    path = store.root / HEADER
    before = path.read_text()
    path.write_text(HEADERS[header][0](before))
    (fault,) = verify(store, "sales").faults
    assert fault.code == "verify.header"
    (done,) = repair(store, "sales")[1]
    assert done.startswith("put the header back as of commit ")
    assert json.loads(path.read_text())["partitions"] == json.loads(before)["partitions"]
    assert not verify(store, "sales").faults


@pytest.mark.parametrize("operation", ["read", "ask", "delete rows", "replace all", "compact", "copy"])
def test_a_file_that_is_not_there_is_named_and_nothing_changes(store, operation):
    keys = [files["table"] for files in read_header(store, "sales").header.partitions.values()]
    for key in keys:
        (store.root / key).unlink()
    if operation == "replace all":
        assert replace_partitions(store, "sales", [ROWS], [{"k": "x"}, {"k": "y"}]) is not None
        assert bag(read_all(store)) == bag(ROWS)  # what is replaced need not be there
        return
    error = refused(store, OPERATIONS[operation], "store.missing")
    assert any(key in str(error) for key in keys)


def test_rows_of_files_that_are_there_are_kept_where_one_is_not(store):
    """An append reads no data file, so it goes on; repair says which partition it drops."""
    label, files = next(iter(read_header(store, "sales").header.partitions.items()))
    rows = read_all(store).num_rows
    (store.root / files["table"]).unlink()
    write_dataset(store, ROWS, mode="append")
    found, done = repair(store, "sales")
    assert any(fault.code == "verify.file" and fault.label == label for fault in found.faults)
    assert any(label in text for text in done)
    assert 0 < rows + ROWS.num_rows - read_all(store).num_rows <= 2
    assert verify(store, "sales").faults == ()


# --- schemas ---


@pytest.mark.parametrize(
    ("column", "cells", "old", "new"),
    [
        ("v", ["1", "2", "2"], "int64", "string"),
        ("v", [1.5, 2.0, 2.0], "int64", "double"),
        ("t", [1, 2, 3], "string", "int64"),
        ("t", [dt.date(2024, 1, 1)] * 3, "string", "date32[day]"),
        ("k", [1, 1, 2], "string", "int64"),
    ],
    ids=str,
)
def test_an_append_of_another_type_says_column_both_types_and_the_way_out(store, column, cells, old, new):
    drifted = ROWS.set_column(ROWS.column_names.index(column), column, pa.array(cells))
    error = refused(store, lambda store: add(store, drifted), "dataset.schema")
    assert error.place.column == column
    assert f"{new} now" in error.text
    assert f"{old} in the dataset" in error.text
    assert "overwrite" in error.remedy


@pytest.mark.parametrize(
    ("rows", "says"),
    [(ROWS.drop_columns(["t"]), "lack t"), (ROWS.append_column("more", pa.array([1, 2, 3])), "have also more")],
)
def test_an_append_of_other_columns_says_which_and_the_way_out(store, rows, says):
    error = refused(store, lambda store: add(store, rows), "dataset.schema")
    assert says in error.text
    assert "overwrite" in error.remedy


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([True, False, True]),
        pa.array([b"a", b"b", b"\xff"]),
        pa.array([1, 2, 3], pa.decimal128(5, 2)),
        pa.array([[1], [2], []]),
    ],
    ids=lambda cells: str(cells.type),
)
def test_a_partition_key_of_a_type_that_clients_read_back_wrong_is_refused(store, cells):
    rows = ROWS.append_column("bad", cells)
    error = refused(store, lambda store: make(store, rows, ["bad"]), "column.type")
    assert error.place.column == "bad"
    assert error.remedy


def test_a_null_in_a_partition_key_is_refused(store):
    rows = pa.table({"k": ["x", None], "v": [1, 2]})
    error = refused(store, lambda store: make(store, rows, ["k"]), "row.null_partition")
    assert error.place.column == "k"
    assert error.remedy
