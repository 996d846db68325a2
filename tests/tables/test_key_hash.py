"""Hashes of keys: equal keys have equal ones, whatever the batch, and of whole numbers no others."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given
from hypothesis import strategies as st

from component.tables.key_hash import key_hashes
from tests.strategies.typed_tables import tables

few_texts = st.text("ab\0", max_size=3) | st.sampled_from(["12345678", "123456789", "1234567812345678", "a" * 40])


@given(table=tables(), data=st.data())
def test_rows_have_their_hash_in_any_company(table, data):
    rows = table.filter(
        pa.array([all(value is not None for value in row.values()) for row in table.to_pylist()], pa.bool_())
    )
    chosen = data.draw(st.lists(st.integers(0, max(rows.num_rows - 1, 0)), max_size=rows.num_rows and 8))
    whole = key_hashes(rows, rows.column_names)
    other = pa.concat_tables([rows.take(pa.array(chosen, pa.int64())), rows])
    assert key_hashes(other, rows.column_names).tolist() == [*whole[chosen].tolist(), *whole.tolist()]
    assert key_hashes(rows.slice(1), rows.column_names).tolist() == whole[1:].tolist()


@given(st.lists(few_texts, max_size=30), st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 3), max_size=30))
def test_different_keys_of_few_values_have_different_hashes(texts, numbers):
    assert_alike(pa.table({"k": pa.array(texts, pa.string())}))
    assert_alike(pa.table({"k": pa.array(numbers, pa.int64())}))
    count = min(len(texts), len(numbers))
    assert_alike(pa.table({"k": pa.array(texts[:count], pa.string()), "n": pa.array(numbers[:count], pa.int64())}))


def assert_alike(rows):
    hashes = key_hashes(rows, rows.column_names).tolist()
    keys = [tuple(row.values()) for row in rows.to_pylist()]
    assert len(set(zip(keys, hashes, strict=True))) == len(set(keys)) == len(set(hashes))


def test_zeros_and_nan_are_one_value_each():
    values = pa.array([0.0, -0.0, float("nan"), pc.negate(pa.scalar(float("nan"))).as_py()])
    first, second, third, fourth = key_hashes(pa.table({"f": values}), ["f"]).tolist()
    assert first == second != third == fourth
