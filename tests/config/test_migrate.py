"""Older shapes of `parameters`."""

import copy

import pytest
from hypothesis import given

from component.config.load import parse_config
from component.config.migrate import migrated
from tests.strategies.json_values import values

TEXT = {"csv": "a,b\n1,2"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"table": TEXT}, {"tables": [{"name": "table", **TEXT}]}),
        ({"table": {**TEXT, "has_header": False}}, {"tables": [{"name": "table", **TEXT, "has_header_row": False}]}),
        (
            {"tables": [{"name": "t", **TEXT, "has_header": True}]},
            {"tables": [{"name": "t", **TEXT, "has_header_row": True}]},
        ),
        (
            {"datasets": [{"uuid": "u", "tables": {"source": "s"}}]},
            {"datasets": [{"uuid": "u", "tables": [{"source": "s"}]}]},
        ),
    ],
)
def test_an_older_shape_is_read_as_todays_and_told(old, new):
    before = copy.deepcopy(old)
    found, said = migrated({"parameters": old, "storage": {}})
    assert found == {"parameters": new, "storage": {}}
    assert said
    assert old == before
    config = parse_config({"parameters": {"store": {"url": "/s"}, **old}})
    assert config.parameters == parse_config({"parameters": {"store": {"url": "/s"}, **new}}).parameters
    assert set(said) <= set(config.warnings)


@given(values)
def test_any_document_is_taken_and_todays_shape_is_left_alone(document):
    found, said = migrated(document)
    again, nothing = migrated(found)
    assert (again, nothing) == (found, ())
    if not said:
        assert found is document


@given(values)
def test_any_parameters_are_taken(value):
    for key in ("table", "tables", "datasets"):
        found, _ = migrated({"parameters": {key: value}})
        assert migrated(found) == (found, ())
