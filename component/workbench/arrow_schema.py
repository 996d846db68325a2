"""What the columns of an Arrow file are: from its field metadata (2021), or from its sidecar (2019)."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from component.workbench.columns import (
    Era,
    Kind,
    WorkbenchColumn,
    date_column,
    date_unit_of,
    number_column,
    shown,
    text_column,
    timestamp_column,
)
from component.workbench.faults import Rule, invalid
from component.workbench.table import kind_of

_NEEDED: Final = {Kind.NUMBER: b"format", Kind.DATE: b"unit"}


def era_of(schema: pa.Schema, *, has_sidecar: bool) -> Era:
    """Return the era of a file: 2021 where a field has metadata, or where nothing needs any; else 2019.

    UserError `workbench.invalid` (FormatsUnknown) for numbers or dates that neither the file nor a sidecar describes.
    """
    bare = [field for field in schema if kind_of(field.type) in _NEEDED]
    if not bare or any(field.metadata for field in schema):
        return Era.E2021
    if not has_sidecar:
        raise invalid(
            Rule.FORMATS_UNKNOWN,
            "the file says no formats of its numbers, and there is no sidecar that does",
            column=shown(bare[0].name),
            remedy="Put the file's metadata beside it, as NAME.arrow.json.",
        )
    return Era.E2019


def check_schema(schema: pa.Schema, batches: int, era: Era) -> None:
    """Hold what concerns a table as a whole: no metadata (2021), one record batch, unique names.

    Even an empty map is metadata. UserError `workbench.invalid`.
    """
    if era is Era.E2021 and schema.metadata is not None:
        raise invalid(Rule.TABLE_SCHEMA_HAS_METADATA, "the schema of the table has metadata")
    if batches > 1:
        raise invalid(Rule.TABLE_HAS_TOO_MANY_RECORD_BATCHES, f"the table has {batches} record batches, not one")
    seen: set[str] = set()
    for name in schema.names:
        if name in seen:
            raise invalid(Rule.DUPLICATE_COLUMN_NAME, "two columns have the same name", column=shown(name))
        seen.add(name)


def check_type(field: pa.Field, era: Era) -> Kind:
    """Return the column type that a field's Arrow type holds; UserError `workbench.invalid` for one that holds none."""
    kind = kind_of(field.type)
    if kind is None or (era is Era.E2019 and kind is Kind.DATE):
        raise invalid(Rule.WRONG_COLUMN_TYPE, f"no column may be {field.type}", column=shown(field.name))
    if kind is Kind.TIMESTAMP and field.type.tz is not None:
        raise invalid(Rule.TIMESTAMP_TIMEZONE_NOT_ALLOWED, "a timestamp has a time zone", column=shown(field.name))
    if kind is Kind.TIMESTAMP and field.type.unit != "ns":
        text = f"a timestamp has the unit {field.type.unit}, not ns"
        raise invalid(Rule.TIMESTAMP_UNIT_NOT_ALLOWED, text, column=shown(field.name))
    return kind


def column_of_field(field: pa.Field) -> WorkbenchColumn:
    """Return the column that a field of a file of 2021 describes.

    Text and timestamps have no metadata, a number exactly `format`, a date exactly `unit`. UserError
    `workbench.invalid` otherwise.
    """
    kind = check_type(field, Era.E2021)
    value = _metadata_value(field, kind)
    if value is None:
        return text_column(field.name) if kind is Kind.TEXT else timestamp_column(field.name)
    if kind is Kind.DATE:
        return date_column(field.name, date_unit_of(value, field.name))
    return number_column(field.name, value)


def _metadata_value(field: pa.Field, kind: Kind) -> str | None:
    needed = _NEEDED.get(kind)
    if needed is None:
        if field.metadata is not None:
            raise invalid(Rule.FIELD_METADATA_NOT_ALLOWED, f"a {kind} has metadata", column=shown(field.name))
        return None
    if field.metadata is None or field.metadata.keys() != {needed}:
        text = f"a {kind} must have exactly the metadata {needed.decode()}"
        raise invalid(Rule.FIELD_METADATA_NOT_ALLOWED, text, column=shown(field.name))
    try:
        return str(field.metadata[needed].decode())
    except UnicodeDecodeError as error:
        rule = Rule.INVALID_NUMBER_FORMAT if kind is Kind.NUMBER else Rule.INVALID_DATE_UNIT
        raise invalid(rule, f"the {needed.decode()} is not UTF-8", column=shown(field.name)) from error
