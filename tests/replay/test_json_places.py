from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.config.json_text import json_path
from component.errors import UserError
from component.replay.overlay import parse_place, put

STEPS = st.lists(
    st.one_of(st.integers(0, 99), st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)), min_size=1
)


@given(steps=STEPS.map(tuple))
def test_a_place_as_it_is_listed_is_understood(steps):
    assert parse_place(json_path(steps)) == steps


@given(text=st.text(max_size=12))
def test_any_other_text_is_refused_or_has_steps(text):
    try:
        assert parse_place(text)
    except UserError as error:
        assert error.code == "replay.profile"  # noqa: PT017 - either is right


@pytest.mark.parametrize("text", ["", ".", "a.", "a..b", "a[", "a[x]", 'a["b]', "a]b"])
def test_what_is_no_place_is_refused(text):
    with pytest.raises(UserError, match="is no place"):
        parse_place(text)


@given(steps=st.lists(st.text(max_size=5), min_size=1, max_size=4).map(tuple), value=st.integers())
def test_a_value_is_found_where_it_was_put(steps, value):
    document = put({}, steps, value)
    for step in steps:
        document = document[step]
    assert document == value


def test_values_beside_it_stay_and_an_empty_list_may_be_an_object():
    assert put({"a": {"b": 1}, "c": [1, {"d": 2}]}, ("c", 1, "d"), 3) == {"a": {"b": 1}, "c": [1, {"d": 3}]}
    assert put({"parameters": []}, ("parameters", "#x"), "y") == {"parameters": {"#x": "y"}}


@pytest.mark.parametrize(("document", "steps"), [({"a": 1}, ("a", "b")), ({"a": []}, ("a", 0)), ({}, (0,)), ([], (0,))])
def test_there_is_no_place_below_a_scalar_or_past_an_end(document, steps):
    with pytest.raises(UserError, match="There is no place"):
        put(document, steps, 1)
