"""Two files by bytes, with the first place where they differ."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Final

import numpy as np

from component.naming import MIB
from component.report.results.replayed import OutputDifference

_PIECE_BYTES: Final = 4 * MIB
_LONGEST_LINE: Final = 200


def same_bytes(expected: Path, actual: Path) -> bool:
    """Whether two files have the same bytes."""
    return expected.stat().st_size == actual.stat().st_size and _first_difference(expected, actual) is None


def compare_files(place: str, expected: Path, actual: Path) -> list[OutputDifference]:
    """Return how two files differ, if they do: the first byte, counted from 0, and the lines there where it is text."""
    at = _first_difference(expected, actual)
    if at is None:
        return []
    sizes = f"{actual.stat().st_size:,} bytes, expected are {expected.stat().st_size:,}"
    lines = [_line(path, at) for path in (expected, actual)]
    shown = f"; expected {lines[0]!r}, found {lines[1]!r}" if all(line is not None for line in lines) else ""
    return [OutputDifference(place, "bytes", f"The bytes differ from byte {at:,} on ({sizes}){shown}.")]


def _first_difference(expected: Path, actual: Path) -> int | None:
    with expected.open("rb") as left, actual.open("rb") as right:
        for number in count():
            one, other = left.read(_PIECE_BYTES), right.read(_PIECE_BYTES)
            if one != other:
                return number * _PIECE_BYTES + _first(one, other)
            if not one:
                return None
    return None


def _first(one: bytes, other: bytes) -> int:
    shared = min(len(one), len(other))
    unequal = np.frombuffer(one, np.uint8, shared) != np.frombuffer(other, np.uint8, shared)
    return int(unequal.argmax()) if shared and unequal.any() else shared


def _line(path: Path, at: int) -> str | None:
    """Return the part of a line around a byte, None where that is no text."""
    start = max(0, at - _LONGEST_LINE // 2)
    with path.open("rb") as file:
        file.seek(start)
        data = file.read(_LONGEST_LINE)
    before, after = data[: at - start], data[at - start :]
    piece = before.rpartition(b"\n")[2] + after.partition(b"\n")[0]
    text = piece.decode("utf-8", "ignore")
    return text if text.isprintable() else None
