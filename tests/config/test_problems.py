from __future__ import annotations

import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.config.load import parse_config
from component.errors import UserError
from tests.config.problem_cases import CASES
from tests.strategies import parameters as strategies
from tests.strategies.json_values import changed, values


def refusal(document):
    try:
        parse_config(document)
    except UserError as error:
        return error
    return None


def refused(document):
    error = refusal(document)
    assert error is not None
    return error


@pytest.mark.parametrize(("document", "code", "text"), CASES, ids=[text[:60] for _, _, text in CASES])
def test_one_sentence_says_where_and_what_would_be_right(document, code, text):
    error = refused(document)
    assert (error.code, str(error)) == (code, text)


def test_a_misspelled_key_is_not_reported_as_missing_too():
    error = refused({"parameters": {"datasets": [{"uid": "a"}]}})
    assert error.text == "parameters.datasets[0].uid is not a known key"
    assert "too" not in error.remedy


def test_the_other_problems_are_named_behind_the_first():
    error = refused({"parameters": {"datasets": [{"mode": 1}], "spark": 5, "extra": 1}})
    assert str(error).startswith("parameters.extra is not a known key. ")
    assert str(error).endswith(
        " There are problems with parameters.datasets[0].uuid, parameters.datasets[0].mode, parameters.spark too."
    )


def test_many_problems_are_counted():
    error = refused({"parameters": {f"key{number}": 1 for number in range(20)}})
    assert str(error).endswith("parameters.key5 and 14 more too.")


def test_all_contradictions_of_one_kind_are_found_at_once():
    error = refused({"parameters": {"datasets": [{"uuid": "a"}] * 3}})
    assert "parameters.datasets[1].uuid is 'a'" in str(error)
    assert error.remedy.endswith("There are problems with parameters.datasets[2].uuid too.")


@given(value=values.filter(lambda value: not isinstance(value, str)), unknown=st.booleans())
def test_the_value_of_a_secret_key_is_in_no_text_and_no_traceback(value, unknown):
    secret = {"inner": ["hush", value], "hush-key": "hush"}
    place = {"#key": secret} if unknown else {"store": {"url": "x", "#key": secret}}
    error = refused({"parameters": place})
    assert error.code == ("config.unknown_key" if unknown else "config.type")
    assert "hush" not in "".join(traceback.format_exception(error))
    assert "hush" not in repr(error)


def test_a_secret_number_is_not_shown():
    assert "77" not in str(refused({"parameters": {"store": {"url": "x", "#key": 77}}}))


@given(document=changed(strategies.parameters, strategies.KEYS))
def test_whatever_is_changed_gives_a_configuration_or_a_clear_error(document):
    error = refusal({"parameters": document})
    if error is not None:
        assert error.code.startswith("config.")
        assert error.text.startswith("parameters")
        assert "is not right" not in error.text
        assert len(str(error)) < 4000


@given(document=values)
def test_any_json_gives_a_configuration_or_a_clear_error(document):
    error = refusal(document)
    assert error is None or error.code.startswith("config.")
