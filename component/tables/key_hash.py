"""Rows as 64 bits by the values of some columns: equal keys have equal hashes, and different ones nearly always others.

Whoever decides by hashes must look at the keys themselves where two are equal. Whole columns at a time, so that a pass
over the rows hardly notices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Hashes = npt.NDArray[np.uint64]
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(32)
_WORD: Final = 8
_MASKS: Final = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], np.uint64)
"""Of a word the bytes that belong to a text of which so many are left."""


def key_hashes(rows: pa.Table, key: Sequence[str]) -> Hashes:
    """Return a hash for each row; of one column of whole numbers, dates or timestamps, different keys never share one.

    A null counts as zero or the empty text. The two zeros of floats are one value, and so are all NaN.
    """
    found = np.zeros(rows.num_rows, np.uint64)
    for name in key:
        column = rows[name].combine_chunks()
        values = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        for words in _words(values):
            found = _mixed(found, words)
    return found


def _mixed(hashes: Hashes, words: Hashes) -> Hashes:
    """Return hashes with one more word in each; no two words give one hash the same."""
    mixed = (hashes ^ words) * _MULTIPLIER
    mixed ^= mixed >> _SHIFT
    mixed *= _MULTIPLIER
    return mixed


def _words(values: Any) -> Sequence[Hashes]:
    """Return the values of a column as words, one or two for each row; a null is as a zero or an empty text."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_floating(values.type):
        doubles = pc.fill_null(pc.add(values.cast(pa.float64()), 0.0), 0.0).to_numpy(zero_copy_only=False)
        return (np.where(np.isnan(doubles), np.nan, doubles).view(np.uint64),)
    if pa.types.is_decimal128(values.type):
        return _halves(values)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    if pa.types.is_integer(values.type) or pa.types.is_temporal(values.type):
        whole = values if pa.types.is_integer(values.type) else values.view(f"int{values.type.bit_width}")
        return (pc.fill_null(whole, 0).to_numpy(zero_copy_only=False).astype(np.int64).view(np.uint64),)
    return (_of_texts(pc.fill_null(values.cast(pa.large_binary()), b"")),)


def _halves(values: Any) -> Sequence[Hashes]:
    if values.null_count:
        values = pc.if_else(values.is_valid(), values, pc.cast(pa.scalar(0), values.type))
    start = 2 * values.offset
    words = np.frombuffer(values.buffers()[1], np.uint64)[start : start + 2 * len(values)]
    return words[0::2], words[1::2]


def _of_texts(texts: Any) -> Hashes:
    """Return the hashes of texts, eight bytes at a time, by reading words wherever they begin."""
    offsets = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    lengths = np.diff(offsets)
    # A length that is only xored in would make `a\\0` the same as `b`: the words that follow are as small.
    found = _mixed(np.zeros(len(texts), np.uint64), lengths.astype(np.uint64))
    if not len(texts) or not lengths.max():
        return found
    data = np.zeros(offsets[-1] - offsets[0] + _WORD, np.uint8)
    data[:-_WORD] = np.frombuffer(texts.buffers()[2], np.uint8)[offsets[0] : offsets[-1]]
    words: Hashes = np.ndarray(len(data) - _WORD + 1, "<u8", data, strides=(1,))
    rows, starts, left = np.arange(len(texts)), offsets[:-1] - offsets[0], lengths
    while len(rows):
        more = left > 0
        if not more.all():
            rows, starts, left = rows[more], starts[more], left[more]
        found[rows] = _mixed(found[rows], words[starts] & _MASKS[np.minimum(left, _WORD)])
        starts, left = starts + _WORD, left - _WORD
    return found
