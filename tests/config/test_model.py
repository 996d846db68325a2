from __future__ import annotations

from component.config.load import parse_config
from component.config.model import Config, Parameters


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
    assert parse_config({}).action == "run"
    assert parse_config({"action": "testConnection"}).action == "testConnection"


def test_the_repr_of_a_configuration_holds_no_secret():
    found = parse_config(
        {
            "parameters": {"store": {"url": "s3://x", "#key": "hush-1"}},
            "image_parameters": {"#key": "hush-2"},
            "authorization": {"oauth_api": {"credentials": {"#data": "hush-3"}}},
        }
    )
    assert found.authorization["oauth_api"]["credentials"]["#data"] == "hush-3"
    assert "hush" not in f"{found!r} {found} {found.parameters!r}"
    assert isinstance(found.parameters, Parameters)
