"""Number formats: which are valid, and what they make of numbers."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.workbench.tables.number_format import parse_number_format, render_numbers

VALID = ["{}", "{:,}", "{:d}", "${:,.2f}", "€{:,.2f}", "{:.1%}", "{:,d} cows", "{:x}", "{:c}", "{:n}", "{:_}", "{:+,}"]
VALID += ["{:>10}", "{:e}", "{}}}", "{:,.9999f}"]
INVALID = ["", "x", "%d", "{0}", "{a}", "{!r}", "{:s}", "{:T}", "{{}}", "{:{}}", "{:,} {", "}{:,}", "{}{}", "{{{}"]
INVALID += ["{:>10000}", "{:.123456f}", "\ud800{}"]


@pytest.mark.parametrize("text", VALID)
def test_a_format_of_one_field_is_valid(text):
    assert parse_number_format(text).render(1) is not None


@pytest.mark.parametrize("text", INVALID)
def test_any_other_format_is_refused(text):
    with pytest.raises(UserError, match="InvalidNumberFormat") as raised:
        parse_number_format(text)
    assert raised.value.code == "workbench.invalid"


@pytest.mark.parametrize(
    ("text", "number", "shown"),
    [
        ("{:,}", 1.0, "1"),
        ("{:,}", 1e21, "1,000,000,000,000,000,000,000"),
        ("{:,}", -0.0, "0"),
        ("{:,}", 1234.5, "1,234.5"),
        ("{:d}", 1.9, "1"),
        ("{:d}", -1.9, "-1"),
        ("{:x}", 255.5, "ff"),
        ("${:,.2f} each", 1234.5, "$1,234.50 each"),
        ("{:.1%}", 0.123, "12.3%"),
        ("{:c}", 65, "A"),
        ("{:c}", -1, "-1"),
        ("{:c}", 0xD800, "55,296"),
        ("{:,}", float("nan"), None),
        ("{:,}", float("inf"), None),
    ],
)
def test_a_number_is_shown_in_its_format(text, number, shown):
    assert parse_number_format(text).render(number) == shown


@given(st.sampled_from(VALID), st.one_of(st.integers(-(2**63), 2**64 - 1), st.floats()))
def test_rendering_never_raises_and_gives_text_that_can_be_stored(text, number):
    shown = parse_number_format(text).render(number)
    assert shown is None or shown.encode().decode() == shown


def test_columns_of_numbers_keep_their_nulls():
    assert render_numbers(pa.array([1, None, 1000]), "{:,}").to_pylist() == ["1", None, "1,000"]
