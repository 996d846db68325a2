"""The rule set `2017`: the platform's code of 2017, with its quirks (reference keboola 6.5).

A mapping replaces the manifest, nothing is merged; the last of several mappings wins; columns keep their names; there
are no branches, no native types and no second pass for failed jobs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping.options.nodes import NodeError
from component.mapping.options.table import ESCAPED_BY
from component.mapping.options.table_2017 import DEFAULTS_2017, parse_entry_2017, parse_table_2017
from component.mapping.platform.model import FirstLine, Load, Origin, RefusedError, Resolution, Rule, Settings
from component.mapping.platform.texts import refusal, warning
from component.mapping.platform.values import (
    BLANKS,
    JsonError,
    array,
    comparison_key,
    decode_json,
    entries,
    platform_value,
    text_of,
    truthy,
)
from component.mapping.rules.destination import candidates_for, is_table_id, without
from component.naming import CSV_SUFFIX, MANIFEST_SUFFIX

NAME: Final = "2017"


@dataclass(frozen=True, slots=True)
class _Table:
    """One source with the options that count and the destinations that were offered."""

    source: OutSource
    config: dict[str, Any]
    rule: Rule
    origin: Origin
    offered: tuple[Any, Any]


def resolve_2017(listing: OutListing, mapping: Sequence[Mapping[str, Any]], settings: Settings) -> Resolution:
    """Return what the platform of 2017 would do; a failed job maps nothing."""
    if settings.failed_job:
        return Resolution(NAME)
    loads: list[Load] = []
    log: list[str] = []
    error = None
    try:
        tables = _tables(listing, [_entry(entry) for entry in mapping], settings.bucket or None)
        loads.extend(_load(table, settings.bucket or None, log) for table in tables)
    except RefusedError as refused:
        error = refused.error
    return Resolution(NAME, tuple(loads), error, tuple(log))


def _entry(entry: Any) -> dict[str, Any]:
    # the job parsed every entry before anything ran, whatever layer is asked for
    try:
        parsed = parse_entry_2017(platform_value(entry))
    except JsonError as error:
        raise refusal("mapping.entry", reason=("mapping.json", str(error))) from error
    except NodeError as error:
        raise refusal("mapping.entry", reason=error.reason) from error
    return parsed


def _tables(listing: OutListing, mapping: list[dict[str, Any]], bucket: str | None) -> Iterator[_Table]:
    names = {source.name for source in listing.sources}
    comparable = {comparison_key(name) for name in names}
    for entry in mapping:
        if comparison_key(entry["source"]) not in comparable:
            raise refusal("mapping.source_missing_2017", name=text_of(entry["source"]))
    manifests = {manifest.name: manifest for manifest in listing.manifests}
    for name in manifests:
        if name.removesuffix(MANIFEST_SUFFIX) not in names:
            raise refusal("mapping.orphaned_manifest_2017", name=name)
    last = {comparison_key(entry["source"]): entry for entry in mapping}
    for source in sorted(listing.sources, key=_order):
        manifest = manifests.get(source.name + MANIFEST_SUFFIX)
        yield _table(source, manifest, last.get(comparison_key(source.name)), bucket)


def _order(source: OutSource) -> bool:
    # the order is the file system's, so undefined; in the one executed case that shows it, this name came first
    return not source.name.endswith(CSV_SUFFIX * 2)


def _table(source: OutSource, manifest: OutManifest | None, entry: dict[str, Any] | None, bucket: str | None) -> _Table:
    said = None if manifest is None else _read(manifest, source.name)
    mapped = None if entry is None else {key: value for key, value in entry.items() if key != "source"}
    offered = (mapped and mapped.get("destination"), said and said.get("destination"))
    by_name = ".".join(part for part in (bucket, source.name.removesuffix(CSV_SUFFIX)) if part is not None)
    # only the manifest's destination is replaced where there is a manifest, and the mapping's where there is none
    counted = mapped if mapped is not None else said or {}
    replaced = manifest is None or mapped is None
    if replaced and (bucket is not None or not truthy(counted.get("destination"))):
        rule = Rule.FILE_NAME if bucket is None else Rule.FILE_NAME_IN_BUCKET
        counted = counted | {"destination": by_name}
    else:
        rule = Rule.MANIFEST if mapped is None else Rule.MAPPING
    origin = Origin.MANIFEST if mapped is None else Origin.MAPPING
    try:
        # once more: what the first parse made of column metadata can be a list, which the second refuses
        return _Table(source, parse_table_2017(counted), rule, origin, offered)
    except NodeError as error:
        raise refusal("mapping.options_2017", source.name, error.reason) from error


def _read(manifest: OutManifest, source: str) -> dict[str, Any]:
    try:
        return parse_table_2017(decode_json(manifest.data))
    except JsonError as error:
        raise refusal("mapping.manifest_json_2017", source, ("mapping.json", str(error))) from error
    except NodeError as error:
        raise refusal("mapping.manifest_2017", source, error.reason, name=manifest.name) from error


def _load(table: _Table, bucket: str | None, log: list[str]) -> Load:
    source, config = table.source, table.config
    destination = text_of(config.get("destination"))
    if not is_table_id(destination):
        raise refusal("mapping.table_name_2017", source.name, destination=destination)
    key = _clean_key(config["primary_key"], log)
    if source.sliced and not config["columns"]:
        raise refusal("mapping.slices_without_columns_2017", source.name)
    _clean_key(key, log)  # cleaned once more for Storage: a name of blanks has become empty and is complained about
    said = config | {"primary_key": key}
    options = {
        name: value
        for name, value in said.items()
        if name not in {"destination", ESCAPED_BY} and (name not in DEFAULTS_2017 or value != DEFAULTS_2017[name])
    }
    return Load(
        source=source.name,
        sliced=source.sliced,
        destination=destination,
        options=options,
        rule=table.rule,
        overrode=without(candidates_for(source.name, *table.offered, bucket), *table.rule.split("+")),
        provenance=dict.fromkeys(options, table.origin),
        header=FirstLine.HEADLESS if config["columns"] else FirstLine.HEADER,
    )


def _clean_key(key: list[Any] | dict[str, Any], log: list[str]) -> list[Any] | dict[str, Any]:
    kept: dict[str, str] = {}
    for position, name in entries(key):
        if text_of(name) == "":
            log.append(warning("mapping.empty_key_2017"))
        elif text_of(name) not in kept.values():
            kept[position] = text_of(name)
    return array([(position, name.strip(BLANKS)) for position, name in kept.items()])
