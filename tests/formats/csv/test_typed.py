"""The cheap ways to cast a column give what casting cell by cell gives."""

from __future__ import annotations

import itertools
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.formats.csv.typed import cast_by_doubles, typed
from component.tables.cast import cast_text
from component.tables.types import BASE_TYPES, Column, NullRule, TypeName


def one_by_one(texts: list[str], precision: int, scale: int) -> pa.Array:
    cells = pa.array(texts, pa.string())
    cast = cast_text(cells, Column("c", TypeName.NUMERIC, f"{precision},{scale}"))
    assert not cast.bad
    return cast.values


def fits(text: str, precision: int, scale: int) -> bool:
    return not cast_text(pa.array([text]), Column("c", TypeName.NUMERIC, f"{precision},{scale}")).bad


def by_doubles(text: str, precision: int, scale: int) -> pa.Array | None:
    try:
        return cast_by_doubles(pa.array([text]), precision, scale)
    except pa.ArrowInvalid:
        return None


SHORT = ["".join(text) for length in range(6) for text in itertools.product("-.0159", repeat=length)]


@pytest.mark.parametrize(("precision", "scale"), [(15, 2), (2, 1), (3, 0), (38, 9), (4, 4)])
def test_every_short_text_that_doubles_accept_has_its_value(precision, scale):
    accepted = [text for text in SHORT if by_doubles(text, precision, scale) is not None]
    assert len(accepted) > 50
    assert cast_by_doubles(pa.array(accepted), precision, scale).equals(one_by_one(accepted, precision, scale))


digits = st.text(st.sampled_from("0123456789"), min_size=1, max_size=14)
numbers = st.builds(lambda left, right: f"{left}.{right}"[:15], digits, digits)
numbers |= st.builds(lambda left, zeros, last: f"{left}.{zeros * '0'}{last}"[:15], digits, st.integers(0, 13), digits)
numbers |= st.integers(-(10**14), 10**14).map(lambda units: str(Decimal(units).scaleb(-2)))
numbers |= st.sampled_from(
    ["9" * 15, "0.9999999999999", "1.0000000000001", "-9999999999.99", "4.35", "1.005", "8.5" + "0" * 12]
)


@given(numbers.filter(lambda text: len(text) <= 15), st.sampled_from([(15, 2), (15, 0), (38, 9), (13, 13), (38, 22)]))
def test_every_number_that_doubles_accept_has_its_value(text, length):
    got = by_doubles(text, *length)
    if got is not None:
        assert fits(text, *length)
        assert got.equals(one_by_one([text], *length))


exponents = st.builds("{}e{}".format, numbers, st.integers(-30, 30)) | st.builds("{}E{}".format, digits, digits)
exponents |= st.sampled_from(
    ["0e0", "1e-400", "0.0e5", "1e0000000005", "1e000000005", "1e+2", "1.5e-1", "5e-324", "1e22", "inf", "nan", "-inf"]
)


@given(exponents.filter(lambda text: len(text) <= 11), st.sampled_from([(15, 2), (15, 0), (38, 9), (38, 22)]))
def test_every_number_with_an_exponent_that_doubles_accept_has_its_value(text, length):
    got = by_doubles(text, *length)
    if got is not None:
        assert fits(text, *length)
        assert got.equals(one_by_one([text], *length))


def test_a_number_too_small_for_a_double_is_no_zero():
    assert by_doubles("1e-400", 38, 9) is None
    assert by_doubles("0.0e5", 38, 9).to_pylist() == [0]


@pytest.mark.parametrize("text", ["1e0000000005", "1e1000000000000"])
def test_a_long_exponent_is_judged_by_the_definition(text):
    with pytest.raises(pa.ArrowInvalid):
        typed(pa.array([text]), Column("c", TypeName.NUMERIC))


@pytest.mark.parametrize(
    ("type_name", "cell"),
    [(TypeName.INTEGER, "5"), (TypeName.NUMERIC, "5.5"), (TypeName.FLOAT, "1e3"), (TypeName.DATE, "2024-01-01")],
)
def test_blanks_around_a_cell_are_cut(type_name, cell):
    column = Column("c", type_name)
    assert typed(pa.array([f" {cell}\t", cell, None]), column).equals(typed(pa.array([cell, cell, None]), column))
    with pytest.raises(pa.ArrowInvalid):
        typed(pa.array([f"\u00a0{cell}"]), column)


@given(st.integers(-(10**14) + 1, 10**14 - 1), st.integers(0, 14))
def test_a_number_of_fourteen_digits_needs_no_second_way(units, scale):
    text = f"{Decimal(units).scaleb(-scale):f}"
    if len(text) <= 15:
        assert cast_by_doubles(pa.array([text]), 38, scale).to_pylist() == [Decimal(text)]


@pytest.mark.parametrize("texts", [[], [None], [None, "1.50", None, "-2"], ["0.1"] * 100])
def test_nulls_stay_and_a_part_of_a_column_is_enough(texts):
    column = Column("c", TypeName.NUMERIC, "15,2")
    whole = pa.array(["9", "x", *texts, "e"], pa.string())
    expected = [None if text is None else Decimal(text) for text in texts]
    assert typed(whole.slice(2, len(texts)), column).to_pylist() == expected


@pytest.mark.parametrize("type_name", [name for name in BASE_TYPES if name is not TypeName.STRING])
def test_an_enclosed_empty_cell_is_null_or_does_not_fit(type_name):
    cells = pa.array(["", None], pa.string())
    assert typed(cells, Column("c", type_name)).to_pylist() == [None, None]
    with pytest.raises(pa.ArrowInvalid):
        typed(cells, Column("c", type_name, null_rule=NullRule.UNQUOTED))
