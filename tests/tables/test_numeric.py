"""Exact decimals, where Arrow's own are not."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.tables.cast import cast_text
from component.tables.numeric import (
    cast_values,
    decimal_text,
    decimal_texts,
    doubtful_numbers,
    parse_numeric,
    with_decimal_texts,
)
from component.tables.types import Column, TypeName, numeric_length
from tests.strategies.typed_text import LENGTHS, odd_texts

WIDE = Context(prec=200, Emax=10_000, Emin=-10_000)
plain_numbers = st.from_regex(r"[+-]?(0|[1-9][0-9]{0,40})?(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
columns = st.builds(Column, st.just("n"), st.just(TypeName.NUMERIC), st.sampled_from(LENGTHS))


def python_says(text: str, precision: int, scale: int) -> Decimal | None:
    """Python's decimals as the judge: the number if no digit of it is lost."""
    try:
        number = WIDE.create_decimal(text)
        exact = number.quantize(Decimal(1).scaleb(-scale), context=WIDE)
    except InvalidOperation:
        return None
    return exact if exact == number and exact.copy_abs() < 10 ** (precision - scale) else None


@given(plain_numbers, columns)
def test_a_number_fits_when_no_digit_is_lost(text, column):
    precision, scale = numeric_length(column)
    expected = python_says(text, precision, scale)
    assert parse_numeric(text, precision, scale) == expected
    cast = cast_text(pa.array([text]), column)
    assert cast.values.to_pylist() == [expected]
    assert cast.bad == (() if expected is not None else (0,))


@given(st.lists(st.none() | odd_texts(TypeName.NUMERIC) | plain_numbers, max_size=6), columns)
def test_numbers_in_company_are_read_as_alone(texts, column):
    together = cast_text(pa.array(texts, pa.string()), column)
    alone = [cast_text(pa.array([text], pa.string()), column) for text in texts]
    assert together.values.to_pylist() == [one.values[0].as_py() for one in alone]
    assert together.bad == tuple(at for at, one in enumerate(alone) if one.bad)


@given(odd_texts(TypeName.NUMERIC).map(lambda text: text.strip(" \t")), columns)
def test_what_arrow_is_trusted_with_it_reads_as_python_does(text, column):
    cells = pa.array([text])
    precision, scale = numeric_length(column)
    if doubtful_numbers(cells, scale)[0].as_py():
        return
    try:
        [value] = cells.cast(column.arrow).to_pylist()
    except pa.ArrowInvalid:
        value = None
    assert value == parse_numeric(text, precision, scale)


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "1e9999999999", "0e999999999", "-0e-999999999"])
def test_huge_exponents_cost_nothing(text):
    expected = Decimal(0) if "0e" in text and "9999999999" not in text else None
    assert parse_numeric(text, 38, 9) == expected


@pytest.mark.parametrize(
    "text", ["", "+", ".", "e5", "1e", "1e+", "1_0", "٣", "1\u00a0", "Infinity", "sNaN", "0x1", "9E0x0E"]
)
def test_what_is_no_number_fits_nothing(text):
    assert parse_numeric(text, 38, 9) is None


@given(
    st.integers(1, 38).flatmap(lambda precision: st.tuples(st.just(precision), st.integers(0, precision))),
    st.integers(1, 38).flatmap(lambda precision: st.tuples(st.just(precision), st.integers(0, precision))),
    st.data(),
)
def test_a_decimal_never_wraps_when_it_grows(source, target, data):
    limit = 10 ** source[0] - 1
    value = Decimal(data.draw(st.integers(-limit, limit))).scaleb(-source[1], WIDE)
    values = pa.array([value, None], pa.decimal128(*source))
    expected = python_says(str(value), *target)
    try:
        found = cast_values(values, pa.decimal128(*target)).to_pylist()
    except pa.ArrowInvalid:
        assert expected is None
    else:
        assert found == [expected, None]


@pytest.mark.parametrize("source", [pa.int8(), pa.int64(), pa.uint64()], ids=str)
def test_integers_become_decimals_when_they_fit(source):
    assert cast_values(pa.array([7, None], source), pa.decimal128(3, 2)).to_pylist() == [Decimal(7), None]
    assert cast_values(pa.array([0], source), pa.decimal128(38, 38)).to_pylist() == [0]
    with pytest.raises(pa.ArrowInvalid):
        cast_values(pa.array([100], source), pa.decimal128(3, 2))
    with pytest.raises(pa.ArrowInvalid):
        cast_values(pa.array([4], source), pa.decimal128(38, 38))


def test_other_values_are_cast_as_arrow_casts_them():
    assert cast_values(pa.array([1, None]), pa.string()).to_pylist() == ["1", None]
    assert cast_values(pa.chunked_array([[1], [2]]), pa.decimal128(4, 2)).to_pylist() == [Decimal(1), Decimal(2)]
    with pytest.raises(pa.ArrowInvalid):
        cast_values(pa.array([2**40]), pa.int32())


@given(columns, st.data())
def test_decimals_are_written_without_exponents_and_with_the_digits_that_were_declared(column, data):
    precision, scale = numeric_length(column)
    units = st.integers(-(10**precision) + 1, 10**precision - 1) | st.sampled_from([0, 1, -1])
    values = data.draw(st.lists(st.none() | units.map(lambda unit: Decimal(unit).scaleb(-scale, WIDE)), max_size=6))
    expected = [None if value is None else f"{value:.{scale}f}" for value in values]
    if precision == 38:
        expected = [text if text is None else decimal_text(Decimal(text)) for text in expected]
    array = pa.array(values, column.arrow)
    assert decimal_texts(array).to_pylist() == expected
    assert decimal_texts(pa.chunked_array([array, array])).to_pylist() == [*expected, *expected]


@pytest.mark.parametrize(
    ("text", "data_type", "written"),
    [
        ("0E-9", pa.decimal128(38, 9), "0"),
        ("0.000000010", pa.decimal128(38, 9), "0.00000001"),
        ("77.460000000", pa.decimal128(38, 9), "77.46"),
        ("1200.000000000", pa.decimal128(38, 9), "1200"),
        ("0", pa.decimal128(10, 2), "0.00"),
        ("12.50", pa.decimal128(10, 2), "12.50"),
        ("100", pa.decimal128(38, 0), "100"),
        ("0E-12", pa.decimal128(20, 12), "0.000000000000"),
    ],
)
def test_a_decimal_is_written_as_people_write_it(text, data_type, written):
    rows = pa.table({"d": pa.array([Decimal(text), None], data_type), "n": [1, 2]})
    assert with_decimal_texts(rows).to_pylist() == [{"d": written, "n": 1}, {"d": None, "n": 2}]
