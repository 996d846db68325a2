from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.actions.partitioning import (
    ASKED_FILE_BYTES,
    FILE_BYTES,
    MOST_INDICES,
    MOST_PARTITION_COLUMNS,
    ColumnFacts,
    TableFacts,
    share_of_files,
    suggest,
)

LARGE = 100 * FILE_BYTES
ROWS = 10_000_000


def facts(*columns, size=LARGE, rows=ROWS):
    return TableFacts(rows, size, columns)


def reason(suggestion, name):
    return next(one.reason for one in suggestion.advice if one.column.name == name)


def column(name, values, **more):
    return ColumnFacts(name, "string", values, **more)


def test_a_column_with_few_values_partitions_a_large_table():
    found = suggest(facts(column("country", 20), column("note", ROWS)))
    assert found.partition_on == ("country",)
    assert reason(found, "country") == "its 20 values leave partitions of about 160.0 MiB"


def test_a_small_table_is_left_whole():
    found = suggest(facts(column("country", 20), size=FILE_BYTES // 10, rows=1000))
    assert (found.partition_on, found.secondary_indices, found.files) == ((), (), 1)
    assert "there is nothing to skip" in reason(found, "country")


def test_partitions_are_never_smaller_than_a_good_file():
    found = suggest(facts(column("month", 12), column("country", 20), column("kind", 5)))
    assert found.partition_on == ("kind", "country")
    assert found.files == 100


def test_a_column_that_outputs_ask_by_comes_first_and_may_make_smaller_files():
    size = 20 * ASKED_FILE_BYTES
    found = suggest(facts(column("month", 2), column("country", 20, asked_for=True), size=size))
    assert found.partition_on == ("country",)
    assert reason(found, "country").startswith("outputs ask by it")


def test_what_is_a_partition_column_already_is_preferred_to_others():
    assert suggest(facts(column("a", 60), column("b", 50, partitions=True))).partition_on == ("b",)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"has_nulls": True}, "has nulls"),
        ({"partitionable": False}, "is no partition key"),
        ({"fraction": True}, "is measured"),
        ({"values": 1}, "one value at most"),
        ({"values": 0}, "one value at most"),
    ],
)
def test_what_cannot_partition_says_why(more, text):
    found = suggest(facts(ColumnFacts("a", "boolean", **{"values": 2, **more})))
    assert found.partition_on == ()
    assert text in reason(found, "a")


def test_a_column_whose_values_are_in_few_files_is_indexed():
    found = suggest(facts(column("country", 50), column("id", ROWS, is_key=True), column("city", 500)))
    assert found.secondary_indices == ("id",)
    assert reason(found, "id") == "a value is in about 1 of 100 files"
    assert reason(found, "city") == "each value is in most files, and a partition for each would be too small"


def test_a_column_is_never_both_partition_and_index():
    found = suggest(facts(column("a", 90, asked_for=True), column("b", ROWS, asked_for=True)))
    assert (found.partition_on, found.secondary_indices) == (("a",), ("b",))


columns = st.builds(
    ColumnFacts,
    name=st.uuids().map(str),
    type=st.just("string"),
    values=st.integers(0, ROWS),
    exact=st.booleans(),
    has_nulls=st.booleans(),
    partitionable=st.booleans(),
    fraction=st.booleans(),
    asked_for=st.booleans(),
    is_key=st.booleans(),
    partitions=st.booleans(),
)


@given(
    table=st.builds(
        TableFacts,
        rows=st.integers(0, ROWS),
        size=st.integers(0, 1000 * FILE_BYTES),
        columns=st.lists(columns, max_size=8).map(tuple),
    )
)
def test_suggestions_hold_what_they_promise(table):
    found = suggest(table)
    by_name = {one.name: one for one in table.columns}
    assert [one.column for one in found.advice] == list(table.columns)
    assert all(one.reason for one in found.advice)
    assert len(found.partition_on) <= MOST_PARTITION_COLUMNS
    assert len(found.secondary_indices) <= MOST_INDICES
    assert not set(found.partition_on) & set(found.secondary_indices)
    partitions = 1
    for name in found.partition_on:
        chosen = by_name[name]
        assert chosen.partitionable
        assert not chosen.has_nulls
        partitions *= chosen.values
    assert partitions == 1 or table.size // partitions >= ASKED_FILE_BYTES
    assert found.files >= partitions


@given(values=st.integers(1, ROWS), rows=st.integers(1, ROWS), files=st.integers(2, 10_000))
def test_the_share_of_files_is_a_share_of_whole_files(values, rows, files):
    assert 1 / files - 1e-12 <= share_of_files(column("a", values), rows, files) <= 1
