from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.mapping.platform.values import (
    MAX_DEPTH,
    JsonError,
    array,
    array_key,
    comparison_key,
    decode_json,
    entries,
    json_text,
    platform_value,
    text_of,
    truthy,
    type_name,
    values,
)
from component.mapping.platform.values import (
    given as is_given,
)
from tests.strategies import json_values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"{}", []),
        (b"[]", []),
        (b"null", None),
        (b'{"0": "a", "1": {}}', ["a", []]),
        (b'{"1": "a"}', {"1": "a"}),
        (b'{"1": "b", "0": "a"}', {"1": "b", "0": "a"}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b"9223372036854775807", 2**63 - 1),
        (b"9223372036854775808", 2.0**63),
        (b"-9223372036854775808", -(2**63)),
        (b"1" * 5000, float("inf")),
    ],
)
def test_values_take_the_form_the_platform_holds(text, value):
    assert decode_json(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "Syntax error"),
        (b"\xef\xbb\xbf{}", "Syntax error"),
        (b"NaN", "Syntax error"),
        (b"[1,]", "Syntax error"),
        (b"{'a': 1}", "Syntax error"),
        (b'"\xff"', "Malformed UTF-8 characters, possibly incorrectly encoded"),
        (b'"a\nb"', "Control character error, possibly incorrectly encoded"),
        (b'"\\ud800"', "Single unpaired high surrogate in Unicode escape"),
        (b'{"\\udc00": 1}', "Single unpaired high surrogate in Unicode escape"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "Maximum stack depth exceeded"),
        (b"[" * 100_000, "Maximum stack depth exceeded"),
    ],
)
def test_what_is_not_json_has_the_platforms_message(text, message):
    with pytest.raises(JsonError) as caught:
        decode_json(text)
    assert str(caught.value) == message


def test_the_deepest_value_allowed_is_read():
    assert type_name(decode_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)) == "array"


@given(value=json_values.values)
def test_the_form_is_stable(value):
    once = platform_value(value)
    assert platform_value(once) == once
    assert decode_json(json.dumps(once).encode()) == once


@given(pairs=st.dictionaries(st.text("012a", max_size=2), st.integers()))
def test_arrays_keep_keys_and_values_in_order(pairs):
    assert entries(array(pairs.items())) == list(pairs.items())
    assert values(array(pairs.items())) == list(pairs.values())


@pytest.mark.parametrize("value", [None, False, 0, 0.0, "", "0", [], {}])
def test_empty_values_are_not_truthy(value):
    assert not truthy(value)


@pytest.mark.parametrize("value", [True, 1, "00", " ", "false", [0], {"a": None}])
def test_other_values_are_truthy(value):
    assert truthy(value)


def test_null_counts_as_not_given():
    assert not is_given({"a": None}, "a")
    assert not is_given({}, "a")
    assert is_given({"a": False}, "a")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "1"),
        (False, ""),
        (None, ""),
        (5, "5"),
        (1.0, "1"),
        (0.1 + 0.2, "0.3"),
        (1e25, "1.0E+25"),
        (1.5e-7, "1.5E-7"),
        (2.0**63, "9.2233720368548E+18"),
        (float("inf"), "INF"),
        (float("-inf"), "-INF"),
        ("a", "a"),
    ],
)
def test_scalars_as_text(value, text):
    assert text_of(value) == text


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("5", 5),
        ("0", 0),
        ("-5", -5),
        ("05", "05"),
        ("-0", "-0"),
        ("--5", "--5"),
        ("5.0", "5.0"),
        ("٣", "٣"),
        ("9" * 19, "9" * 19),
        ("", ""),
        (None, ""),
        (True, 1),
        (1.9, 1),
        (float("inf"), 0),
        (7, 7),
    ],
)
def test_scalars_as_array_keys(value, key):
    assert array_key(value) == key
    assert type(array_key(value)) is type(key)


@pytest.mark.parametrize(
    ("value", "name"),
    [(None, "null"), (True, "bool"), (1, "int"), (1.5, "float"), ("", "string"), ([], "array"), ({}, "array")],
)
def test_types_have_the_platforms_names(value, name):
    assert type_name(value) == name


def test_quoted_values_escape_slashes_and_what_is_not_ascii():
    assert json_text({"a": "č/"}) == '{"a":"\\u010d\\/"}'


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (-0.5, "-0.5"), (1e25, "1.0e+25"), (1.5e-7, "1.5e-7"), (10, "10"), (True, "true")]
)
def test_numbers_in_messages_have_no_needless_fraction(value, text):
    assert json_text(value) == text


@pytest.mark.parametrize(("one", "other"), [("1e1", "10"), (5, "5"), (5.0, " 5"), ("+1", "1.0"), (None, ""), (True, 1)])
def test_what_php_takes_as_equal_has_one_key(one, other):
    assert comparison_key(one) == comparison_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1e1", "10x"), ("a", "A"), ("9007199254740993", "9007199254740992"), ("1e999", "1e1000"), ("1", "")],
)
def test_what_php_takes_as_different_has_two_keys(one, other):
    assert comparison_key(one) != comparison_key(other)
