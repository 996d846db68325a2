"""Encodings are chosen by a sample, and change nothing but time and space."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.files.data_file import encode_rows
from component.dataset.files.encoding import Encodings, choose_encodings, hold_words, join_rows
from tests.dataset.making import with_files
from tests.strategies.typed_tables import tables

MANY = range(1000)
ROWS = pa.table(
    {
        "id": pa.array(MANY, pa.int64()),
        "kind": [number % 3 for number in MANY],
        "flag": ["NY"[number % 2] for number in MANY],
        "name": [f"name {number}" for number in MANY],
        "price": pa.array([Decimal(number) / 100 for number in MANY], pa.decimal128(15, 2)),
        "long": pa.array([Decimal(number) for number in MANY], pa.decimal128(38, 9)),
        "day": [dt.date(2000, 1, 1) + dt.timedelta(number) for number in MANY],
        "at": pa.array([number * 1001 for number in MANY], pa.timestamp("us")),
        "size": [number / 7 for number in MANY],
        "is": [True, False] * 500,
    }
)
words = st.lists(st.sampled_from(["a", "b", "~", "", "ab", "é", None]), max_size=20)


def test_what_repeats_is_a_dictionary_and_other_whole_numbers_are_differences():
    assert choose_encodings(ROWS) == Encodings(
        ("kind", "flag", "is"), words=("flag",), deltas=("id", "price", "day", "at")
    )


def test_no_column_is_held_as_dictionary_beside_one_whose_type_parquet_does_not_say():
    rows = ROWS.append_column("zoned", ROWS["at"].cast(pa.timestamp("us", "Europe/Berlin")))
    assert choose_encodings(rows).words == ()
    found = pq.read_table(pa.BufferReader(encode_rows(rows)))
    assert found.schema.field("zoned").type == pa.timestamp("us", "Europe/Berlin")


def test_columns_are_encoded_as_chosen():
    group = pq.read_metadata(pa.BufferReader(encode_rows(ROWS))).row_group(0)
    columns = {chunk.path_in_schema: chunk.encodings for chunk in map(group.column, range(group.num_columns))}
    assert {name for name, encodings in columns.items() if "DELTA_BINARY_PACKED" in encodings} == {
        *("id", "price", "day", "at")
    }
    assert {name for name, encodings in columns.items() if "RLE_DICTIONARY" in encodings} == {"kind", "flag"}


@with_files
@given(tables(max_rows=20), tables(max_rows=20))
def test_encodings_chosen_by_other_rows_change_no_value(rows, others):
    encodings = choose_encodings(others)
    fitting = Encodings(
        tuple(name for name in encodings.dictionaries if name in rows.column_names and _is_like(rows, others, name)),
        deltas=tuple(name for name in encodings.deltas if name in rows.column_names and _is_like(rows, others, name)),
    )
    read = [pq.read_table(pa.BufferReader(encode_rows(rows, chosen))) for chosen in (fitting, None)]
    assert repr(read[0].to_pylist()) == repr(read[1].to_pylist())


def _is_like(rows, others, name):
    return rows.schema.field(name).type == others.schema.field(name).type


@given(words)
def test_words_come_back_as_they_were(cells):
    rows = pa.table({"w": pa.array(cells, pa.string())})
    held = hold_words(rows, ["w"])
    assert pa.types.is_dictionary(held["w"].type)
    assert held["w"].to_pylist() == cells


@given(st.lists(words, min_size=1, max_size=4), st.integers(0, 3))
def test_parts_that_hold_words_join_with_parts_that_do_not(parts, as_text):
    tables_ = [pa.table({"w": pa.array(cells, pa.string())}) for cells in parts]
    held = [part if at < as_text else hold_words(part, ["w"]) for at, part in enumerate(tables_)]
    joined = join_rows(held)
    assert joined["w"].to_pylist() == [cell for cells in parts for cell in cells]
    data = encode_rows(joined, Encodings(("w",), words=("w",)))
    found = pq.read_table(pa.BufferReader(data))
    assert (found.schema.field("w").type, found["w"].to_pylist()) == (pa.string(), joined["w"].to_pylist())


@pytest.mark.parametrize("cells", [[str(number) for number in range(300)], ["x" * 20_000, "y"]])
def test_large_dictionaries_are_left_to_parquet(cells):
    rows = pa.table({"w": cells})
    assert hold_words(rows, ["w"]).schema == rows.schema


@given(st.lists(st.sampled_from(["b", "dd", "a", "z"]), min_size=1, max_size=30), st.integers(0, 29))
def test_statistics_are_of_the_words_that_a_file_has(cells, at):
    part = hold_words(pa.table({"w": cells}), ["w"]).slice(at % len(cells))
    group = pq.read_metadata(
        pa.BufferReader(encode_rows(join_rows([part]), Encodings(("w",), words=("w",))))
    ).row_group(0)
    there = cells[at % len(cells) :]
    statistics = group.column(0).statistics
    assert (statistics.min, statistics.max, statistics.null_count) == (min(there), max(there), 0)
