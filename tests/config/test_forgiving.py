from __future__ import annotations

import pytest
from hypothesis import given, settings

from component.config.load import parse_config
from component.config.model import Config
from component.errors import UserError
from tests.strategies.config_documents import KEYS, documents
from tests.strategies.json_values import changed


@pytest.mark.parametrize(
    ("document", "warning"),
    [
        (
            {"storage": {"input": {"tables": [{"source": "a", "limit": "adaptive"}]}}},
            'storage.input.tables[0].limit must be a whole number, but is the text "adaptive". It is left out.',
        ),
        (
            {"storage": {"input": {"tables": [{"source": "a", "columns": ["x", {"y": 1}]}]}}},
            "storage.input.tables[0].columns[1] must be a text, but is an object. It is left out.",
        ),
        (
            {"storage": {"input": "elsewhere", "output": {"default_bucket": "in.c-a"}}},
            'storage.input must be an object, but is the text "elsewhere". It is left out.',
        ),
        (
            {"storage": {"output": {"table_files": 5}}},
            "storage.output.table_files must be an object, but is the number 5. It is left out.",
        ),
        ({"authorization": "x"}, 'authorization must be an object, but is the text "x". It is left out.'),
        ({"image_parameters": {"limits": {"x": 1}}}, "image_parameters.limits.x is not a known key. It is left out."),
        ({"parameter": {}}, 'config.json has the key "parameter", which is not known. Did you mean "parameters"?'),
        (
            {"rows": [{}]},
            "config.json has rows, which the platform merges into a configuration before it runs; they are left out.",
        ),
    ],
)
def test_what_only_the_platform_needs_is_left_out_and_said(document, warning):
    found = parse_config(document)
    assert found.warnings == (warning,)
    assert isinstance(found, Config)


@pytest.mark.parametrize(
    "document",
    [
        {"storage": 5},
        {"storage": {"output": "x"}},
        {"storage": {"output": {"tables": "x"}}},
        {"storage": {"output": {"default_bucket": ["x"]}}},
        {"storage": {"output": {"data_type_support": "tomorrow"}}},
        {"image_parameters": {"limits": {"max_slices": "x"}}},
        {"image_parameters": {"logger": "smoke"}},
        {"action": 5},
        {"authorization": "x", "parameters": {"store": 5}},
    ],
)
def test_what_decides_about_outputs_is_refused(document):
    with pytest.raises(UserError) as caught:
        parse_config(document)
    assert caught.value.code.startswith("config.")


def test_keys_of_tomorrow_are_nothing_to_talk_about():
    document = {"runtime": {}, "processors": {}, "whatever": 1, "storage": {"input": {"x": 1}, "workspace": {}}}
    assert parse_config(document).warnings == ()


@given(documents)
def test_everything_that_the_platform_writes_is_understood(document):
    found = parse_config(document)
    assert found.warnings == ()
    assert found.action == "run"


@settings(max_examples=200)
@given(changed(documents, KEYS))
def test_whatever_is_changed_gives_a_configuration_or_a_clear_error(document):
    said = outcome(document)
    assert all(len(sentence) < 4000 and "is not right" not in sentence for sentence in said)


def outcome(document):
    """What is said about a document: its error, or its warnings."""
    try:
        return parse_config(document).warnings
    except UserError as error:
        return (str(error),) if error.code.startswith("config.") else ("is not right",)


def test_an_error_names_only_what_matters():
    with pytest.raises(UserError) as caught:
        parse_config({"authorization": "x", "storage": {"input": 5}, "parameters": {"datasets": 7}})
    assert str(caught.value) == "parameters.datasets must be a list, but is the number 7."
