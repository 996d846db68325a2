from __future__ import annotations

import pytest
from hypothesis import given

from component.config.blanks import is_blank, without_blanks
from component.config.load import parse_config
from tests.strategies import parameters as strategies
from tests.strategies.json_values import values


def filled_in(parameters):
    return without_blanks({"parameters": parameters})["parameters"]


def test_a_blank_text_is_left_out_where_the_key_may_be():
    output = {"dataset": "a", "destination": "", "name": "", "columns": []}
    assert filled_in({"outputs": [output]}) == {"outputs": [{"dataset": "a", "columns": []}]}


def test_a_blank_text_stays_where_a_key_is_needed():
    assert filled_in({"datasets": [{"uuid": "", "mode": ""}]}) == {"datasets": [{"uuid": "", "mode": ""}]}


@pytest.mark.parametrize("store", ["", {"url": ""}, {"url": "", "#key": ""}])
def test_an_object_that_is_left_blank_as_a_whole_is_left_out(store):
    assert filled_in({"store": store}) == {}


def test_a_store_that_is_half_blank_stays():
    store = {"url": "", "#key": "x"}
    assert filled_in({"store": store}) == {"store": store}


def test_columns_by_name_are_no_fields():
    table = {"columns": {"type": "", "nulls": "string"}}
    assert filled_in({"datasets": [{"uuid": "a", "tables": [table]}]}) == {
        "datasets": [{"uuid": "a", "tables": [table]}]
    }


def test_free_objects_are_left_alone():
    dataset = {"uuid": "a", "metadata": {"note": "", "more": {"x": ""}}}
    assert filled_in({"datasets": [dataset]}) == {"datasets": [dataset]}


@given(document=values)
def test_any_document_is_taken(document):
    without_blanks(document)
    without_blanks({"parameters": document})
    without_blanks({"parameters": {"datasets": document, "store": document, "outputs": [document]}})


@given(parameters=strategies.parameters)
def test_what_has_no_blank_fields_is_the_same_configuration(parameters):
    document = {"parameters": parameters}
    assert parse_config(without_blanks(document)).parameters == parse_config(document).parameters


def test_blank_is_an_empty_text_or_an_object_of_them():
    assert is_blank("")
    assert is_blank({"a": "", "b": {"c": ""}})
    assert not any(map(is_blank, ({}, [], None, 0, False, " ", {"a": "", "b": 0})))
