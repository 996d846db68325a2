"""One data file: rows to Parquet bytes by the writer profile (reference kartothek 1.4, 1.8), and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component.dataset.files.encoding import Encodings, choose_encodings
from component.dataset.files.footer import open_footer, unreadable
from component.dataset.files.predicates import Predicates, columns_of, mask_of
from component.dataset.files.pruning import groups_wanted
from component.dataset.format.schema import normal_type
from component.dataset.format.seal import seal
from component.errors import Place, UserError

ROW_GROUP_ROWS: Final = 1_000_000


def encode_rows(rows: pa.Table, encodings: Encodings | None = None) -> pa.Buffer:
    """Return a Parquet file of the rows: snappy, statistics on every column, page checksums, microseconds, no INT96.

    Columns that are among the words of `encodings` may be dictionaries; the file has them as text.
    """
    encodings = encodings or choose_encodings(rows)
    sink, footers = pa.BufferOutputStream(), list[pq.FileMetaData]()
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
        metadata_collector=footers,
    )
    return seal(sink.getvalue(), footers[0])


def read_rows(
    file: pa.NativeFile,
    schema: pa.Schema,
    columns: Sequence[str],
    partition_values: Mapping[str, Any],
    keep: Predicates = (),
    *,
    as_stored: bool = False,
) -> pa.Table:
    """Return the wanted columns of one data file, in normalised types, with the values of its path.

    `schema` is the dataset's; only rows for which `keep` is true are returned (empty: all), and only row groups read
    whose statistics leave room for such rows. Columns that the file lacks are null; columns of the path win over
    columns of the file. With `as_stored` numbers come as narrow as the file holds them. UserError `dataset.format`
    when the file is not Parquet or a column does not fit.
    """
    parquet = open_footer(file)
    wanted = narrow_schema(schema, [parquet.schema_arrow]) if as_stored else schema
    source = _Source(parquet, wanted, partition_values)
    source.check_once({*columns, *columns_of(keep)})
    if not keep:
        return source.read(columns)
    found = [
        _select(source, run, columns, keep)
        for run in _runs(source.parquet, groups_wanted(source.parquet, schema, keep))
    ]
    return pa.concat_tables(found) if found else pa.schema([schema.field(name) for name in columns]).empty_table()


def narrow_schema(schema: pa.Schema, stored: Sequence[pa.Schema]) -> pa.Schema:
    """Return a schema with the numbers, and those within lists and structs, as narrow as all of the files hold them."""
    known = [_types_by_name(one) for one in stored]
    return pa.schema([pa.field(field.name, _narrow_type(field, known)) for field in schema])


def _types_by_name(stored: pa.Schema) -> dict[str, pa.DataType]:
    """Return the types of the columns of a file, but of names that it has twice."""
    times = Counter(stored.names)
    return {field.name: field.type for field in stored if times[field.name] == 1}


def _narrow_type(field: pa.Field, stored: Sequence[Mapping[str, pa.DataType]]) -> pa.DataType:
    found = {types.get(field.name, field.type) for types in stored}
    narrow = found.pop() if len(found) == 1 else field.type
    return narrow if _is_narrower(narrow, field.type) else field.type


def _is_narrower(narrow: pa.DataType, wide: pa.DataType) -> bool:
    if pa.types.is_list(narrow) and pa.types.is_list(wide):
        return _is_narrower(narrow.value_type, wide.value_type)
    if pa.types.is_struct(narrow) and pa.types.is_struct(wide):
        return _same_fields(narrow, wide)
    is_number = pa.types.is_integer(narrow) or pa.types.is_floating(narrow)
    return bool(narrow.equals(wide) or (is_number and normal_type(narrow).equals(wide)))


def _runs(parquet: pq.ParquetFile, groups: Sequence[int]) -> Iterator[list[int]]:
    """Yield row groups, so many small ones together as make a large one."""
    run: list[int] = []
    rows = 0
    for number in groups:
        run.append(number)
        rows += parquet.metadata.row_group(number).num_rows
        if rows >= ROW_GROUP_ROWS:
            yield run
            run, rows = [], 0
    if run:
        yield run


def _select(source: _Source, groups: list[int], columns: Sequence[str], keep: Predicates) -> pa.Table:
    """Read the columns that are asked about, and the others only of the row groups with rows that are wanted."""
    names = columns_of(keep)
    asked = source.read([name for name in source.schema.names if name in names], groups)
    mask = mask_of(keep, asked)
    found = _filtered(asked, mask)
    others = [name for name in dict.fromkeys(columns) if name not in names]
    if not others:
        return found.select(list(columns))
    hits, their_mask = _hits(source.parquet, groups, mask)
    rest = _filtered(source.read(others, hits), their_mask)
    arrays = [found[name] if name in names else rest[name] for name in columns]
    return pa.table(arrays, schema=pa.schema([source.schema.field(name) for name in columns]))


def _hits(parquet: pq.ParquetFile, groups: list[int], mask: pa.ChunkedArray) -> tuple[list[int], pa.ChunkedArray]:
    """Return the row groups that have a row in a mask, and the mask of these alone."""
    hits, parts, start = [], [], 0
    for number in groups:
        part = mask.slice(start, parquet.metadata.row_group(number).num_rows)
        start += len(part)
        if pc.any(part).as_py():
            hits.append(number)
            parts += part.chunks
    return hits, pa.chunked_array(parts, pa.bool_())


def _filtered(rows: pa.Table, mask: pa.ChunkedArray) -> pa.Table:
    return rows if pc.all(mask).as_py() else rows.filter(mask)


@dataclass(frozen=True, slots=True)
class _Source:
    """A data file as a part of its dataset: columns in the dataset's types, with those of the path."""

    parquet: pq.ParquetFile
    schema: pa.Schema
    partition_values: Mapping[str, Any]

    def check_once(self, names: Collection[str]) -> None:
        """Raise UserError `dataset.format` when the file has one of the columns twice."""
        times = Counter(self.parquet.schema_arrow.names)
        twice = next((name for name in names if times[name] > 1), None)
        if twice is not None:
            raise UserError("dataset.format", "A data file has a column twice", place=Place(column=twice))

    def read(self, names: Sequence[str], groups: Sequence[int] | None = None) -> pa.Table:
        """Return columns of row groups (None: all); the rows are known even if there are no columns."""
        stored = set(self.parquet.schema_arrow.names)
        present = [name for name in dict.fromkeys(names) if name in stored and name not in self.partition_values]
        if groups is None:
            groups = range(self.parquet.num_row_groups)
        try:
            table = self.parquet.read_row_groups(list(groups), columns=present, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(error) from error
        fields = [self.schema.field(name) for name in names]
        there = set(table.column_names)
        arrays = [
            self._column(table[field.name] if field.name in there else None, field, len(table)) for field in fields
        ]
        return pa.table(arrays, schema=pa.schema(fields)) if fields else table

    def _column(self, stored: pa.ChunkedArray | None, field: pa.Field, rows: int) -> Any:
        """Return a column in the dataset's type; `stored` is None for one that the file lacks."""
        if field.name in self.partition_values:
            return pa.repeat(pa.scalar(self.partition_values[field.name], field.type), rows)
        if stored is None:
            return pa.nulls(rows, field.type)
        return _in_type(stored, field)


def _in_type(stored: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    if stored.type.equals(field.type):
        return stored
    try:
        if _same_class(stored.type, field.type):
            return stored.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _misfit(stored.type, field) from error
    raise _misfit(stored.type, field)


def _same_class(stored: pa.DataType, wanted: pa.DataType) -> bool:
    """Say whether values may be taken over if none is lost: never a number out of a text, or the other way round."""
    normal = normal_type(stored)
    return (
        pa.types.is_null(normal)
        or normal.equals(wanted)
        or (_is_number(normal) and _is_number(wanted))
        or (pa.types.is_timestamp(normal) and pa.types.is_timestamp(wanted))
        or (pa.types.is_list(normal) and pa.types.is_list(wanted) and _same_class(normal.value_type, wanted.value_type))
        or (pa.types.is_struct(normal) and pa.types.is_struct(wanted) and _same_fields(normal, wanted))
    )


def _same_fields(stored: pa.StructType, wanted: pa.StructType) -> bool:
    names = [field.name for field in wanted]
    return names == [field.name for field in stored] and all(
        _same_class(stored.field(name).type, wanted.field(name).type) for name in names
    )


def _is_number(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_integer(data_type) or pa.types.is_floating(data_type) or pa.types.is_decimal(data_type))


def _misfit(stored: pa.DataType, field: pa.Field) -> UserError:
    return UserError(
        "dataset.format",
        f"A data file holds {stored} that does not fit the type of the dataset, {field.type}",
        place=Place(column=field.name),
    )
