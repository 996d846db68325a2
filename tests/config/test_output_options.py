"""Options of outputs: what goes together, and what is said of what does not."""

from __future__ import annotations

from dataclasses import fields

import pytest
from pydantic import ValidationError

from component.config.output_options import FileOptions, TableOptions
from component.config.parameters import OutputConfig
from component.plan import options as plan

TABLE = {"dataset": "t"}
FILE = {"dataset": "t", "as": "file"}


@pytest.mark.parametrize(
    ("output", "path", "text"),
    [
        ({**FILE, "write_always": True}, "write_always", "belongs to a table"),
        ({**FILE, "incremental": True}, "incremental", "belongs to a table"),
        ({**FILE, "metadata": {"a": "b"}}, "metadata", "belongs to a table"),
        ({**TABLE, "is_public": True}, "is_public", "belongs to a file"),
        ({**TABLE, "has_header": True}, "has_header", "slices never have a header"),
        ({**TABLE, "enclosure": ","}, "enclosure", "the same character"),
        ({**TABLE, "delimiter": '"'}, "delimiter", "the same character"),
        ({**TABLE, "delimiter": ";", "enclosure": ";"}, "delimiter", "the same character"),
        ({**FILE, "delimiter": '"'}, "delimiter", "the same character"),
        ({**FILE, "format": "parquet", "delimiter": ";"}, "delimiter", "belongs to CSV"),
        ({**FILE, "format": "jsonl", "enclosure": "'"}, "enclosure", "belongs to CSV"),
        ({**TABLE, "delete_where_column": "a"}, "delete_where_column", "without delete_where_values"),
        ({**TABLE, "delete_where_values": ["a"]}, "delete_where_values", "without delete_where_column"),
        ({**TABLE, "delete_where_operator": "ne"}, "delete_where_operator", "without delete_where_column"),
        (
            {
                **TABLE,
                "delete_where_column": "a",
                "delete_where_values": ["1"],
                "delete_where": [{"changed_since": "-1 day"}],
            },
            "delete_where_column",
            "delete_where too",
        ),
        ({**TABLE, "description": "a", "metadata": {"KBC.description": "b"}}, "description", "metadata has"),
        ({**TABLE, "delete_where": [{"changed_since": None}]}, "delete_where", "null"),
        ({**TABLE, "delete_where": [{}]}, "delete_where", "at least one of"),
        ({**TABLE, "delete_where": [{"where_filters": [{"column": "a"}]}]}, "delete_where", "exactly one of"),
    ],
)
def test_what_does_not_go_together_is_said_at_its_place(output, path, text):
    with pytest.raises(ValidationError) as caught:
        OutputConfig.model_validate(output)
    (detail,) = caught.value.errors()
    assert detail["loc"][0] == path
    assert text in detail["ctx"]["text"]


@pytest.mark.parametrize(
    "output",
    [
        {**TABLE, "has_header": True, "slices": False},
        {**TABLE, "delimiter": "'", "enclosure": ","},
        {**TABLE, "has_header": False},
        {**FILE, "incremental": False, "metadata": {}, "delimiter": None},
        {**FILE, "delimiter": ";", "enclosure": "'"},
        {**FILE, "is_encrypted": False, "notify": True},
        {**TABLE, "delete_where_column": "a", "delete_where_values": [1, "x", True], "delete_where_operator": "ne"},
    ],
)
def test_what_goes_together_is_accepted(output):
    OutputConfig.model_validate(output)


def test_a_plan_has_every_option_under_its_name():
    in_plan = {field.name for field in fields(plan.TableOptions)}
    assert in_plan | {"destination", "primary_key", "incremental"} == set(TableOptions.model_fields)
    assert {field.name for field in fields(plan.FileOptions)} == set(FileOptions.model_fields)


def test_a_plan_holds_what_is_configured_in_plain_values():
    config = OutputConfig.model_validate(
        {
            **TABLE,
            "delete_where": [{"where_filters": [{"column": "a", "values_from_set": ["1"]}]}],
            "data_types": {"a": {"base": {"type": "STRING", "length": 30}}},
            "column_metadata": {"a": []},
            "write_always": True,
        }
    )
    found = plan.table_options(config)
    assert found.delete_where == ({"where_filters": [{"column": "a", "values_from_set": ["1"]}]},)
    assert found.data_types == {"a": {"base": {"type": "STRING", "length": "30"}}}
    assert found.column_metadata == {"a": {}}
    assert found.write_always is True
    assert plan.table_options(OutputConfig.model_validate(TABLE)) == plan.TABLE_DEFAULTS
    assert plan.file_options(OutputConfig.model_validate(FILE)) == plan.FILE_DEFAULTS
