from __future__ import annotations

import pytest

from component.config.load import parse_config
from component.config.model import Config, Parameters
from component.errors import UserError


def test_unknown_keys_of_the_platform_are_left_alone():
    found = parse_config(
        {
            "storage": {
                "input": {"tables": [{"source": "in.c-a.b", "destination": "b.csv", "use_view": True}], "x": 1},
                "output": {"tables": [{"source": "a", "destination": "in.c-a.b"}], "table_modifications": "all"},
            },
            "shared_code_row_ids": [],
            "variables_id": 5,
        }
    )
    assert [(table.source, table.destination) for table in found.storage.input.tables] == [("in.c-a.b", "b.csv")]
    assert found.storage.output.tables == ({"source": "a", "destination": "in.c-a.b"},)


def test_php_s_empty_lists_are_empty_objects():
    lists = {"storage": [], "parameters": [], "image_parameters": [], "authorization": []}
    inner = {"storage": {"input": [], "output": []}, "parameters": {}}
    assert parse_config(lists) == parse_config(inner) == parse_config({}) == parse_config([]) == Config()


def test_the_output_mapping_stays_as_it_is():
    mapping = {"source": "a.csv", "destination": "out.c-x.a", "primary_key": [], "delete_where_values": ["1"]}
    output = {
        "tables": [mapping],
        "files": [{"source": "f", "tags": []}],
        "default_bucket": "in.c-b",
        "data_type_support": "hints",
    }
    found = parse_config({"storage": {"output": output}}).storage.output
    assert found.tables == (mapping,)
    assert found.files == ({"source": "f", "tags": []},)
    assert (found.default_bucket, found.data_type_support) == ("in.c-b", "hints")


def test_an_action_is_run_unless_another_is_named():
    assert (
        parse_config({}).action == parse_config({"action": ""}).action == parse_config({"action": None}).action == "run"
    )
    assert parse_config({"action": "testConnection"}).action == "testConnection"


def test_the_repr_of_a_configuration_holds_no_secret():
    found = parse_config(
        {
            "parameters": {"store": {"url": "s3://x", "#key": "hush-1"}},
            "image_parameters": {"#key": "hush-2"},
            "authorization": {"oauth_api": {"credentials": {"#data": "hush-3"}}},
        }
    )
    assert found.image_parameters.model_extra == {"#key": "hush-2"}
    assert found.secrets == {"hush-1", "hush-2", "hush-3"}
    assert found.authorization["oauth_api"]["credentials"]["#data"] == "hush-3"
    assert "hush" not in f"{found!r} {found} {found.parameters!r}"
    assert isinstance(found.parameters, Parameters)


def test_every_key_of_the_input_mapping_has_its_field():
    table = {
        "source": "in.c-a.b",
        "source_search": {"key": "k", "value": "v"},
        "source_branch_id": 5,
        "destination": "b.csv",
        "columns": ["0", 1],
        "column_types": [{"source": "a", "type": "VARCHAR", "length": 255, "convert_empty_values_to_null": False}],
        "where_column": "a",
        "where_operator": "eq",
        "where_values": ["1", 2],
        "limit": 10,
        "days": 0,
        "changed_since": "adaptive",
        "overwrite": True,
        "use_view": False,
        "keep_internal_timestamp_column": False,
        "load_type": "COPY",
        "file_type": "csv",
    }
    file = {
        "tags": ["a"],
        "source": {"tags": [{"name": "a", "match": "exclude"}]},
        "query": "q",
        "file_ids": [1, "2"],
        "limit": 10,
        "processed_tags": ["p"],
        "changed_since": "-1 day",
        "overwrite": True,
    }
    found = parse_config({"storage": {"input": {"tables": [table], "files": [file], "read_only_storage_access": True}}})
    (mapped,), (filed,) = found.storage.input.tables, found.storage.input.files
    assert set(table) == set(type(mapped).model_fields) == mapped.model_fields_set
    assert set(file) == set(type(filed).model_fields) == filed.model_fields_set
    assert (mapped.columns, mapped.where_values, mapped.source_branch_id) == (("0", "1"), ("1", "2"), "5")
    assert (filed.file_ids, filed.source.tags[0].match) == (("1", "2"), "exclude")
    assert found.warnings == ()


def test_every_key_of_the_output_and_of_the_top_level_has_its_field():
    output = {
        "tables": [],
        "files": [],
        "default_bucket": "in.c-b",
        "data_type_support": "none",
        "table_modifications": "non-destructive",
        "treat_values_as_null": ["", "NULL"],
        "table_files": {"tags": ["t"], "is_permanent": False},
    }
    document = {
        "storage": {"output": output},
        "parameters": {},
        "image_parameters": {"logger": "udp", "other": 5},
        "authorization": {"context": "x"},
        "action": "run",
        "shared_code_id": "s",
        "shared_code_row_ids": ["r"],
        "variables_id": 5,
        "variables_values_id": "v",
        "artifacts": {"runs": {}},
    }
    found = parse_config(document)
    assert set(document) == set(Config.model_fields)
    assert set(output) == found.storage.output.model_fields_set
    assert (found.storage.output.table_files.tags, found.storage.output.treat_values_as_null) == (("t",), ("", "NULL"))
    assert (found.variables_id, found.shared_code_row_ids, found.image_parameters.logger) == ("5", ("r",), "udp")


def test_nulls_of_the_platform_are_keys_that_are_not_there():
    nulls = {
        "storage": {
            "input": {"tables": [{"source": "a", "limit": None, "columns": None}], "files": None},
            "output": {"default_bucket": None, "tables": None, "table_files": None},
        },
        "parameters": None,
        "image_parameters": None,
        "authorization": None,
        "action": None,
        "shared_code_id": None,
    }
    assert parse_config(nulls) == parse_config({"storage": {"input": {"tables": [{"source": "a"}]}}})


def test_a_list_with_gaps_is_an_object_to_php():
    gaps = {"storage": {"input": {"tables": {"0": {"source": "a"}, "7": {"source": "b", "columns": {"3": "x"}}}}}}
    tables = parse_config(gaps).storage.input.tables
    assert [(table.source, table.columns) for table in tables] == [("a", ()), ("b", ("x",))]


# --- what the operator of a stack sets ---


def test_what_parameters_leave_open_is_the_operator_s():
    image = {
        "store": {"url": "file:///theirs", "#key": "hush"},
        "spark": {"master": "local[2]", "conf": {"a": "1", "b": "1"}},
        "limits": {"max_slices": 5, "slice_bytes": 7},
    }
    mine = {"spark": {"conf": {"b": "2"}}, "limits": {"max_slices": 9}}
    found = parse_config({"image_parameters": image, "parameters": mine}).parameters
    assert (found.store.url, found.store.credentials["key"].get_secret_value()) == ("file:///theirs", "hush")
    assert (found.spark.master, found.spark.conf) == ("local[2]", {"a": "1", "b": "2"})
    assert (found.limits.max_slices, found.limits.slice_bytes) == (9, 7)


def test_the_operator_s_credentials_never_meet_a_url_of_the_user_s():
    image = {"store": {"url": "s3://theirs", "#key": "hush"}}
    found = parse_config({"image_parameters": image, "parameters": {"store": {"url": "s3://mine"}}}).parameters
    assert (found.store.url, dict(found.store.credentials)) == ("s3://mine", {})


@pytest.mark.parametrize("where", ["parameters", "image_parameters"])
def test_an_output_may_read_a_dataset_that_only_a_store_or_the_inputs_can_have(where):
    known, other = {"datasets": [{"uuid": "a"}]}, {"outputs": [{"dataset": "b"}]}
    stored = {"parameters": {**known, **other}}
    stored.setdefault(where, {})["store"] = {"url": "file:///x"}
    assert parse_config(stored).parameters.outputs[0].dataset == "b"
    assert parse_config({"parameters": other}).parameters.outputs[0].dataset == "b"
    with pytest.raises(UserError, match="not one of the configured datasets"):
        parse_config({"parameters": {**known, **other}})
