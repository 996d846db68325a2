"""The rule set `2026`: the platform's current code for files on local staging (reference keboola 6.2, 6.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from component.folder.out_listing import OutListing
from component.mapping.options.manifest import read_manifest
from component.mapping.options.nodes import NodeError
from component.mapping.options.table import DEFAULTS, DIRECT_GRANT, parse_entry, parse_merged
from component.mapping.platform.model import (
    DataTypes,
    Feature,
    FirstLine,
    Load,
    MappingError,
    MappingLayer,
    Origin,
    RefusedError,
    Resolution,
    Settings,
)
from component.mapping.platform.texts import quoted, refusal
from component.mapping.platform.type_faults import check_entry, entry_fault, other_fault
from component.mapping.platform.values import (
    JsonError,
    array,
    entries,
    given,
    is_array,
    platform_value,
    truthy,
)
from component.mapping.platform.webalize import webalize
from component.mapping.rules.destination import TARGET, Chosen, branch_destination, choose_destination, is_table_id
from component.mapping.rules.key_columns import clean_keys
from component.mapping.rules.merge import Merged, merge
from component.mapping.rules.native_types import types_to_hints
from component.mapping.rules.slicing import Item, check_slicing
from component.mapping.rules.system_tags import system_tags
from component.mapping.rules.validate import validate
from component.naming import MANIFEST_SUFFIX

NAME: Final = "2026"


@dataclass(slots=True)
class _Run:
    """What has happened so far; an error ends it and keeps the loads before."""

    listing: OutListing
    settings: Settings
    loads: list[Load] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    swallowed: list[MappingError] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Resolved:
    """One table with its merged and checked options."""

    config: dict[str, Any]
    merged: Merged
    chosen: Chosen


def resolve_2026(listing: OutListing, mapping: Sequence[Mapping[str, Any]], settings: Settings) -> Resolution:
    """Return what the platform would do; never raises for what the platform would refuse."""
    run = _Run(listing, settings)
    error = None
    try:
        entries_given = [_entry(entry, settings.mapping_layer) for entry in mapping]
        for item in _items(run, [entry for entry in entries_given if not _without_file(entry)]):
            _load_item(run, item)
    except RefusedError as refused:
        error = refused.error
    return Resolution(
        rules=NAME,
        loads=tuple(run.loads),
        error=error,
        log=tuple(run.log),
        swallowed=tuple(run.swallowed),
    )


def _entry(entry: Mapping[str, Any], layer: MappingLayer) -> dict[str, Any]:
    try:
        value = platform_value(entry)
        value = parse_entry(value) if layer is MappingLayer.NORMALIZED else value
    except JsonError as error:
        raise refusal("mapping.entry", reason=("mapping.json", str(error))) from error
    except NodeError as error:
        raise refusal("mapping.entry", reason=error.reason) from error
    if not is_array(value):
        raise entry_fault(value)
    return dict(entries(value))


def _without_file(entry: dict[str, Any]) -> bool:
    """Whether the entry names a table in a workspace that is loaded without any file; else it must name a source."""
    if entry.get("source") is None and entry.get("unload_strategy") == DIRECT_GRANT:
        return True
    check_entry(entry)
    return False


def _items(run: _Run, mapping: list[dict[str, Any]]) -> list[Item]:
    sources = {source.name for source in run.listing.sources}
    manifests = {manifest.name: manifest for manifest in run.listing.manifests}
    orphans = [name for name in manifests if name.removesuffix(MANIFEST_SUFFIX) not in sources]
    if orphans:
        raise refusal("mapping.orphaned_manifest", names=quoted(orphans))
    missing = [entry["source"] for entry in mapping if entry["source"] not in sources]
    if missing and not run.settings.failed_job:
        raise refusal("mapping.source_missing", names=quoted(missing))
    by_source: dict[str, list[dict[str, Any] | None]] = {}
    for entry in mapping:
        by_source.setdefault(entry["source"], []).append(entry)
    items = [
        Item(source, manifests.get(source.name + MANIFEST_SUFFIX), entry)
        for source in run.listing.sources
        for entry in by_source.get(source.name, [None])
    ]
    if Feature.SLICING in run.settings.features:
        check_slicing(items, run.log)
    return items


def _load_item(run: _Run, item: Item) -> None:
    name = item.source.name
    manifest = {} if item.manifest is None else read_manifest(item.manifest, run.listing)
    mapping = webalize(item.entry or {}, name, run.log)
    manifest = webalize(manifest, name, run.log)
    resolved: _Resolved | None = None
    try:
        resolved = _resolve(run, item, manifest, mapping)
        resolved = _in_project(resolved, item, run.settings)
        validate(resolved.config, name, run.settings, sliced=item.source.sliced)
    except RefusedError as refused:
        if not run.settings.failed_job:
            raise
        run.swallowed.append(refused.error)
    if run.settings.failed_job and not (resolved and resolved.config["write_always"]):
        return
    if resolved is not None:
        run.loads.append(_load(resolved, item, run.settings))


def _resolve(run: _Run, item: Item, manifest: dict[str, Any], mapping: dict[str, Any]) -> _Resolved:
    name = item.source.name
    merged = merge(manifest, mapping, name)
    chosen = choose_destination(
        name, mapping.get("destination"), manifest.get("destination"), run.settings.bucket or None, run.log
    )
    config = clean_keys(merged.config | {"destination": chosen.destination}, name, run.log)
    if Feature.STAGING_TAGS in run.settings.features:
        config = _with_system_tags(config, merged.origins, name, run.settings)
    try:
        return _Resolved(parse_merged(config), merged, chosen)
    except NodeError as error:
        raise refusal("mapping.merged", name, error.reason) from error


def _with_system_tags(
    config: dict[str, Any], origins: dict[str, Origin], source: str, settings: Settings
) -> dict[str, Any]:
    system = system_tags(settings)
    if not system:
        return config
    if given(config, "tags") and not is_array(config["tags"]):
        raise other_fault("tags", "array", config["tags"], source)
    tags = entries(config["tags"]) if given(config, "tags") else []
    origins["tags"] = Origin.MERGED if tags else Origin.PLATFORM
    return config | {"tags": array(tags + [(str(len(tags) + number), tag) for number, tag in enumerate(system)])}


def _in_project(resolved: _Resolved, item: Item, settings: Settings) -> _Resolved:
    config = resolved.config
    destination = branch_destination(config["destination"], settings.branch, item.source.name)
    config = config | {"destination": destination}
    if settings.data_types is DataTypes.HINTS:
        config = types_to_hints(config, item.source.name)
    return _Resolved(config, resolved.merged, resolved.chosen)


def _load(resolved: _Resolved, item: Item, settings: Settings) -> Load:
    config = resolved.config
    if not is_table_id(config["destination"]):  # only after a failed job swallowed the better message
        raise refusal("mapping.table_id", item.source.name)
    options = {
        key: value
        for key, value in config.items()
        if key not in TARGET and (key not in DEFAULTS or value != DEFAULTS[key])
    }
    return Load(
        source=item.source.name,
        sliced=item.source.sliced,
        destination=config["destination"],
        options=options,
        rule=resolved.chosen.rule,
        overrode=resolved.chosen.overrode,
        provenance=_provenance(options, resolved.merged.origins),
        header=_header(config, item, settings),
    )


def _provenance(options: dict[str, Any], origins: dict[str, Origin]) -> dict[str, Origin]:
    # a raw entry may say primary-key, an option that has its right name only since the last parse
    shown = {key: origins.get(key, Origin.MAPPING) for key in options}
    return shown | {key: origin for key, origin in origins.items() if key in DEFAULTS}


def _header(config: dict[str, Any], item: Item, settings: Settings) -> FirstLine:
    if config.get("has_header"):
        return FirstLine.HEADER
    has_columns = truthy(config["columns"]) or (Feature.NATIVE_TYPES in settings.features and truthy(config["schema"]))
    return FirstLine.HEADLESS if has_columns or item.source.sliced else FirstLine.HEADER
