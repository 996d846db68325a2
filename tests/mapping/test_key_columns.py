from __future__ import annotations

import pytest

from component.mapping.platform.model import RefusedError
from component.mapping.rules.key_columns import KEYS, clean_keys


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("names", "cleaned", "warnings"),
    [
        (["Id", "Name"], ["Id", "Name"], 0),
        (["Id", "Id"], ["Id"], 0),
        (["Id", "Name", "Id"], ["Id", "Name"], 0),
        (["id", " spaced\t", ""], ["id", "spaced"], 1),
        (["", "Id", ""], {"1": "Id"}, 2),
        (["Id", "Id", "Name"], {"0": "Id", "2": "Name"}, 0),
        (["Id", "Id "], ["Id", "Id"], 0),
        ([""], [], 1),
        ([], [], 0),
        ({"a": "Id"}, {"a": "Id"}, 0),
    ],
)
def test_keys_are_cleaned_and_keep_their_positions(key, names, cleaned, warnings):
    log = []
    assert clean_keys({key: names, "columns": ["", ""]}, "t", log) == {key: cleaned, "columns": ["", ""]}
    assert log == ["warning: Found empty column name in key array."] * warnings


def test_absent_keys_stay_absent():
    assert clean_keys({"primary_key": None}, "t", []) == {"primary_key": None}


@pytest.mark.parametrize("names", [[5], ["a", 1.5], "Id"])
def test_names_that_are_no_text_stop_the_platform(names):
    with pytest.raises(RefusedError) as caught:
        clean_keys({"distribution_key": names}, "t", [])
    assert caught.value.error.code == "mapping.application"


def test_a_number_as_a_distribution_column_has_the_text_of_the_call():
    with pytest.raises(RefusedError) as caught:
        clean_keys({"distribution_key": [5]}, "t", [])
    assert caught.value.error.text == "trim(): Argument #1 ($string) must be of type string, int given"
