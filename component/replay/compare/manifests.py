"""Manifests by meaning: what is not said is the default, and what Storage takes as a set has no order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from component.config.json_text import JsonFaultError, parse_json
from component.mapping.options.table import DEFAULTS
from component.replay.compare.json_meaning import compare_values
from component.replay.compare.options import CompareOptions
from component.report.results.replayed import OutputDifference

_FILE_DEFAULTS: Final[Mapping[str, Any]] = {
    "tags": [],
    "is_public": False,
    "is_permanent": False,
    "is_encrypted": True,
    "notify": False,
}
"""Reference keboola 5."""
_COLUMN_DEFAULTS: Final[Mapping[str, Any]] = {"nullable": True, "primary_key": False, "distribution_key": False}
_SETS: Final = frozenset({"primary_key", "tags", "delete_where_values"})
_WITHOUT_MEANING: Final = frozenset({"manifest_type"})
_OF_CONTENT: Final = frozenset({"columns", "has_header", "delimiter", "enclosure"})
"""How the file is read: the comparison of rows has done that, whatever was said where (a header, or `columns`)."""


def compare_manifests(
    place: str, expected: bytes | None, actual: bytes | None, options: CompareOptions, *, of_table: bool
) -> list[OutputDifference]:
    """Return how two manifests differ; one that is not there says nothing but defaults."""
    side = "expected"
    try:
        left = meaning(expected, of_table=of_table)
        side = "actual"
        right = meaning(actual, of_table=of_table)
    except JsonFaultError as error:
        return [] if expected == actual else [OutputDifference(place, "manifest", f"The {side} manifest {error}.")]
    return compare_values(place, left, right, options)


def meaning(data: bytes | None, *, of_table: bool) -> Any:
    """Return what a manifest says, in one form: no defaults, no nulls, metadata by key, sets in order.

    JsonFaultError for a text that is no JSON. The platform takes a null switch for true (reference keboola 10.2.4).
    """
    value = {} if data is None else parse_json(data)
    if value == [] or value is None:
        value = {}
    if not isinstance(value, dict):
        return value
    defaults = DEFAULTS if of_table else _FILE_DEFAULTS
    said = {key: _normal(key, item, defaults) for key, item in value.items() if key not in _WITHOUT_MEANING}
    return {
        key: item
        for key, item in said.items()
        if item is not None and item != _default(key, defaults) and not (of_table and key in _OF_CONTENT)
    }


def _default(key: str, defaults: Mapping[str, Any]) -> Any:
    return _normal(key, defaults.get(key), defaults)


def _normal(key: str, value: Any, defaults: Mapping[str, Any]) -> Any:
    if value is None and isinstance(defaults.get(key), bool):
        return True
    if key in {"metadata", "table_metadata"}:
        return _pairs(value) or None
    if key == "column_metadata":
        return _by_column(value) or None
    if key == "schema" and isinstance(value, list):
        return [_column(entry) for entry in value] or None
    if key in _SETS and isinstance(value, list):
        return sorted({str(item) for item in value if item != ""}) or None
    return None if value in ([], {}) else value


def _pairs(value: Any) -> Any:
    """Return metadata as an object by key, whether they came as that or as a list of {key, value}."""
    if isinstance(value, list) and all(isinstance(entry, dict) and "key" in entry for entry in value):
        return {str(entry["key"]): entry.get("value") for entry in value}
    return value


def _by_column(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: pairs for name, entries in value.items() if (pairs := _pairs(entries))}


def _column(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    said = {key: _pairs(item) if key == "metadata" else item for key, item in entry.items()}
    return {
        key: item
        for key, item in said.items()
        if item is not None and item not in ([], {}) and item != _COLUMN_DEFAULTS.get(key, ...)
    }
