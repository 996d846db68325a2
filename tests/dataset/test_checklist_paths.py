"""What any reader of Kartothek datasets must do about paths (reference kartothek D.3)."""

import datetime as dt
import math

import pyarrow as pa
import pytest

from component.dataset.commits.garbage import find_garbage
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.dataset.hand_made import ROWS, UUID, put_header, put_rows, put_schema, refused, rows_of


@pytest.fixture
def root(tmp_path):
    return tmp_path


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


@pytest.mark.parametrize(
    ("text", "data_type", "value"),
    [
        ("%C3%A9%20%25%3D", pa.string(), "é %="),
        ("", pa.string(), ""),
        ("None", pa.string(), "None"),
        ("__HIVE_DEFAULT_PARTITION__", pa.string(), "__HIVE_DEFAULT_PARTITION__"),
        ("a%2Fb", pa.string(), "a/b"),
        ("raw space", pa.large_string(), "raw space"),
        ("x", pa.dictionary(pa.int8(), pa.string()), "x"),
        ("-5", pa.int64(), -5),
        ("01", pa.int64(), 1),
        ("18446744073709551615", pa.uint64(), 2**64 - 1),
        ("1e%2B300", pa.float64(), 1e300),
        ("inf", pa.float64(), math.inf),
        ("True", pa.bool_(), True),
        ("False", pa.bool_(), False),
        ("false", pa.bool_(), False),
        ("1677-01-01", pa.date32(), dt.date(1677, 1, 1)),
        ("2024-01-01%2000%3A00%3A00.000001", pa.timestamp("us"), dt.datetime(2024, 1, 1, 0, 0, 0, 1)),  # noqa: DTZ001 - naive, as the column
        ("2024-01-01", pa.timestamp("ns"), dt.datetime(2024, 1, 1)),  # noqa: DTZ001
        ("2024-01-01T00%3A00%3A00", pa.timestamp("us"), dt.datetime(2024, 1, 1)),  # noqa: DTZ001
    ],
    ids=str,
)
def test_a_value_in_a_path_is_one_of_its_type(root, store, text, data_type, value):
    put_rows(root, f"k={text}/A", ROWS)
    put_rows(root, "k=" + ("0" if pa.types.is_integer(data_type) else text) + "/B", ROWS)
    put_schema(root, pa.schema([("k", data_type), *ROWS.schema]))
    put_header(root, [f"k={text}/A"], partition_keys=["k"])
    assert rows_of(store)["k"].to_pylist() == [value] * 3
    assert rows_of(store, predicates=[[("k", "==", value), ("i", ">", 1)]])["k"].to_pylist() == [value] * 2
    assert rows_of(store, predicates=[[("k", "!=", value)]]).num_rows == 0


def test_both_booleans_are_told_apart(root, store):
    for label in ("b=True/A", "b=False/A"):
        put_rows(root, label, ROWS)
    put_schema(root, pa.schema([("b", pa.bool_()), *ROWS.schema]))
    put_header(root, ["b=True/A", "b=False/A"], partition_keys=["b"])
    assert rows_of(store)["b"].to_pylist() == [False] * 3 + [True] * 3
    assert rows_of(store, predicates=[[("b", "==", False)]])["b"].to_pylist() == [False] * 3


@pytest.mark.parametrize(
    ("path", "country", "day"),
    [
        ("country=FR%20%C3%A9/%3D%25/day=2024-01-01", "FR é/=%", "2024-01-01"),
        ("country=a/b/c/day=x", "a/b/c", "x"),
        ("country=/day=x/y", "", "x/y"),
        ("country=http%3A//a.b//c/day=x", "http://a.b//c", "x"),
        ("country=a/day=x/", "a", "x/"),
    ],
)
def test_a_value_that_clients_cut_at_a_slash_is_whole(root, store, path, country, day):
    put_rows(root, f"{path}/A", ROWS)
    put_schema(root, pa.schema([("country", pa.string()), ("day", pa.string()), *ROWS.schema]))
    label = f"{path}/A"
    put_header(root, [label], partition_keys=["country", "day"])
    found = rows_of(store, predicates=[[("country", "==", country), ("day", "==", day)]])
    assert found.num_rows == 3
    assert {fault.code for fault in verify(store, UUID).faults} >= {"verify.path"}


def test_a_file_with_two_slashes_in_its_key_is_no_garbage(root, store):
    """A file system knows it by another key than the header does."""
    put_schema(root, pa.schema([("k", pa.string()), *ROWS.schema]))
    put_rows(root, "k=a//b/A", ROWS)
    put_header(root, ["k=a//b/A"], partition_keys=["k"])
    assert find_garbage(store, UUID, min_age=dt.timedelta(0)).objects == ()
    repair(store, UUID)
    assert rows_of(store)["k"].to_pylist() == ["a//b"] * 3
    assert verify(store, UUID).faults == ()


@pytest.mark.parametrize("value", ["a/../b", "a/./b", "a/*"])
def test_a_key_that_no_store_takes_is_named_and_not_mended_away(root, store, value):
    put_schema(root, pa.schema([("k", pa.string()), *ROWS.schema]))
    put_rows(root, "k=x/A", ROWS)
    label = f"k={value}/A"
    put_header(root, ["k=x/A", label], partition_keys=["k"])
    assert label in str(refused(store, "store.key"))
    (fault,) = (one for one in verify(store, UUID).faults if one.label == label and one.code == "verify.file")
    assert fault.mend is None
    assert "not allowed" in fault.text


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("nothing/k=1", "cannot be read as name=value"),
        ("k=1=2", "cannot be read as name=value"),
        ("k=%FF", "cannot be read as name=value"),
        ("j=1", "holds the partition keys j"),
        ("k=1/l=2", "holds the partition keys k, l"),
        ("k=x", "'x' is no int64"),
        ("k=1.0", "'1.0' is no int64"),
        ("k=__HIVE_DEFAULT_PARTITION__", "is no int64"),
    ],
)
def test_a_path_that_does_not_say_its_partition_is_named(root, store, path, why):
    put_rows(root, f"{path}/A", ROWS)
    put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]))
    put_header(root, [f"{path}/A"], partition_keys=["k"])
    assert why in str(refused(store))


def test_partitions_of_another_depth_are_named(root, store):
    for label in ("k=1/A", "B"):
        put_rows(root, label, ROWS)
    put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]))
    put_header(root, ["k=1/A", "B"], partition_keys=["k"])
    assert "/table/B.parquet" in str(refused(store))


def test_a_partition_key_that_the_schema_lacks_is_named(root, store):
    put_rows(root, "k=1/A", ROWS)
    put_schema(root, ROWS.schema)
    put_header(root, ["k=1/A"], partition_keys=["k"])
    assert "lacks the partition key 'k'" in str(refused(store))
