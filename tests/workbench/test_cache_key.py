"""The key of a result: everything that it was made from, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given

from component.workbench.cache.cache_key import CacheInput, cache_key, code_version, input_of_file, without_secrets
from tests.strategies.json_values import values

INPUTS = [CacheInput("a", 1, "x"), CacheInput("b", 2, "y")]
CONFIGURATION = {"a": 1, "b": {"c": [1, {"#secret": "s", "d": 2}]}}
KEY = cache_key(INPUTS, CONFIGURATION, "code")


def test_a_key_is_40_hexadecimal_digits():
    assert len(KEY) == 40
    assert set(KEY) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    ("inputs", "configuration", "code"),
    [
        (INPUTS[:1], CONFIGURATION, "code"),
        (INPUTS[::-1], CONFIGURATION, "code"),
        ([INPUTS[0], CacheInput("b", 3, "y")], CONFIGURATION, "code"),
        ([INPUTS[0], CacheInput("b", 2, "z")], CONFIGURATION, "code"),
        ([INPUTS[0], CacheInput("c", 2, "y")], CONFIGURATION, "code"),
        (INPUTS, {**CONFIGURATION, "a": 2}, "code"),
        (INPUTS, {**CONFIGURATION, "a": 1.0}, "code"),
        (INPUTS, {**CONFIGURATION, "a": True}, "code"),
        (INPUTS, {**CONFIGURATION, "a": "1"}, "code"),
        (INPUTS, CONFIGURATION, "code 2"),
    ],
)
def test_whatever_changes_the_result_changes_the_key(inputs, configuration, code):
    assert cache_key(inputs, configuration, code) != KEY


def test_order_of_keys_and_secrets_do_not_count():
    other = {"b": {"#more": {"x": 1}, "c": [1, {"d": 2, "#secret": "other"}]}, "a": 1}
    assert cache_key(INPUTS, other, "code") == KEY


@given(values)
def test_a_configuration_without_secrets_is_left_as_it_is(document):
    assert without_secrets(document) == document or "#" in str(document)


def test_an_input_is_known_by_its_bytes(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    known = input_of_file(path, "a")
    assert known == input_of_file(path, "a")
    assert known.size == 3
    path.write_bytes(b"abd")
    assert input_of_file(path, "a") != known


def test_the_version_of_the_code_changes_with_any_file_and_any_library(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.py").write_text("1", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("1", encoding="utf-8")
    version = code_version(tmp_path, "pyarrow 20")
    (tmp_path / "notes.txt").write_text("2", encoding="utf-8")
    assert code_version(tmp_path, "pyarrow 20") == version
    assert code_version(tmp_path, "pyarrow 21") != version
    (tmp_path / "inner" / "a.py").write_text("2", encoding="utf-8")
    assert code_version(tmp_path, "pyarrow 20") != version
