"""The schema of a table as the format keeps it: `_common_metadata` (reference kartothek 1.3, 2.1).

Types are normalised (widest of their class, dictionaries decoded, timestamps in microseconds); partition keys come
first, the rest in alphabetical order; pandas metadata is there because the original clients demand it. The order of the
source is kept in the header's extras (`layout`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.format.seal import open_parquet, seal
from component.errors import Place, UserError

PANDAS_VERSION: Final = "2.3.3"
OTHER_TYPE: Final = (
    "Give the column its old type, a wider one to the dataset (tablemill dataset widen), or use mode overwrite."
)


@lru_cache(maxsize=1024)
def normal_type(data_type: pa.DataType) -> pa.DataType:
    """Return the normalised type: what schema and index hold; data files may be narrower."""
    widest = next((wide for test, wide in _WIDEST if test(data_type)), None)
    if widest is not None:
        return widest
    if pa.types.is_dictionary(data_type):
        return normal_type(data_type.value_type)
    if pa.types.is_timestamp(data_type):
        return pa.timestamp("us", data_type.tz)
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type):
        return pa.list_(normal_type(data_type.value_type))
    return data_type


_WIDEST: Final = (
    (pa.types.is_signed_integer, pa.int64()),
    (pa.types.is_unsigned_integer, pa.uint64()),
    (pa.types.is_floating, pa.float64()),
    (pa.types.is_large_string, pa.string()),
    (pa.types.is_string_view, pa.string()),
    (pa.types.is_large_binary, pa.binary()),
    (pa.types.is_binary_view, pa.binary()),
)


def normal_schema(schema: pa.Schema, partition_keys: Sequence[str]) -> pa.Schema:
    """Return the schema in the format's order, types normalised: partition keys, then the rest alphabetically."""
    rest = sorted(name for name in schema.names if name not in partition_keys)
    return pa.schema([pa.field(name, normal_type(schema.field(name).type)) for name in [*partition_keys, *rest]])


def encode_schema(schema: pa.Schema) -> bytes:
    """Return the bytes of `_common_metadata` for a normalised schema."""
    sink = pa.BufferOutputStream()
    described = schema.with_metadata({b"pandas": json.dumps(_pandas_metadata(schema), sort_keys=True).encode()})
    pq.write_metadata(described, sink, version="2.4", coerce_timestamps="us")
    return bytes(seal(sink.getvalue()).to_pybytes())


def decode_schema(data: bytes) -> pa.Schema:
    """Return the normalised schema in `_common_metadata`, without metadata and without a stored pandas index.

    UserError `dataset.format` when the bytes are no Parquet, or their pandas metadata is no JSON; `dataset.damaged`
    when they differ from their checksum.
    """
    try:
        stored = open_parquet(pa.BufferReader(data)).schema_arrow
        hidden = _index_columns((stored.metadata or {}).get(b"pandas", b"{}"))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UserError("dataset.format", f"The schema (_common_metadata) cannot be read: {error}") from error
    return pa.schema([pa.field(f.name, normal_type(f.type)) for f in stored if f.name not in hidden])


def _index_columns(pandas: bytes) -> set[str]:
    """Return the names of the columns that hold a pandas index; an index of numbers has no column but a description."""
    described = json.loads(pandas)
    names = described.get("index_columns") if isinstance(described, dict) else None
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()


def same_flavour(left: pa.DataType, right: pa.DataType) -> bool:
    """Say whether two types are the same once normalised, or one of them is still unknown (all null).

    So with the types within lists and structs: the original clients take those from the values of each file.
    """
    left, right = normal_type(left), normal_type(right)
    if pa.types.is_null(left) or pa.types.is_null(right):
        return True
    if pa.types.is_list(left) and pa.types.is_list(right):
        return same_flavour(left.value_type, right.value_type)
    if pa.types.is_struct(left) and pa.types.is_struct(right):
        names = [field.name for field in left]
        same_names = names == [field.name for field in right]
        return same_names and all(same_flavour(left.field(name).type, right.field(name).type) for name in names)
    return bool(left.equals(right))


def takes(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Say whether a column takes values of another type, each of which must fit exactly: whole numbers as uint64.

    An instant is one in any zone. In a column without zone it is kept in UTC.
    """
    if pa.types.is_uint64(wanted):
        return bool(pa.types.is_integer(given) or (pa.types.is_decimal(given) and given.scale == 0))
    if pa.types.is_timestamp(given) and pa.types.is_timestamp(wanted):
        return given.tz is not None
    return False


def check_appendable(new: pa.Schema, existing: pa.Schema, *, table: str) -> None:
    """Raise UserError `dataset.schema` when rows of `new` do not fit a dataset of `existing`; both normalised.

    The same columns, of the same normalised types; a column without values yet takes any type.
    """
    missing = sorted(set(existing.names) - set(new.names))
    extra = sorted(set(new.names) - set(existing.names))
    if missing or extra:
        parts = [f"lack {', '.join(missing)}"] * bool(missing) + [f"have also {', '.join(extra)}"] * bool(extra)
        raise UserError(
            "dataset.schema",
            f"The new rows {' and '.join(parts)}",
            place=Place(table=table),
            remedy="Give the table the columns of the dataset, change those there (tablemill dataset add-column,"
            " drop-column), or use mode overwrite.",
        )
    for field in new:
        if not same_flavour(field.type, existing.field(field.name).type):
            raise UserError(
                "dataset.schema",
                f"The column is {field.type} now and {existing.field(field.name).type} in the dataset",
                place=Place(table=table, column=field.name),
                remedy=OTHER_TYPE,
            )


def _pandas_metadata(schema: pa.Schema) -> dict[str, Any]:
    unicode_names = {
        "field_name": None,
        "name": None,
        "pandas_type": "unicode",
        "numpy_type": "object",
        "metadata": {"encoding": "UTF-8"},
    }
    return {
        "columns": [_pandas_column(field) for field in schema],
        "column_indexes": [unicode_names],
        "index_columns": [],
        "creator": {"library": "pyarrow", "version": pa.__version__},
        "pandas_version": PANDAS_VERSION,
    }


def _pandas_column(field: pa.Field) -> dict[str, Any]:
    pandas_type, numpy_type, metadata = _pandas_types(field.type)
    return {
        "field_name": field.name,
        "name": field.name,
        "pandas_type": pandas_type,
        "numpy_type": numpy_type,
        "metadata": metadata,
    }


def _pandas_types(data_type: pa.DataType) -> tuple[str, str, dict[str, Any] | None]:
    if pa.types.is_decimal(data_type):
        return "decimal", "object", {"precision": data_type.precision, "scale": data_type.scale}
    if pa.types.is_timestamp(data_type):
        if data_type.tz is not None:
            return "datetimetz", "datetime64[ns]", {"timezone": data_type.tz}
        return "datetime", "datetime64[ns]", None
    if pa.types.is_list(data_type):
        return f"list[{_pandas_types(data_type.value_type)[0]}]", "object", None
    for test, pandas_type, numpy_type in _PANDAS_TYPES:
        if test(data_type):
            return pandas_type, numpy_type, None
    return "object", "object", None


_PANDAS_TYPES: Final = (
    (pa.types.is_boolean, "bool", "bool"),
    (pa.types.is_unsigned_integer, "uint64", "uint64"),
    (pa.types.is_integer, "int64", "int64"),
    (pa.types.is_floating, "float64", "float64"),
    (pa.types.is_date, "date", "object"),
    (pa.types.is_binary, "bytes", "object"),
    (pa.types.is_string, "unicode", "object"),
    (pa.types.is_null, "empty", "object"),
)
