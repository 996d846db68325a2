"""Keys of rows as values that can be compared, and as 64 bits: equal keys have equal bits, others nearly always not.

Whoever decides by hashes must look at the keys themselves where two are equal. Whole columns at a time, so that a pass
over the rows hardly notices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place, UserError

Hashes = npt.NDArray[np.uint64]
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(32)
_WORD: Final = 8
_MASKS: Final = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], np.uint64)
"""Of a word the bytes that belong to a text of which so many are left."""


def key_values(rows: pa.Table, key: Sequence[str]) -> pa.Table:
    """Return the key of each row so that two keys are the same where their values are equal.

    The two zeros of floats are one value, and so are all NaN. Arrow compares neither lists nor structs: a text with all
    that they hold stands for them. UserError `column.type` for one with a value that Python does not have.
    """
    keys = rows.select(list(key))
    for at, field in enumerate(keys.schema):
        if pa.types.is_floating(field.type):
            zeros = pc.add(keys[field.name], pa.scalar(0.0, field.type))
            keys = keys.set_column(at, field, pc.if_else(pc.is_nan(zeros), pa.scalar(np.nan, field.type), zeros))
        elif pa.types.is_nested(field.type):
            keys = keys.set_column(at, pa.field(field.name, pa.string()), _as_texts(keys[field.name], field.name))
    return keys


def key_schema(schema: pa.Schema, key: Sequence[str]) -> pa.Schema:
    """Return the types of `key_values`."""
    fields = [schema.field(name) for name in key]
    return pa.schema([pa.field(one.name, pa.string()) if pa.types.is_nested(one.type) else one for one in fields])


def _as_texts(values: pa.ChunkedArray, column: str) -> pa.ChunkedArray:
    try:
        texts = [None if value is None else repr(_plain(value)) for value in values.to_pylist()]
    except (ValueError, OverflowError) as error:
        raise UserError(
            "column.type",
            f"A value of a key in a column of type {values.type} cannot be compared: {error}",
            place=Place(column=column),
            remedy="Use other columns as the key.",
        ) from error
    return pa.chunked_array([pa.array(texts, pa.string())])


def _plain(value: Any) -> Any:
    """Return a value whose `repr` is that of every equal one: of floats one zero."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def key_hashes(rows: pa.Table, key: Sequence[str]) -> Hashes:
    """Return a hash for each row; of one column of whole numbers, dates or timestamps, different keys never share one.

    A null counts as zero or the empty text. What `key_values` says is equal has one hash.
    """
    found = np.zeros(rows.num_rows, np.uint64)
    keys = key_values(rows, [name for name in key if pa.types.is_nested(rows.schema.field(name).type)])
    for name in key:
        column = (keys if name in keys.column_names else rows)[name].combine_chunks()
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
    if pa.types.is_decimal(values.type):
        values = values.cast(pa.string())
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
