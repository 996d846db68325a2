"""Rows in buckets by a hash of some columns: those of equal values are in one file of their partition.

plateau and kartothek name this `bucket_by` and `num_buckets`; their hash is that of the pandas at hand, and not kept.
Ours is the same on every machine and in every version. No reader needs it: a bucket is no column and in no path.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from isal.isal_zlib import crc32

from component import naming
from component.errors import Place, UserError

BUCKET: Final = "__KTK_HASH_BUCKET"
"""Name of the column of buckets while rows are cut, as plateau's; it is in no file."""
_SEPARATOR: Final = "\x1f"
_NULL: Final = "\0"


@dataclass(frozen=True, slots=True)
class Buckets:
    """The columns that decide, and how many buckets there are."""

    by: tuple[str, ...]
    count: int


def buckets_of(by: tuple[str, ...], count: int | None, names: Sequence[str], uuid: str) -> Buckets | None:
    """Return the buckets that are asked for; None for none.

    UserError `config.value` when one is given without the other, or the number is not within `naming.MOST_BUCKETS`;
    `column.missing`.
    """
    if not by and count is None:
        return None
    if not by or count is None or not 1 <= count <= naming.MOST_BUCKETS:
        raise UserError(
            "config.value",
            f"Buckets need columns and a number from 1 to {naming.MOST_BUCKETS}, and these are {list(by)} and {count}",
            place=Place(table=uuid),
            remedy="Give bucket_by and num_buckets, or neither.",
        )
    for name in by:
        if name not in names:
            raise UserError(
                "column.missing",
                "A column in bucket_by is not there",
                place=Place(table=uuid, column=name),
                remedy=f"The columns are {', '.join(names)}.",
            )
    return Buckets(by, count)


def buckets_within(by: Sequence[str], count: int | None, own: Collection[str]) -> Buckets | None:
    """Return the buckets of one of several tables, by the columns that it has; None where it has none of them."""
    columns = tuple(name for name in by if name in own)
    return Buckets(columns, count) if columns and count is not None else None


def bucket_numbers(rows: pa.Table, buckets: Buckets) -> pa.Array:
    """Return the bucket of each row: the CRC-32 of its texts, joined by U+001F, modulo the number of buckets.

    The text of a value is itself, or its whole number: of a date the days and of a timestamp the microseconds since
    1970, of numeric the digits without the point, of a boolean 1 or 0, of a float its 64 bits (one zero, one NaN). Null
    is U+0000.
    """
    columns = [pc.fill_null(_texts(rows[name].combine_chunks()), _NULL) for name in buckets.by]
    texts = columns[0] if len(columns) == 1 else pc.binary_join_element_wise(*columns, _SEPARATOR)
    encoded = texts.cast(pa.large_string()).dictionary_encode()
    hashes = np.fromiter((crc32(text.encode()) for text in encoded.dictionary.to_pylist()), np.int64)
    return pa.array((hashes % buckets.count)[encoded.indices.to_numpy()] if rows.num_rows else np.empty(0, np.int64))


def _texts(values: Any) -> Any:
    """Return values as the texts that are hashed."""
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(float("nan")), pc.add(values.cast(pa.float64()), 0.0))
        values = values.view(pa.int64())
    elif pa.types.is_date32(values.type):
        values = values.view(pa.int32())
    elif pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us", values.type.tz)).view(pa.int64())
    elif pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    elif pa.types.is_decimal128(values.type):
        whole = pa.decimal128(values.type.precision, 0)
        values = pa.Array.from_buffers(whole, len(values), values.buffers(), offset=values.offset)
    return values.cast(pa.string())
