import datetime as dt
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component import identity
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.files import write
from component.dataset.files.fragment import decode_fragment
from component.dataset.files.write import PartitionWriter, TooManyPartitionsError, cut_by_keys
from component.dataset.format.layout import Layout
from component.dataset.format.values import value_text
from component.errors import RetryError, UserError
from tests.dataset.making import bag, layout_of, new_store, read_all, with_files, write_dataset, write_files
from tests.store.faults import Fault, FaultStore
from tests.strategies.typed_tables import tables


def _grouped(rows, keys):
    """Rows by the text of their keys, each group in the order of its rows."""
    groups = {}
    for row in rows.to_pylist():
        texts = tuple(value_text(row[name]) for name in keys)
        groups.setdefault(texts, []).append({name: cell for name, cell in row.items() if name not in keys})
    return groups


@with_files
@given(st.integers(1, 3).flatmap(lambda keys: st.tuples(st.just(keys), tables(keys=keys, max_rows=15))))
def test_rows_are_cut_as_a_dictionary_of_their_keys_would(case):
    count, rows = case
    keys = tuple(rows.column_names[:count])
    cut = {values: part.to_pylist() for values, part in cut_by_keys(rows, keys)}
    assert repr(sorted(cut.items())) == repr(sorted(_grouped(rows, keys).items()))


def test_combinations_have_numbers_of_their_own_when_their_count_passes_64_bits():
    many = np.arange(2**16)
    keys = [write._Key(np.append(many, many[0]), list(range(2**16))) for _ in range(5)]
    keys[0] = write._Key(np.append(many, many[1]), keys[0].values)
    codes = write._codes(keys)
    assert len(np.unique(codes)) == len(many) + 1


def test_without_partition_keys_rows_are_one_part():
    rows = pa.table({"a": [2, 1]})
    assert [(values, part.to_pydict()) for values, part in cut_by_keys(rows, ())] == [((), {"a": [2, 1]})]


def test_a_partition_value_that_python_cannot_say_names_its_column():
    far = pa.array([10**8], pa.int32()).cast(pa.date32())
    with pytest.raises(UserError) as caught:
        list(cut_by_keys(pa.table({"d": far, "v": [1]}), ("d",)))
    assert (caught.value.code, caught.value.place.column) == ("cell.type", "d")


@with_files
@given(
    st.integers(0, 2).flatmap(lambda keys: st.tuples(st.just(keys), tables(keys=keys, max_rows=20))),
    st.integers(1, 4),
    st.sampled_from([1, 100, 10_000_000]),
    st.sampled_from(["json", "msgpack.zstd"]),
)
def test_rows_written_are_the_rows_read(case, batches, buffer_bytes, storage_format):
    count, rows = case
    keys = rows.column_names[:count]
    indices = [name for name in rows.column_names[count:] if name != "partition"]
    with new_store() as store:
        plan = plan_commit(store, layout_of(rows, keys, indices), "overwrite", storage_format=storage_format)
        commit(store, plan, [write_files(store, plan.layout, *_batches(rows, batches), buffer_bytes=buffer_bytes)])
        found = read_all(store)
    assert found.schema.equals(rows.schema)
    assert bag(found) == bag(rows)


def _batches(rows, count):
    size = -(-rows.num_rows // count) or 1
    return [rows.slice(start, size) for start in range(0, rows.num_rows, size)]


def test_the_order_of_rows_within_a_file_stays():
    rows = pa.table({"k": ["b", "a", "b", "a"], "v": [3, 2, 1, 0]})
    with new_store() as store:
        write_dataset(store, rows, ["k"])
        assert read_all(store).to_pydict() == {"k": ["a", "a", "b", "b"], "v": [2, 0, 3, 1]}


def test_rows_are_sorted_within_a_file_where_asked():
    rows = pa.table({"v": [3, None, 1], "w": ["x", "y", "z"]})
    with new_store() as store:
        write_files(store, Layout("sales", rows.schema, sort_by=("v",)), rows)
        key = next(iter(store.list("sales/"))).key
        assert pq.read_table(store.open(key)).to_pydict() == {"v": [1, 3, None], "w": ["z", "x", "y"]}


def test_all_rows_come_back_when_every_column_is_a_partition_key():
    rows = pa.table({"a": ["x", "y", "x"], "b": [1, 2, 1]})
    with new_store() as store:
        write_dataset(store, rows, ["a", "b"])
        assert bag(read_all(store)) == bag(rows)
        assert read_all(store, predicates=[[("a", "==", "x")]]).num_rows == 2


def test_one_split_gives_its_files_one_stem_and_no_name_twice():
    rows = pa.table({"k": ["a", "b"], "v": [1, 2]})
    with new_store() as store:
        first, second = (write_files(store, layout_of(rows, ["k"]), rows) for _ in range(2))
    stems = [{file.label.rsplit("/")[-1] for file in written.files} for written in (first, second)]
    assert [len(each) for each in stems] == [1, 1]
    assert stems[0].isdisjoint(stems[1])
    assert [(file.rows, file.key) for file in first.files] == [
        (1, f"sales/table/k={key}/{stem}.parquet") for key, stem in itertools.product("ab", stems[0])
    ]


def test_fragments_name_the_files_of_each_value():
    rows = pa.table({"k": ["a", "b", "b"], "v": [1, 1, None]})
    with new_store() as store:
        written = write_files(store, layout_of(rows, ["k"], ["v"]), rows)
    fragment = decode_fragment(written.fragments["v"])
    assert fragment.values.to_pylist() == [1, 1]
    assert [fragment.labels[at] for at in fragment.positions.to_pylist()] == [file.label for file in written.files]


def test_a_writer_holds_no_more_than_its_budget_though_one_partition_has_most_rows():
    budget, batch = 8 << 20, 100_000
    with new_store() as store:
        writer = PartitionWriter(
            store, Layout("sales", _skewed(0, batch).schema, ("k",)), identity.new_hex, buffer_bytes=budget
        )
        before = pa.total_allocated_bytes()
        peak = 0
        for number in range(60):
            writer.add(_skewed(number, batch))
            peak = max(peak, pa.total_allocated_bytes() - before)
        rows = writer.finish().rows
    assert rows == 60 * batch
    assert peak < 4 * budget


def _skewed(number, rows):
    """Nine rows of ten in one partition that is written early; the others are in many small ones."""
    keys = [f"rare {at % 40}" if at % 10 == 0 else f"often {number % 3}" for at in range(rows)]
    return pa.table({"k": keys, "v": list(range(rows))})


def test_early_files_take_the_largest_partitions():
    big, small = pa.table({"k": ["big"] * 1000, "v": [0] * 1000}), pa.table({"k": ["small"], "v": [1]})
    with new_store() as store:
        written = write_files(store, layout_of(big, ["k"]), small, big, small, big, buffer_bytes=5_000)
    assert sorted((file.label.split("/")[0], file.rows) for file in written.files) == [
        ("k=big", 1000),
        ("k=big", 1000),
        ("k=small", 2),
    ]


def test_too_many_partitions_stop_the_writer_before_it_writes():
    rows = pa.table({"k": [1, 2, 3], "v": [1, 2, 3]})
    with new_store() as store:
        writer = PartitionWriter(store, layout_of(rows, ["k"]), identity.new_hex, most_partitions=2)
        writer.add(rows.slice(0, 2))
        with pytest.raises(TooManyPartitionsError), writer:
            writer.add(rows.slice(2))
        assert list(store.list("sales/")) == []


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_writer_that_fails_leaves_nothing(nth, after):
    rows = pa.table({"k": [1, 2, 3], "v": [1, 2, 3]})
    with new_store() as store:
        writer = PartitionWriter(
            FaultStore(store, Fault("put", nth, after=after)), layout_of(rows, ["k"]), identity.new_hex
        )
        with pytest.raises(RetryError), writer:
            _write_all(writer, rows)
        assert list(store.list("sales/")) == []


def _write_all(writer, rows):
    writer.add(rows)
    writer.finish()


def test_timestamps_and_dates_name_their_partitions_as_the_original_clients_do():
    moment = dt.datetime.fromisoformat("2024-01-01T12:34:56.000001")
    rows = pa.table({"t": pa.array([moment], pa.timestamp("us")), "d": [dt.date(2024, 1, 1)], "v": [1]})
    with new_store() as store:
        written = write_files(store, layout_of(rows, ["t", "d"]), rows)
    assert written.files[0].label.startswith("t=2024-01-01%2012%3A34%3A56.000001/d=2024-01-01/")
