"""Reading and writing the schema file of a records directory (reference records 0.1, 1.1, 9.5)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from component.config.json_text import JsonFaultError, describe, parse_json
from component.errors import Place, UserError
from component.findings import Finding, warning
from component.records.schema_fields import parse_field
from component.records.schema_models import SCHEMA_JSON, VERSION, Field, RecordsSchema, is_published, is_published_kind

SCHEMA: Final = "_schema"
"""The client reads and writes `_schema.json`; the spec has this name, which older clients used for SQL."""
EXTRA: Final = "_representations.json"
"""Representations that schema v1 has no place for; the spec allows such files, and others do not look at them."""
_KEYS: Final = frozenset({"schema", "fields", "known_representations"})


def parse_schema(
    name: str, data: bytes, *, extra: bytes | None = None, lax: bool = False, place: Place | None = None
) -> tuple[RecordsSchema, tuple[Finding, ...]]:
    """Return a schema with its fields in the order of the columns, and remarks.

    `name` is that of the file, `extra` the content of `_representations.json`. Columns come in the order of `index`;
    where the order of the keys, which the client follows, is another one, a remark says so. UserError
    `records.schema` when it is no schema of this version or a field has no type that is known; with `lax` such a field
    is a string.
    """
    document = _document(name, data, place)
    said: list[Finding] = []
    fields = [_parsed(key, value, said, lax, place) for key, value in document["fields"].items()]
    known = document.get("known_representations") or {}
    if not isinstance(known, dict):
        said.append(
            warning("schema.ignored", SCHEMA_JSON, f"known_representations is {describe(known)} and is ignored.")
        )
        known = {}
    if others := sorted(set(document) - _KEYS):
        said.append(warning("schema.ignored", SCHEMA_JSON, f"The schema has {', '.join(others)}, which is ignored."))
    ordered, doubt = _in_order(fields)
    kept = _with_extra(RecordsSchema(ordered, known), extra, said)
    return kept, (*said, *doubt)


def schema_files(schema: RecordsSchema) -> tuple[tuple[str, bytes], ...]:
    """Return names and contents of the files that carry a schema: two of the same content, and the extra one if needed.

    `index` counts from 1 in the order of the keys, so that every reader sees the same columns.
    """
    numbered = [replace(field, index=number) for number, field in enumerate(schema.fields, 1)]
    document = {
        "schema": VERSION,
        "fields": {field.name: _published(field).to_json() for field in numbered},
        "known_representations": _published_kinds(schema),
    }
    data = json.dumps(document, ensure_ascii=False, indent=1).encode()
    extra = _extra(schema)
    files = [(SCHEMA_JSON, data), (SCHEMA, data)]
    if extra:
        files.append((EXTRA, json.dumps(extra, ensure_ascii=False, indent=1).encode()))
    return tuple(files)


def header_conflict(schema_names: tuple[str, ...], header: tuple[str, ...], file: str) -> Finding | None:
    """Return a remark when the header of a file names other columns than the schema, or in another order.

    Cells belong to columns by their position, as for the client: the names of the schema count.
    """
    if header == schema_names:
        return None
    text = f"The header of {file} is {_listed(header)}, and the schema names {_listed(schema_names)}, which count."
    return warning("schema.header", SCHEMA_JSON, text)


def _document(name: str, data: bytes, place: Place | None) -> dict[str, Any]:
    try:
        document = parse_json(data)
    except JsonFaultError as fault:
        raise _wrong(name, str(fault), place) from None
    if not isinstance(document, dict):
        raise _wrong(name, f"is {describe(document)} and no object", place)
    if document.get("schema") != VERSION:
        raise _wrong(name, f'has {describe(document.get("schema"))} as its "schema"', place)
    if not isinstance(document.get("fields"), dict):
        raise _wrong(name, 'has no object "fields"', place)
    return document


def _parsed(name: str, value: Any, said: list[Finding], lax: bool, place: Place | None) -> Field:
    field, remarks = parse_field(name, value, lax=lax, place=place)
    said.extend(remarks)
    return field


def _in_order(fields: list[Field]) -> tuple[tuple[Field, ...], tuple[Finding, ...]]:
    """Return fields by their index where each has one of its own, else by the order of their keys."""
    numbers = [field.index for field in fields]
    known = [number for number in numbers if number is not None]
    if not known:
        return tuple(fields), ()
    if len(known) < len(fields) or len(set(known)) < len(known):
        text = "Some fields have no index, or the same: columns are taken in the order of the keys of the schema."
        return tuple(fields), (warning("schema.index", SCHEMA_JSON, text),)
    ordered = tuple(sorted(fields, key=lambda field: field.index or 0))
    if ordered == tuple(fields):
        return ordered, ()
    one, two = (_listed(tuple(field.name for field in part)) for part in (ordered, fields))
    text = f"By index the columns are {one}, and by the order of the keys {two}: the index counts."
    return ordered, (warning("schema.order", SCHEMA_JSON, text),)


def _with_extra(schema: RecordsSchema, extra: bytes | None, said: list[Finding]) -> RecordsSchema:
    """Return the schema with the representations that a rewrite of ours put aside."""
    if extra is None:
        return schema
    try:
        document = parse_json(extra)
        fields, known = document["fields"], document["known_representations"]
        added = {name: dict(value) for name, value in fields.items()}
    except (JsonFaultError, TypeError, KeyError, ValueError, AttributeError):
        said.append(warning("schema.ignored", SCHEMA_JSON, f"{EXTRA} is not what Tablemill writes, and is ignored."))
        return schema
    kept = (replace(one, representations={**one.representations, **added.get(one.name, {})}) for one in schema.fields)
    return RecordsSchema(tuple(kept), {**schema.known_representations, **(known if isinstance(known, dict) else {})})


def _published(field: Field) -> Field:
    return replace(field, representations={k: v for k, v in field.representations.items() if is_published(v)})


def _published_kinds(schema: RecordsSchema) -> dict[str, Any]:
    """Return the registered representations, and those that fields use without being registered."""
    known = {name: value for name, value in schema.known_representations.items() if is_published_kind(value)}
    return {**dict(_used_kinds(schema)), **known}


def _used_kinds(schema: RecordsSchema) -> Iterator[tuple[str, Any]]:
    for field in schema.fields:
        for name, value in _published(field).representations.items():
            is_sql = value["rep_type"].startswith("sql/")
            yield name, {"type": value["rep_type"]} | ({} if is_sql else {"pd_df_dtypes": {}})


def _extra(schema: RecordsSchema) -> dict[str, Any]:
    fields: Mapping[str, Any] = {
        field.name: others
        for field in schema.fields
        if (others := {k: v for k, v in field.representations.items() if not is_published(v)})
    }
    known = {k: v for k, v in schema.known_representations.items() if not is_published_kind(v)}
    return {"fields": fields, "known_representations": known} if fields or known else {}


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:10]))
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown


def _wrong(name: str, what: str, place: Place | None) -> UserError:
    remedy = f'It should be like {{"schema": "{VERSION}", "fields": {{"id": {{"type": "integer", "index": 1}}}}}}.'
    return UserError("records.schema", f"The schema {name} {what}", place=place, remedy=remedy)
