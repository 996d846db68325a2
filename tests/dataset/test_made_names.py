"""Names and values that would destroy or confuse a dataset: not made here, and read where others made them."""

import datetime as dt
import math
from decimal import Decimal

import pyarrow as pa
import pytest

from component.dataset.changes.arrow_rows import given_rows
from component.dataset.changes.columns import rename_column
from component.dataset.changes.operations import delete_rows, set_metadata
from component.dataset.changes.writing import FileLayout, NewDataset, add_rows, make_dataset
from component.dataset.commits.fit import index_doubts
from component.dataset.commits.garbage import Retention, collect, find_garbage
from component.dataset.commits.intent import Intent
from component.dataset.format.layout import Layout
from component.dataset.format.schema import encode_schema, normal_schema
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset import hand_made
from tests.dataset.making import bag, read_all
from tests.dataset.memory import MemoryStore

AT_ONCE = dt.timedelta(0)
ROWS = pa.table({"k": ["x", "y"], "v": [1, 2]})


@pytest.fixture
def store():
    return MemoryStore()


def make(store, rows, **layout):
    return make_dataset(store, "sales", given_rows(rows, "sales"), NewDataset(**layout), replaces=False)


def refused(store, make):
    before = dict(store.objects)
    with pytest.raises(UserError) as caught:
        make()
    assert store.objects == before
    return caught.value


@pytest.mark.parametrize("table", ["indices", "_history", "_keys", "a/b", "", ".."])
def test_a_table_has_no_name_of_a_folder_that_datasets_keep(store, table):
    error = refused(store, lambda: make(store, ROWS, table=table))
    assert (error.code, error.place.table) == ("store.key", "sales")


@pytest.mark.parametrize("key", ["partition", "a/b"])
def test_a_key_that_others_cannot_append_to_is_not_made(store, key):
    rows = ROWS.rename_columns([key, "v"])
    error = refused(store, lambda: make(store, rows, partition_on=(key,)))
    assert (error.code, error.place.column) == ("column.type", key)
    make(store, ROWS, partition_on=("k",))
    assert refused(store, lambda: rename_column(store, "sales", "k", key)).code == "column.type"


@pytest.mark.parametrize("key", ["partition", "a/b"])
def test_a_column_of_such_a_name_is_no_fault_elsewhere(store, key):
    make(store, ROWS.rename_columns([key, "v"]))
    assert verify(store, "sales").faults == ()


@pytest.mark.parametrize(
    ("value", "code"), [("a\0b", "cell.type"), (math.nan, "row.null_partition"), (None, "row.null_partition")]
)
def test_a_value_that_no_question_finds_is_no_partition(store, value, code):
    rows = pa.table({"k": ["x" if isinstance(value, str) else 1.5, value], "v": [1, 2]})
    error = refused(store, lambda: make(store, rows, partition_on=("k",)))
    assert (error.code, error.place.column) == (code, "k")


@pytest.mark.parametrize("key", ["partition", "x"])
def test_a_key_that_another_client_made_is_read_and_written(tmp_path, key):
    store = LocalStore(tmp_path)
    rows = pa.table({key: ["a", "b"], "v": [1, 2]})
    for value, number in (("a", 1), ("b", 2)):
        hand_made.put_rows(tmp_path, f"{key}={value}/1", pa.table({"v": [number]}))
    hand_made.put_text(
        tmp_path, f"{hand_made.UUID}/table/_common_metadata", encode_schema(normal_schema(rows.schema, [key]))
    )
    hand_made.put_header(tmp_path, [f"{key}=a/1", f"{key}=b/1"], partition_keys=[key])
    set_metadata(store, hand_made.UUID, {"a": 1})
    add_rows(store, hand_made.UUID, given_rows(rows, hand_made.UUID), Intent(), FileLayout())
    assert bag(read_all(store, hand_made.UUID)) == bag(pa.concat_tables([rows, rows]))


def test_partitions_of_nan_that_another_client_made_are_read_and_rewritten(tmp_path):
    store = LocalStore(tmp_path)
    hand_made.put_rows(tmp_path, "f=nan/1", pa.table({"v": [1, 2]}))
    schema = normal_schema(pa.schema([("f", pa.float64()), ("v", pa.int64())]), ["f"])
    hand_made.put_text(tmp_path, f"{hand_made.UUID}/table/_common_metadata", encode_schema(schema))
    hand_made.put_header(tmp_path, ["f=nan/1"], partition_keys=["f"])
    delete_rows(store, hand_made.UUID, [[("v", "==", 1)]])
    (row,) = read_all(store, hand_made.UUID).to_pylist()
    assert (math.isnan(row["f"]), row["v"]) == (True, 2)


@pytest.mark.parametrize("table", ["indices", "_history", "_keys"])
def test_a_table_of_such_a_name_that_another_client_made_is_read_and_survives(tmp_path, table):
    store = LocalStore(tmp_path)
    key = f"{hand_made.UUID}/{table}/1.parquet"
    hand_made.put_rows(tmp_path, "1", ROWS, table)
    hand_made.put_schema(tmp_path, ROWS.schema, table, pandas={"columns": [], "index_columns": []})
    hand_made.put_header(tmp_path, {"1": {table: key}})
    assert [fault.mend for fault in verify(store, hand_made.UUID).faults if fault.key == key] == []
    repair(store, hand_made.UUID)
    collect(store, find_garbage(store, hand_made.UUID, min_age=AT_ONCE, retention=Retention(1, AT_ONCE)))
    assert bag(read_all(store, hand_made.UUID)) == bag(ROWS)


@pytest.mark.parametrize("client", ["plateau", "kartothek"])
def test_an_index_that_the_client_cannot_append_to_is_told(store, client):
    rows = pa.table({"price": pa.array([Decimal("1.00"), Decimal("2.50")]), "v": [1, 2]})
    layout = Layout("sales", rows.schema, (), ("price", "v"), compatibility=client)
    (doubt,) = index_doubts([layout])
    assert "'price'" in doubt
    assert client in doubt
    with pytest.warns(UserWarning, match="'price'"):
        make(store, rows, secondary_indices=("price",), compatibility=client)
    assert read_all(store, predicates=[[("price", "==", "1.00")]]).num_rows == 1
