"""What a dataset's rows look like and how they are laid out: the value that writers, commit and readers share."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import pyarrow as pa

from component import naming
from component.dataset.format.buckets import BUCKET, Buckets
from component.dataset.format.schema import normal_schema, normal_type, same_flavour

Attributes = tuple[tuple[str, str], ...]
Compatibility = Literal["plateau", "kartothek"]
"""The client whose demands are met where the two differ: kartothek has indices of `string`, plateau `large_string`."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of one table of a dataset.

    `schema` is in the order of the source, with the types that data files hold; `sort_by` orders the rows within each
    file. `attributes` are what other formats know of single columns (`Column.attributes`), kept beside the types.
    `buckets` cut the rows of each partition further, into files of their own.
    """

    uuid: str
    schema: pa.Schema
    partition_on: tuple[str, ...] = ()
    secondary_indices: tuple[str, ...] = ()
    sort_by: tuple[str, ...] = ()
    table: str = naming.DEFAULT_TABLE
    attributes: tuple[tuple[str, Attributes], ...] = ()
    compatibility: Compatibility = "plateau"
    buckets: Buckets | None = None

    @property
    def file_keys(self) -> tuple[str, ...]:
        """The columns on whose values the rows of one file agree: partition keys, and the bucket if there is one."""
        return (*self.partition_on, BUCKET) if self.buckets is not None else self.partition_on

    @property
    def stored_schema(self) -> pa.Schema:
        """The schema as `_common_metadata` holds it."""
        return normal_schema(self.schema, self.partition_on)

    def index_type(self, column: str) -> pa.DataType:
        """Return the type of an index's values: normalised, and large_string for text, as plateau appends to it.

        kartothek looks up values of the type string only.
        """
        data_type = normal_type(self.schema.field(column).type)
        wants_large = pa.types.is_string(data_type) and self.compatibility == "plateau"
        return pa.large_string() if wants_large else data_type


@dataclass(frozen=True, slots=True)
class OtherTable:
    """A further table of a dataset of several: its layout, and its primary key."""

    layout: Layout
    primary_key: tuple[str, ...] = ()


def describe_columns(schema: pa.Schema) -> list[list[str]]:
    """Return names and types as text, in the order of the source: kept in the header's extras.

    A type beyond the common ones is the bytes of an Arrow schema of one field, in base64: exact, whatever it is.
    """
    return [[field.name, _type_text(field.type)] for field in schema]


def _type_text(data_type: pa.DataType) -> str:
    text = str(data_type)
    if _type_of(text) == data_type:
        return text
    serialized = pa.schema([pa.field("", data_type)]).serialize().to_pybytes()
    return _SERIALIZED + base64.b64encode(serialized).decode()


_TYPES: Final = {
    str(data_type): data_type
    for data_type in (
        pa.string(),
        pa.int64(),
        pa.uint64(),
        pa.float64(),
        pa.bool_(),
        pa.date32(),
        pa.timestamp("us"),
        pa.binary(),
        pa.null(),
    )
}
_DECIMAL: Final = re.compile(r"decimal128\((\d+), (-?\d+)\)")


def described_schema(extras: Mapping[str, Any]) -> pa.Schema | None:
    """Return the schema that the extras describe, in the order of the source; None when they do not describe all."""
    described = extras.get("columns")
    if not isinstance(described, list) or not described:
        return None
    fields = []
    for pair in described:
        data_type = _type_of(pair[1]) if isinstance(pair, list) and len(pair) == 2 else None
        if data_type is None:
            return None
        fields.append(pa.field(pair[0], data_type))
    return pa.schema(fields)


_SERIALIZED: Final = "arrow:"


def _type_of(text: str) -> pa.DataType | None:
    if text.startswith(_SERIALIZED):
        return _deserialized(text.removeprefix(_SERIALIZED))
    found = _DECIMAL.fullmatch(text)
    return pa.decimal128(int(found[1]), int(found[2])) if found else _TYPES.get(text)


def _deserialized(text: str) -> pa.DataType | None:
    try:
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text, validate=True))).field(0).type
    except (pa.ArrowException, OSError, ValueError, IndexError):
        return None


def trusted_schema(extras: Mapping[str, Any], stored: pa.Schema, partition_keys: Sequence[str]) -> pa.Schema:
    """Return the schema to read with: the stored one, unless it is not the one of this header.

    That is so for the moment between the schema and the header of a commit that changes both, and after a crash there.
    A type that one of them does not know yet (null) is no difference.
    """
    described = described_schema(extras)
    if described is None:
        return stored
    ours = normal_schema(described, partition_keys)
    same = ours.names == stored.names and all(same_flavour(field.type, stored.field(field.name).type) for field in ours)
    return stored if same else ours


def source_order(extras: Mapping[str, Any], schema: pa.Schema) -> tuple[str, ...]:
    """Return the column names in the order of the source where the header knows it, else in schema order."""
    described = extras.get("columns")
    names = [pair[0] for pair in described if isinstance(pair, list) and pair] if isinstance(described, list) else []
    return tuple(names) if sorted(names) == sorted(schema.names) else tuple(schema.names)


def described_attributes(extras: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the attributes of the columns that have any, as the extras hold them."""
    found = extras.get("attributes")
    if not isinstance(found, dict):
        return {}
    return {
        name: {key: text for key, text in known.items() if isinstance(text, str)}
        for name, known in found.items()
        if isinstance(known, dict)
    }
