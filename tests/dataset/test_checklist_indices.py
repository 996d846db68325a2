"""What any reader of Kartothek datasets must do about indices (reference kartothek D.4).

Duplicates are united, nulls and unknown labels ignored, and nulls of the data never lost.
"""

import pyarrow as pa
import pytest

from component.dataset.reading.reader import open_dataset, plan_scan
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.hand_made import ROWS, UUID, put_header, put_index, put_simple, refused, rows_of
from tests.dataset.making import bag

RIGHT = ((1, [0, 1]), (2, [0]))
ODD = {
    "a value twice": ((1, [0]), (2, [0]), (1, [1])),
    "a null": (*RIGHT, (None, [0])),
    "unknown labels": ((1, [0, 1, "gone"]), (2, [0]), (9, ["gone"])),
    "too many labels": ((1, [0, 1]), (2, [0, 1])),
    "a label twice": ((1, [0, 1, 1]), (2, [0, 0])),
    "no labels of a value": (*RIGHT, (7, [])),
}
"""Entries of an index on `i`: a value, and the numbers of the files that are said to hold it."""

QUESTIONS = (
    [[("i", "==", 1)]],
    [[("i", "==", 2)]],
    [[("i", "==", 9)]],
    [[("i", "in", [2, 7])]],
    [[("i", "<", 2)]],
    [[("i", "!=", 1)]],
    [[("i", "not in", [1])]],
    [[("i", "is null", None)]],
    [[("i", "is not null", None)]],
    [[("i", "==", 2), ("s", "==", "b")], [("i", "is null", None)]],
)


@pytest.fixture
def root(tmp_path):
    return tmp_path


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


def put(root, entries, data_type=None):
    """Rows in two files, with these entries for an index."""
    labels = put_simple(root, pa.table({"i": [1, 2, None, 1], "s": ["a", "b", "c", "d"]}), files=2)
    named = [(value, [labels[at] if isinstance(at, int) else at for at in places]) for value, places in entries]
    put_header(root, labels, indices={"i": put_index(root, "i", named, data_type or pa.int64())})


@pytest.mark.parametrize("entries", ODD.values(), ids=ODD)
@pytest.mark.parametrize("data_type", [pa.int64(), pa.int32()], ids=str)
def test_an_odd_index_answers_as_the_rows_do(root, store, entries, data_type):
    put(root, entries, data_type)
    for predicates in QUESTIONS:
        assert bag(rows_of(store, predicates=predicates)) == bag(oracle.filtered(rows_of(store), predicates))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a value twice", "more than once"),
        ("a null", "1 nulls"),
        ("unknown labels", "1 partitions that are not there, as 'gone'"),
        ("too many labels", "1 entries more"),
    ],
)
def test_verify_says_what_is_odd_and_repair_mends_it(root, store, name, text):
    put(root, ODD[name])
    assert any(text in fault.text for fault in verify(store, UUID).faults if fault.code == "verify.index")
    repair(store, UUID)
    assert verify(store, UUID).faults == ()


def test_an_index_that_lacks_a_label_is_found_and_mended(root, store):
    """Nothing but a look at all rows can tell; readers trust what the index says (reference kartothek 0)."""
    put(root, ((1, [0]), (2, [0])))
    assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 1
    (fault,) = (fault for fault in verify(store, UUID).faults if fault.code == "verify.index")
    assert "lacks 1 entries" in fault.text
    repair(store, UUID)
    assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 2


@pytest.mark.parametrize("data_type", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_an_index_of_texts_is_read_in_any_dress(root, store, data_type):
    labels = put_simple(root, ROWS, files=3)
    key = put_index(root, "s", [("a", labels[:1]), ("ü", labels[2:])], data_type)
    put_header(root, labels, indices={"s": key})
    scans = plan_scan(open_dataset(store, UUID), [[("s", "==", "ü")]])
    assert [scan.label for scan in scans] == labels[2:]


def test_an_index_of_another_type_is_named(root, store):
    labels = put_simple(root, ROWS, files=3)
    put_header(root, labels, indices={"i": put_index(root, "i", [("x", labels)], pa.string())})
    assert bag(rows_of(store)) == bag(ROWS)
    assert refused(store, predicates=[[("i", "==", 1)]]).place.column == "i"


def test_an_index_that_is_not_there_is_named_where_it_is_asked(root, store):
    put_simple(root, ROWS, indices={"i": f"{UUID}/indices/i/gone.by-dataset-index.parquet"})
    assert rows_of(store).num_rows == 3
    assert "gone.by-dataset-index.parquet" in str(refused(store, "store.missing", predicates=[[("i", "==", 1)]]))
    repair(store, UUID)
    assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 1


def test_an_index_at_its_key_of_old_is_read(root, store):
    """Reference kartothek 1.1: `<uuid>.<column>.by-dataset-index.parquet`."""
    labels = put_simple(root, ROWS, files=3)
    made = put_index(root, "i", [(1, labels[:1]), (2, labels[1:2]), (3, labels[2:])], pa.int64())
    (root / made).rename(root / f"{UUID}.i.by-dataset-index.parquet")
    put_header(root, labels, indices={"i": f"{UUID}.i.by-dataset-index.parquet"})
    scans = plan_scan(open_dataset(store, UUID), [[("i", "==", 2)]])
    assert [scan.label for scan in scans] == labels[1:2]
