"""Options that do something else than they say (reference keboola 4.1, 6.3, 10.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from component.findings import Finding
from component.mapping.findings.texts import finding
from component.mapping.options.table import DEFAULTS, ESCAPED_BY
from component.mapping.platform.model import Load, Origin
from component.mapping.platform.texts import quoted
from component.mapping.platform.values import JsonError, decode_json
from component.mapping.rules.merge import KEPT_UNLESS_CHANGED

TABLE_BOOLEANS: Final = ("incremental", "write_always", "has_header")
FILE_BOOLEANS: Final = ("is_public", "is_permanent", "is_encrypted", "notify")
_COLUMN_BOOLEANS: Final = ("nullable", "primary_key", "distribution_key")
_NULL: Final = re.compile(rb":\s*null\b")
"""A null in JSON; cheaper than to decode a manifest of thousands of columns, whose metadata say "nullable"."""
_MERGING_RULES: Final = "2026"


def cleared_key(load: Load) -> Iterator[Finding]:
    """Yield whether a mapping takes away the primary key that the manifest gives."""
    if "primary_key" in load.provenance and "primary_key" not in load.options:
        yield finding("finding.key_cleared", load.source)


def ignored_defaults(load: Load, entries: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield the options that a mapping sets back to the default in vain; `entries` are those of the load's source."""
    kept = [
        key
        for key in KEPT_UNLESS_CHANGED
        if load.provenance.get(key) is Origin.MANIFEST
        and any(key in entry and entry[key] == DEFAULTS[key] for entry in entries)
    ]
    if kept:
        yield finding("finding.default_ignored", load.source, names=quoted(kept))


def ignored_manifest(load: Load, manifest: bytes, rules: str) -> Iterator[Finding]:
    """Yield the options of a manifest that count for nothing because there is a mapping, in rule sets without merge."""
    if rules == _MERGING_RULES or Origin.MAPPING not in load.provenance.values():
        return
    said = _decoded(manifest)
    lost = [key for key in said if key in DEFAULTS and key not in load.options and said[key] != DEFAULTS[key]]
    if lost:
        yield finding("finding.manifest_ignored", load.source, names=quoted(lost))


def ignored_escape(load: Load, manifest: bytes, entries: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield whether a load names an escape character: in 2017 it was accepted and dropped (reference keboola 4.1)."""
    if any(one.get(ESCAPED_BY) for one in (*entries, _decoded(manifest))):
        yield finding("finding.option_ignored", load.source, names=quoted([ESCAPED_BY]))


def null_booleans(source: str, where: str, value: Any, names: Sequence[str]) -> Iterator[Finding]:
    """Yield the booleans of a manifest (as bytes) or of a mapping entry (decoded) that are null and so read as true."""
    if isinstance(value, bytes):
        value = _decoded(value) if _NULL.search(value) else {}
    if not isinstance(value, Mapping):
        return
    nulls = [name for name in names if name in value and value[name] is None]
    schema = value.get("schema")
    for column in schema if isinstance(schema, list) else []:
        if isinstance(column, Mapping):
            nulls += [f"schema[].{name}" for name in _COLUMN_BOOLEANS if name in column and column[name] is None]
    if nulls:
        yield finding("finding.null_boolean", source, where=where, names=quoted(dict.fromkeys(nulls)))


def _decoded(manifest: bytes) -> Mapping[str, Any]:
    try:
        value = decode_json(manifest)
    except JsonError:
        return {}
    return value if isinstance(value, dict) else {}
