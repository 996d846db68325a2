"""Exact decimals where Arrow's own conversions overflow without a word (seen in pyarrow 20 to 26).

Arrow multiplies by a power of ten to reach the scale, and does not always notice that the product has left 128 bits:
`4e29` becomes 59717633079061536536625392568.23 as decimal128(38,9). Up to `safe_digits` digits nothing can go wrong.
Or it divides, and takes powers beyond the 38th from outside of its table: `1e-39` becomes 0. Without an exponent this
can't happen.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.tables.types import MAX_PRECISION

_WIDEST: Final = 76
_OF_INTEGERS: Final = pa.decimal128(20, 0)
"""Holds every integer of 64 bits, signed or not."""
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")


def safe_digits(scale: int) -> int:
    """Return how many digits a number may have so that none is lost when it is brought to a scale; it may be 0."""
    return MAX_PRECISION - scale


def parse_numeric(text: str, precision: int, scale: int) -> Decimal | None:
    """Return the number that a text is; None when it is none, or does not fit precision and scale exactly."""
    if not _NUMBER.fullmatch(text):
        return None
    sign, all_digits, exponent = Decimal(text).as_tuple()
    digits = "".join(map(str, all_digits)).rstrip("0")
    shift = int(exponent) + len(all_digits) - len(digits)
    if not digits:
        return Decimal(0).scaleb(-scale)
    if shift < -scale or len(digits) + shift > precision - scale:
        return None
    return Decimal((sign, tuple(map(int, digits + "0" * (shift + scale))), -scale))


def decimal_texts(values: Any) -> Any:
    """Return decimals as people write them, never with an exponent; null stays null. Every text format asks here.

    A declared length says how many digits follow the point, so all of them are written: numeric(10,2) gives `12.50`.
    With `MAX_PRECISION` digits nobody declared one, and only the digits that count are written: `0`, `77.46`.
    """
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array([decimal_texts(chunk) for chunk in values.chunks], pa.string())
    texts = values.cast(pa.string())
    scale = values.type.scale
    other = pc.match_substring(texts, "E")
    if pc.any(other).as_py():
        zero = "0." + "0" * scale if scale > 0 else "0"
        texts = pc.if_else(pc.equal(values, pa.scalar(Decimal(0), values.type)), zero, texts)
        other = pc.fill_null(pc.match_substring(texts, "E"), False)
        plain = [f"{value:f}" for value in values.filter(other).to_pylist()]
        texts = pc.replace_with_mask(texts, other, pa.array(plain, pa.string())) if plain else texts
    return _without_zeros(texts) if scale > 0 and values.type.precision >= MAX_PRECISION else texts


def _without_zeros(texts: Any) -> Any:
    """Take the zeros off the end of texts with a point, and the point if nothing follows it."""
    return pc.ascii_rtrim(pc.ascii_rtrim(texts, "0"), ".")


def decimal_text(value: Decimal) -> str:
    """Return one decimal of which only the value is known, without an exponent."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def with_decimal_texts(rows: pa.Table) -> pa.Table:
    """Return rows with the columns of decimals as text, for whoever writes them down."""
    for number, field in enumerate(rows.schema):
        if pa.types.is_decimal(field.type):
            rows = rows.set_column(number, field.name, decimal_texts(rows.column(number)))
    return rows


def doubtful_numbers(cells: pa.Array, scale: int) -> pa.Array:
    """Return which cells Arrow might get wrong: those that are long, or have an exponent. Null is not doubtful."""
    is_long = pc.greater(pc.utf8_length(cells), safe_digits(scale))
    return pc.fill_null(pc.or_(is_long, pc.match_substring_regex(cells, "[eE]")), False)


def cast_values(values: Any, target: pa.DataType) -> Any:
    """Cast as Arrow does, ArrowInvalid for what does not fit; decimals never wrap, and take any integer that fits."""
    if pa.types.is_decimal128(target) and pa.types.is_integer(values.type):
        values = values.cast(_OF_INTEGERS)
    if pa.types.is_decimal128(target) and pa.types.is_decimal128(values.type):
        growth = max(0, target.scale - values.type.scale)
        if values.type.precision + growth > MAX_PRECISION:
            values = values.cast(pa.decimal256(_WIDEST, target.scale))
    return values.cast(target)
