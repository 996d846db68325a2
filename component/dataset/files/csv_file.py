"""Data files of CSV, which the original clients write if they are told to (reference kartothek 1.4).

They are told by their suffix, and are UTF-8 with a header and `;` between cells, as pandas writes them. Texts have no
types, so a cell is read as one of the schema's type. Read, they are Parquet in memory, and everything else is as with
other data files; nothing writes them.
"""

from __future__ import annotations

import gzip
import zlib
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from component import naming
from component.dataset.format.keys import stored_key
from component.errors import Place, UserError
from component.store.base import Store

_LARGEST_BLOCK: Final = 2**31 - 1


def open_data(store: Store, key: str, schema: pa.Schema) -> pa.NativeFile:
    """Open a data file, as Parquet whatever it is; `schema` is the dataset's.

    UserError `store.missing` when it is not there, `dataset.format` for CSV that cannot be read or does not fit.
    """
    if not key.endswith(naming.STORED_CSV_SUFFIXES):
        return store.open(stored_key(key))
    return pa.BufferReader(parquet_of(store.get(stored_key(key)), key, schema))


def parquet_of(data: bytes, key: str, schema: pa.Schema) -> bytes | pa.Buffer:
    """Return the bytes of a data file, as Parquet whatever they are; UserError `dataset.format` as `open_data`."""
    if not key.endswith(naming.STORED_CSV_SUFFIXES):
        return data
    try:
        cells = _cells(gzip.decompress(data) if key.endswith(".gz") else data, schema)
    except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
        first = str(error).splitlines()[0]
        raise UserError("dataset.format", f"The data file {key!r} cannot be read as CSV: {first}") from error
    names, known = cells.column_names, set(schema.names)
    typed = [
        _typed(column, schema.field(name)) if name in known else column
        for name, column in zip(names, cells.columns, strict=True)
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(typed, names=names), sink)
    return sink.getvalue()


def _cells(text: bytes, schema: pa.Schema) -> pa.Table:
    """Return the cells as text; null is an empty cell without quotes, and any empty one where it is alone in its row.

    pandas quotes it there, since a blank line would be no row.
    """
    if not text:
        return pa.table({})
    rows = arrow_csv.read_csv(
        pa.BufferReader(text),
        read_options=arrow_csv.ReadOptions(
            use_threads=False, block_size=min(max(len(text) + 1, naming.MIB), _LARGEST_BLOCK)
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=";", newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(schema.names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    return pa.table([_without_empty(rows[0])], names=rows.column_names) if rows.num_columns == 1 else rows


def _without_empty(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_string(cells.type):
        return cells
    return pc.if_else(pc.equal(cells, ""), pa.scalar(None, cells.type), cells)


def _typed(cells: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    data_type = field.type
    if pa.types.is_string(data_type):
        return cells
    texts = _without_empty(cells)
    if pa.types.is_null(data_type) and texts.null_count == len(texts):
        return pa.chunked_array([pa.nulls(len(texts))])
    if pa.types.is_binary(data_type):  # what pandas writes of bytes is Python's text for them
        raise _misfit(field)
    try:
        return texts.cast(data_type)
    except pa.ArrowNotImplementedError as error:
        raise _misfit(field) from error
    except pa.ArrowInvalid as error:
        if not pa.types.is_integer(data_type):
            raise _misfit(field) from error
    try:
        return texts.cast(pa.float64()).cast(data_type)  # pandas knows no null among integers but by this
    except pa.ArrowInvalid as error:
        raise _misfit(field) from error


def _misfit(field: pa.Field) -> UserError:
    return UserError(
        "dataset.format",
        f"A data file of CSV holds text that cannot be read as the type of the dataset, {field.type}",
        place=Place(column=field.name),
    )
