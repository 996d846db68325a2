"""Several tables in one dataset: one commit, one label for a file of each, indices over all of them."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.changes.operations import build_indices, delete_partitions
from component.dataset.commits.commit import plan_commit
from component.dataset.commits.tables import check_one_table, check_same_table, check_shared, fill_tables
from component.dataset.files.write import Written
from component.dataset.format.header import Header, encode_header, read_header
from component.dataset.format.layout import Layout
from component.dataset.reading.reader import open_dataset
from component.errors import UserError
from component.store.local import LocalStore
from component.store.uncommitted import Uncommitted
from tests.dataset.making import bag, layout_of, new_store, with_files, write_dataset
from tests.dataset.several import FLIGHTS, SEATS, TABLES, UUID, commit_tables, plan_tables, read_table, write_tables


@pytest.fixture
def store():
    with new_store() as made:
        yield made


def index_of(store, column):
    table = pq.read_table(store.open(read_header(store, UUID).header.indices[column]))
    return dict(zip(table[column].to_pylist(), map(sorted, table["partition"].to_pylist()), strict=True))


def expected_index(store, column):
    """The index by reading every file of every table that has the column."""
    found = {}
    header = read_header(store, UUID).header
    for label, files in header.partitions.items():
        for key in files.values():
            rows = pq.read_table(store.open(key))
            for value in rows[column].to_pylist() if column in rows.column_names else ():
                if value is not None:
                    found.setdefault(value, set()).add(label)
    return {value: sorted(labels) for value, labels in found.items()}


@pytest.mark.parametrize("splits", [1, 3])
def test_each_table_reads_as_its_source(store, splits):
    commit_tables(store, TABLES, ("day",), ("flight", "seat"), splits=splits)
    for table, rows in TABLES.items():
        assert bag(read_table(store, table)) == bag(rows)
        assert open_dataset(store, UUID, table=table).columns == tuple(rows.column_names)


@pytest.mark.parametrize("partition_on", [(), ("day",)])
def test_every_partition_has_a_file_of_every_table_under_its_own_label(store, partition_on):
    commit_tables(store, TABLES, partition_on, splits=3)
    commit_tables(store, TABLES, partition_on, splits=2, mode="append")
    header = read_header(store, UUID).header
    assert header.tables == ("flights", "seats")
    for label, files in header.partitions.items():
        assert files == {table: f"{UUID}/{table}/{label}.parquet" for table in TABLES}
        for key in files.values():
            assert store.get(key)


def test_files_of_the_same_name_share_a_label(store):
    commit_tables(store)
    labels = [label.split("/")[0] for label in read_header(store, UUID).header.partitions]
    assert sorted(labels) == ["day=mon", "day=tue", "day=wed"]


def test_an_index_holds_the_values_of_all_tables_that_have_the_column(store):
    commit_tables(store, TABLES, ("day",), ("flight", "seat", "origin"), splits=2)
    commit_tables(store, TABLES, ("day",), ("flight", "seat", "origin"), mode="append")
    for column in ("flight", "seat", "origin"):
        assert index_of(store, column) == expected_index(store, column)
    index = pq.read_schema(store.open(read_header(store, UUID).header.indices["seat"]))
    assert index.field("seat").type == pa.string()


def test_a_value_is_found_in_each_table_by_the_index(store):
    commit_tables(store, TABLES, ("day",), ("flight",))
    assert read_table(store, "seats", predicates=[[("flight", "==", 3)]])["seat"].to_pylist() == ["2B"]
    assert read_table(store, "flights", predicates=[[("flight", "==", 3)]])["day"].to_pylist() == ["tue"]
    assert read_table(store, "flights", predicates=[[("flight", "==", 4)]]).num_rows == 0


@with_files
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=12),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=12),
    st.integers(1, 3),
    st.booleans(),
)
def test_any_two_tables_read_as_their_sources_and_share_their_index(left, right, splits, partitioned):
    def rows(pairs, name):
        return pa.table(
            {"k": pa.array([k for k, _ in pairs], pa.int64()), "v": pa.array([v for _, v in pairs], pa.int64())}
        ).append_column(name, pa.array(range(len(pairs)), pa.int64()))

    tables = {"left": rows(left, "a"), "right": rows(right, "b")}
    with new_store() as store:
        for mode in ("overwrite", "append"):
            commit_tables(store, tables, ("k",) if partitioned else (), ("v",), splits=splits, mode=mode)
        for table, expected in tables.items():
            assert bag(read_table(store, table)) == bag(pa.concat_tables([expected, expected]))
        assert index_of(store, "v") == expected_index(store, "v")
        header = read_header(store, UUID).header
        assert all(list(files) == list(tables) for files in header.partitions.values())


def test_columns_and_keys_of_every_table_are_kept(store):
    commit_tables(store, primary_key=["flight"])
    assert open_dataset(store, UUID, table="flights").primary_key == ("flight",)
    assert open_dataset(store, UUID, table="seats").primary_key == ("seat",)
    extras = read_header(store, UUID).header.extras
    assert extras["table"] == "flights"
    assert list(extras["tables"]) == ["seats"]


def test_a_dataset_of_one_table_says_of_it_what_it_always_did(store):
    write_dataset(store, FLIGHTS, ["day"])
    assert read_header(store, "sales").header.extras.keys() & {"table", "tables", "columns", "compatibility"} == {
        "table",
        "columns",
    }


def test_the_tables_of_an_empty_dataset_are_known(store):
    commit_tables(store, {table: rows.slice(0, 0) for table, rows in TABLES.items()})
    assert read_header(store, UUID).header.tables == ("flights", "seats")
    assert read_table(store, "seats").num_rows == 0
    commit_tables(store, mode="append")
    assert bag(read_table(store, "seats")) == bag(SEATS)


def test_a_table_that_is_not_there_is_named(store):
    commit_tables(store)
    with pytest.raises(UserError, match="no table 'crew'") as caught:
        open_dataset(store, UUID, table="crew")
    assert "flights, seats" in str(caught.value)


@pytest.mark.parametrize("tables", [["crew"], ["flights", "crew"], ["flights", "seats", "crew"]])
def test_an_append_brings_tables_of_the_dataset_and_no_other(store, tables):
    commit_tables(store)
    rows = {table: TABLES.get(table, SEATS) for table in tables}
    with pytest.raises(UserError, match="has the tables flights, seats") as caught:
        plan_tables(store, rows, mode="append")
    assert caught.value.code == "dataset.format"


def test_rows_of_a_table_of_another_name_are_not_appended(store):
    commit_tables(store)
    with pytest.raises(UserError, match="has the tables flights, seats, and rows come for table"):
        plan_commit(store, layout_of(FLIGHTS, ["day"], uuid=UUID), "append")


def test_an_overwrite_may_bring_other_tables(store):
    commit_tables(store)
    write_dataset(store, FLIGHTS, ["day"], uuid=UUID)
    assert read_header(store, UUID).header.tables == ("table",)
    commit_tables(store, {"crew": SEATS, "flights": FLIGHTS})
    assert read_header(store, UUID).header.tables == ("crew", "flights")
    assert bag(read_table(store, "crew")) == bag(SEATS)


def test_a_column_of_two_types_is_refused_with_both(store):
    other = SEATS.set_column(1, "flight", SEATS["flight"].cast(pa.string()))
    with pytest.raises(UserError) as caught:
        plan_tables(store, {"flights": FLIGHTS, "seats": other})
    text = str(caught.value)
    assert caught.value.code == "column.type"
    assert all(word in text for word in ("int64", "string", "'flights'", "'seats'", "flight"))


def test_types_that_are_the_same_when_normalised_agree():
    narrow, wide = pa.schema([("a", pa.int32()), ("s", pa.large_string())]), pa.schema([("a", pa.int64())])
    check_shared({"x": narrow, "y": wide, "z": pa.schema([("s", pa.string()), ("a", pa.null())])}, "u")


def test_types_that_are_not_known_yet_are_not_compared():
    texts, numbers = pa.schema([("a", pa.string())]), pa.schema([("a", pa.int64())])
    check_shared({"x": texts, "y": numbers}, "u", {("y", "a")})
    with pytest.raises(UserError):
        check_shared({"x": texts, "y": numbers}, "u")


def test_a_partition_of_another_table_is_named():
    """plateau's append without table name: it would hide the rows of one of the two."""
    files = {"a": {"core": "u/core/a.parquet"}, "b": {"table": "u/table/b.parquet"}}
    with pytest.raises(UserError, match="'b'"):
        check_same_table(Header("u", files))


def without_files_of(store, table, day):
    """Let the header name no files of a table in some partitions, as kartothek does where it has no rows."""
    stored = read_header(store, UUID)
    partitions = {
        label: {name: key for name, key in files.items() if name != table or f"day={day}" not in label}
        for label, files in stored.header.partitions.items()
    }
    header = replace(stored.header, partitions=partitions)
    store.put_if(f"{UUID}.by-dataset-metadata.json", encode_header(header, "json"), stored.version)


def test_a_table_without_a_file_in_a_partition_has_no_rows_there(store):
    commit_tables(store, TABLES, ("day",), ("flight",))
    without_files_of(store, "flights", "mon")
    left = FLIGHTS.filter(pa.array([False, False, True]))
    assert read_header(store, UUID).header.tables == ("flights", "seats")
    assert bag(read_table(store, "flights")) == bag(left)
    assert bag(read_table(store, "seats")) == bag(SEATS)
    assert read_table(store, "flights", predicates=[[("flight", "==", 1)]]).num_rows == 0
    commit_tables(store, TABLES, ("day",), ("flight",), mode="append")
    assert bag(read_table(store, "flights")) == bag(pa.concat_tables([left, FLIGHTS]))
    kept = index_of(store, "flight")
    assert all(set(labels) <= set(kept[value]) for value, labels in expected_index(store, "flight").items())
    build_indices(store, UUID, ["flight", "origin"])
    assert index_of(store, "flight") == expected_index(store, "flight")


def test_partitions_go_whichever_tables_have_files_there(store):
    commit_tables(store)
    without_files_of(store, "flights", "mon")
    delete_partitions(store, UUID, [{"day": "mon"}])
    assert read_table(store, "seats")["day"].to_pylist() == ["tue", "wed", "wed"]


def test_a_change_of_one_table_is_refused():
    files = {"a": {"core": "u/core/a.parquet", "side": "u/side/a.parquet"}}
    with pytest.raises(UserError, match="core, side") as caught:
        check_one_table(Header("u", files))
    assert caught.value.code == "dataset.format"
    check_one_table(Header("u"))


def test_a_table_of_partition_keys_only_is_filled_too(store):
    days = pa.table({"day": ["mon", "sun"]})
    commit_tables(store, {"flights": FLIGHTS, "days": days})
    assert bag(read_table(store, "days")) == bag(days)
    assert bag(read_table(store, "flights")) == bag(FLIGHTS)


def test_nothing_is_filled_in_a_dataset_of_one_table(store):
    assert fill_tables(Uncommitted(store), [Layout("u", FLIGHTS.schema)], []) == [Written()]


ROOM = []


class FullStore(LocalStore):
    """A store that has room for so many objects more."""

    def put(self, key, data):
        if not ROOM:
            raise UserError("store.full", "There is no space left")
        ROOM.pop()
        LocalStore.put(self, key, data)


def test_files_without_rows_are_gone_when_one_cannot_be_put(tmp_path):
    store = LocalStore(tmp_path)
    plan = plan_tables(store, TABLES)
    written = write_tables(store, plan, TABLES, splits=3)
    whole, filled = written[:-2], [file for part in written[-2:] for file in part.files]
    for file in filled:
        store.delete(file.key)
    ROOM[:] = filled[1:]
    with pytest.raises(UserError, match="no space"), Uncommitted(FullStore(tmp_path)) as uncommitted:
        fill_tables(uncommitted, plan.layouts, whole)
    assert not ROOM
    assert {stat.key for stat in store.list(f"{UUID}/")} == {file.key for part in whole for file in part.files}
