"""How the columns of data files are encoded: chosen once for all files of a writer, by a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_SAMPLE: Final = 4096
_DICTIONARY_SHARE: Final = 0.25
_DELTA_DIGITS: Final = 18
"""Digits of a decimal that Parquet holds as an integer of 32 or 64 bits."""
_DICTIONARY_VALUES: Final = 256
_DICTIONARY_BYTES: Final = 16 * 1024
"""Dictionaries of text above these bounds are left to Parquet: each part of a batch would hold the whole of it."""
_SAID_BY_PARQUET: Final = frozenset(
    {pa.string(), pa.binary(), pa.bool_(), pa.int64(), pa.float64(), pa.date32(), pa.timestamp("us")}
)


@dataclass(frozen=True, slots=True)
class Encodings:
    """How columns are encoded; those that are not named here are plain.

    `dictionaries`: a sample repeats itself. Elsewhere, building one that is thrown away costs more than the column.
    `words`: those of them that are text, and may be held as dictionaries before they are written; a file of these rows
    says no Arrow types, so that the dictionaries stay unseen.
    `deltas`: other whole numbers, and what is stored as such, as packed differences: half the time of compressing them
    and less space (DELTA_BINARY_PACKED, which pyarrow reads from 6 on, the one of kartothek 5.3).
    """

    dictionaries: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    deltas: tuple[str, ...] = ()


def choose_encodings(rows: pa.Table) -> Encodings:
    """Choose by a sample from the middle of rows that are like those to be written."""
    sampled = rows.slice(rows.num_rows // 2, _SAMPLE)
    columns = list(zip(sampled.column_names, sampled.columns, strict=True))
    dictionaries = tuple(name for name, column in columns if _repeats(column))
    said = all(_is_said_by_parquet(column.type) for _, column in columns)
    return Encodings(
        dictionaries,
        tuple(name for name in dictionaries if said and pa.types.is_string(sampled[name].type)),
        tuple(name for name, column in columns if name not in dictionaries and _is_stored_whole(column.type)),
    )


def _repeats(sampled: pa.ChunkedArray) -> bool:
    if pa.types.is_null(sampled.type) or pa.types.is_nested(sampled.type):
        return False
    return bool(pc.count_distinct(sampled, mode="all").as_py() <= len(sampled) * _DICTIONARY_SHARE)


def _is_said_by_parquet(data_type: pa.DataType) -> bool:
    """Say whether a reader knows an Arrow type from the Parquet type alone."""
    return bool(pa.types.is_decimal128(data_type) or data_type in _SAID_BY_PARQUET)


def _is_stored_whole(data_type: pa.DataType) -> bool:
    if pa.types.is_decimal128(data_type):
        return int(data_type.precision) <= _DELTA_DIGITS
    return bool(pa.types.is_integer(data_type) or pa.types.is_date32(data_type) or pa.types.is_timestamp(data_type))


def hold_words(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return rows with columns of few words as dictionaries: numbers are cut, compared and written faster than text."""
    for at, name in enumerate(rows.column_names):
        if name in names:
            held = _as_dictionary(rows[at].combine_chunks())
            if len(held.dictionary) <= _DICTIONARY_VALUES and held.dictionary.nbytes <= _DICTIONARY_BYTES:
                rows = rows.set_column(at, name, held)
    return rows


def join_rows(parts: Sequence[pa.Table]) -> pa.Table:
    """Return the rows of all parts; a column that only some hold as dictionary becomes text."""
    if len(parts) == 1 and not any(map(pa.types.is_dictionary, parts[0].schema.types)):
        return parts[0]
    if any(not part.schema.equals(parts[0].schema) for part in parts):
        text = pa.schema([(field.name, _plain(field.type)) for field in parts[0].schema])
        parts = [part.cast(text) for part in parts]
    return pa.concat_tables(parts).unify_dictionaries()


def _plain(data_type: pa.DataType) -> pa.DataType:
    return data_type.value_type if pa.types.is_dictionary(data_type) else data_type


def _as_dictionary(cells: pa.Array) -> pa.DictionaryArray:
    offsets = np.frombuffer(cells.buffers()[1], np.int32)[cells.offset : cells.offset + len(cells) + 1]
    if cells.null_count or not (np.diff(offsets) == 1).all():
        return cells.dictionary_encode()
    return _flags_as_dictionary(np.frombuffer(cells.buffers()[2], np.uint8)[offsets[0] : offsets[-1]])


def _flags_as_dictionary(letters: Any) -> pa.DictionaryArray:
    """Return cells of one byte each as a dictionary: no search is needed, the bytes are the places of their numbers."""
    is_there = np.zeros(128, np.bool_)
    is_there[letters] = True
    values = np.flatnonzero(is_there)
    numbers = np.zeros(128, np.int32)
    numbers[values] = np.arange(len(values))
    words = pa.array([chr(value) for value in values], pa.string())
    return pa.DictionaryArray.from_arrays(numbers[letters], words)
