from __future__ import annotations

import json

import pytest
from hypothesis import event, given

from component.mapping.options.nodes import NodeError
from component.mapping.options.table import DEFAULTS, parse_entry, parse_manifest, parse_merged
from component.mapping.platform.values import platform_value
from tests.strategies.json_values import changed
from tests.strategies.output_mapping import KEYS, manifests

INVALID = 'Invalid configuration for path "table": '


def reason(value, parse=parse_manifest):
    with pytest.raises(NodeError) as caught:
        parse(platform_value(value))
    return str(caught.value)


def column(**options):
    return {"schema": [{"name": "a", **options}]}


def typed(**backends):
    return column(data_type={"base": {"type": "INTEGER"}, **backends})


def test_an_empty_manifest_has_the_platforms_defaults():
    assert DEFAULTS == {
        "incremental": False,
        "primary_key": [],
        "columns": [],
        "distribution_key": [],
        "delete_where_values": [],
        "delete_where_operator": "eq",
        "delimiter": ",",
        "enclosure": '"',
        "metadata": [],
        "column_metadata": [],
        "write_always": False,
        "tags": [],
        "schema": [],
    }


@pytest.mark.parametrize("value", [None, [], {}])
def test_null_and_empty_arrays_are_empty_manifests(value):
    assert parse_manifest(value) == DEFAULTS


@pytest.mark.parametrize("value", [5, "text", True, False, ["a"]])
def test_a_manifest_that_is_no_map_has_an_unknown_option_0(value):
    assert reason(value).startswith('Unrecognized option "0" under "table". Available options are "column_metadata", ')


def test_source_is_known_in_a_mapping_and_not_in_a_manifest():
    assert reason({"source": "a"}).startswith('Unrecognized option "source" under "table".')
    assert parse_merged({"source": "a"})["source"] == "a"


@pytest.mark.parametrize("key", ["incremental", "write_always", "has_header"])
def test_null_is_true_and_numbers_and_texts_are_refused_for_booleans(key):
    assert parse_manifest({key: None})[key] is True
    for value, kind in ((1, "int"), ("true", "string"), (0, "int")):
        assert reason({key: value}).startswith(
            f'Invalid type for path "table.{key}". Expected "bool", but got "{kind}"'
        )


@given(config=changed(manifests, KEYS))
def test_the_booleans_of_a_parsed_manifest_are_booleans(config):
    try:
        parsed = parse_manifest(platform_value(config))
    except NodeError:
        event("refused")
    else:
        event("parsed")
        booleans = [parsed[key] for key in ("incremental", "write_always", "has_header") if key in parsed]
        for one in parsed["schema"]:
            booleans += [one["nullable"], one["primary_key"], one["distribution_key"]]
        assert all(isinstance(value, bool) for value in booleans)
        assert DEFAULTS.keys() <= parsed.keys()
        if not isinstance(parsed["column_metadata"], list) or not parsed["column_metadata"]:  # [null] is refused later
            assert parse_manifest(platform_value(json.loads(json.dumps(parsed)))) == parsed


@pytest.mark.parametrize("key", ["delimiter", "enclosure"])
@pytest.mark.parametrize("value", [None, "", "ab"])
def test_delimiter_and_enclosure_are_any_scalar(key, value):
    assert parse_manifest({key: value})[key] == value


@pytest.mark.parametrize(
    "key", ["primary_key", "columns", "delete_where_values", "tags", "distribution_key", "metadata"]
)
def test_a_text_is_no_list(key):
    assert reason({key: "Id"}).startswith(f'Invalid type for path "table.{key}". Expected "array", but got "string"')


@pytest.mark.parametrize("key", ["distribution_key", "tags"])
def test_items_that_cannot_be_empty(key):
    assert reason({key: [""]}) == f'The path "table.{key}.0" cannot contain an empty value, but got "".'
    assert reason({key: ["a", None]}) == f'The path "table.{key}.1" cannot contain an empty value, but got null.'


def test_metadata_as_a_map_is_refused_at_its_key():
    assert reason({"metadata": {"k": "v"}}).startswith('Invalid type for path "table.metadata.k". Expected "array"')


@pytest.mark.parametrize("operator", ["", None])
def test_an_empty_operator_is_equals(operator):
    assert parse_manifest({"delete_where_operator": operator})["delete_where_operator"] == "eq"


def test_other_operators_are_refused():
    text = (
        'Invalid configuration for path "table.delete_where_operator": Invalid operator in delete_where_operator "lt".'
    )
    assert reason({"delete_where_operator": "lt"}) == text


def test_a_delete_column_needs_values():
    text = 'When "delete_where_column" option is set, then the "delete_where_values" is required.'
    assert reason({"delete_where_column": "a"}) == INVALID + text
    assert parse_manifest({"delete_where_column": ""})["delete_where_column"] == ""
    assert parse_manifest({"delete_where_column": "a", "delete_where_values": ["x"]})["delete_where_values"] == ["x"]


def test_a_delete_column_and_delete_conditions_exclude_each_other():
    both = {"delete_where_column": "a", "delete_where_values": ["x"], "delete_where": [{"changed_since": "1 day"}]}
    assert reason(both) == f'{INVALID}Only one of "delete_where_column" or "delete_where" can be defined.'


def test_the_deduplication_strategy_is_one_of_two():
    text = reason({"deduplication_strategy": "merge"})
    assert text.startswith('The value "merge" is not allowed for path "table.deduplication_strategy".')
    assert '"insert", "upsert"' in text


class TestDeleteWhere:
    def test_one_part_is_needed(self):
        for part in ({}, {"changed_since": ""}, {"where_filters": []}):
            assert reason({"delete_where": [part]}) == (
                'Invalid configuration for path "table.delete_where.0": '
                'At least one of "changed_since", "changed_until", or "where_filters" must be defined.'
            )

    @pytest.mark.parametrize(
        ("sources", "text"),
        [
            ({}, "One of"),
            ({"values_from_set": []}, "One of"),
            ({"values_from_set": ["a"], "values_from_storage": {"bucket_id": "b", "table": "t"}}, "Only one of"),
        ],
    )
    def test_a_filter_has_exactly_one_source_of_values(self, sources, text):
        filters = [{"column": "a", **sources}]
        assert reason({"delete_where": [{"where_filters": filters}]}).startswith(
            f'Invalid configuration for path "table.delete_where.0.where_filters.0": {text} "values_from_set"'
        )

    def test_a_filter_has_a_known_operator(self):
        filters = [{"column": "a", "operator": "gt", "values_from_set": ["x"]}]
        assert reason({"delete_where": [{"where_filters": filters}]}).endswith(
            'Invalid operator "gt". Valid values are "eq" or "ne".'
        )

    def test_a_source_of_values_is_complete(self):
        filters = [{"column": "a", "values_from_workspace": None}]
        text = (
            'The child config "table" under "table.delete_where.0.where_filters.0.values_from_workspace" '
            "must be configured."
        )
        assert reason({"delete_where": [{"where_filters": filters}]}) == text

    def test_a_complete_condition_keeps_what_was_said(self):
        filters = [{"column": "a", "values_from_set": ["x"]}]
        parsed = parse_manifest({"delete_where": [{"changed_until": "now", "where_filters": filters}]})["delete_where"]
        assert parsed == [
            {
                "changed_until": "now",
                "where_filters": [{"column": "a", "operator": "eq", "values_from_set": ["x"]}],
            }
        ]


class TestSchema:
    def test_a_column_gets_its_defaults(self):
        assert parse_manifest(column())["schema"] == [
            {"name": "a", "nullable": True, "primary_key": False, "distribution_key": False}
        ]

    @pytest.mark.parametrize("name", ["", None])
    def test_a_column_has_a_name(self, name):
        assert reason({"schema": [{"name": name}]}).startswith('The path "table.schema.0.name" cannot contain')
        assert reason({"schema": [{}]}) == 'The child config "name" under "table.schema.0" must be configured.'

    def test_a_type_has_a_base(self):
        text = 'The child config "base" under "table.schema.0.data_type" must be configured.'
        assert reason(column(data_type={"snowflake": {"type": "x"}})) == text
        assert reason(column(data_type=None)) == text

    def test_unknown_backends_are_refused(self):
        assert reason(typed(redshift={"type": "x"})) == 'The "redshift" data type is not supported.'

    @pytest.mark.parametrize("declared", [None, {}, "VARCHAR", {"length": "3"}])
    def test_a_backend_has_a_type(self, declared):
        assert reason(typed(snowflake=declared)) == 'The "type" is required for the "snowflake" data type.'

    @pytest.mark.parametrize(("value", "text"), [(255, "255"), (True, "true"), (False, "false"), ("1,2", "1,2")])
    def test_length_and_default_become_text(self, value, text):
        types = {"type": "x", "length": value, "default": value}
        parsed = parse_manifest(column(data_type={"base": types, "bigquery": types}))["schema"][0]["data_type"]
        assert parsed["base"] == parsed["bigquery"] == {"type": "x", "length": text, "default": text}

    def test_a_description_is_given_once(self):
        assert reason(column(description="x", metadata={"KBC.description": "y"})) == (
            'Invalid configuration for path "table.schema.0": '
            'Only one of "description" or "metadata.KBC.description" can be defined.'
        )

    @pytest.mark.parametrize(
        ("key", "value"),
        [("columns", ["a"]), ("metadata", [{"key": "a", "value": "b"}]), ("column_metadata", {"a": [{"key": "k"}]})],
    )
    def test_the_old_family_excludes_it(self, key, value):
        assert reason(column() | {key: value}) == f'{INVALID}Only one of "schema" or "{key}" can be defined.'

    @pytest.mark.parametrize("key", ["primary_key", "distribution_key"])
    def test_a_key_beside_it_is_refused(self, key):
        text = f'Only one of "{key}" or "schema[].{key}" can be defined.'
        assert reason(column() | {key: ["a"]}) == text
        assert parse_manifest(column() | {key: []})[key] == []


def test_the_description_of_a_table_is_given_once():
    text = 'Only one of "description" or "table_metadata.KBC.description" can be defined.'
    assert reason({"description": "x", "table_metadata": {"KBC.description": "y"}}) == INVALID + text
    assert parse_manifest({"description": "x", "table_metadata": {"KBC.description": None}})["description"] == "x"


class TestEntry:
    def test_a_job_fills_in_every_default(self):
        assert parse_entry({"source": "a"}) == DEFAULTS | {"source": "a"}

    def test_the_source_is_needed_unless_the_table_needs_no_file(self):
        text = 'The child config "source" under "table" must be configured.'
        assert reason({"destination": "in.c-main.t"}, parse_entry) == INVALID + text
        assert parse_entry({"unload_strategy": "direct-grant"})["unload_strategy"] == "direct-grant"
