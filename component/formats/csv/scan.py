"""Questions about bytes at memory speed: Python's own search for two bytes takes as long as parsing them.

An answer of no is certain; yes means that it is worth to look closer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa

from component.formats.csv.dialect import Dialect
from component.formats.csv.split import Bytes

_PIECE: Final = 1 << 18
"""Bytes looked at at once: they and what is computed of them stay in the processor's cache."""


class Scanner:
    """Looks for what Arrow's converters must not see, in text of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._quote = dialect.quote
        between = f"{dialect.delimiter}\r\n".encode()
        self._between = _table(between)
        self._around_number = _table(between + dialect.quote + b" \t")
        self._in_number = _table(b"0123456789.")
        self._before_hexadecimal = _table(between + dialect.quote + b" \t+-eE")

    def holds_hexadecimal(self, data: Bytes) -> bool:
        """Say whether a cell may begin with `0x` or `0X`, or an exponent, which Arrow allows."""
        values = np.frombuffer(data, np.uint8)
        return any(
            positions[0] == 0 or self._before_hexadecimal[values[positions - 1]].any()
            for positions in _pairs(values, b"0", b"xX")
        )

    def holds_negative_exponent(self, data: Bytes) -> bool:
        """Say whether a cell may end like `1e-40`."""
        values = np.frombuffer(data, np.uint8)
        for positions in _pairs(values, b"eE", b"-"):
            after = positions[self._in_number[values[positions - 1]]] + 2
            while len(after := after[after < len(values)]):
                if self._around_number[values[after]].any():
                    return True
                after = after[self._in_number[values[after]]] + 1
        return False

    def holds_enclosed_empty(self, data: Bytes) -> bool:
        """Say whether a cell may be empty and enclosed."""
        if not self._quote:
            return False
        values = np.frombuffer(data, np.uint8)
        last = len(values) - 1
        for positions in _pairs(values, self._quote, self._quote):
            begins = (positions == 0) | self._between[values[positions - 1]]
            ends = (positions + 1 == last) | self._between[values[np.minimum(positions + 2, last)]]
            if (begins & ends).any():
                return True
        return False


def _table(members: Iterable[int]) -> Any:
    """Return, for each byte, whether it is a member."""
    table = np.zeros(256, np.bool_)
    table[list(members)] = True
    return table


def _pairs(values: Any, first: bytes, second: bytes) -> Iterator[Any]:
    """Yield the positions of one of some bytes followed by one of others, piece by piece."""
    for start in range(0, len(values) - 1, _PIECE):
        piece = values[start : start + _PIECE + 1]
        found = _is_one_of(piece[:-1], first) & _is_one_of(piece[1:], second)
        if found.any():
            yield np.flatnonzero(found) + start


def _is_one_of(values: Any, members: bytes) -> Any:
    found = values == members[0]
    for member in members[1:]:
        found |= values == member
    return found


def is_utf8(data: Bytes) -> bool:
    """Say whether bytes are valid UTF-8."""
    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
