"""Reading secondary indices: which partitions may hold rows for conditions on one column (reference kartothek 3).

An index is a Parquet file, or, in old headers, a mapping embedded in the header whose values have become text. Values
that stand twice are united.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.predicates import Condition, expression_of
from component.dataset.values import parse_value
from component.errors import Place, UserError


def read_index(file: pa.NativeFile, column: str) -> pa.Table:
    """Return a whole index file: the column and `partition`; UserError `dataset.format` when it is none."""
    parquet = _open_index(file, column)
    return _read(parquet, list(range(parquet.num_row_groups)), column)


def read_embedded(index: Mapping[Any, Sequence[str]], column: str, data_type: pa.DataType) -> pa.Table:
    """Return an index that is embedded in the header, as `read_index` does; the values get the column's type back."""
    values = [parse_value(str(value), data_type) for value in index]
    lists = pa.array([list(labels) for labels in index.values()], pa.list_(pa.string()))
    return pa.table([pa.array(values, data_type), lists], names=[column, "partition"])


def lookup(file: pa.NativeFile, column: str, conditions: Sequence[Condition]) -> list[frozenset[str]]:
    """Return, for each condition, the labels of partitions that hold a value it is true of.

    Reads only the row groups whose range holds such a value. The conditions are indexable and all on this column.
    """
    parquet = _open_index(file, column)
    position = parquet.schema_arrow.get_field_index(column)
    chunks = [parquet.metadata.row_group(number).column(position) for number in range(parquet.num_row_groups)]
    groups = [number for number, chunk in enumerate(chunks) if _may_hold(chunk, conditions)]
    return labels_where(_read(parquet, groups, column), conditions)


def labels_where(index: pa.Table, conditions: Sequence[Condition]) -> list[frozenset[str]]:
    """Return, for each condition, the labels of the values in an index that it is true of."""
    return [
        frozenset(label for labels in _hits(index, condition)["partition"].to_pylist() for label in labels or ())
        for condition in conditions
    ]


def _hits(index: pa.Table, condition: Condition) -> pa.Table:
    typed = index.set_column(0, condition.column, index[condition.column].cast(condition.value.type))
    return typed.filter(expression_of(((condition,),)))


def _open_index(file: pa.NativeFile, column: str) -> pq.ParquetFile:
    try:
        parquet = pq.ParquetFile(file, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(column, error) from error
    if not {column, "partition"} <= set(parquet.schema_arrow.names):
        raise UserError("dataset.format", "An index lacks its columns", place=Place(column=column))
    return parquet


def _read(parquet: pq.ParquetFile, groups: list[int], column: str) -> pa.Table:
    try:
        return parquet.read_row_groups(groups, columns=[column, "partition"], use_threads=False).select(
            [column, "partition"]
        )
    except (pa.ArrowException, OSError) as error:
        raise _damaged(column, error) from error


def _damaged(column: str, error: BaseException) -> UserError:
    first = str(error).splitlines()[0]
    return UserError("dataset.format", f"An index cannot be read: {first}", place=Place(column=column))


def _may_hold(chunk: Any, conditions: Sequence[Condition]) -> bool:
    if not chunk.is_stats_set or not chunk.statistics.has_min_max:
        return True
    try:
        low, high = chunk.statistics.min, chunk.statistics.max
        return any(condition.may_hold(low, high) for condition in conditions)
    except (ValueError, OverflowError):  # a date that Python has not
        return True
