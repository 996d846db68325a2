"""Texts of typed cells: what fits with its value, and what looks as if it might."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

from hypothesis import strategies as st

from component.tables.types import BASE_TYPES, Column, NullRule, TypeName, numeric_length

LENGTHS = (None, "10,2", "5", "38,0", "38,38", "1,0", "38,20", "20,15", "4,4")

columns = st.builds(
    Column,
    st.just("c"),
    st.sampled_from(BASE_TYPES),
    st.sampled_from(LENGTHS),
    null_rule=st.sampled_from([None, *NullRule]),
)
"""Columns of every type and null rule."""

ALPHABETS = {
    TypeName.STRING: "ab0 ",
    TypeName.INTEGER: "0019-+ \txXaF._",
    TypeName.NUMERIC: "0019-+ .eE,\tx",
    TypeName.FLOAT: "019-+ .eEinfatyxp_",
    TypeName.BOOLEAN: "truefalsyno10 ",
    TypeName.DATE: "0129-/ :T",
    TypeName.TIMESTAMP: "0129-: T.Z+",
}
KNOWN = {
    TypeName.STRING: ("", "null", "x"),
    TypeName.INTEGER: (
        *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "-0", "007"),
        *("0x7f", "0X7F", "-0x1", "0xffffffffffffffff", "+5", "1.0", "1e3", "1_000", "0" * 30 + "5"),
    ),
    TypeName.NUMERIC: (
        *("9" * 29, "9" * 30, "9" * 38, "9" * 39, "0.000000001", "0.0000000001", "1e28", "1e29", "4e29", "1E-9", "-0"),
        *("4" + "0" * 29, "4" + "0" * 29 + ".5", "1e-39", "5e-40", "1e-1000", "1e1000", "0e-50", "9E0x0E", "1e-0x9"),
        *("1" + "0" * 28 + ".000", "nan", "inf", ".", "-.", "+.5", "5.", "1e", "1e+", "0x1", "1,5", "1_0"),
    ),
    TypeName.FLOAT: (
        *("nan", "NaN", "NAN", "-nan", "+nan", "inf", "-inf", "+inf", "Infinity", "INF", "infinit", "1e999", "1e-999"),
        *("4.9e-324", "0x1p3", "1_0", "1.", ".5", ".", "1e", "+1", "nan(1)", "1d", "1f", "1,5", "-0.0"),
    ),
    TypeName.BOOLEAN: (
        *("true", "True", "TRUE", "tRUE", "t", "T", "yes", "Yes", "YES", "y", "Y", "on", "On", "ON", "1", "01", "2"),
        *("false", "False", "FALSE", "f", "F", "no", "No", "NO", "n", "N", "off", "Off", "OFF", "0", "-1", "truee"),
    ),
    TypeName.DATE: (
        *("0001-01-01", "0000-01-01", "0000-12-31", "9999-12-31", "10000-01-01", "2024-02-29", "2023-02-29"),
        *("2024-13-01", "2024-1-1", "20240101", "2024/01/01", "2024-01-01T00:00:00", "-2024-01-01", "+2024-01-01"),
    ),
    TypeName.TIMESTAMP: (
        *("2024-01-01", "2024-01-01 10", "2024-01-01 10:00", "2024-01-01 10:00:00", "2024-01-01T10:00:00.1"),
        *("2024-01-01T10:00:00.123456", "2024-01-01T10:00:00.1234567", "2024-01-01T10:00:00Z", "0000-12-31 23:59:59"),
        *("2024-01-01 10:00:00+00:00", "2024-01-01 24:00:00", "2024-01-01 23:59:60", "1677-01-01 00:00:00"),
        *("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "2024-01-01 10:00:00.", "2024-01-01  10:00:00"),
    ),
}

_blanks = st.sampled_from(["", "", "", " ", "\t", "  ", "\u00a0", "\x0b"])


def odd_texts(type_name: TypeName) -> st.SearchStrategy[str]:
    """Return texts that fit a type, nearly fit it, or just look like it, with blanks around some."""
    core = st.sampled_from(KNOWN[type_name]) | st.text(st.sampled_from(ALPHABETS[type_name]), max_size=14)
    core |= fitting_texts(Column("c", type_name)).map(lambda pair: pair[0])
    return st.builds("{}{}{}".format, _blanks, core, _blanks)


def fitting_texts(column: Column) -> st.SearchStrategy[tuple[str, Any]]:
    """Return texts that fit a column, each with its value."""
    return _FITTING[column.type](column).map(lambda value: (_text_of(value), value))


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:f}" if isinstance(value, Decimal) else repr(value) if isinstance(value, float) else str(value)


def _numbers(column: Column) -> st.SearchStrategy[Decimal]:
    precision, scale = numeric_length(column)
    limit = 10**precision - 1
    return st.integers(-limit, limit).map(lambda unscaled: Decimal(unscaled).scaleb(-scale, WIDE))


WIDE = Context(prec=80)
_FITTING = {
    TypeName.STRING: lambda _: st.text(st.sampled_from('ab ",\n'), min_size=1, max_size=5),
    TypeName.INTEGER: lambda _: st.integers(-(2**63), 2**63 - 1),
    TypeName.NUMERIC: _numbers,
    TypeName.FLOAT: lambda _: st.floats(allow_nan=False),
    TypeName.BOOLEAN: lambda _: st.booleans(),
    TypeName.DATE: lambda _: st.dates(),
    TypeName.TIMESTAMP: lambda _: st.datetimes(),
}
