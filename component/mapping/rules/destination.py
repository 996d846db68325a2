"""Where a table lands: the rule that decides, what it overrides, and the branch prefix (reference keboola 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from component import naming
from component.mapping.platform.model import Candidate, Rule
from component.mapping.platform.texts import refusal, warning
from component.mapping.platform.values import text_of, truthy, type_name

_PARTS: Final = 3
BUCKET_PREFIX: Final = "c-"
TARGET: Final = ("source", "destination")
"""Options that say which table, not how to load it."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A destination, the rule that decided and the candidates it overrode."""

    destination: str
    rule: Rule
    overrode: tuple[Candidate, ...]


def is_table_id(text: str) -> bool:
    """Whether a text has the three parts of a table id; the parts may be empty."""
    return text.count(".") == _PARTS - 1


def table_name(source: str) -> str:
    """Return the table name in a file name: one final `.csv` is cut, unless nothing would be left."""
    return source.removesuffix(naming.CSV_SUFFIX) or source


def choose_destination(source: str, mapping: Any, manifest: Any, bucket: str | None, log: list[str]) -> Chosen:
    """Return where a table lands, from the destinations in the mapping and in the manifest and the default bucket.

    RefusedError `mapping.no_destination`, or `mapping.destination_type` for a destination that is not text.
    """
    for number, argument, value in ((3, "destinationFromManifest", manifest), (4, "destinationFromMapping", mapping)):
        if value is not None and not isinstance(value, str):
            given = type_name(value)
            raise refusal("mapping.destination_type", source, number=number, argument=argument, type=given)
    candidates = candidates_for(source, mapping, manifest, bucket)
    if truthy(mapping):
        if not is_table_id(mapping):
            raise refusal("mapping.no_destination", source)
        return Chosen(mapping, Rule.MAPPING, without(candidates, "mapping"))
    return _without_mapping(source, manifest, bucket, candidates, log)


def _without_mapping(
    source: str, manifest: str | None, bucket: str | None, candidates: tuple[Candidate, ...], log: list[str]
) -> Chosen:
    name = manifest or table_name(source)
    if is_table_id(name):
        if not manifest:
            log.append(warning("mapping.file_name_used", source=source))
        rule = Rule.MANIFEST if manifest else Rule.FILE_NAME
        return Chosen(name, rule, without(candidates, rule))
    if bucket is None:
        raise refusal("mapping.no_destination", source)
    rule = Rule.MANIFEST_IN_BUCKET if manifest else Rule.FILE_NAME_IN_BUCKET
    return Chosen(f"{bucket}.{name}", rule, without(candidates, *rule.split("+")))


def candidates_for(source: str, mapping: Any, manifest: Any, bucket: str | None) -> tuple[Candidate, ...]:
    """Return every destination that somebody gave, and the default bucket, in the order of their rank today."""
    from_file = table_name(source)
    everything = (
        ("mapping", mapping),
        ("manifest", manifest),
        ("default_bucket", bucket),
        ("file_name", from_file if is_table_id(from_file) else None),
    )
    return tuple(Candidate(origin, text_of(value)) for origin, value in everything if value)


def without(candidates: tuple[Candidate, ...], *deciding: str) -> tuple[Candidate, ...]:
    """Return the candidates but for those that decided."""
    return tuple(one for one in candidates if one.origin not in deciding)


def branch_destination(destination: str, branch: str | None, source: str) -> str:
    """Return the destination within a development branch that keeps its tables in prefixed buckets."""
    if branch is None:
        return destination
    parts = destination.split(".")
    if len(parts) != _PARTS:
        raise refusal("mapping.branch_destination", source, destination=destination)
    stage, bucket, table = parts
    prefix = BUCKET_PREFIX if bucket.startswith(BUCKET_PREFIX) else ""
    return f"{stage}.{prefix}{branch}-{bucket.removeprefix(BUCKET_PREFIX)}.{table}"
