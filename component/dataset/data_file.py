"""One data file: rows to Parquet bytes by the writer profile (reference kartothek 1.4, 1.8), and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component.dataset.schema import normal_type
from component.errors import Place, UserError

_SAMPLE: Final = 4096
_DICTIONARY_SHARE: Final = 0.25
ROW_GROUP_ROWS: Final = 1_000_000


def encode_rows(rows: pa.Table) -> pa.Buffer:
    """Return a Parquet file of the rows: snappy, statistics on every column, microseconds, no INT96.

    Dictionaries only where a sample repeats itself: building one that is thrown away costs more than the column.
    """
    sink = pa.BufferOutputStream()
    pq.write_table(
        rows,
        sink,
        version="2.4",
        compression="snappy",
        coerce_timestamps="us",
        write_statistics=True,
        use_dictionary=_repeating_columns(rows),
        store_decimal_as_integer=True,
        row_group_size=ROW_GROUP_ROWS,
    )
    return sink.getvalue()


def _repeating_columns(rows: pa.Table) -> list[str]:
    sampled = rows.slice(rows.num_rows // 2, _SAMPLE)
    return [
        name
        for name, column in zip(sampled.column_names, sampled.columns, strict=True)
        if pc.count_distinct(column, mode="all").as_py() <= len(column) * _DICTIONARY_SHARE
    ]


def read_rows(
    file: pa.NativeFile,
    schema: pa.Schema,
    columns: Sequence[str],
    partition_values: Mapping[str, Any],
    keep: pc.Expression | None,
) -> pa.Table:
    """Return the wanted columns of one data file, in normalised types, with the values of its path.

    `schema` is the dataset's; `keep` filters (rows for which it is null are left out). Columns that the file lacks are
    null; columns of the path win over columns of the file. UserError `dataset.format` when a column does not fit.
    """
    stored = pq.ParquetFile(file)
    in_file = [name for name in _needed(columns, keep, schema) if name in stored.schema_arrow.names]
    table = stored.read(columns=[name for name in in_file if name not in partition_values], use_threads=False)
    needed = [name for name in schema.names if name in set(columns) | _expression_names(keep, schema)]
    arrays = [_column(table, name, schema.field(name).type, partition_values) for name in needed]
    rows = pa.table(arrays, schema=pa.schema([schema.field(name) for name in needed]))
    return (rows if keep is None else rows.filter(keep)).select(list(columns))


def _needed(columns: Sequence[str], keep: pc.Expression | None, schema: pa.Schema) -> list[str]:
    wanted = set(columns) | _expression_names(keep, schema)
    return [name for name in schema.names if name in wanted]


def _expression_names(keep: pc.Expression | None, schema: pa.Schema) -> set[str]:
    return set() if keep is None else set(schema.names)


def _column(table: pa.Table, name: str, data_type: pa.DataType, partition_values: Mapping[str, Any]) -> Any:
    if name in partition_values:
        return pa.repeat(pa.scalar(partition_values[name], data_type), table.num_rows)
    if name not in table.column_names:
        return pa.nulls(table.num_rows, data_type)
    column = table[name]
    if column.type.equals(data_type):
        return column
    try:
        return column.cast(data_type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UserError(
            "dataset.format",
            f"A data file holds {column.type} where the dataset has {normal_type(data_type)}",
            place=Place(column=name),
        ) from error
