"""Reading secondary indices: which partitions may hold rows for conditions on one column (reference kartothek 3).

An index is a Parquet file, or, in old headers, a mapping embedded in the header whose values have become text. Values
that stand twice are united.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component.dataset.files.footer import OF_A_FILE, open_footer
from component.dataset.files.predicates import Condition, mask_of
from component.dataset.files.pruning import groups_wanted
from component.dataset.format.values import parse_value
from component.errors import Place, UserError

PART_LABELS: Final = 1_000_000


@contextmanager
def naming_index(column: str) -> Iterator[None]:
    """Say in an error that comes of reading an index file what to do: it can be made of the data again."""
    try:
        yield
    except UserError as error:
        if error.code not in OF_A_FILE:
            raise
        remedy = f"Build the index again with: tablemill dataset build-index --columns {column}."
        raise type(error)(error.code, error.text, place=Place(column=column), remedy=remedy) from error


def read_index(file: pa.NativeFile, column: str) -> pa.Table:
    """Return a whole index file: the column and `partition`; UserError `dataset.format` when it is none."""
    parquet = _open_index(file, column)
    return _read(parquet, list(range(parquet.num_row_groups)), [column, "partition"])


def index_parts(file: pa.NativeFile, column: str) -> Iterator[pa.Table]:
    """Yield an index file in pieces of about `PART_LABELS` labels, as `read_index` does."""
    parquet = _open_index(file, column)
    position = parquet.schema_arrow.get_field_index("partition")
    groups: list[int] = []
    labels = 0
    for number in range(parquet.num_row_groups):
        groups.append(number)
        labels += parquet.metadata.row_group(number).column(position).num_values
        if labels >= PART_LABELS or number == parquet.num_row_groups - 1:
            yield _read(parquet, groups, [column, "partition"])
            groups, labels = [], 0


def read_embedded(index: Mapping[Any, Sequence[str]], column: str, data_type: pa.DataType) -> pa.Table:
    """Return an index that is embedded in the header, as `read_index` does; the values get the column's type back."""
    values = [parse_value(str(value), data_type) for value in index]
    lists = pa.array([list(labels) for labels in index.values()], pa.list_(pa.string()))
    return pa.table([pa.array(values, data_type), lists], names=[column, "partition"])


def lookup(file: pa.NativeFile, column: str, conditions: Sequence[Condition]) -> list[frozenset[str]]:
    """Return, for each condition, the labels of partitions that hold a value it is true of.

    Reads only row groups whose range holds such a value, and labels only where there is one. The conditions are
    indexable and all on this column. UserError `dataset.format` for an index that cannot be read or is of another type.
    """
    if not conditions:
        return []
    parquet = _open_index(file, column)
    schema = pa.schema([(column, conditions[0].value.type)])
    keep = tuple((condition,) for condition in conditions)
    groups = groups_wanted(parquet, schema, keep)
    values = _typed(_read(parquet, groups, [column]), conditions[0].value.type)
    hits, rows = [], []
    for number, part in zip(groups, _split(parquet, groups, values), strict=True):
        if pc.any(mask_of(keep, part)).as_py():
            hits.append(number)
            rows.append(part)
    labels = _read(parquet, hits, ["partition"])
    whole = pa.concat_tables([values.slice(0, 0), *rows])
    return labels_where(whole.append_column("partition", labels["partition"]), conditions)


def _split(parquet: pq.ParquetFile, groups: Sequence[int], values: pa.Table) -> Iterator[pa.Table]:
    start = 0
    for number in groups:
        rows = parquet.metadata.row_group(number).num_rows
        yield values.slice(start, rows)
        start += rows


def labels_where(index: pa.Table, conditions: Sequence[Condition]) -> list[frozenset[str]]:
    """Return, for each condition, the labels of the values in an index that it is true of."""
    typed = _typed(index, conditions[0].value.type) if conditions else index
    return [_labels(typed.filter(mask_of(((condition,),), typed))["partition"]) for condition in conditions]


def _labels(lists: pa.ChunkedArray) -> frozenset[str]:
    return frozenset(pc.unique(pc.list_flatten(lists)).to_pylist()) - {None}


def _typed(index: pa.Table, data_type: pa.DataType) -> pa.Table:
    """Return an index with its values in the column's type."""
    field = index.schema.field(0)
    try:
        return index.set_column(0, field.name, index[field.name].cast(data_type))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _damaged(field.name, error) from error


def _open_index(file: pa.NativeFile, column: str) -> pq.ParquetFile:
    try:
        parquet = open_footer(file)
    except UserError as error:
        raise _damaged(column, error) from error
    if not {column, "partition"} <= set(parquet.schema_arrow.names):
        raise UserError("dataset.format", "An index lacks its columns", place=Place(column=column))
    return parquet


def _read(parquet: pq.ParquetFile, groups: Sequence[int], names: list[str]) -> pa.Table:
    try:
        return parquet.read_row_groups(list(groups), columns=names, use_threads=False).select(names)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(names[0], error) from error


def _damaged(column: str, error: BaseException) -> UserError:
    first = str(error).splitlines()[0]
    return UserError("dataset.format", f"An index cannot be read: {first}", place=Place(column=column))
