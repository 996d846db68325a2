from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.records.hint_values import NAMES, STRUCTURAL, VARIANTS, default_hints
from component.records.hints import dialect_of, resolve_hints
from tests.records.hint_cases import BAD, GOOD

PLACE = Place(table="orders")


def refused(variant, given_hints, **options):
    with pytest.raises(UserError) as error:
        resolve_hints(variant, given_hints, place=PLACE, **options)
    assert error.value.code == "records.hint"
    assert error.value.place.table == "orders"
    return str(error.value)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_alone_has_its_defaults(variant):
    hints, said = resolve_hints(variant, {})
    assert hints.values() == default_hints(variant)
    assert hints.variant == variant
    assert said == ()


@given(st.sampled_from(VARIANTS), st.sets(st.sampled_from(NAMES)), st.data())
def test_what_is_given_stands_above_the_variant_and_that_above_the_general(variant, names, data):
    chosen = {name: data.draw(st.sampled_from(GOOD[name])) for name in names}
    hints, said = resolve_hints(variant, chosen)
    assert hints.values() == default_hints(variant) | chosen
    assert said == ()


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in NAMES for value in BAD[name]])
def test_a_value_that_is_not_allowed_is_refused_with_what_is(name, value):
    text = refused("bluelabs", {name: value})
    assert name in text
    assert json.dumps(value) in text
    assert "allowed is" in text


@pytest.mark.parametrize("name", sorted(STRUCTURAL))
def test_lax_never_guesses_how_cells_are_cut(name):
    text = refused("bluelabs", {name: BAD[name][0]}, lax=True)
    assert "cut wrongly" in text


@pytest.mark.parametrize("name", sorted(set(NAMES) - STRUCTURAL))
def test_lax_goes_on_with_the_variants_format_and_says_so(name):
    hints, said = resolve_hints("csv", {name: BAD[name][0]}, lax=True)
    assert hints.values() == default_hints("csv")
    assert [one.code for one in said] == ["hint.value"]
    assert json.dumps(default_hints("csv")[name]) in str(said[0])


def test_an_unknown_hint_is_refused_by_name_and_value():
    text = refused("csv", {"null-as": "\\N"})
    assert "null-as" in text
    assert '"\\\\N"' in text
    assert "field-delimiter" in text


def test_lax_ignores_an_unknown_hint_and_says_so():
    hints, said = resolve_hints("csv", {"null-as": "\\N"}, lax=True)
    assert hints.values() == default_hints("csv")
    assert [one.code for one in said] == ["hint.unknown"]


@pytest.mark.parametrize("variant", ["excel", "CSV", "", None])
def test_an_unknown_variant_is_refused_with_those_that_are_known(variant):
    text = refused(variant, {})
    for known in VARIANTS:
        assert known in text


def test_lax_does_not_invent_the_structure_of_an_unknown_variant():
    text = refused("excel", {"quoting": None}, lax=True)
    assert "field-delimiter" in text


def test_lax_takes_an_unknown_variant_that_decides_nothing_about_structure():
    structure = {name: default_hints("csv")[name] for name in STRUCTURAL}
    hints, said = resolve_hints("excel", structure, lax=True)
    assert hints.values() == default_hints(None) | structure
    assert [one.code for one in said] == ["variant.unknown"]


@pytest.mark.parametrize(
    "clash",
    [
        {"field-delimiter": '"'},
        {"field-delimiter": "\\"},
        {"quotechar": "\\"},
        {"record-terminator": ","},
        {"record-terminator": '\n"'},
        {"record-terminator": "\\\n"},
    ],
)
def test_characters_that_nobody_could_tell_apart_are_refused(clash):
    refused("bluelabs", clash)


def test_a_delimiter_of_two_characters_is_refused():
    assert "one character" in refused("csv", {"field-delimiter": "||"})


def test_a_terminator_that_is_not_known_becomes_the_one_that_was_found():
    hints, _ = resolve_hints("vertica", {"record-terminator": None})
    assert hints.record_terminator is None
    assert dialect_of(hints, "\r\n").record_terminator == "\r\n"
    assert dialect_of(hints).record_terminator == "\x02"


def test_a_date_format_of_null_means_iso_dates():
    hints, _ = resolve_hints("dumb", {}, defaults="spec")
    assert hints.dateformat is None
    assert dialect_of(hints).dateformat == "YYYY-MM-DD"


def test_the_dialect_has_every_hint():
    hints, _ = resolve_hints("csv", {})
    dialect = dialect_of(hints)
    assert {name: getattr(dialect, name.replace("-", "_")) for name in NAMES} == default_hints("csv")
