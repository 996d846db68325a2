"""Destinations and columns that the mapping lets pass and Storage will refuse (reference keboola 4.4, 6.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from component.findings import Finding
from component.mapping.findings.texts import finding
from component.mapping.platform.model import Load, Rule
from component.mapping.platform.values import is_array, text_of, values
from component.mapping.platform.webalize import webalized_name
from component.mapping.rules.destination import BUCKET_PREFIX
from component.naming import BUCKET_NAME_LENGTH, COLUMN_NAME_LENGTH, TABLE_NAME_LENGTH

STAGES: Final = frozenset({"in", "out"})
COMPRESSED: Final = (".gz", ".gzip", ".zip")
_ALLOWED: Final = re.compile(r"[A-Za-z0-9_-]+")


def id_findings(load: Load) -> Iterator[Finding]:
    """Yield what Storage will not take of one destination."""
    stage, bucket, table = load.destination.split(".")
    source, whole = load.source, {"destination": load.destination}
    if load.rule is Rule.FILE_NAME and source.lower().endswith(COMPRESSED):
        yield finding("finding.gz_name", source, name=load.destination)
        return
    if not (stage and bucket and table):
        yield finding("finding.id_empty", source, **whole)
        return
    if stage not in STAGES:
        yield finding("finding.id_stage", source, stage=stage, **whole)
    for part, limit in ((bucket, BUCKET_NAME_LENGTH), (table, TABLE_NAME_LENGTH)):
        if not _ALLOWED.fullmatch(part):
            yield finding("finding.id_characters", source, part=part, **whole)
        if len(part) > limit:
            yield finding("finding.id_length", source, part=part, limit=limit, **whole)
    if not bucket.startswith(BUCKET_PREFIX):
        yield finding("finding.id_bucket", source, stage=stage, bucket=bucket, **whole)


def column_findings(load: Load) -> Iterator[Finding]:
    """Yield what Storage will not take of the columns that a load names."""
    named = columns_of(load)
    seen: set[str] = set()
    for column in map(webalized_name, named):
        if not column:
            yield finding("finding.column_empty", load.source)
        elif column.lower() in seen:
            yield finding("finding.column_repeated", load.source, column=column)
        if len(column) > COLUMN_NAME_LENGTH:
            yield finding("finding.column_length", load.source, column=column, limit=COLUMN_NAME_LENGTH)
        seen.add(column.lower())
    for column in key_of(load):
        if named and webalized_name(column).lower() not in seen:
            yield finding("finding.key_unknown", load.source, column=column)


def columns_of(load: Load) -> list[str]:
    """Return the names of a load's columns as its options have them: from `columns`, else from the schema."""
    columns = load.options.get("columns")
    if is_array(columns) and columns:
        return [text_of(name) for name in values(columns) if not is_array(name)]
    schema = load.options.get("schema")
    listed = values(schema) if is_array(schema) else []
    return [text_of(column["name"]) for column in listed if isinstance(column, dict) and "name" in column]


def key_of(load: Load) -> list[str]:
    """Return the names in a load's primary key."""
    key = load.options.get("primary_key")
    return [text_of(name) for name in values(key) if not is_array(name)] if is_array(key) else []
