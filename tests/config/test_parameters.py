from __future__ import annotations

import pytest
from hypothesis import given
from pydantic import ValidationError

from component import naming
from component.config.parameters import NullWord, Parameters, TypeWord
from component.tables.types import BASE_TYPES, NullRule
from tests.strategies import parameters as strategies


def dataset(**given):
    return Parameters.model_validate({"datasets": [{"uuid": "flights", **given}]}).datasets[0]


def output(**given):
    return Parameters.model_validate({"outputs": [{"dataset": "flights", **given}]}).outputs[0]


@given(document=strategies.parameters)
def test_every_documented_configuration_is_accepted(document):
    found = Parameters.model_validate(document)
    assert [one.uuid for one in found.datasets] == [one["uuid"] for one in document["datasets"]]
    assert [one.output_name for one in found.outputs] == [one["name"] for one in document["outputs"]]


def test_empty_parameters_are_complete_with_the_defaults_of_naming():
    found = Parameters.model_validate({})
    assert (found.store, found.datasets, found.outputs) == (None, (), ())
    assert (found.spark.master, found.spark.conf) == ("local[*]", {})
    assert found.limits.model_dump() == {
        "split_bytes": naming.SPLIT_BYTES,
        "block_bytes": naming.BLOCK_BYTES,
        "buffer_bytes": naming.BUFFER_BYTES,
        "direct_files": naming.DIRECT_FILES,
        "slice_bytes": naming.SLICE_BYTES,
        "max_slices": naming.MAX_SLICES,
        "deadline_seconds": None,
    }


def test_php_s_empty_lists_are_empty_objects_everywhere():
    found = Parameters.model_validate(
        {
            "spark": {"conf": []},
            "limits": [],
            "datasets": [{"uuid": "a", "metadata": [], "tables": [[]]}, {"uuid": "b", "tables": [{"columns": []}]}],
        }
    )
    assert found == Parameters.model_validate(
        {"datasets": [{"uuid": "a", "tables": [{}]}, {"uuid": "b", "tables": [{}]}]}
    )
    assert Parameters.model_validate([]) == Parameters()


def test_the_words_of_types_and_null_rules_are_those_of_the_tables():
    assert set(TypeWord.__args__) == set(BASE_TYPES)
    assert set(NullWord.__args__) == set(NullRule)


def test_columns_by_name_and_as_a_list_are_the_same():
    by_name = {"a": "integer", "b": {"type": "date", "formats": "%d.%m.%Y"}, "c": {"nulls": "never"}, "d": []}
    as_list = [
        {"name": "a", "type": "integer"},
        {"name": "b", "type": "date", "formats": ["%d.%m.%Y"]},
        {"name": "c", "nulls": "never"},
        {"name": "d"},
    ]
    assert dataset(tables=[{"columns": by_name}]) == dataset(tables=[{"columns": as_list}])


def test_a_length_may_be_a_number():
    columns = dataset(
        tables=[{"columns": {"a": {"length": 38}, "b": {"length": "12,2"}, "c": {"length": 4.0}}}]
    ).table.columns
    assert [column.length for column in columns] == ["38", "12,2", "4"]


def test_a_whole_number_may_be_written_with_a_point():
    assert Parameters.model_validate({"limits": {"max_slices": 100.0}}).limits.max_slices == 100


def test_without_tables_the_source_has_the_name_of_the_dataset():
    assert dataset().table.source == "flights"
    assert dataset(tables=[]).table.source == "flights"
    assert dataset(tables=[{"format": "csv"}]).table.source == "flights"
    assert dataset(tables=[{"source": "other.csv"}]).table.source == "other.csv"


def test_an_output_has_the_name_of_its_dataset_unless_it_has_its_own():
    assert output().output_name == "flights"
    assert output(table="late").output_name == "flights-late"
    assert output(**{"as": "file"}).output_name == "flights.csv"
    assert output(**{"as": "file", "format": "parquet"}).output_name == "flights.parquet"
    assert output(name="mine").output_name == "mine"


def test_a_table_and_a_file_may_have_one_name():
    found = Parameters.model_validate(
        {"outputs": [{"dataset": "a", "name": "x"}, {"dataset": "a", "name": "x", "as": "file"}]}
    )
    assert [one.written_as for one in found.outputs] == ["table", "file"]


def test_credentials_are_secret_and_named_without_their_mark():
    store = Parameters.model_validate({"store": {"url": "s3://x", "#secret_key": "hush"}}).store
    assert store.credentials["secret_key"].get_secret_value() == "hush"
    assert "hush" not in f"{store!r} {store}"


def test_a_configuration_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        dataset().mode = "append"
