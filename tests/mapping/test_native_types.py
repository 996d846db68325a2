from __future__ import annotations

import pytest

from component.mapping.platform.model import RefusedError
from component.mapping.rules.native_types import types_to_hints


def hinted(column):
    return types_to_hints({"schema": [column], "columns": []}, "t")["schema"][0]


def test_types_become_metadata_and_the_column_text():
    column = {
        "name": "a",
        "data_type": {"base": {"type": "NUMERIC", "length": "3", "default": "0"}, "snowflake": {"type": "NUMBER"}},
        "nullable": False,
        "distribution_key": True,
        "primary_key": True,
        "metadata": {"own": "x"},
    }
    assert hinted(column) == {
        "name": "a",
        "data_type": {"base": {"type": "STRING"}},
        "primary_key": True,
        "metadata": {
            "own": "x",
            "KBC.datatype.basetype": "NUMERIC",
            "KBC.datatype.length": "3",
            "KBC.datatype.default": "0",
            "KBC.datatype.nullable": 0,
            "KBC.datatype.distribution_key": True,
        },
    }


def test_a_column_without_type_gets_none():
    assert hinted({"name": "a", "nullable": True, "distribution_key": False}) == {
        "name": "a",
        "metadata": {"KBC.datatype.nullable": 1, "KBC.datatype.distribution_key": False},
    }


def test_the_nullable_hint_is_a_number_and_not_a_boolean():
    assert type(hinted({"name": "a", "nullable": True})["metadata"]["KBC.datatype.nullable"]) is int


def test_without_a_schema_nothing_changes():
    assert types_to_hints({"columns": ["a"], "schema": None}, "t") == {"columns": ["a"], "schema": None}


def test_metadata_that_is_no_map_stops_the_platform():
    with pytest.raises(RefusedError) as caught:
        hinted({"name": "a", "metadata": "text", "nullable": True})
    assert caught.value.error.code == "mapping.application"
