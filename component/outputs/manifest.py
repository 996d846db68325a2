"""The manifest of each output, in the family that the project reads (reference keboola 4.1, 4.2, 4.3, 5, 10.2).

The legacy family says columns, keys and types apart, the schema family all in one list. Never both in one manifest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from component.config.output_options import DESCRIPTION_KEY, ManifestFamily
from component.outputs.models import FileManifest, LegacyTableManifest, SchemaTableManifest
from component.plan.options import FILE_DEFAULTS, TABLE_DEFAULTS, FileOptions, TableOptions, Types
from component.tables.logical import Logical, logical_of
from component.tables.types import Column, TypeName, numeric_length

__all__ = ["ManifestFamily", "OutputTable", "family_for", "file_manifest", "table_manifest", "untold_types"]
DATATYPE: Final = "KBC.datatype."


def family_for(
    data_type_support: str | None, configured: Literal["auto", "legacy", "schema"] = "auto"
) -> ManifestFamily:
    """Return the family that is configured, else the one that the platform's support of data types asks for.

    Without native types (not set, or `none`) the platform would not look at a schema: slices would have no columns.
    """
    if configured != "auto":
        return configured
    return "schema" if data_type_support in {"hints", "authoritative"} else "legacy"


@dataclass(frozen=True, slots=True)
class OutputTable:
    """What a manifest says of a table. `header`: the first line of its file holds the names."""

    columns: tuple[Column, ...]
    destination: str
    primary_key: tuple[str, ...] = ()
    incremental: bool = False
    header: bool = False
    tags: tuple[str, ...] = ()
    options: TableOptions = TABLE_DEFAULTS


def table_manifest(table: OutputTable, family: ManifestFamily) -> dict[str, Any]:
    """Return the manifest of one output table."""
    return _schema_manifest(table) if family == "schema" else _legacy_manifest(table)


def _common(table: OutputTable) -> dict[str, Any]:
    """Return the keys of both families; what nobody configured is left to the platform's defaults."""
    options = table.options
    found: dict[str, Any] = {
        "has_header": options.has_header,
        "delimiter": options.delimiter,
        "enclosure": options.enclosure,
        "write_always": options.write_always,
        "deduplication_strategy": options.deduplication_strategy,
        "delete_where_column": options.delete_where_column,
        "delete_where_operator": options.delete_where_operator,
        "delete_where_values": options.delete_where_values,
        "delete_where": options.delete_where,
        "tags": tuple(dict.fromkeys(table.tags)),
        "description": options.description,
        "manifest_type": options.manifest_type,
    }
    said = {key: value for key, value in found.items() if value or (key == "has_header" and value is not None)}
    return {"destination": table.destination, "incremental": table.incremental, **said}


def _legacy_manifest(table: OutputTable) -> dict[str, Any]:
    """Return the legacy manifest.

    `columns` make a file headless, so one with a header has none, unless has_header is asked for by name. Types still
    travel as metadata.
    """
    options = table.options
    found = _common(table)
    if not table.header or options.has_header:
        found["columns"] = [column.name for column in table.columns]
    if options.distribution_key:
        found["distribution_key"] = options.distribution_key
    if options.metadata:
        found["metadata"] = _items(options.metadata)
    return LegacyTableManifest(
        **found,
        primary_key=table.primary_key,
        column_metadata={column.name: _items(_column_metadata(column, table)) for column in table.columns},
    ).content()


def _items(metadata: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in metadata.items()]


def _column_metadata(column: Column, table: OutputTable) -> Mapping[str, str]:
    base = _types(column, table)[BASE]
    nullable = "1" if _is_nullable(column, table) else "0"
    found = {"basetype": base["type"], **{key: base[key] for key in ("length", "default") if key in base}}
    found |= _backend_type(column.name, table.options)
    types = {DATATYPE + key: value for key, value in (found | {"nullable": nullable}).items()}
    return {**types, **table.options.column_metadata.get(column.name, {})}


def _backend_type(name: str, options: TableOptions) -> Mapping[str, str]:
    """Return the type that is configured for one backend, as the metadata have it: they have room for one."""
    backends = [types for backend, types in options.data_types.get(name, {}).items() if backend != BASE]
    return (
        {key: backends[0][key] for key in ("type", "length", "default") if key in backends[0]}
        if len(backends) == 1
        else {}
    )


def untold_types(table: OutputTable, family: ManifestFamily) -> Iterator[str]:
    """Yield a warning for what the manifest of a family cannot say of configured types."""
    several = [name for name, types in table.options.data_types.items() if len(set(types) - {BASE}) > 1]
    if family == "legacy" and several:
        yield (
            f"The legacy manifest has room for one backend's type of a column, and data_types has several for "
            f"{', '.join(map(repr, several))}: only the base type is said. Name one backend, or set manifest_family."
        )


def _schema_manifest(table: OutputTable) -> dict[str, Any]:
    found = _common(table)
    if table.header:
        found["has_header"] = True
    if table.options.metadata:
        found["table_metadata"] = table.options.metadata
    return SchemaTableManifest(
        **found, column_schemas=[_schema_column(column, table) for column in table.columns]
    ).content()


def _schema_column(column: Column, table: OutputTable) -> dict[str, Any]:
    metadata = dict(table.options.column_metadata.get(column.name, {}))
    description = metadata.pop(DESCRIPTION_KEY, "")
    said = {
        "distribution_key": column.name in table.options.distribution_key,
        "description": description,
        "metadata": metadata,
    }
    # nullable is said when it is false: keboola.component leaves it out then, and the platform takes that as true
    # (reference keboola 9.2.1)
    return {
        "name": column.name,
        "data_type": _types(column, table),
        "nullable": _is_nullable(column, table),
        "primary_key": column.name in table.primary_key,
        **{key: value for key, value in said.items() if value},
    }


def _types(column: Column, table: OutputTable) -> Types:
    """Return the configured types over ours; a configured base type leaves nothing of ours."""
    configured = table.options.data_types.get(column.name, {})
    return configured if BASE in configured else {**native_types(column), **configured}


def _is_nullable(column: Column, table: OutputTable) -> bool:
    return column.nullable and column.name not in table.primary_key


def file_manifest(tags: Sequence[str], options: FileOptions = FILE_DEFAULTS) -> dict[str, Any]:
    """Return the manifest of one output file, every switch written out.

    is_encrypted is true unless configured, as on the platform; keboola.component says false (reference keboola 9.2).
    """
    return FileManifest(
        tags=tuple(dict.fromkeys(tags)),
        is_public=options.is_public,
        is_permanent=options.is_permanent,
        is_encrypted=options.is_encrypted,
        notify=options.notify,
    ).content()


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return the text of a manifest: the same manifest has the same bytes."""
    return json.dumps(manifest, indent=4, ensure_ascii=False, allow_nan=False) + "\n"


BASE: Final = "base"
SNOWFLAKE: Final = "snowflake"
BIGQUERY: Final = "bigquery"
BIGQUERY_WHOLE_DIGITS: Final = 29
BIGQUERY_SCALE: Final = 9
"""Most digits before and behind the point of BigQuery's NUMERIC; BIGNUMERIC has 38 and 38."""


def native_types(column: Column) -> dict[str, dict[str, str]]:
    """Return the types of a column by backend, `base` first.

    Timestamps have no zone, which the base type leaves to the backend; those that came with one leave with it. A
    numeric always says its length, since without one Snowflake would round to whole numbers.
    """
    if logical_of(column) is Logical.ZONED:
        return {BASE: {"type": "TIMESTAMP"}, SNOWFLAKE: {"type": "TIMESTAMP_TZ"}, BIGQUERY: {"type": "TIMESTAMP"}}
    types = {BASE: _base(column)}
    if column.type is TypeName.TIMESTAMP:
        types[SNOWFLAKE] = {"type": "TIMESTAMP_NTZ"}
        types[BIGQUERY] = {"type": "DATETIME"}
    elif column.type is TypeName.NUMERIC and not _fits_bigquery_numeric(column):
        types[BIGQUERY] = {"type": "BIGNUMERIC", "length": types[BASE]["length"]}
    return types


def _base(column: Column) -> dict[str, str]:
    word = {"type": column.type.value.upper()}
    if column.type is TypeName.NUMERIC:
        precision, scale = numeric_length(column)
        return word | {"length": f"{precision},{scale}"}
    # Backends refuse a length of other types, such as the 11 of MySQL's int(11).
    has_length = column.type is TypeName.STRING and column.length
    return word | {"length": column.length} if has_length and column.length else word


def _fits_bigquery_numeric(column: Column) -> bool:
    precision, scale = numeric_length(column)
    return scale <= BIGQUERY_SCALE and precision - scale <= BIGQUERY_WHOLE_DIGITS
