"""How numbers are shown: one Python format field with text around it (reference workbench 1.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from string import Formatter
from typing import Final

import pyarrow as pa

from component.workbench.tables.faults import TableRule, invalid

DEFAULT_FORMAT: Final = "{:,}"
_WHOLE_NUMBER_TYPES: Final = "bcdoxXn"
_LONG_NUMBER: Final = re.compile(r"\d{5}")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A parsed format: the text before and after the number, and Python's format specification between."""

    prefix: str
    specification: str
    suffix: str

    @property
    def whole(self) -> bool:
        """Whether the specification shows whole numbers only, so that a fraction is cut off first."""
        return self.specification[-1:] in _WHOLE_NUMBER_TYPES and self.specification != ""

    def render(self, value: float) -> str | None:
        """Return a number as text; None for NaN and the infinities, which Workbench treats as null.

        Never raises: what the format cannot show (`{:c}` of -1) is shown in the default format.
        """
        if not isfinite(value):
            return None
        number = int(value) if self.whole or int(value) == value else value
        try:
            text = f"{self.prefix}{number:{self.specification}}{self.suffix}"
            text.encode()
        except (ValueError, OverflowError):  # UnicodeEncodeError is a ValueError: {:c} of half a surrogate pair
            return f"{number:,}"
        return text


@lru_cache(maxsize=1024)
def parse_number_format(text: str) -> NumberFormat:
    """Parse a format: one `{}` or `{:…}` with any text around it.

    UserError `workbench.invalid` (InvalidNumberFormat) for anything else. Widths and precisions above 9999 are refused
    too, since a short format would make texts of any size.
    """
    try:
        text.encode()
        parts = list(Formatter().parse(text))
    except ValueError as error:
        raise _refused(text, str(error)) from error
    fields = [part for part in parts if part[1] is not None]
    if len(fields) != 1 or len(parts) > 2 or parts[0][1] is None:
        raise _refused(text, "it must have exactly one field, like {:,.2f}")
    prefix, name, specification, conversion = parts[0]
    if name or conversion is not None:
        raise _refused(text, "names, numbers and conversions of fields are not allowed")
    if _LONG_NUMBER.search(specification or ""):
        raise _refused(text, "a width or precision is above 9999")
    try:
        format(1, specification or "")
    except (ValueError, OverflowError) as error:
        raise _refused(text, str(error)) from error
    return NumberFormat(prefix, specification or "", parts[1][0] if len(parts) == 2 else "")


def _refused(text: str, why: str) -> Exception:
    shown = text.encode("ascii", "backslashreplace").decode()
    return invalid(
        TableRule.INVALID_NUMBER_FORMAT,
        f"the number format {shown!r} is not valid: {why}",
        remedy="Use one like {:,.2f}.",
    )


def render_numbers(values: pa.Array, text: str = DEFAULT_FORMAT) -> pa.Array:
    """Return numbers as texts in a format; nulls, NaN and infinities are null."""
    parsed = parse_number_format(text)
    return pa.array([None if one is None else parsed.render(one) for one in values.to_pylist()], pa.string())
