"""One mapping entry merged over one manifest, key by key, with the origin of each value (reference keboola 6.3).

The platform's rules have gaps that users meet, and they are kept: a mapping cannot set `incremental` back to false or
the delimiter back to a comma, an empty primary key in a mapping clears that of the manifest, and a column of the
mapping's schema is written back at the mapping's position.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from component.mapping.options.table import DEFAULTS
from component.mapping.platform.model import Origin
from component.mapping.platform.texts import refusal
from component.mapping.platform.type_faults import array_fault, other_fault
from component.mapping.platform.values import (
    Array,
    array,
    array_key,
    entries,
    given,
    is_array,
    text_of,
    truthy,
    values,
)

_CLASS: Final = "Writer\\Helper\\ConfigurationMerger"
KEPT_UNLESS_CHANGED: Final = ("incremental", "delete_where_operator", "delimiter", "enclosure")


@dataclass(frozen=True, slots=True)
class Merged:
    """Merged options, and for each option that somebody gave, who gave it."""

    config: dict[str, Any]
    origins: dict[str, Origin]


def merge(manifest: dict[str, Any], mapping: dict[str, Any], source: str) -> Merged:
    """Return a mapping entry merged over a manifest (an empty one where there is none).

    RefusedError `mapping.primary_key_unknown` for a key column that the manifest's schema does not have.
    """
    merged = Merged(dict(manifest), {key: Origin.MANIFEST for key, value in manifest.items() if _says(key, value)})
    for key, value in mapping.items():
        if key == "primary_key":
            _merge_primary_key(merged, value, source)
        elif key in _MERGED_BY_NAME:
            _merge_by_name(merged, key, value, source)
        elif _replaces(merged.config, key, value):
            merged.config[key] = value
            if _says(key, value) or key in merged.origins:
                merged.origins[key] = Origin.MAPPING
    return merged


def _says(key: str, value: Any) -> bool:
    return key not in DEFAULTS or value != DEFAULTS[key]


def _replaces(config: dict[str, Any], key: str, value: Any) -> bool:
    if not given(config, key):
        return True
    return truthy(value) and (key not in KEPT_UNLESS_CHANGED or _says(key, value))


def _merge_primary_key(merged: Merged, value: Any, source: str) -> None:
    config, origins = merged.config, merged.origins
    if given(config, "primary_key") and not is_array(value):
        return
    if truthy(config.get("schema")):
        columns = _array(value, "mergePrimaryKeyAndSchema", "#2 ($primaryKeys)", source)
        config["schema"] = _with_key(config["schema"], columns, source)
        if columns:
            origins["schema"] = Origin.MERGED
        return
    if _says("primary_key", value) or "primary_key" in origins:
        origins["primary_key"] = Origin.MAPPING
    config["primary_key"] = value


def _with_key(schema: Array, key: Array, source: str) -> Array:
    columns = dict(entries(schema))
    for name in values(key):
        position = next((at for at, column in columns.items() if column["name"] == name), None)
        if position is None:
            raise refusal("mapping.primary_key_unknown", source, column=text_of(name))
        columns[position] = columns[position] | {"primary_key": True}
    return array(columns.items())


def _merge_by_name(merged: Merged, key: str, value: Any, source: str) -> None:
    method, first, second = _METHODS[key]
    before = _array(merged.config[key] if given(merged.config, key) else [], method, first, source)
    # a missing list of columns is only walked through, not handed on
    given_now = _array([] if value is None and key == "column_metadata" else value, method, second, source)
    merged.config[key] = _MERGED_BY_NAME[key](before, given_now, source)
    if given_now or (_says(key, merged.config[key]) and key not in merged.origins):
        merged.origins[key] = Origin.MERGED if before else Origin.MAPPING


def _array(value: Any, method: str, argument: str, source: str) -> Array:
    if not is_array(value):
        raise array_fault(f"{_CLASS}::{method}", argument, value, source)
    found: Array = value
    return found


def _merge_metadata(manifest: Array, mapping: Array, source: str) -> Array:
    texts: dict[int | str, Any] = {}
    for item in values(manifest) + values(mapping):
        if not is_array(item):
            raise other_fault("metadata[]", "array", item, source)
        pair = dict(entries(item))
        if is_array(pair.get("key")):
            raise other_fault("metadata[].key", "string", pair["key"], source)
        texts[array_key(pair.get("key"))] = pair.get("value")
    return [{"key": key, "value": value} for key, value in texts.items()]


def _merge_column_metadata(manifest: Array, mapping: Array, source: str) -> Array:
    merged, added = dict(entries(manifest)), dict(entries(mapping))
    for column, items in entries(manifest):
        if added.get(column) is not None:
            own = _array(items, "mergeMetadata", "#1 ($target)", source)
            merged[column] = _merge_metadata(
                own, _array(added.pop(column), "mergeMetadata", "#2 ($source)", source), source
            )
    return array((merged | added).items())


def _merge_maps(manifest: Array, mapping: Array, source: str) -> Array:  # noqa: ARG001 # one signature for all
    return array((dict(entries(manifest)) | dict(entries(mapping))).items())


def _merge_schema(manifest: Array, mapping: Array, source: str) -> Array:
    columns = dict(entries(manifest))
    for position, column in entries(mapping):
        known = next((one for one in columns.values() if one["name"] == column["name"]), None)
        if known is None:
            columns[_next_key(columns)] = column
        else:
            columns[position] = known | {key: _column_value(known, key, item, source) for key, item in column.items()}
    return array(columns.items())


def _next_key(columns: dict[str, Any]) -> str:
    numbers = [number for number in map(array_key, columns) if isinstance(number, int)]
    return str(max(numbers, default=-1) + 1)


def _column_value(known: dict[str, Any], key: str, value: Any, source: str) -> Any:
    if key not in {"data_type", "metadata"}:
        return value
    method, first, second = _METHODS["table_metadata"]
    before = _array(known[key] if given(known, key) else [], method, first, source)
    return _merge_maps(before, _array(value, method, second, source), source)


_METHODS: Final[dict[str, tuple[str, str, str]]] = {
    "metadata": ("mergeMetadata", "#1 ($target)", "#2 ($source)"),
    "column_metadata": ("mergeMetadata", "#1 ($target)", "#2 ($source)"),
    "table_metadata": ("mergeKeyValueArray", "#1 ($manifest)", "#2 ($mapping)"),
    "schema": ("mergeSchema", "#1 ($manifest)", "#2 ($mapping)"),
}
_MERGED_BY_NAME: Final[dict[str, Callable[[Array, Array, str], Array]]] = {
    "metadata": _merge_metadata,
    "column_metadata": _merge_column_metadata,
    "table_metadata": _merge_maps,
    "schema": _merge_schema,
}
