from __future__ import annotations

import pytest

from component.records.hint_values import ALLOWED, NAMES, STRUCTURAL, VARIANTS, default_hints
from tests.records.hint_cases import BAD, GOOD

# Reference records 2.1, line by line: dumb, csv, bluelabs, vertica, bigquery.
CLIENT = {
    "header-row": (False, True, False, False, True),
    "field-delimiter": (",", ",", ",", "\x01", ","),
    "record-terminator": ("\n", "\n", "\n", "\x02", "\n"),
    "compression": ("GZIP", "GZIP", "GZIP", None, "GZIP"),
    "quoting": (None, "minimal", None, None, "minimal"),
    "quotechar": ('"',) * 5,
    "doublequote": (False, True, False, False, True),
    "escape": (None, None, "\\", None, None),
    "encoding": ("UTF8",) * 5,
    "dateformat": ("YYYY-MM-DD", "MM/DD/YY", "YYYY-MM-DD", "YYYY-MM-DD", "YYYY-MM-DD"),
    "timeonlyformat": ("HH24:MI:SS",) * 5,
    "datetimeformat": (
        "YYYY-MM-DD HH:MI:SS",
        "MM/DD/YY HH24:MI",
        "YYYY-MM-DD HH24:MI:SS",
        "YYYY-MM-DD HH:MI:SS",
        "YYYY-MM-DD HH:MI:SS",
    ),
    "datetimeformattz": (
        "YYYY-MM-DD HH:MI:SSOF",
        "MM/DD/YY HH24:MI",
        "YYYY-MM-DD HH:MI:SSOF",
        "YYYY-MM-DD HH:MI:SSOF",
        "YYYY-MM-DD HH:MI:SS",
    ),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("defaults", ["client", "tablemill"])
def test_defaults_are_those_of_the_client(name, defaults):
    assert tuple(default_hints(variant, defaults)[name] for variant in VARIANTS) == CLIENT[name]


def test_the_spec_has_other_defaults_in_two_places():
    for number, variant in enumerate(VARIANTS):
        other = {"timeonlyformat": "HH24:MI" if variant != "csv" else "HH24:MI:SS"}
        other |= {"dateformat": None} if variant == "dumb" else {}
        client = {name: values[number] for name, values in CLIENT.items()}
        assert default_hints(variant, "spec") == client | other


def test_there_are_thirteen_hints_and_each_says_what_is_allowed():
    assert len(NAMES) == len(set(NAMES)) == 13
    assert set(NAMES) == set(ALLOWED)
    assert set(NAMES) > STRUCTURAL


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in NAMES for value in GOOD[name]])
def test_what_the_spec_and_the_client_use_is_allowed(name, value):
    assert ALLOWED[name].holds(value)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in NAMES for value in BAD[name]])
def test_other_values_are_not(name, value):
    assert not ALLOWED[name].holds(value)
