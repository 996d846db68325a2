from __future__ import annotations

import pytest

from component.mapping.options.table import parse_manifest
from component.mapping.platform.model import Origin, RefusedError
from component.mapping.rules.merge import merge


def merged(manifest, mapping):
    return merge(manifest, mapping, "t").config


def origins(manifest, mapping):
    return merge(parse_manifest(manifest), mapping, "t").origins


def test_without_a_mapping_the_manifest_stays():
    manifest = {"destination": "x", "columns": ["a"], "incremental": True}
    assert merged(manifest, {}) == manifest


def test_without_a_manifest_the_mapping_stays():
    mapping = {"source": "t", "primary_key": [], "metadata": [], "incremental": False, "delimiter": ","}
    assert merged({}, mapping) == mapping


@pytest.mark.parametrize(
    ("key", "manifest", "default", "other"),
    [
        ("incremental", True, False, True),
        ("delimiter", ";", ",", "|"),
        ("enclosure", "'", '"', "|"),
        ("delete_where_operator", "ne", "eq", "ne"),
    ],
)
def test_a_mapping_cannot_set_an_option_back_to_its_default(key, manifest, default, other):
    assert merged({key: manifest}, {key: default}) == {key: manifest}
    assert merged({key: manifest}, {key: other}) == {key: other}
    assert merged({key: None}, {key: default}) == {key: default}


@pytest.mark.parametrize("key", ["columns", "tags", "destination", "write_always", "has_header", "description"])
@pytest.mark.parametrize("empty", [None, "", [], False, "0"])
def test_other_options_are_replaced_by_what_is_not_empty(key, empty):
    assert merged({key: "manifest"}, {key: empty}) == {key: "manifest"}
    assert merged({key: "manifest"}, {key: ["x"]}) == {key: ["x"]}
    assert merged({}, {key: empty}) == {key: empty}


def test_metadata_is_merged_by_key_with_the_manifest_first():
    manifest = [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}]
    mapping = [{"key": "c", "value": "3"}, {"key": "a", "value": "4"}]
    assert merged({"metadata": manifest}, {"metadata": mapping})["metadata"] == [
        {"key": "a", "value": "4"},
        {"key": "b", "value": "2"},
        {"key": "c", "value": "3"},
    ]


def test_a_number_as_metadata_key_becomes_a_number_once_merged():
    assert merged({"metadata": [{"key": "5", "value": "x"}]}, {"metadata": []})["metadata"] == [
        {"key": 5, "value": "x"}
    ]


def test_metadata_without_key_or_value_is_kept_under_the_empty_key():
    assert merged({"metadata": [[], {"value": "x"}]}, {"metadata": []})["metadata"] == [{"key": "", "value": "x"}]


def test_column_metadata_is_merged_by_column_and_key():
    manifest = {"a": [{"key": "k", "value": "1"}], "b": []}
    mapping = {"c": [{"key": "k", "value": "3"}], "a": [{"key": "k", "value": "2"}]}
    found = merged({"column_metadata": manifest}, {"column_metadata": mapping})["column_metadata"]
    assert found == {"a": [{"key": "k", "value": "2"}], "b": [], "c": [{"key": "k", "value": "3"}]}
    assert list(found) == ["a", "b", "c"]


def test_table_metadata_is_merged_by_key():
    found = merged({"table_metadata": {"a": 1, "b": 2}}, {"table_metadata": {"b": 3, "c": 4}})
    assert found == {"table_metadata": {"a": 1, "b": 3, "c": 4}}


class TestPrimaryKey:
    @pytest.mark.parametrize("key", [["b"], []])
    def test_any_list_replaces_it_even_an_empty_one(self, key):
        assert merged({"primary_key": ["a"]}, {"primary_key": key}) == {"primary_key": key}

    def test_what_is_no_list_does_not(self):
        assert merged({"primary_key": ["a"]}, {"primary_key": None}) == {"primary_key": ["a"]}

    def test_beside_a_schema_it_marks_columns_and_unmarks_none(self):
        schema = [{"name": "a", "primary_key": True}, {"name": "b", "primary_key": False}]
        manifest = {"primary_key": [], "schema": schema}
        found = merged(manifest, {"primary_key": ["b"]})
        assert found == {
            "primary_key": [],
            "schema": [{"name": "a", "primary_key": True}, {"name": "b", "primary_key": True}],
        }
        assert merged(manifest, {"primary_key": []}) == manifest
        assert schema[1]["primary_key"] is False

    def test_a_column_that_the_schema_lacks_is_an_error(self):
        with pytest.raises(RefusedError) as caught:
            merged({"schema": [{"name": "a"}]}, {"primary_key": ["a", "b"]})
        assert caught.value.error.code == "mapping.primary_key_unknown"
        assert caught.value.error.text == 'Primary key column "b" not found in manifest file.'


class TestSchema:
    def test_types_and_metadata_are_merged_and_other_keys_replaced(self):
        manifest = {
            "name": "a",
            "nullable": True,
            "description": "old",
            "data_type": {"base": {"type": "STRING"}, "bigquery": {"type": "x"}},
            "metadata": {"a": "b"},
        }
        mapping = {
            "name": "a",
            "nullable": False,
            "data_type": {"base": {"type": "DATE"}, "snowflake": {"type": "y"}},
            "metadata": {"a": "c", "d": "e"},
        }
        assert merged({"schema": [manifest]}, {"schema": [mapping]})["schema"] == [
            {
                "name": "a",
                "nullable": False,
                "description": "old",
                "data_type": {"base": {"type": "DATE"}, "bigquery": {"type": "x"}, "snowflake": {"type": "y"}},
                "metadata": {"a": "c", "d": "e"},
            }
        ]

    def test_unknown_columns_are_appended(self):
        found = merged({"schema": [{"name": "a"}]}, {"schema": [{"name": "a"}, {"name": "b", "primary_key": True}]})
        assert found["schema"] == [{"name": "a"}, {"name": "b", "primary_key": True}]

    def test_a_column_in_another_order_overwrites_its_neighbour(self):
        manifest = [{"name": "a"}, {"name": "b"}]
        found = merged({"schema": manifest}, {"schema": [{"name": "b", "nullable": False}]})
        assert found["schema"] == [{"name": "b", "nullable": False}, {"name": "b"}]

    def test_keys_that_are_no_sequence_are_kept(self):
        assert merged({"schema": {"x": {"name": "a"}}}, {"schema": [{"name": "b"}]})["schema"] == {
            "x": {"name": "a"},
            "0": {"name": "b"},
        }


class TestOrigins:
    def test_each_option_says_where_it_comes_from(self):
        manifest = {"columns": ["a"], "incremental": True, "delimiter": ";", "metadata": [{"key": "a", "value": "b"}]}
        mapping = {
            "incremental": False,
            "delimiter": "|",
            "metadata": [{"key": "c", "value": "d"}],
            "tags": ["x"],
            "columns": [],
        }
        assert origins(manifest, mapping) == {
            "columns": Origin.MANIFEST,
            "incremental": Origin.MANIFEST,
            "delimiter": Origin.MAPPING,
            "metadata": Origin.MERGED,
            "tags": Origin.MAPPING,
        }

    def test_a_key_that_the_mapping_clears_is_said_to_come_from_it(self):
        assert origins({"primary_key": ["a"]}, {"primary_key": []}) == {"primary_key": Origin.MAPPING}

    def test_a_key_that_marks_schema_columns_is_merged(self):
        schema = {"schema": [{"name": "a"}]}
        assert origins(schema, {"primary_key": ["a"]}) == {"schema": Origin.MERGED}
        assert origins(schema, {"primary_key": []}) == {"schema": Origin.MANIFEST}

    def test_an_empty_map_of_the_mapping_is_an_option_since_it_has_no_default(self):
        assert origins({}, {"table_metadata": [], "metadata": [], "schema": []}) == {"table_metadata": Origin.MAPPING}

    def test_an_empty_addition_leaves_the_origin(self):
        manifest = {"metadata": [{"key": "a", "value": "b"}]}
        assert origins(manifest, {"metadata": []}) == {"metadata": Origin.MANIFEST}
        assert origins({}, manifest) == {"metadata": Origin.MAPPING}


@pytest.mark.parametrize("manifest", [{}, {"column_metadata": {"a": []}}])
def test_null_as_column_metadata_adds_nothing(manifest):
    found = merged(manifest, {"column_metadata": None})
    assert found == {"column_metadata": []} | manifest


@pytest.mark.parametrize(
    ("manifest", "mapping", "call"),
    [
        ({}, {"metadata": None}, "mergeMetadata(): Argument #2 ($source) must be of type array, null given"),
        ({"schema": [{"name": "a"}]}, {"schema": "x"}, "mergeSchema(): Argument #2 ($mapping) must be of type array,"),
        ({"table_metadata": "x"}, {"table_metadata": []}, "mergeKeyValueArray(): Argument #1 ($manifest) must be"),
    ],
)
def test_its_text_is_that_of_the_call(manifest, mapping, call):
    with pytest.raises(RefusedError) as caught:
        merged(manifest, mapping)
    text = caught.value.error.text
    assert text.startswith(f"Keboola\\OutputMapping\\Writer\\Helper\\ConfigurationMerger::{call}")
    assert text.endswith(" given, called in ConfigurationMerger.php")


@pytest.mark.parametrize(
    ("manifest", "mapping"),
    [
        ({}, {"metadata": "x"}),
        ({}, {"metadata": ["x"]}),
        ({}, {"metadata": [{"key": ["x"]}]}),
        ({"column_metadata": {"a": []}}, {"column_metadata": {"a": "x"}}),
        ({}, {"table_metadata": "x"}),
        ({"table_metadata": "x"}, {"table_metadata": {}}),
        ({"schema": [{"name": "a"}]}, {"schema": [{"name": "a", "data_type": None}]}),
        ({"schema": [{"name": "a"}]}, {"primary_key": None}),
    ],
)
def test_what_the_platform_cannot_merge_is_its_application_error(manifest, mapping):
    with pytest.raises(RefusedError) as caught:
        merged(manifest, mapping)
    assert caught.value.error.code == "mapping.application"
