"""plateau reads what operations on columns, and buckets, leave behind."""

from dataclasses import replace

import pytest

from component.dataset.changes.columns import add_column, drop_column, rename_column, widen_column
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.buckets import Buckets
from component.store.local import LocalStore
from tests.dataset.making import layout_of, read_all, write_dataset, write_files
from tests.plateau.process import PlateauError
from tests.plateau.rows import ROWS, same_rows, with_keys

pytestmark = pytest.mark.plateau
KEY = "text key"


@pytest.fixture
def store(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, with_keys(KEY), [KEY], ["text", "exact"], splits=2)
    return store


def both_read(plateau, store):
    ours = read_all(store)
    return ours.num_rows == ROWS.num_rows and same_rows(plateau.read(store, "sales"), ours)


def test_added_columns_are_read_whole_by_name_and_asked_about(plateau, store):
    add_column(store, "sales", "fixed", "integer", 5)
    add_column(store, "sales", "empty", "string")
    assert both_read(plateau, store)
    assert plateau.read(store, "sales", columns=["empty", "fixed"])["fixed"].to_pylist() == [5] * 4
    assert plateau.read(store, "sales", predicates=[[("fixed", "==", 5)]]).num_rows == 4
    plateau.append(store, "sales", read_all(store, predicates=[[("text", "==", "a")]]))
    assert read_all(store).num_rows == 5


def test_a_column_in_the_schema_alone_is_read_in_whole_tables_only(plateau, store):
    add_column(store, "sales", "empty", "float", schema_only=True)
    assert both_read(plateau, store)
    with pytest.raises(PlateauError, match="Columns cannot be found"):
        plateau.read(store, "sales", columns=["empty"])


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        ("whole", "numeric(20,2)"),
        ("amount", "numeric(38,9)"),
        ("exact", "string"),
        ("flag", "string"),
        ("ratio", "string"),
    ],
)
def test_widened_columns_are_read_and_appended_to(plateau, store, column, wanted):
    widen_column(store, "sales", column, wanted)
    assert both_read(plateau, store)
    plateau.append(store, "sales", read_all(store).slice(1, 1))
    assert read_all(store).num_rows == 5


def test_a_renamed_partition_key_and_index_are_asked_about(plateau, store):
    rename_column(store, "sales", KEY, "key")
    rename_column(store, "sales", "exact", "number")
    assert both_read(plateau, store)
    assert plateau.read(store, "sales", predicates=[[("key", "==", "a/b")]]).num_rows == 2
    assert plateau.read(store, "sales", predicates=[[("number", "==", 5)]]).num_rows == 1
    assert set(plateau.index(store, "sales", "number")) == set(ROWS["exact"].to_pylist())


def test_a_dropped_column_is_gone(plateau, store):
    drop_column(store, "sales", "text")
    assert both_read(plateau, store)
    assert "text" not in plateau.schema(store, "sales")


def test_buckets_are_no_column(plateau, store):
    rows = with_keys(KEY)
    layout = replace(layout_of(rows, [KEY], ["exact"]), buckets=Buckets(("exact", "day"), 3))
    plan = plan_commit(store, layout, "overwrite")
    commit(store, plan, [write_files(store, plan.layout, rows)])
    assert both_read(plateau, store)
    assert set(plateau.schema(store, "sales")) == set(rows.column_names)
    assert plateau.read(store, "sales", predicates=[[("exact", "==", 5)]]).num_rows == 1
