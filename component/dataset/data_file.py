"""One data file: rows to Parquet bytes by the writer profile (reference kartothek 1.4, 1.8), and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.encoding import Encodings, choose_encodings
from component.dataset.predicates import Predicates, columns_of, expression_of
from component.dataset.schema import normal_type
from component.errors import Place, UserError

ROW_GROUP_ROWS: Final = 1_000_000


def encode_rows(rows: pa.Table, encodings: Encodings | None = None) -> pa.Buffer:
    """Return a Parquet file of the rows: snappy, statistics on every column, page checksums, microseconds, no INT96.

    Columns that are among the words of `encodings` may be dictionaries; the file has them as text.
    """
    encodings = encodings or choose_encodings(rows)
    sink = pa.BufferOutputStream()
    pq.write_table(
        rows,
        sink,
        version="2.4",
        compression="snappy",
        coerce_timestamps="us",
        write_statistics=True,
        write_page_checksum=True,
        use_dictionary=list(encodings.dictionaries),
        column_encoding=dict.fromkeys(encodings.deltas, "DELTA_BINARY_PACKED"),
        store_decimal_as_integer=True,
        row_group_size=ROW_GROUP_ROWS,
        store_schema=not encodings.words,
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
        stored = pq.ParquetFile(file, page_checksum_verification=True)
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
