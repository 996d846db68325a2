import datetime as dt
import math
from decimal import Decimal

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.reading.reader import open_dataset
from component.dataset.reading.statistics import statistics
from tests.dataset.making import with_files, write_dataset
from tests.dataset.memory import MemoryStore
from tests.dataset.test_golden import PLATEAU
from tests.strategies.typed_tables import tables


def numbers(store, **options):
    return statistics(open_dataset(store, "sales"), **options)


@with_files
@given(st.data())
def test_numbers_are_those_of_the_rows(data):
    rows = data.draw(tables(keys=1))
    store = MemoryStore()
    write_dataset(store, rows, rows.column_names[:1], splits=2)
    found = numbers(store)
    assert found.rows == rows.num_rows == sum(one.rows for one in found.partitions)
    assert found.bytes == sum(one.bytes for one in found.partitions)
    assert found.files == sum(one.files for one in found.partitions)
    for column in found.columns:
        cells = [cell for cell in rows[column.name].to_pylist() if cell is not None]
        cells = [cell for cell in cells if not (isinstance(cell, float) and math.isnan(cell))]
        assert column.nulls == rows[column.name].null_count
        if column.minimum is not None:
            assert (column.minimum, column.maximum) == (min(cells), max(cells))
        elif cells:
            assert pa.types.is_floating(rows.schema.field(column.name).type)  # NaN alone in a file tells nothing


def test_every_type_has_its_smallest_and_largest_value():
    rows = pa.table(
        {
            "k": ["x", "y", "y"],
            "s": ["b", None, "a"],
            "n": pa.array([Decimal("1.50"), Decimal("-2.25"), None], pa.decimal128(38, 9)),
            "d": [dt.date(1, 1, 1), dt.date(9999, 12, 31), None],
            "b": [None, None, None],
            "f": [True, False, True],
        }
    ).cast(
        pa.schema(
            [
                ("k", pa.string()),
                ("s", pa.string()),
                ("n", pa.decimal128(38, 9)),
                ("d", pa.date32()),
                ("b", pa.int64()),
                ("f", pa.bool_()),
            ]
        )
    )
    store = MemoryStore()
    write_dataset(store, rows, ["k"])
    found = {one.name: (one.nulls, one.minimum, one.maximum) for one in numbers(store).columns}
    assert found == {
        "k": (0, "x", "y"),
        "s": (1, "a", "b"),
        "n": (1, Decimal("-2.25"), Decimal("1.5")),
        "d": (1, dt.date(1, 1, 1), dt.date(9999, 12, 31)),
        "b": (3, None, None),
        "f": (0, False, True),
    }


def test_without_columns_no_file_is_opened():
    store = MemoryStore()
    write_dataset(store, pa.table({"k": ["x", "y"], "v": [1, 2]}), ["k"], splits=2)
    whole = numbers(store)
    for key in [key for key in store.objects if key.endswith(".parquet") and "/k=" in key]:
        store.delete(key)
    fast = numbers(store, columns=False)
    assert (fast.files, fast.rows, fast.bytes, fast.partitions) == (
        whole.files,
        whole.rows,
        whole.bytes,
        whole.partitions,
    )
    assert fast.columns is None
    assert [one.values for one in fast.partitions] == [{"k": "x"}, {"k": "y"}]


def test_a_dataset_of_another_client_has_numbers_too():
    dataset = open_dataset(PLATEAU, "full")
    fast, whole = statistics(dataset, columns=False), statistics(dataset)
    assert (fast.rows, fast.bytes) == (whole.rows, whole.bytes)
    assert whole.rows > 0
    assert whole.bytes > 0
