"""Which cells of a column of text hold certain characters: by one look at all bytes of the column."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Mask = npt.NDArray[np.bool_]


def holding(texts: pa.StringArray, characters: str) -> Mask:
    """Return which cells hold one of the characters; false for nulls."""
    if not characters.isascii():
        pattern = f"[{''.join(map(in_class, characters))}]"
        held: Mask = pc.fill_null(pc.match_substring_regex(texts, pattern), False).to_numpy(zero_copy_only=False)
        return held
    offsets, data = _parts(texts)
    found = np.zeros(len(data), np.bool_)
    for character in characters.encode():
        found |= data == character
    mask = np.zeros(len(texts), np.bool_)
    mask[np.searchsorted(offsets, np.flatnonzero(found), side="right") - 1] = True
    return mask & texts.is_valid().to_numpy(zero_copy_only=False) if texts.null_count else mask


def held_bytes(texts: pa.StringArray) -> frozenset[int]:
    """Return which bytes occur in a column."""
    return frozenset(np.flatnonzero(np.bincount(_parts(texts)[1], minlength=256)).tolist())


def has_other_than_ascii(texts: pa.StringArray) -> bool:
    """Say whether a column holds a character outside ASCII."""
    return bool((_parts(texts)[1] >= 128).any())


def in_class(character: str) -> str:
    """Return a character for a class of an expression of Arrow's."""
    return f"\\x{{{ord(character):x}}}"


def _parts(texts: pa.StringArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Return where cells begin and end, and the bytes of all of them."""
    _, offsets_buffer, data_buffer = texts.buffers()
    if offsets_buffer is None or not len(texts):
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    offsets = np.frombuffer(offsets_buffer, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(data_buffer, np.uint8) if data_buffer is not None else np.zeros(0, np.uint8)
    return offsets - offsets[0], data[offsets[0] : offsets[-1]]
