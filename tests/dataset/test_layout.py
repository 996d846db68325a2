import pyarrow as pa
import pytest

from component.dataset.format.layout import Layout, describe_columns, described_schema, source_order, trusted_schema
from component.dataset.format.schema import normal_schema
from tests.strategies.typed_tables import TYPES

SCHEMA = pa.schema([("z", pa.string()), ("a", pa.int64()), ("k", pa.date32())])
EXTRAS = {"columns": describe_columns(SCHEMA)}


def test_the_stored_schema_has_the_partition_keys_first():
    assert Layout("u", SCHEMA, ("k",)).stored_schema.names == ["k", "a", "z"]


def test_indices_hold_normal_types_and_large_text_as_plateau_appends_to_it():
    layout = Layout("u", pa.schema([("s", pa.string()), ("i", pa.int32())]))
    assert (layout.index_type("s"), layout.index_type("i")) == (pa.large_string(), pa.int64())


@pytest.mark.parametrize("data_type", TYPES)
def test_every_column_type_comes_back_from_its_description(data_type):
    schema = pa.schema([("c", data_type)])
    assert described_schema({"columns": describe_columns(schema)}).equals(schema)


@pytest.mark.parametrize(
    "extras",
    [{}, {"columns": []}, {"columns": "x"}, {"columns": [["a"]]}, {"columns": [5]}, {"columns": [["a", "list<x>"]]}],
)
def test_a_description_that_is_not_whole_describes_nothing(extras):
    assert described_schema(extras) is None
    assert trusted_schema(extras, SCHEMA, ()).equals(SCHEMA)


def test_the_stored_schema_is_trusted_when_it_is_the_one_of_the_header():
    stored = pa.schema([("k", pa.date32()), ("a", pa.null()), ("z", pa.string())])
    assert trusted_schema(EXTRAS, stored, ("k",)).equals(stored)


@pytest.mark.parametrize(
    "stored",
    [
        pa.schema([("k", pa.date32()), ("a", pa.string()), ("z", pa.string())]),
        pa.schema([("k", pa.date32()), ("a", pa.int64())]),
        pa.schema([("a", pa.int64()), ("k", pa.date32()), ("z", pa.string())]),
    ],
)
def test_a_stored_schema_of_another_commit_gives_way_to_what_the_header_says(stored):
    assert trusted_schema(EXTRAS, stored, ("k",)).equals(normal_schema(SCHEMA, ("k",)))


def test_the_order_of_the_source_is_kept_where_the_header_knows_it():
    stored = normal_schema(SCHEMA, ("k",))
    assert source_order(EXTRAS, stored) == ("z", "a", "k")
    assert source_order({}, stored) == ("k", "a", "z")
    assert source_order({"columns": [["z", "string"]]}, stored) == ("k", "a", "z")
