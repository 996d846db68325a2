"""Manifests of outputs: the legacy family and the schema family (reference keboola 4.1-4.3, 5).

Never a null, strict booleans, and never both families in one manifest: the platform refuses that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from component.tables.types import Column, TypeName

Family = Literal["legacy", "schema"]
_BASE: Final = {name: name.value.upper() for name in TypeName}


def family_for(data_type_support: str | None) -> Family:
    """Return the family that KBC_DATA_TYPE_SUPPORT asks for: legacy where it is not set or `none`."""
    return "schema" if data_type_support in {"hints", "authoritative"} else "legacy"


def table_manifest(
    columns: Sequence[Column],
    *,
    family: Family,
    destination: str,
    primary_key: Sequence[str],
    incremental: bool,
    has_header: bool,
) -> dict[str, Any]:
    """Return the manifest of one output table.

    Legacy `columns` make a file headless, so a file with a header has none; its types still travel as metadata.
    """
    manifest: dict[str, Any] = {"destination": destination, "incremental": incremental}
    if family == "schema":
        manifest["schema"] = [_schema_column(column, primary_key) for column in columns]
        if has_header:
            manifest["has_header"] = True
        return manifest
    manifest["primary_key"] = list(primary_key)
    if not has_header:
        manifest["columns"] = [column.name for column in columns]
    manifest["column_metadata"] = {column.name: _metadata(column) for column in columns}
    return manifest


def _schema_column(column: Column, primary_key: Sequence[str]) -> dict[str, Any]:
    base: dict[str, Any] = {"type": _BASE[column.type]}
    if column.length:
        base["length"] = column.length
    key = column.name in primary_key
    return {"name": column.name, "data_type": {"base": base}, "nullable": not key, "primary_key": key}


def _metadata(column: Column) -> list[dict[str, Any]]:
    entries = [{"key": "KBC.datatype.basetype", "value": _BASE[column.type]}]
    if column.length:
        entries.append({"key": "KBC.datatype.length", "value": column.length})
    entries.append({"key": "KBC.datatype.nullable", "value": "1" if column.nullable else "0"})
    return entries


def file_manifest(tags: Sequence[str]) -> dict[str, Any]:
    """Return the manifest of one output file, every switch written out."""
    return {
        "tags": list(dict.fromkeys(tags)),
        "is_public": False,
        "is_permanent": False,
        "is_encrypted": True,
        "notify": False,
    }
