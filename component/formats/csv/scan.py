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
_LOWER: Final = np.uint8(32)


class Scanner:
    """Looks for what Arrow's converters must not see, in text of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._quote = dialect.quote
        between = f"{dialect.delimiter}\r\n".encode()
        self._between = _table(between)
        self._before_number = _table(between + dialect.quote + b" \t")

    def holds_hexadecimal(self, data: Bytes) -> bool:
        """Say whether a cell may begin with `0x` or `0X`."""
        values = np.frombuffer(data, np.uint8)
        return any(
            positions[0] == 0 or self._before_number[values[positions - 1]].any()
            for positions in _pairs(values, b"0", b"x", lower=True)
        )

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


def _pairs(values: Any, first: bytes, second: bytes, *, lower: bool = False) -> Iterator[Any]:
    """Yield the positions of one byte followed by another, piece by piece; `lower` takes its capital for the second."""
    for start in range(0, len(values) - 1, _PIECE):
        piece = values[start : start + _PIECE + 1]
        found = (piece[1:] | _LOWER if lower else piece[1:]) == second[0]
        found &= piece[:-1] == first[0]
        if found.any():
            yield np.flatnonzero(found) + start


def is_utf8(data: Bytes) -> bool:
    """Say whether bytes are valid UTF-8."""
    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
