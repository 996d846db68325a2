"""plateau reads what we write."""

import itertools

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.dataset.format.header import Header, encode_header
from component.dataset.format.schema import encode_schema, normal_schema
from component.store.local import LocalStore
from tests.dataset.making import new_store, write_dataset
from tests.plateau.rows import KEYS, NASTY_TEXTS, ROWS, same_rows, tables, with_keys
from tests.strategies.typed_tables import NAMES, TYPES

pytestmark = pytest.mark.plateau
PAIRS = list(itertools.permutations(KEYS, 2))


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


@pytest.mark.parametrize("storage_format", ["json", "msgpack.zstd"])
@pytest.mark.parametrize("keys", [(), *[(key,) for key in KEYS], *PAIRS[::3]], ids=str)
def test_every_type_and_partitioning_reads_as_its_source(plateau, store, keys, storage_format):
    rows = with_keys(*keys)
    write_dataset(store, rows, keys, ["text", "whole"], splits=2, storage_format=storage_format)
    assert same_rows(plateau.read(store, "sales"), rows)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2).flatmap(lambda keys: st.tuples(st.just(keys), tables(keys=keys))))
def test_any_table_reads_as_its_source(plateau, case):
    keys, rows = case
    with new_store() as store:
        write_dataset(store, rows, rows.column_names[:keys])
        assert same_rows(plateau.read(store, "sales"), rows)


def test_partition_values_that_need_quoting_come_back(plateau, store):
    rows = pa.table({"k": list(NASTY_TEXTS), "v": range(len(NASTY_TEXTS))})
    write_dataset(store, rows, ["k"])
    assert same_rows(plateau.read(store, "sales"), rows)
    for text in NASTY_TEXTS:
        found = plateau.read(store, "sales", predicates=[[("k", "==", text)]])
        assert found["k"].to_pylist() == [text]


def test_plateau_sees_the_schema_in_its_own_words(plateau, store):
    write_dataset(store, with_keys("day key"), ["day key"])
    assert plateau.schema(store, "sales") == {
        "day key": "date32[day]",
        "amount": "decimal128(12, 2)",
        "day": "date32[day]",
        "exact": "int64",
        "flag": "bool",
        "large": "decimal128(38, 9)",
        "moment": "timestamp[ns]",
        "ratio": "double",
        "text": "large_string",
        "whole": "int64",
    }


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from(TYPES)), min_size=1, max_size=5, unique_by=lambda c: c[0]
    )
)
def test_any_schema_is_accepted(plateau, columns):
    schema = normal_schema(pa.schema(columns), ())
    with new_store() as store:
        store.put("sales/table/_common_metadata", encode_schema(schema))
        store.put("sales.by-dataset-metadata.json", encode_header(Header("sales"), "json"))
        assert list(plateau.schema(store, "sales")) == schema.names
        assert plateau.read(store, "sales").num_rows == 0


def test_columns_are_read_alone(plateau, store):
    write_dataset(store, with_keys("text key"), ["text key"])
    found = plateau.read(store, "sales", columns=["text key", "exact"])
    assert same_rows(found, with_keys("text key").select(["text key", "exact"]))


@pytest.mark.parametrize("keys", [(), ("text key",)])
def test_a_dataset_without_rows_is_read(plateau, store, keys):
    rows = with_keys("text key").slice(0, 0)
    write_dataset(store, rows, keys, ["text"])
    assert plateau.read(store, "sales").num_rows == 0
    assert plateau.read(store, "sales", predicates=[[("ratio", ">", 1.0)]]).num_rows == 0


def test_a_dataset_whose_columns_are_all_partition_keys_is_read(plateau, store):
    rows = pa.table({"a": ["x", "y", "x"], "b": [1, 2, 1]})
    write_dataset(store, rows, ["a", "b"])
    assert same_rows(plateau.read(store, "sales"), rows)


def test_cells_too_long_for_statistics_are_filtered(plateau, store):
    rows = pa.table({"s": ["x" * 5000, "y" * 5000]})
    write_dataset(store, rows)
    assert plateau.read(store, "sales", predicates=[[("s", "==", "y" * 5000)]]).num_rows == 1


def test_an_overwrite_in_another_header_format_is_what_plateau_reads(plateau, store):
    for storage_format, rows in (("json", ROWS.slice(0, 1)), ("msgpack.zstd", ROWS.slice(1, 2)), ("json", ROWS)):
        write_dataset(store, rows, storage_format=storage_format)
        assert same_rows(plateau.read(store, "sales"), rows)
