"""One data file: rows to Parquet bytes by the writer profile (reference kartothek 1.4, 1.8), and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component.dataset.predicates import Predicates, columns_of, expression_of
from component.dataset.schema import normal_type
from component.errors import Place, UserError

_SAMPLE: Final = 4096
_DICTIONARY_SHARE: Final = 0.25
_DELTA_DIGITS: Final = 18
"""Digits of a decimal that Parquet holds as an integer of 32 or 64 bits."""
ROW_GROUP_ROWS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Encodings:
    """How columns are encoded; those that are not named here are plain.

    Dictionaries only where a sample repeats itself: building one that is thrown away costs more than the column. Whole
    numbers, and what is stored as such, as packed differences: half the time of compressing them, and a third of the
    space (DELTA_BINARY_PACKED, which pyarrow reads from 6 on, and so all that plateau and kartothek 5.3 run on).
    """

    dictionaries: tuple[str, ...]
    deltas: tuple[str, ...]


def choose_encodings(rows: pa.Table) -> Encodings:
    """Choose by a sample from the middle of rows that are like those to be written."""
    sampled = rows.slice(rows.num_rows // 2, _SAMPLE)
    columns = list(zip(sampled.column_names, sampled.columns, strict=True))
    dictionaries = [name for name, column in columns if _repeats(column)]
    deltas = [name for name, column in columns if name not in dictionaries and _is_stored_whole(column.type)]
    return Encodings(tuple(dictionaries), tuple(deltas))


def _repeats(sampled: pa.ChunkedArray) -> bool:
    if pa.types.is_null(sampled.type) or pa.types.is_nested(sampled.type):
        return False
    return bool(pc.count_distinct(sampled, mode="all").as_py() <= len(sampled) * _DICTIONARY_SHARE)


def _is_stored_whole(data_type: pa.DataType) -> bool:
    if pa.types.is_decimal128(data_type):
        return int(data_type.precision) <= _DELTA_DIGITS
    return pa.types.is_integer(data_type) or pa.types.is_date32(data_type) or pa.types.is_timestamp(data_type)


def encode_rows(rows: pa.Table, encodings: Encodings | None = None) -> pa.Buffer:
    """Return a Parquet file of the rows: snappy, statistics on every column, microseconds, no INT96."""
    encodings = encodings or choose_encodings(rows)
    sink = pa.BufferOutputStream()
    pq.write_table(
        rows,
        sink,
        version="2.4",
        compression="snappy",
        coerce_timestamps="us",
        write_statistics=True,
        use_dictionary=list(encodings.dictionaries),
        column_encoding=dict.fromkeys(encodings.deltas, "DELTA_BINARY_PACKED"),
        store_decimal_as_integer=True,
        row_group_size=ROW_GROUP_ROWS,
    )
    return sink.getvalue()


def read_rows(
    file: pa.NativeFile,
    schema: pa.Schema,
    columns: Sequence[str],
    partition_values: Mapping[str, Any],
    keep: Predicates = (),
) -> pa.Table:
    """Return the wanted columns of one data file, in normalised types, with the values of its path.

    `schema` is the dataset's; only rows for which `keep` is true are returned (empty: all). Columns that the file lacks
    are null; columns of the path win over columns of the file. UserError `dataset.format` when the file is no Parquet
    or a column does not fit.
    """
    wanted = set(columns) | columns_of(keep)
    needed = [field for field in schema if field.name in wanted]
    table = _read(file, [field.name for field in needed if field.name not in partition_values])
    arrays = [_column(table, field, partition_values) for field in needed]
    rows = pa.table(arrays, schema=pa.schema(needed)) if needed else table
    return (rows.filter(expression_of(keep)) if keep else rows).select(list(columns))


def _read(file: pa.NativeFile, names: Sequence[str]) -> pa.Table:
    """Return those of the columns that the file has; it knows its rows even if it has none of them."""
    try:
        stored = pq.ParquetFile(file)
        present = set(stored.schema_arrow.names)
        return stored.read(columns=[name for name in names if name in present], use_threads=False)
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0]
        raise UserError("dataset.format", f"A data file cannot be read as Parquet: {first}") from error


def _column(table: pa.Table, field: pa.Field, partition_values: Mapping[str, Any]) -> Any:
    name, data_type = field.name, field.type
    if name in partition_values:
        return pa.repeat(pa.scalar(partition_values[name], data_type), table.num_rows)
    if name not in table.column_names:
        return pa.nulls(table.num_rows, data_type)
    column = table[name]
    if column.type.equals(data_type):
        return column
    try:
        if _same_class(column.type, data_type):
            return column.cast(data_type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _misfit(column.type, field) from error
    raise _misfit(column.type, field)


def _same_class(stored: pa.DataType, wanted: pa.DataType) -> bool:
    """Say whether values may be taken over if none is lost: never a number out of a text, or the other way round."""
    normal = normal_type(stored)
    return (
        pa.types.is_null(normal)
        or normal.equals(wanted)
        or (_is_number(normal) and _is_number(wanted))
        or (pa.types.is_timestamp(normal) and pa.types.is_timestamp(wanted))
        or (pa.types.is_list(normal) and pa.types.is_list(wanted) and _same_class(normal.value_type, wanted.value_type))
    )


def _is_number(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_integer(data_type) or pa.types.is_floating(data_type) or pa.types.is_decimal(data_type))


def _misfit(stored: pa.DataType, field: pa.Field) -> UserError:
    return UserError(
        "dataset.format",
        f"A data file holds {stored} that does not fit the type of the dataset, {field.type}",
        place=Place(column=field.name),
    )
