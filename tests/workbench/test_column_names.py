"""Column names are valid and unique, and what was done to them is said."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.workbench.rules.column_names import clean_name, name_messages, unique_names

PIECES = ["", "Q", "Q 2", "Q 3", "Q 02", "Column", "Column 1", "Column 2", "Column 3", "\n", "a\ud800b", " 1", "Q 1"]
LONG = ["é" * 6, "é" * 6 + " 2", "abcdefghijkl", "abcdefghij 2", "abcdefghi 9", "abcdefghi", "abcdefghijklmnop", "x 99"]
raw_names = st.one_of(st.sampled_from(PIECES + LONG), st.text(st.sampled_from("aé \n12\ud800😀"), max_size=16))


def oracle_clean(name, most):
    kept = "".join("�" if "\ud800" <= one <= "\udfff" else one for one in name if ord(one) >= 32)
    while len(kept.encode()) > most:
        kept = kept[:-1]
    return kept


def oracle_key(name):
    for cut in range(1, len(name)):
        if name[cut] == " " and re.fullmatch(r"\d+", name[cut + 1 :]):
            return name[:cut], int(name[cut + 1 :])
    return name, None


def oracle_next(key, count, taken, most):
    while (key, count) in taken:
        count = 2 if count is None else count + 1
        while len(f"{key} {count}".encode()) > most:
            key = key[:-1]
    return key, count


def oracle(names, most, existing):
    """The rules said one after the other, every search from the start."""
    cleaned = [oracle_clean(name, most) for name in names]
    wanted = [
        oracle_key(name) if name else ("Column", len(existing) + number) for number, name in enumerate(cleaned, 1)
    ]
    claims = [(oracle_key(name), None) for name in existing]
    claims += [(pair, number) for number, pair in enumerate(wanted) if cleaned[number]]
    claims += [(pair, number) for number, pair in enumerate(wanted) if not cleaned[number]]
    given_out, result = [], []
    for number, (key, count) in enumerate(wanted):
        owner = next(claimant for pair, claimant in claims if pair == (key, count))
        if owner == number:
            result.append(cleaned[number] or f"{key} {count}")
            continue
        given_out.append(oracle_next(key, count, [pair for pair, _ in claims] + given_out, most))
        result.append("{} {}".format(*given_out[-1]))
    return result


@st.composite
def naming(draw):
    most = draw(st.sampled_from([12, 15, 20, 120]))
    existing = {clean_name(name, most).name: None for name in draw(st.lists(raw_names, max_size=3))}
    return draw(st.lists(raw_names, max_size=10)), most, [name for name in existing if name]


@given(naming())
def test_names_are_those_of_the_slow_oracle(case):
    names, most, existing = case
    assert [one.name for one in unique_names(names, most, existing)] == oracle(names, most, existing)


@given(naming())
def test_names_are_unique_printable_and_short(case):
    names, most, existing = case
    found = [one.name for one in unique_names(names, most, existing)]
    assert len({*found, *existing}) == len(names) + len(existing)
    assert all(name and len(name.encode()) <= most and min(name) >= " " for name in found)


@given(naming())
def test_names_that_are_right_stay_and_nothing_is_said(case):
    names, most, existing = case
    found = [one.name for one in unique_names(names, most, existing)]
    again = unique_names(found, most)
    assert [one.name for one in again] == found
    assert name_messages(again, most) == ()


@pytest.mark.parametrize(
    ("names", "existing", "expected"),
    [
        (["Q", "Q", "Q 2"], [], ["Q", "Q 3", "Q 2"]),
        (["Column 2", "", ""], [], ["Column 2", "Column 4", "Column 3"]),
        ([" 1", " 1"], [], [" 1", " 1 2"]),
        (["foo", "foo 2"], ["foo 2", "foo"], ["foo 3", "foo 4"]),
        (["", ""], ["a"], ["Column 2", "Column 3"]),
        (["\n"], [], ["Column 1"]),
    ],
)
def test_a_name_that_is_taken_gets_the_next_number(names, existing, expected):
    assert [one.name for one in unique_names(names, 120, existing)] == expected


def test_messages_come_in_a_fixed_order_each_with_its_count_and_first_name():
    names = unique_names(["é" * 100, "a\ud800", "", "Q", "Q", "b\n"], 120)
    said = [(message.id.rsplit(".", 1)[1], dict(message.arguments)) for message in name_messages(names, 120)]
    assert said == [
        ("ascii_cleaned", {"n_columns": 1, "first_colname": "b"}),
        ("default", {"n_columns": 1, "first_colname": "Column 3"}),
        ("truncated", {"n_columns": 1, "first_colname": "é" * 60, "n_bytes": 120}),
        ("numbered", {"n_columns": 1, "first_colname": "Q 2"}),
        ("unicode_fixed", {"n_columns": 1, "first_colname": "a�"}),
    ]


def test_many_equal_names_are_numbered_in_time():
    found = unique_names(["Q"] * 20_000, None)
    assert found[-1].name == "Q 20000"
