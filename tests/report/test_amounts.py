from __future__ import annotations

import pytest

from component.report.words.amounts import counted, size_text, time_text


@pytest.mark.parametrize(("number", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (1234567, "1,234,567 rows")])
def test_a_count_agrees_with_its_noun(number, text):
    assert counted(number, "row") == text


def test_an_irregular_plural_is_given():
    assert counted(2, "index", "indices") == "2 indices"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (12_345_678, "12.3 MB"),
        (999_960, "1.0 MB"),
        (7_700_000_000, "7.7 GB"),
        (5 * 10**18, "5,000.0 PB"),
    ],
)
def test_a_size_has_the_largest_unit_that_fits(size, text):
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (59.94, "59.9 s"),
        (59.97, "1 min 00 s"),
        (65, "1 min 05 s"),
        (3599.6, "1 h 00 min"),
        (7800, "2 h 10 min"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds, text):
    assert time_text(seconds) == text
