import datetime as dt
import math
import zlib
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.buckets import BUCKET, Buckets, bucket_numbers, buckets_of
from component.dataset.reading.reader import open_dataset, plan_scan, read_scan
from component.errors import UserError
from tests.dataset.making import bag, layout_of, read_all, with_files, write_files
from tests.dataset.memory import MemoryStore
from tests.strategies.typed_tables import tables

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a dataset's times have no zone


def text_of(value):  # noqa: PLR0911 - one way for each type
    """The text of a value, as docs/dataset-operations.md says it."""
    if value is None:
        return "\0"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, dt.datetime):
        return str((value - EPOCH) // dt.timedelta(microseconds=1))
    if isinstance(value, dt.date):
        return str((value - EPOCH.date()).days)
    if isinstance(value, Decimal):
        sign, digits, _ = value.as_tuple()
        number = int("".join(map(str, digits)))
        return str(-number if sign else number)
    if isinstance(value, float):
        import struct

        plain = math.nan if math.isnan(value) else value + 0.0
        return str(struct.unpack("<q", struct.pack("<d", plain))[0])
    return str(value)


def bucket_by_hand(row, by, count):
    return zlib.crc32("\x1f".join(text_of(row[name]) for name in by).encode()) % count


@given(st.data(), st.integers(1, 50))
def test_the_bucket_of_a_row_is_what_the_page_says(data, count):
    rows = data.draw(tables(keys=0))
    by = data.draw(st.lists(st.sampled_from(rows.column_names), min_size=1, max_size=3, unique=True))
    found = bucket_numbers(rows, Buckets(tuple(by), count)).to_pylist()
    assert found == [bucket_by_hand(row, by, count) for row in rows.to_pylist()]


def test_buckets_are_the_same_for_ever():
    rows = pa.table(
        {
            "s": ["a", "é", None],
            "i": [1, -1, None],
            "f": [0.0, -0.0, float("nan")],
            "n": pa.array([Decimal("1.50"), Decimal("-0.01"), None], pa.decimal128(12, 2)),
            "d": [dt.date(1970, 1, 2), dt.date(1, 1, 1), None],
        }
    )
    found = {name: bucket_numbers(rows, Buckets((name,), 1000)).to_pylist() for name in rows.column_names}
    assert found == {
        "s": [zlib.crc32(text) % 1000 for text in (b"a", "é".encode(), b"\0")],
        "i": [zlib.crc32(text) % 1000 for text in (b"1", b"-1", b"\0")],
        "f": [zlib.crc32(text) % 1000 for text in (b"0", b"0", b"9221120237041090560")],
        "n": [zlib.crc32(text) % 1000 for text in (b"150", b"-1", b"\0")],
        "d": [zlib.crc32(text) % 1000 for text in (b"1", b"-719162", b"\0")],
    }
    assert found["s"][0] == 0xE8B7BE43 % 1000


def test_many_values_are_spread_evenly():
    rows = pa.table({"id": [f"order {number}" for number in range(20_000)]})
    counts = Counter(bucket_numbers(rows, Buckets(("id",), 16)).to_pylist())
    assert set(counts) == set(range(16))
    assert max(counts.values()) < 1.2 * 20_000 / 16


@with_files
@given(st.data(), st.integers(1, 4), st.booleans())
def test_rows_of_a_bucket_are_in_one_file_of_their_partition_and_no_reader_sees_buckets(data, count, early):
    rows = data.draw(tables(keys=1))
    key, *others = rows.column_names
    by = tuple(others[:2] or [key])
    store = MemoryStore()
    layout = replace(layout_of(rows, [key], others[:1]), buckets=Buckets(by, count))
    plan = plan_commit(store, layout, "overwrite")
    commit(store, plan, [write_files(store, plan.layout, rows, rows, buffer_bytes=1 if early else 1 << 20)])
    assert bag(read_all(store)) == bag(pa.concat_tables([rows, rows]))
    dataset = open_dataset(store, "sales")
    assert BUCKET not in dataset.schema.names
    places = Counter()
    for scan in plan_scan(dataset):
        part = read_scan(store, dataset.schema, scan, dataset.columns)
        numbers = set(bucket_numbers(part, Buckets(by, count)).to_pylist())
        assert len(numbers) == 1
        places[scan.label.rpartition("/")[0], numbers.pop()] += 1
    assert early or set(places.values()) <= {1}


@pytest.mark.parametrize(
    ("by", "count", "code"),
    [
        ((), 4, "config.value"),
        (("v",), None, "config.value"),
        (("v",), 0, "config.value"),
        (("w",), 4, "column.missing"),
    ],
)
def test_buckets_that_cannot_be_say_why(by, count, code):
    with pytest.raises(UserError) as caught:
        buckets_of(by, count, ["v"], "sales")
    assert caught.value.code == code


def test_no_buckets_are_none():
    assert buckets_of((), None, ["v"], "sales") is None
