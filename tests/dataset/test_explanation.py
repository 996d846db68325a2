import pyarrow as pa
import pytest

from component.dataset.reading.explanation import FooterPruning, explain_reading
from component.dataset.reading.reader import explain_scan, open_dataset
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset.making import write_dataset
from tests.store.faults import FaultStore

ROWS = pa.table({"k": ["x"] * 4 + ["y"] * 4, "v": list(range(8)), "s": list("aabbccdd")})


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr("component.dataset.files.data_file.ROW_GROUP_ROWS", 2)
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, ["k"])
    return store


@pytest.mark.parametrize(
    ("predicates", "reading"),
    [
        (None, FooterPruning(0, 0, 0, 0, 0)),
        ([[("k", "==", "x")]], FooterPruning(0, 0, 0, 0, 0)),
        ([[("v", "==", 3)]], FooterPruning(2, 1, 4, 3, 2)),
        ([[("v", ">", 2)]], FooterPruning(2, 0, 4, 1, 6)),
        ([[("v", "<", 0)], [("s", "like", "z%")]], FooterPruning(2, 2, 4, 4, 0)),
        ([[("k", "==", "x"), ("s", "!=", "a")]], FooterPruning(1, 0, 2, 1, 2)),
        ([[("s", "is null", None)]], FooterPruning(2, 2, 4, 4, 0)),
        ([[("k", "==", "x")], [("v", ">=", 6)]], FooterPruning(1, 0, 2, 1, 2)),
    ],
)
def test_footers_say_which_files_and_row_groups_are_left_out(store, predicates, reading):
    dataset = open_dataset(store, "sales")
    scans, _ = explain_scan(dataset, predicates)
    assert explain_reading(store, dataset.schema, scans) == reading


def test_only_files_that_are_asked_something_are_opened(store):
    faulty = FaultStore(store)
    dataset = open_dataset(faulty, "sales")
    scans, explanation = explain_scan(dataset, [[("k", "==", "x")], [("v", ">=", 6)]])
    faulty.calls.clear()
    explain_reading(faulty, dataset.schema, scans)
    assert [call for call, _ in faulty.calls] == ["open"]
    assert (explanation.files, explanation.read, explanation.asked_rows) == (2, 2, 1)


def test_a_file_that_is_gone_is_named(store):
    dataset = open_dataset(store, "sales")
    scans, _ = explain_scan(dataset, [[("v", "==", 3)]])
    store.delete(scans[0].key)
    with pytest.raises(UserError) as caught:
        explain_reading(store, dataset.schema, scans)
    assert caught.value.code == "store.missing"
