import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    Not,
    StringEndsWith,
    StringStartsWith,
)

from component.dataset.format.address import Address
from component.dataset.reading.reader import open_dataset, read_dataset
from component.spark.datasource.filters import take_filters
from component.spark.datasource.options import SourceOptions
from component.spark.datasource.reader import FilteringReader, read_schema
from tests.dataset.making import UUID, write_dataset
from tests.dataset.memory import MemoryStore
from tests.strategies.spark_filters import filters, kept
from tests.strategies.typed_tables import TYPES, tables

NAN = float("nan")
NOON = dt.datetime.fromisoformat("2024-01-01T12:00:00")
SCHEMA = pa.schema(
    {
        "n": pa.int64(),
        "u": pa.uint64(),
        "f": pa.float64(),
        "s": pa.string(),
        "d": pa.decimal128(12, 2),
        "t": pa.timestamp("us"),
        "z": pa.timestamp("us", "UTC"),
        "b": pa.binary(),
        "l": pa.list_(pa.int64()),
        "x": pa.null(),
    }
)


def read_with(store, asked, schema=None):
    """What a filtering reader gives Spark, split by split, and the filters it leaves."""
    options = SourceOptions(Address(store, UUID), split_bytes=1)
    reader = FilteringReader(options, schema or read_schema(options))
    left = list(reader.pushFilters(asked))
    found = [batch for split in reader.partitions() for batch in reader.read(split)]
    return found, left


def as_bag(parts):
    return sorted(repr(row) for part in parts for row in part.to_pylist())


@st.composite
def written_tables(draw):
    keys = draw(st.integers(0, 2))
    types = draw(st.sampled_from([TYPES, (pa.float64(),), (pa.float64(), pa.string(), pa.int64())]))
    rows = draw(tables(keys=keys, least=1, most=3, max_rows=10, types=types))
    indexed = draw(st.lists(st.sampled_from(rows.column_names[keys:]), unique=True))
    return rows, rows.column_names[:keys], indexed


@settings(max_examples=300)
@given(written_tables(), st.data())
def test_no_row_is_lost_and_none_is_too_many_whatever_spark_hands_over(written, data):
    rows, keys, indexed = written
    asked = data.draw(filters(rows))
    store = MemoryStore()
    write_dataset(store, rows, keys, indexed, splits=2)
    batches, left = read_with(store, asked)
    assert all(any(each is other for other in asked) for each in left)
    read = kept([row for batch in batches for row in batch.to_pylist()], left)
    expected = kept(rows.to_pylist(), asked)
    assert sorted(map(repr, read)) == sorted(map(repr, expected))


def test_what_means_the_same_is_taken():
    cases = [
        (EqualTo(("n",), 1), ["n", "==", 1]),
        (EqualNullSafe(("n",), 1), ["n", "==", 1]),
        (EqualNullSafe(("n",), None), ["n", "is null", None]),
        (Not(EqualTo(("n",), 1)), ["n", "!=", 1]),
        (In(("n",), [1, None, 2]), ["n", "in", [1, 2]]),
        (Not(In(("n",), [1, 2])), ["n", "not in", [1, 2]]),
        (IsNull(("l",)), ["l", "is null", None]),
        (IsNotNull(("x",)), ["x", "is not null", None]),
        (EqualTo(("u",), Decimal(2**64 - 1)), ["u", "==", 2**64 - 1]),
        (LessThan(("f",), 1.0), ["f", "<", 1.0]),
        (Not(EqualTo(("f",), 1.0)), ["f", "!=", 1.0]),
        (GreaterThan(("d",), Decimal("3.00")), ["d", ">", Decimal("3.00")]),
        (EqualTo(("t",), NOON), ["t", "==", NOON]),
        (EqualTo(("b",), b"\0"), ["b", "==", b"\0"]),
        (StringStartsWith(("s",), "ab"), ["s", "like", "ab%"]),
    ]
    for each, condition in cases:
        taken = take_filters([each], SCHEMA)
        assert (taken.conditions, taken.left) == ((condition,), ())


@pytest.mark.parametrize(
    "each",
    [
        EqualTo(("f",), NAN),
        Not(EqualTo(("f",), NAN)),
        In(("f",), [1.0, NAN]),
        GreaterThan(("f",), 1.0),
        Not(In(("n",), [1, None])),
        In(("n",), [None]),
        Not(EqualNullSafe(("n",), 1)),
        Not(StringStartsWith(("s",), "a")),
        StringEndsWith(("s",), "a"),
        EqualTo(("l",), [1]),
        EqualTo(("n", "inner"), 1),
        EqualTo(("unknown",), 1),
        EqualTo(("u",), Decimal(-1)),
        EqualTo(("d",), Decimal("0.001")),
    ],
    ids=repr,
)
def test_what_does_not_is_left_to_spark(each):
    taken = take_filters([each], SCHEMA)
    assert (taken.conditions, taken.left) == ((), (each,))


def test_a_lower_bound_of_floats_is_taken_beside_what_leaves_nan_out():
    bounds = [GreaterThan(("f",), 1.0), LessThan(("f",), 2.0)]
    assert not take_filters(bounds, SCHEMA).left
    with_nan = [GreaterThan(("f",), 1.0), Not(EqualTo(("f",), 2.0)), IsNotNull(("f",))]
    assert take_filters(with_nan, SCHEMA).left == (with_nan[0],)


@pytest.mark.parametrize("prefix", ["a_", "100%", "_\ud7ff", "%\U0010ffff", "_"])
def test_a_beginning_with_wildcards_is_asked_as_a_range(prefix):
    texts = ["", "a", "a_", "a_b", "aXb", "a`", "100%", "100%x", "100&", "_", "_\ud7ff", "_\ue000", "%\U0010ffffz", "&"]
    store = MemoryStore()
    rows = pa.table({"s": texts})
    write_dataset(store, rows)
    batches, left = read_with(store, [StringStartsWith(("s",), prefix)])
    assert not left
    assert {row["s"] for batch in batches for row in batch.to_pylist()} == {t for t in texts if t.startswith(prefix)}


def test_taken_filters_prune_files_by_partition_and_by_index():
    store = MemoryStore()
    rows = pa.table({"p": ["a", "a", "b", "b"], "id": [1, 2, 3, 4]})
    write_dataset(store, rows, ["p"], ["id"], splits=2)
    options = SourceOptions(Address(store, UUID))
    reader = FilteringReader(options, read_schema(options))
    assert len(reader.partitions()) == 2
    assert not list(reader.pushFilters([EqualTo(("id",), 4)]))
    (split,) = reader.partitions()
    assert [scan.partition_values for scan in split.value] == [{"p": "b"}]
    assert [row for batch in reader.read(split) for row in batch.to_pylist()] == [{"p": "b", "id": 4}]


@settings(max_examples=100)
@given(st.data())
def test_predicates_of_the_option_give_the_rows_of_read_dataset(data):
    rows = data.draw(tables(keys=1, least=2, most=3))
    name = data.draw(st.sampled_from(rows.column_names))
    value = next((cell for cell in rows[name].to_pylist() if cell is not None), None)
    operator = data.draw(st.sampled_from(["==", "!=", "<", ">=", "is null"]))
    condition = [name, operator, None if operator == "is null" else value]
    if value is None and operator != "is null":
        condition = [name, "is not null", None]
    predicates = [[condition], [[rows.column_names[0], "is not null", None], condition]]
    store = MemoryStore()
    write_dataset(store, rows, rows.column_names[:1], rows.column_names[1:2], splits=2)
    options = SourceOptions(Address(store, UUID), predicates=predicates)
    reader = FilteringReader(options, read_schema(options))
    read = [batch for split in reader.partitions() for batch in reader.read(split)]
    expected = read_dataset(open_dataset(store, UUID), predicates=predicates)
    assert as_bag(read) == as_bag(expected)
