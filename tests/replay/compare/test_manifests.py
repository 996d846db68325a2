from __future__ import annotations

import json

import pytest
from hypothesis import given

from component.replay.compare.json_meaning import MOST_DIFFERENCES, compare_values
from component.replay.compare.manifests import compare_manifests
from component.replay.compare.options import CompareOptions
from tests.strategies.json_values import values as json_values

PLAIN = CompareOptions()


def compare(left, right, *, of_table=True, **options):
    texts = [None if value is None else json.dumps(value).encode() for value in (left, right)]
    return [one.text for one in compare_manifests("m", *texts, CompareOptions(**options), of_table=of_table)]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({}, None),
        ([], {}),
        (None, None),
        ({"incremental": False, "delimiter": ",", "metadata": [], "primary_key": []}, {}),
        ({"column_metadata": {}}, {"column_metadata": []}),
        ({"a": 1, "b": {"c": 1, "d": 2}}, {"b": {"d": 2, "c": 1}, "a": 1}),
        ({"primary_key": ["b", "a", "a", ""]}, {"primary_key": ["a", "b"]}),
        ({"metadata": [{"key": "k", "value": "v"}]}, {"metadata": {"k": "v"}}),
        (
            {"column_metadata": {"c": [{"key": "k", "value": "v"}, {"key": "l", "value": 1}]}},
            {"column_metadata": {"c": {"l": 1, "k": "v"}, "d": []}},
        ),
        ({"manifest_type": "out"}, {}),
        ({"destination": "a", "description": None}, {"destination": "a"}),
        ({"incremental": None}, {"incremental": True}),
        ({"columns": ["a"], "has_header": False}, {"has_header": True}),
        ({"schema": [{"name": "a", "nullable": True, "primary_key": False}]}, {"schema": [{"name": "a"}]}),
        (
            {"schema": [{"name": "a", "metadata": [{"key": "k", "value": 1}]}]},
            {"schema": [{"name": "a", "metadata": {"k": 1}}]},
        ),
    ],
)
def test_manifests_of_one_meaning_are_equal(left, right):
    assert compare(left, right) == []
    assert compare(right, left) == []


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ({"incremental": True}, {}, "incremental: missing, expected is true."),
        ({}, {"incremental": True}, "incremental: not expected, it is true."),
        ({"destination": "a"}, {"destination": "b"}, 'destination: the text "b", expected is the text "a".'),
        ({"primary_key": ["a"]}, {"primary_key": ["b"]}, 'primary_key[0]: the text "b", expected is the text "a".'),
        (
            {"schema": [{"name": "a", "data_type": {"base": {"type": "INTEGER"}}}]},
            {"schema": [{"name": "a", "data_type": {"base": {"type": "STRING"}}}]},
            'schema[0].data_type.base.type: the text "STRING", expected is the text "INTEGER".',
        ),
        ({"schema": [{"name": "a"}, {"name": "b"}]}, {"schema": [{"name": "a"}]}, "schema: 1 items, expected are 2."),
    ],
)
def test_another_meaning_is_named_with_its_place(left, right, text):
    assert compare(left, right) == [text]


def test_manifests_of_files_have_their_own_defaults():
    plain = {"tags": [], "is_public": False, "is_permanent": False, "is_encrypted": True, "notify": False}
    assert compare(plain, None, of_table=False) == []
    assert compare({"tags": ["b", "a"]}, {"tags": ["a", "b"]}, of_table=False) == []
    assert compare({"is_encrypted": False}, {}, of_table=False) == ["is_encrypted: missing, expected is false."]


def test_a_manifest_that_is_no_json_equals_only_itself():
    broken = compare_manifests("m", b"{", b"{", PLAIN, of_table=True)
    assert broken == []
    (found,) = compare_manifests("m", b"{}", b"{", PLAIN, of_table=True)
    assert found.text.startswith("The actual manifest is not JSON")


def values(left, right, **options):
    return [one.text for one in compare_values("p", left, right, CompareOptions(**options))]


@given(value=json_values)
def test_a_value_equals_itself(value):
    assert values(value, value) == []


@pytest.mark.parametrize(("left", "right"), [(1, 1.0), ([], {}), ({"a": 1, "b": 2}, {"b": 2, "a": 1})])
def test_numbers_by_value_objects_without_order(left, right):
    assert values(left, right) == []


@pytest.mark.parametrize(("left", "right"), [(1, True), (0, False), (None, ""), ("1", 1), ([1, 2], [2, 1]), ({}, None)])
def test_what_is_not_the_same(left, right):
    assert len(values({"k": left}, {"k": right})) >= 1


def test_timestamps_and_keys_can_be_left_out():
    left = {"at": "2020-01-01T00:00:00Z", "deep": {"commit": "a", "x": 1}}
    right = {"at": "2026-11-21 10:00:00+0100", "deep": {"commit": "b", "x": 1}}
    assert len(values(left, right)) == 2
    assert values(left, right, ignore_timestamps=True, ignored_keys=frozenset({"commit"})) == []
    assert values({"at": "2020-01-01T00:00:00Z"}, {"at": "never"}, ignore_timestamps=True)


def test_the_tolerance_holds_for_numbers_in_documents():
    assert values({"x": 100}, {"x": 100.05}, tolerance=0.001) == []
    assert values({"x": 100}, {"x": 101}, tolerance=0.001)


def test_very_many_differences_are_cut():
    found = values(list(range(100)), list(range(1, 101)))
    assert (len(found), found[-1]) == (MOST_DIFFERENCES + 1, "There are more differences.")
