import pickle

import pyarrow as pa
import pytest
from pyspark.sql import types as spark

from component import naming
from component.dataset.format.address import Address
from component.dataset.reading.reader import FileScan
from component.errors import UserError
from component.spark.datasource.options import SourceOptions
from component.spark.datasource.reader import (
    FEW_FILES,
    OPEN_BYTES,
    KartothekReader,
    RowsReader,
    group_scans,
    read_schema,
)
from tests.dataset.making import UUID, write_dataset
from tests.dataset.memory import MemoryStore

ROWS = pa.table({"p": ["a", "b"], "id": [1, 2]})


def reader_of(store, schema=None, **options):
    given = SourceOptions(Address(store, UUID), **options)
    return KartothekReader(given, schema or read_schema(given))


class CountingStore(MemoryStore):
    """Counts the calls that list."""

    def list(self, prefix, **options):
        self.objects.setdefault("listed", (b"", 0.0))
        return super().list(prefix, **options)


def scans(count):
    return [FileScan(str(number), str(number), {}, ()) for number in range(count)]


def test_small_files_share_a_split_and_large_ones_have_their_own():
    sizes = {"0": 1, "1": 1, "2": 100 * naming.MIB, "3": 1, "4": 1}
    groups = group_scans(scans(5), sizes, naming.SPLIT_BYTES)
    assert [[scan.key for scan in group] for group in groups] == [["0", "1"], ["2"], ["3", "4"]]


def test_opening_a_file_counts_as_bytes():
    assert [len(group) for group in group_scans(scans(40), {}, 16 * OPEN_BYTES)] == [16, 16, 8]


def test_few_files_are_a_split_each_and_their_sizes_are_not_asked_for():
    store = CountingStore()
    write_dataset(store, ROWS, ["p"])
    assert len(reader_of(store).partitions()) == 2
    assert "listed" not in store.objects
    write_dataset(store, pa.table({"p": list(map(str, range(FEW_FILES + 1))), "id": range(FEW_FILES + 1)}), ["p"])
    assert len(reader_of(store).partitions()) == 3
    assert "listed" in store.objects


def test_a_split_without_files_stands_for_no_rows():
    store = MemoryStore()
    write_dataset(store, ROWS.slice(0, 0), ["p"])
    reader = reader_of(store)
    (split,) = reader.partitions()
    assert not list(reader.read(split))


def test_tasks_carry_no_header():
    store = MemoryStore()
    write_dataset(store, pa.table({"p": list(map(str, range(500))), "id": range(500)}), ["p"])
    reader = reader_of(store)
    split = reader.partitions()[0]
    store.objects.clear()
    assert len(pickle.dumps(reader)) < 2000
    assert len(pickle.dumps(split)) < 10_000


def test_a_task_reads_what_the_driver_planned():
    store = MemoryStore()
    write_dataset(store, ROWS, ["p"])
    reader = reader_of(store, columns=("id",))
    carried = pickle.loads(pickle.dumps((reader, reader.partitions())))
    read = [batch for split in carried[1] for batch in carried[0].read(split)]
    assert [batch.to_pydict() for batch in read] == [{"id": [1]}, {"id": [2]}]


def test_batches_are_of_some_megabytes():
    store = MemoryStore()
    rows = pa.table({"n": range(3 * naming.BLOCK_BYTES // 8)})
    key = next(iter(write_dataset(store, rows).header.partitions.values()))["table"]
    reader = RowsReader(store, rows.schema, rows.schema)
    sizes = [batch.nbytes for batch in reader.read([FileScan("", key, {}, ())])]
    assert max(sizes) <= naming.BLOCK_BYTES
    assert len(sizes) <= 4


def test_types_that_changed_since_the_load_are_told():
    store = MemoryStore()
    write_dataset(store, ROWS)
    schema = read_schema(SourceOptions(Address(store, UUID)))
    write_dataset(store, pa.table({"p": ["a"], "id": ["1"]}))
    with pytest.raises(UserError, match="is asked for as bigint and is string") as caught:
        reader_of(store, schema)
    assert (caught.value.code, caught.value.place.column) == ("dataset.schema", "id")


@pytest.mark.parametrize("options", [{"columns": ("q",)}, {"predicates": [[["q", "==", 1]]]}], ids=str)
def test_a_column_that_is_not_there_is_told_at_the_load(options):
    store = MemoryStore()
    write_dataset(store, ROWS)
    with pytest.raises(UserError) as caught:
        read_schema(SourceOptions(Address(store, UUID), **options))
    assert caught.value.code == "column.missing"


def test_a_schema_of_the_users_may_forbid_nulls():
    store = MemoryStore()
    write_dataset(store, ROWS)
    schema = spark.StructType([spark.StructField("id", spark.LongType(), nullable=False)])
    reader = reader_of(store, schema)
    assert [batch.to_pydict() for split in reader.partitions() for batch in reader.read(split)] == [{"id": [1, 2]}]
