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
