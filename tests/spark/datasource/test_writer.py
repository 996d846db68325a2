"""The writer as Spark uses it: pickled to tasks and back to the driver, whatever happens to attempts."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from pyspark.sql import types as spark

from component import clock
from component.dataset.changes.operations import drop_indices
from component.dataset.commits.garbage import find_garbage
from component.dataset.format.address import Address
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.errors import CommitRefusedError, CommitUnknownError, RetryError, UserError
from component.spark.datasource import writer as source_writer
from component.spark.datasource.options import SourceOptions
from component.spark.datasource.types import spark_schema
from component.spark.datasource.writer import KartothekWriter, joined
from component.store.local import LocalStore
from tests.dataset import several
from tests.dataset.making import UUID, bag, read_all, write_dataset
from tests.dataset.several import commit_tables

ROWS = pa.table({"p": ["a", "a", "b"], "id": [1, 2, 3], "x": [0.5, None, 1.5]})


def writer_of(store, rows=ROWS, *, overwrite=False, **options):
    """A writer as it arrives in a task or at the commit."""
    given = SourceOptions(Address(store, UUID), **options)
    return pickle.loads(pickle.dumps(KartothekWriter(given, spark_schema(rows.schema), overwrite=overwrite)))


def run(writer, *tasks):
    return [pickle.loads(pickle.dumps(writer.write(iter(rows.to_batches())))) for rows in tasks]


def write(store, rows=ROWS, **options):
    writer = writer_of(store, rows, **options)
    writer.commit(run(writer, rows))


def data_files(store):
    return {stat.key for stat in store.list(f"{UUID}/table/") if stat.key.endswith(".parquet")}


def named_files(store):
    return {key for files in read_header(store, UUID).header.partitions.values() for key in files.values()}


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path / "store")


def test_a_write_is_one_commit_of_what_all_tasks_wrote(store):
    writer = writer_of(store, partition_on=("p",), secondary_indices=("id",), primary_key=("id",), metadata={"a": 1})
    messages = run(writer, ROWS.slice(0, 1), ROWS.slice(1, 2), ROWS.slice(0, 0))
    assert read_header(store, UUID) is None
    writer.commit(messages)
    header = read_header(store, UUID).header
    assert bag(read_all(store)) == bag(ROWS)
    assert (header.partition_keys, set(header.indices), header.metadata["a"]) == (("p",), {"id"}, 1)
    assert header.extras["primary_key"] == ["id"]
    assert [commit.operation for commit in history(store, UUID)] == ["append"]


def test_rows_keep_their_order_across_tasks(store):
    writer = writer_of(store)
    writer.commit(run(writer, ROWS.slice(0, 2), ROWS.slice(2)))
    assert read_all(store)["id"].to_pylist() == [1, 2, 3]


def test_an_append_keeps_layout_and_primary_key_of_the_dataset(store):
    write(store, partition_on=("p",), secondary_indices=("id",), primary_key=("id",))
    with pytest.warns(UserWarning, match="already has 3 primary keys of 3 rows"):
        write(store)
    header = read_header(store, UUID).header
    assert (header.partition_keys, set(header.indices), header.extras["primary_key"]) == (("p",), {"id"}, ["id"])
    assert read_all(store).num_rows == 6


def test_a_key_that_is_there_or_comes_to_be_there_is_refused_if_asked(store):
    write(store, primary_key=("id",))
    for there in (ROWS, ROWS.set_column(1, "id", pa.array([7, 8, 9]))):
        writer = writer_of(store, there, on_duplicate_key="fail")
        messages = run(writer, there)
        if there is not ROWS:
            write(store, there)  # after the tasks, before the commit
        with pytest.raises(UserError) as refused:
            writer.commit(messages)
        assert refused.value.code == "row.duplicate_key"
        assert data_files(store) == named_files(store)


def test_an_append_to_unsigned_numbers_takes_sparks_decimals(store):
    there = pa.table({"u": pa.array([1, 2**64 - 1], pa.uint64())})
    write_dataset(store, there)
    new = pa.table({"u": there["u"].cast(pa.decimal128(20, 0))})
    write(store, new)
    assert read_all(store) == pa.concat_tables([there, there])
    with pytest.raises(UserError, match="a value does not fit"):
        write(store, pa.table({"u": pa.array([-1]).cast(pa.decimal128(20, 0))}))


def test_appends_at_the_same_time_both_stay(store):
    write(store)
    first, second = writer_of(store), writer_of(store)
    done = run(first, ROWS), run(second, ROWS)
    second.commit(done[1])
    first.commit(done[0])
    assert read_all(store).num_rows == 9


def test_an_overwrite_is_refused_when_somebody_committed_since_it_began(store):
    write(store)
    writer = writer_of(store, overwrite=True)
    messages = run(writer, ROWS.slice(0, 1))
    write(store)
    with pytest.raises(CommitRefusedError, match="changed since the overwrite began"):
        writer.commit(messages)
    writer.abort(messages)
    assert read_all(store).num_rows == 6
    assert data_files(store) == named_files(store)


def test_an_overwrite_takes_the_layout_that_it_is_given(store):
    write(store, partition_on=("p",))
    write(store, ROWS.drop_columns("x"), overwrite=True, secondary_indices=("p",))
    header = read_header(store, UUID).header
    assert (header.partition_keys, set(header.indices)) == ((), {"p"})
    assert bag(read_all(store)) == bag(ROWS.drop_columns("x"))


def test_partitions_in_scope_are_replaced_and_others_stay(store):
    write(store, partition_on=("p",), secondary_indices=("id",), primary_key=("id",))
    writer = writer_of(store, overwrite=True, delete_scope=[{"p": "a"}])
    messages = run(writer, ROWS.slice(0, 1))
    with pytest.warns(UserWarning, match="already has 3 primary keys"):
        write(store)  # what is in scope is decided when it is committed
    writer.commit(messages)
    assert sorted(read_all(store)["id"].to_pylist()) == [1, 3, 3]
    header = read_header(store, UUID).header
    assert (next(history(store, UUID)).operation, header.extras["primary_key"]) == ("replace partitions", ["id"])


def test_a_replacement_that_loses_the_race_is_decided_again(store, monkeypatch):
    write(store, partition_on=("p",))
    writer = writer_of(store, overwrite=True, delete_scope=[{"p": "a"}])
    messages = run(writer, ROWS.slice(0, 1))
    real, raced = source_writer.commit, []

    def lose_once(*given):
        if not raced:
            raced.append(True)
            write(store)
        return real(*given)

    monkeypatch.setattr(source_writer, "commit", lose_once)
    writer.commit(messages)
    assert sorted(read_all(store)["id"].to_pylist()) == [1, 3, 3]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"partition_on": ("q",)}, "column.missing"),
        ({"partition_on": ("b",)}, "column.type"),
        ({"secondary_indices": ("x",)}, "dataset.partitioning"),
        ({"secondary_indices": ("q",), "overwrite": True}, "column.missing"),
        ({"sort_by": ("q",)}, "column.missing"),
        ({"primary_key": ("q",)}, "column.missing"),
        ({"delete_scope": [{"p": "a"}]}, "spark.option"),
        ({"delete_scope": [], "overwrite": True}, "dataset.scope"),
        ({"delete_scope": [{"id": 1}], "overwrite": True}, "dataset.scope"),
    ],
    ids=str,
)
def test_what_cannot_be_written_is_refused_before_any_task(store, options, code):
    rows = ROWS.append_column("b", pa.array([True, False, None]))
    write_dataset(store, rows, ["p"])
    before = list(store.list(""))
    with pytest.raises(UserError) as caught:
        writer_of(store, rows, **options)
    assert caught.value.code == code
    assert list(store.list("")) == before


def test_rows_of_another_schema_are_refused_before_any_task(store):
    write(store)
    with pytest.raises(UserError) as caught:
        writer_of(store, pa.table({"p": ["a"]}))
    assert caught.value.code == "dataset.schema"


def test_a_task_with_a_null_in_a_partition_column_fails_and_leaves_nothing(store):
    writer = writer_of(store, partition_on=("p",))
    with pytest.raises(UserError) as caught:
        run(writer, pa.table({"p": ["a", None], "id": [1, 2], "x": [0.0, 0.0]}))
    assert (caught.value.code, caught.value.place.column) == ("row.null_partition", "p")
    assert not data_files(store)


def test_an_abort_deletes_what_other_tasks_wrote_and_nothing_else(store):
    write(store)
    writer, other = writer_of(store), writer_of(store)
    (done,) = run(writer, ROWS)
    run(other, ROWS)
    before = data_files(store)
    writer.abort([done, None])
    assert before - data_files(store) == {file.key for file in done.written.files}
    assert read_all(store).num_rows == 3


def test_files_of_an_attempt_that_spark_does_not_count_are_deleted(store):
    writer = writer_of(store)
    lost, counted = run(writer, ROWS, ROWS)
    object.__setattr__(counted, "attempt", 1)
    writer.commit([counted])
    assert data_files(store) == named_files(store) == {file.key for file in counted.written.files}
    assert lost.written.files


def test_when_the_store_does_not_say_whether_it_committed_the_files_stay(store, monkeypatch):
    writer = writer_of(store)
    messages = run(writer, ROWS)

    def lose_the_answer(*_):
        raise CommitUnknownError("commit.unknown", "Perhaps done")

    monkeypatch.setattr(source_writer, "commit", lose_the_answer)
    with pytest.raises(CommitUnknownError):
        writer.commit(messages)
    writer.abort(messages)
    assert data_files(store) == {file.key for message in messages for file in message.written.files}


def test_files_without_rows_for_other_tables_are_gone_when_the_commit_fails(store, monkeypatch):
    commit_tables(store)
    before = {stat.key for stat in store.list("")}
    given = SourceOptions(Address(store, several.UUID), table="flights")
    writer = KartothekWriter(given, spark_schema(several.FLIGHTS.schema), overwrite=False)
    messages = run(writer, several.FLIGHTS)
    there = []

    def fail(*_):
        there.extend(stat.key for stat in store.list(f"{several.UUID}/seats/"))
        raise RetryError("store.unavailable", "The store does not answer")

    monkeypatch.setattr(source_writer, "commit", fail)
    with pytest.raises(RetryError):
        writer.commit(messages)
    assert set(there) - before
    assert {stat.key for stat in store.list("")} == before


def test_a_dataset_that_lost_an_index_meanwhile_is_not_committed_to(store):
    write(store, secondary_indices=("id",))
    writer = writer_of(store)
    messages = run(writer, ROWS)
    drop_indices(store, UUID, ["id"])
    with pytest.raises(UserError) as caught:
        writer.commit(messages)
    assert caught.value.code == "dataset.partitioning"
    assert data_files(store) == named_files(store)


def test_what_a_killed_task_left_is_garbage(store, monkeypatch):
    write(store)
    run(writer_of(store), ROWS)  # and its driver dies
    later = clock.utc_now().replace(year=clock.utc_now().year + 1)
    monkeypatch.setattr(clock, "utc_now", lambda: later)
    found = {each.key for each in find_garbage(store, UUID).objects if each.kind == "data"}
    assert found == data_files(store) - named_files(store)


def test_batches_are_joined_until_they_are_large():
    batch = pa.record_batch({"a": pa.array(range(2**17))})
    assert [table.num_rows for table in joined(iter([batch] * 12))] == [8 * 2**17, 4 * 2**17]
    assert not list(joined(iter([batch.slice(0, 0)])))


def test_a_type_without_a_place_in_datasets_is_refused(store):
    schema = spark.StructType().add("m", spark.MapType(spark.StringType(), spark.LongType()))
    with pytest.raises(UserError) as caught:
        KartothekWriter(SourceOptions(Address(store, UUID)), schema, overwrite=False)
    assert caught.value.code == "column.type"
