import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.changes.columns import add_column, drop_column, rename_column, widen_column
from component.dataset.changes.execution import HERE
from component.dataset.changes.operations import delete_rows
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.reading.reader import open_dataset
from component.dataset.verification.verify import verify
from component.errors import UserError
from tests.dataset.making import bag, layout_of, read_all, with_files, write_dataset, write_files, write_splits
from tests.dataset.memory import MemoryStore
from tests.strategies.typed_tables import tables

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, None, 3], "t": ["a", "b", None], "d": [dt.date(2024, 2, 29)] * 3})


@pytest.fixture
def store():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v", "t"], primary_key=["v"], splits=2)
    return store


def code_of(call):
    with pytest.raises(UserError) as caught:
        call()
    return caught.value.code


def operation(store):
    return next(history(store, "sales")).operation


def sound(store):
    return verify(store, "sales").faults == ()


def index_values(store, column):
    return pq.read_table(store.open(read_header(store, "sales").header.indices[column]))[column].to_pylist()


# --- add ---


@pytest.mark.parametrize(
    ("wanted", "value", "expected"),
    [
        ("string", None, None),
        ("string", "n/a", "n/a"),
        ("integer", 7, 7),
        ("numeric(12,2)", "1.50", Decimal("1.50")),
        ("boolean", False, False),
        ("date", "2024-02-29", dt.date(2024, 2, 29)),
        (pa.timestamp("ms"), dt.datetime.fromisoformat("2024-01-01"), dt.datetime.fromisoformat("2024-01-01")),
        ("float", 1, 1.0),
    ],
)
def test_an_added_column_has_its_value_in_every_row(store, wanted, value, expected):
    add_column(store, "sales", "new", wanted, value)
    assert read_all(store).column_names == [*ROWS.column_names, "new"]
    assert read_all(store)["new"].to_pylist() == [expected] * 3
    assert bag(read_all(store), ROWS.column_names) == bag(ROWS)
    assert operation(store) == "add column"
    assert sound(store)


def test_a_column_that_is_added_to_the_schema_alone_writes_no_file_and_is_null(store):
    before = read_header(store, "sales").header.partitions
    add_column(store, "sales", "new", "integer", schema_only=True)
    assert read_header(store, "sales").header.partitions == before
    assert read_all(store)["new"].to_pylist() == [None] * 3
    assert read_all(store, predicates=[[("new", "is null", None)]]).num_rows == 3
    assert read_all(store, predicates=[[("new", ">", 0)]]).num_rows == 0
    write_dataset(
        store, pa.table({**dict(zip(ROWS.column_names, ROWS.slice(0, 1), strict=True)), "new": [5]}), mode="append"
    )
    assert sorted(read_all(store)["new"].to_pylist(), key=str) == [5, None, None, None]
    assert {(fault.code, fault.column) for fault in verify(store, "sales").faults} == {("verify.column", "new")}


def test_what_cannot_be_added_says_why_and_changes_nothing(store):
    before = dict(store.objects)
    assert code_of(lambda: add_column(store, "sales", "v", "integer")) == "column.duplicate"
    assert code_of(lambda: add_column(store, "sales", "", "integer")) == "config.value"
    assert code_of(lambda: add_column(store, "sales", "n", "int")) == "column.type"
    assert code_of(lambda: add_column(store, "sales", "n", "integer(3)")) == "column.type"
    assert code_of(lambda: add_column(store, "sales", "n", "integer", 1.5)) == "cell.type"
    assert code_of(lambda: add_column(store, "sales", "n", "integer", True)) == "cell.type"
    assert code_of(lambda: add_column(store, "sales", "n", "date", dt.datetime(2024, 1, 1, 5))) == "cell.type"  # noqa: DTZ001
    assert code_of(lambda: add_column(store, "sales", "n", "integer", 1, schema_only=True)) == "config.value"
    assert store.objects == before


# --- widen ---


@pytest.mark.parametrize(
    ("column", "wanted", "expected"),
    [
        ("v", "numeric(20,2)", [Decimal("1.00"), None, Decimal("3.00")]),
        ("v", "numeric(3,2)", [Decimal("1.00"), None, Decimal("3.00")]),
        ("v", "float", [1.0, None, 3.0]),
        ("v", "string", ["1", None, "3"]),
        ("d", "timestamp", [dt.datetime.fromisoformat("2024-02-29")] * 3),
        ("d", "string", ["2024-02-29"] * 3),
    ],
)
def test_a_widened_column_has_the_same_values_and_its_index_too(store, column, wanted, expected):
    widen_column(store, "sales", column, wanted)
    assert sorted(read_all(store)[column].to_pylist(), key=str) == sorted(expected, key=str)
    assert bag(read_all(store).drop_columns([column])) == bag(ROWS.drop_columns([column]))
    if column == "v":
        assert index_values(store, "v") == [value for value in expected if value is not None]
        assert read_all(store, predicates=[[("v", "==", expected[2])]])["k"].to_pylist() == ["y"]
    assert operation(store) == "widen column"
    assert sound(store)


def test_a_partition_key_is_widened_with_the_paths_of_the_files():
    store = MemoryStore()
    write_dataset(store, pa.table({"day": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)], "v": [1, 2]}), ["day"])
    widen_column(store, "sales", "day", "timestamp")
    assert read_all(store, predicates=[[("day", ">", "2024-01-01 12:00:00")]])["v"].to_pylist() == [2]
    assert all(label.startswith("day=2024-01-0") for label in read_header(store, "sales").header.partitions)
    assert code_of(lambda: widen_column(store, "sales", "v", "boolean")) == "column.type"
    assert sound(store)


def test_a_type_that_could_lose_something_is_refused(store):
    write_dataset(store, pa.table({"n": pa.array([1], pa.decimal128(12, 2)), "i": [2**53 + 1], "f": [1.5]}))
    before = dict(store.objects)
    for column, wanted in [("n", "numeric(12,3)"), ("n", "numeric(11,2)"), ("n", "float"), ("n", "integer")]:
        assert (
            code_of(lambda column=column, wanted=wanted: widen_column(store, "sales", column, wanted)) == "column.type"
        )
    assert code_of(lambda: widen_column(store, "sales", "f", "integer")) == "column.type"
    assert code_of(lambda: widen_column(store, "sales", "i", "float")) == "cell.type"
    assert code_of(lambda: widen_column(store, "sales", "i", "numeric(5,2)")) == "cell.type"
    assert code_of(lambda: widen_column(store, "sales", "no", "string")) == "column.missing"
    assert store.objects == before
    assert widen_column(store, "sales", "n", "numeric(12,2)") is None


@with_files
@given(st.data())
def test_any_column_becomes_text_as_a_csv_output_has_it(data):
    rows = data.draw(tables(keys=0))
    name = data.draw(st.sampled_from(rows.column_names))
    store = MemoryStore()
    write_dataset(store, rows)
    widen_column(store, "sales", name, "string")
    assert read_all(store)[name].to_pylist() == rows[name].cast(pa.string()).to_pylist()
    assert bag(read_all(store).drop_columns([name])) == bag(rows.drop_columns([name]))


# --- rename ---


@with_files
@given(st.data())
def test_a_renamed_column_takes_all_that_names_it_along(data):
    rows = data.draw(tables(keys=1))
    name = data.draw(st.sampled_from(rows.column_names))
    key, *others = rows.column_names
    store = MemoryStore()
    write_dataset(store, rows, [key], others, primary_key=rows.column_names, splits=2)
    rename_column(store, "sales", name, "new name")
    names = ["new name" if one == name else one for one in rows.column_names]
    dataset = open_dataset(store, "sales")
    assert bag(read_all(store)) == bag(rows.rename_columns(names))
    assert list(dataset.columns) == list(dataset.primary_key) == names
    assert list(dataset.header.partition_keys) == names[:1]
    assert set(dataset.header.indices) == set(names[1:])
    assert sound(store)


def test_what_cannot_be_renamed_says_why(store):
    assert code_of(lambda: rename_column(store, "sales", "v", "t")) == "column.duplicate"
    assert code_of(lambda: rename_column(store, "sales", "no", "t")) == "column.missing"
    assert rename_column(store, "sales", "v", "v") is None


def test_attributes_go_with_a_name_and_those_of_a_type_go_with_the_type():
    store, rows = MemoryStore(), pa.table({"at": ["12:30:00"], "v": [1]})
    known = (("at", (("logical", "time"), ("unit", "h"))), ("v", (("logical", "x"), ("unit", "m"))))
    plan = plan_commit(store, replace(layout_of(rows), attributes=known), "overwrite")
    commit(store, plan, [write_files(store, plan.layout, rows)])
    rename_column(store, "sales", "at", "time")
    widen_column(store, "sales", "v", "float")
    assert open_dataset(store, "sales").attributes == {"time": {"logical": "time", "unit": "h"}, "v": {"unit": "m"}}


# --- drop ---


def test_a_dropped_column_is_gone_from_files_and_indices(store):
    drop_column(store, "sales", "t")
    assert bag(read_all(store)) == bag(ROWS.drop_columns(["t"]))
    assert set(read_header(store, "sales").header.indices) == {"v"}
    keys = [files["table"] for files in read_header(store, "sales").header.partitions.values()]
    assert all("t" not in pq.read_schema(store.open(key)).names for key in keys)
    assert operation(store) == "drop column"
    assert sound(store)


def test_a_column_that_is_needed_is_not_dropped(store):
    assert code_of(lambda: drop_column(store, "sales", "k")) == "dataset.partitioning"
    assert code_of(lambda: drop_column(store, "sales", "v")) == "dataset.key"
    assert code_of(lambda: drop_column(store, "sales", "no")) == "column.missing"
    drop_column(store, "sales", "t")
    write_dataset(store, pa.table({"k": ["x"], "v": [1]}), ["k"])
    assert code_of(lambda: drop_column(store, "sales", "v")) == "dataset.schema"


# --- all of them ---


def test_a_dataset_without_rows_gets_its_columns(store):
    delete_rows(store, "sales", [[["k", "is not null", None]]])
    add_column(store, "sales", "new", "integer", 3)
    rename_column(store, "sales", "k", "key")
    widen_column(store, "sales", "v", "float")
    drop_column(store, "sales", "t")
    dataset = open_dataset(store, "sales")
    assert dataset.columns == ("key", "v", "d", "new")
    assert dataset.header.partition_keys == ("key",)
    write_dataset(store, pa.table({"key": ["x"], "v": [1.5], "d": [dt.date(2024, 1, 1)], "new": [1]}), mode="append")
    assert read_all(store).num_rows == 1


def test_rows_keep_their_order_within_a_partition():
    store = MemoryStore()
    write_dataset(store, pa.table({"v": list(range(10))}), splits=5)
    before = read_all(store)["v"].to_pylist()
    add_column(store, "sales", "w", "integer", 0)
    assert read_all(store)["v"].to_pylist() == before


def test_older_states_are_read_with_their_own_columns(store):
    rename_column(store, "sales", "k", "key")
    widen_column(store, "sales", "v", "string")
    dataset = open_dataset(store, "sales", as_of="HEAD~2")
    assert dataset.columns == tuple(ROWS.column_names)
    assert dataset.schema.field("v").type == pa.int64()


# --- with other writers ---


class Late:
    """Runs tasks here, but another writer commits before the first time."""

    def __init__(self, other):
        self._other = other

    def run(self, function, tasks, *, files=0, size=0):
        other, self._other = self._other, lambda: None
        other()
        return HERE.run(function, tasks)


@pytest.mark.parametrize(
    "change",
    [
        lambda store, executor: add_column(store, "sales", "new", "integer", 1, executor=executor),
        lambda store, executor: widen_column(store, "sales", "v", "string", executor=executor),
        lambda store, executor: rename_column(store, "sales", "k", "key", executor=executor),
        lambda store, executor: drop_column(store, "sales", "t", executor=executor),
    ],
    ids=["add", "widen", "rename", "drop"],
)
def test_a_change_that_loses_the_race_is_made_of_the_new_state_and_leaves_nothing_behind(store, change):
    change(store, Late(lambda: write_dataset(store, ROWS, mode="append")))
    assert read_all(store).num_rows == 2 * ROWS.num_rows
    assert [commit.operation for commit in history(store, "sales")][1:] == ["append", "overwrite"]
    assert sound(store)
    named = {
        key
        for commit in history(store, "sales")
        for files in commit.header.partitions.values()
        for key in files.values()
    }
    assert {key for key in store.objects if key.endswith(".parquet") and "/table/" in key} == named


def test_an_append_that_was_planned_before_a_change_of_columns_is_refused(store):
    plan = plan_commit(store, layout_of(ROWS, ["k"]), "append")
    written = write_splits(store, plan, ROWS)
    rename_column(store, "sales", "d", "day")
    assert code_of(lambda: commit(store, plan, written)) == "dataset.schema"
    assert read_all(store).num_rows == ROWS.num_rows
