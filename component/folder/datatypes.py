"""The platform's words for column types, as columns (reference keboola 2.2, "Data type metadata", "Base types")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from component.folder.manifest_object import ManifestObject
from component.tables.logical import zoned
from component.tables.types import BASE_TYPES, Column, TypeName

BASE: Final = "base"
KEY_TYPE: Final = "KBC.datatype.type"
KEY_BASE_TYPE: Final = "KBC.datatype.basetype"
KEY_LENGTH: Final = "KBC.datatype.length"
KEY_NULLABLE: Final = "KBC.datatype.nullable"
FALSE_WORDS: Final = frozenset({"", "0", "false", "no"})
UNSIGNED_BIGINT_LENGTH: Final = "20,0"

_WORDS: Final[Mapping[TypeName, str]] = {
    TypeName.INTEGER: "integer int bigint smallint tinyint mediumint byteint int2 int4 int8 int64 "
    "serial smallserial bigserial serial2 serial4 serial8 year",
    TypeName.NUMERIC: "numeric number decimal dec fixed bignumeric bigdecimal money smallmoney",
    TypeName.FLOAT: "float float4 float8 float64 double real binary_float binary_double d_float quad",
    TypeName.BOOLEAN: "boolean bool",
    TypeName.DATE: "date",
    TypeName.TIMESTAMP: "timestamp timestamp_ntz timestamp_ltz timestamp_tz timestampntz timestampltz timestamptz "
    "datetime datetime2 smalldatetime datetimeoffset",
}
_WITH_ZONE: Final = frozenset(["timestamp_ltz", "timestamp_tz", "timestampltz", "timestamptz", "datetimeoffset"])
_OF_BACKEND: Final = {word: type_name for type_name, words in _WORDS.items() for word in words.split()}
_PARENTHESES: Final = re.compile(r"\(([^)]*)\)")


def column_of_schema(entry: ManifestObject) -> Column | None:
    """Return the column of one entry of a manifest's `schema`; None when the entry gives no type.

    The base type decides; a backend's type fills in for it, and gives the length: input manifests have it only there.
    """
    name, types = entry.text("name"), entry.object("data_type")
    parts = [types.object(key) for key in sorted(types.values, key=lambda key: key != BASE)]
    base = types.object(BASE).text("type")
    backend = next((word for part in parts if (word := part.text("type")) and part.steps[-1] != BASE), None)
    if name is None or not (base or backend):
        return None
    length = next((length for part in parts if (length := part.text("length"))), None)
    return _column(name, base, backend, length, nullable=entry.flag("nullable") is not False)


def column_of_metadata(name: str, metadata: Mapping[str, Any]) -> Column | None:
    """Return the column of KBC.datatype.* metadata; None when they give no type.

    Values arrive as whatever the writer had: `nullable` is "1", "", "0", "true", true or 1.
    """
    base, backend, length = (_said(metadata.get(key)) for key in (KEY_BASE_TYPE, KEY_TYPE, KEY_LENGTH))
    if not (base or backend):
        return None
    nullable = metadata.get(KEY_NULLABLE)
    is_nullable = nullable is None or str(nullable).strip().lower() not in FALSE_WORDS
    return _column(name, base, backend, length, nullable=is_nullable)


def type_of_backend(text: str) -> tuple[TypeName, str | None]:
    """Return the type and length of a backend's words (snowflake, bigquery, redshift, postgres, mysql, mssql).

    What has no base type is a string, so that nothing is lost. Unsigned 64-bit integers are numeric.
    """
    found = _PARENTHESES.search(text)
    words = _PARENTHESES.sub(" ", text).lower().split()
    if not words:
        return TypeName.STRING, None
    if words[0] == "bigint" and "unsigned" in words:
        return TypeName.NUMERIC, UNSIGNED_BIGINT_LENGTH
    return _OF_BACKEND.get(words[0], TypeName.STRING), found[1].strip() or None if found else None


def _column(name: str, base: str | None, backend: str | None, length: str | None, *, nullable: bool) -> Column:
    type_name, inner_length = type_of_backend(backend or "")
    if base:
        type_name = _of_base(base, backend)
    column = Column(name, type_name, length or inner_length, nullable)
    return zoned(column) if type_name is TypeName.TIMESTAMP and has_zone(backend or "") else column


def has_zone(backend: str) -> bool:
    """Tell whether a backend's type of timestamps has a zone, in each value or for all of them.

    BigQuery's TIMESTAMP has one too, but the word is that of the base type.
    """
    words = _PARENTHESES.sub(" ", backend).lower().split()
    return bool(words) and (words[0] in _WITH_ZONE or words[1:3] in (["with", "time"], ["with", "local"]))


def _of_base(base: str, backend: str | None) -> TypeName:
    # BigQuery's TIME has the base type TIMESTAMP on the platform, but a time of day is no point in time.
    if backend is not None and backend.strip().lower() == "time":
        return TypeName.STRING
    word = base.strip().lower()
    return TypeName(word) if word in BASE_TYPES else TypeName.STRING


def _said(value: Any) -> str | None:
    return None if value is None or isinstance(value, bool | list | dict) else str(value).strip() or None
