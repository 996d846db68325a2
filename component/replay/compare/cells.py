"""Cells as the texts by which they are compared: equal texts are equal values of the column's type."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component.errors import UserError
from component.tables.cast import cast_text
from component.tables.types import Column, TypeName, arrow_type

_DIGEST_BYTES: Final = 8
_MISFIT: Final = "no value: "
"""Before a cell that does not fit its column's type, so that it equals no value that does."""


def comparable(cells: pa.Array, column: Column | None, *, empty_is_null: bool) -> pa.Array:
    """Return the cells of one column with one text per value; null stays null.

    Of a column of a type other than string `1.0` is `1.00`, `TRUE` is `true`, and an empty cell is null.
    """
    typed = column is not None and column.type is not TypeName.STRING
    if typed or empty_is_null:
        cells = pc.if_else(pc.equal(cells, ""), pa.scalar(None, cells.type), cells)
    return _values(cells, column) if column is not None and typed else cells


def has_type(column: Column) -> bool:
    """Whether values can be read as the column's type; a length that Arrow cannot hold leaves them as text."""
    try:
        arrow_type(column)
    except UserError:
        return False
    return True


def _values(cells: pa.Array, column: Column) -> pa.Array:
    cast = cast_text(cells, column)
    values = cast.values
    if column.type is TypeName.FLOAT:
        values = pc.add(values, 0.0)  # so that -0 is 0
    texts = values.cast(pa.string())
    if not cast.bad:
        return texts
    misfit = np.zeros(len(cells), np.bool_)
    misfit[list(cast.bad)] = True
    marked = pc.binary_join_element_wise(pa.scalar(_MISFIT), cells, "")
    return pc.if_else(pa.array(misfit), marked, texts)


def digests(columns: Sequence[pa.Array], rows: int) -> np.ndarray:
    """Return a number of 64 bits for each row.

    Rows that differ have the same number with a chance of 1 in 2**64, each pair for itself.
    """
    if not columns:
        return np.zeros(rows, np.uint64)
    joined = pc.binary_join_element_wise(*map(_framed, columns), "") if len(columns) > 1 else _framed(columns[0])
    made = [blake2b(row, digest_size=_DIGEST_BYTES).digest() for row in joined.cast(pa.binary()).to_pylist()]
    return np.frombuffer(b"".join(made), np.uint64)


def digest_of(text: str) -> np.uint64:
    """Return the number of a row that has no cells, of its text; it equals that of no row with cells."""
    made = blake2b(text.encode("utf-8", "backslashreplace"), digest_size=_DIGEST_BYTES, person=b"broken")
    return np.uint64(np.frombuffer(made.digest(), np.uint64)[0])


def text_cells(values: pa.Array) -> pa.Array:
    """Return typed values as texts that say the same for the same value; null stays null."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    try:
        return pc.cast(values, pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # nested values, bytes that are no text
        texts = [
            None if item is None else json.dumps(item, default=repr, sort_keys=True) for item in values.to_pylist()
        ]
        return pa.array(texts, pa.string())


def _framed(cells: pa.Array) -> pa.Array:
    """Put the length before each cell, so that rows of different cells are never the same text."""
    lengths = pc.binary_length(cells).cast(pa.string())
    return pc.fill_null(pc.binary_join_element_wise(lengths, cells, ":"), "-")
