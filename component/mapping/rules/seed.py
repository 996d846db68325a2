"""The rule set `seed`: the five rules as they are documented (reference keboola 6.6).

What the text leaves open follows the current code: how options are read, and the wording of errors. Nothing is merged:
a mapping is used alone, and a manifest only where there is no mapping. The text knows no second pass for failed jobs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping.options.manifest import read_manifest
from component.mapping.options.nodes import NodeError
from component.mapping.options.table import DEFAULTS, parse_entry, parse_manifest_with_source, parse_merged
from component.mapping.platform.model import FirstLine, Load, Origin, RefusedError, Resolution, Rule, Settings
from component.mapping.platform.texts import quoted, refusal, warning
from component.mapping.platform.values import JsonError, platform_value, text_of, truthy
from component.mapping.rules.destination import TARGET, Chosen, candidates_for, is_table_id, table_name, without
from component.naming import MANIFEST_SUFFIX

NAME: Final = "seed"


def resolve_seed(listing: OutListing, mapping: Sequence[Mapping[str, Any]], settings: Settings) -> Resolution:
    """Return what the documented rules make of the outputs."""
    if settings.failed_job:
        return Resolution(NAME)
    loads: list[Load] = []
    log: list[str] = []
    error = None
    try:
        for source, manifest, entry in _items(listing, [_entry(entry) for entry in mapping]):
            loads.append(_load(source, _read(manifest, listing, log), entry, settings.bucket or None))
    except RefusedError as refused:
        error = refused.error
    return Resolution(NAME, tuple(loads), error, tuple(log))


def _entry(entry: Any) -> dict[str, Any]:
    try:
        return parse_entry(platform_value(entry))
    except JsonError as error:
        raise refusal("mapping.entry", reason=("mapping.json", str(error))) from error
    except NodeError as error:
        raise refusal("mapping.entry", reason=error.reason) from error


def _items(
    listing: OutListing, mapping: list[dict[str, Any]]
) -> Iterator[tuple[OutSource, OutManifest | None, dict[str, Any] | None]]:
    names = {source.name for source in listing.sources}
    manifests = {manifest.name: manifest for manifest in listing.manifests}
    missing = [text_of(entry.get("source")) for entry in mapping if entry.get("source") not in names]
    if missing:
        raise refusal("mapping.source_missing", names=quoted(missing))
    orphans = [name for name in manifests if name.removesuffix(MANIFEST_SUFFIX) not in names]
    if orphans:
        raise refusal("mapping.orphaned_manifest", names=quoted(orphans))
    by_source: dict[str, list[dict[str, Any] | None]] = {}
    for entry in mapping:
        by_source.setdefault(entry["source"], []).append(entry)
    for source in listing.sources:
        manifest = manifests.get(source.name + MANIFEST_SUFFIX)
        for mapped in by_source.get(source.name) or [None]:
            yield source, manifest, mapped


def _read(manifest: OutManifest | None, listing: OutListing, log: list[str]) -> dict[str, Any] | None:
    if manifest is None:
        return None
    parsed = read_manifest(manifest, listing, parse_manifest_with_source)
    if "source" in parsed:
        log.append(warning("mapping.source_in_manifest", source=manifest.name.removesuffix(MANIFEST_SUFFIX)))
    return parsed


def _load(source: OutSource, manifest: dict[str, Any] | None, entry: dict[str, Any] | None, bucket: str | None) -> Load:
    counted = entry if entry is not None else manifest or parse_merged({})
    chosen = _choose(source.name, entry, manifest, bucket)
    if source.sliced and not counted["columns"] and not counted["schema"]:
        raise refusal("mapping.slices_without_columns", source.name)
    options = {
        key: value
        for key, value in counted.items()
        if key not in TARGET and (key not in DEFAULTS or value != DEFAULTS[key])
    }
    headless = source.sliced or truthy(counted["columns"])
    return Load(
        source=source.name,
        sliced=source.sliced,
        destination=chosen.destination,
        options=options,
        rule=chosen.rule,
        overrode=chosen.overrode,
        provenance=dict.fromkeys(options, Origin.MANIFEST if entry is None else Origin.MAPPING),
        header=FirstLine.HEADLESS if headless and not counted.get("has_header") else FirstLine.HEADER,
    )


def _choose(source: str, entry: dict[str, Any] | None, manifest: dict[str, Any] | None, bucket: str | None) -> Chosen:
    mapped = None if entry is None else entry.get("destination")
    said = None if manifest is None else manifest.get("destination")
    candidates = candidates_for(source, mapped, said, bucket)
    name = table_name(source)
    if bucket is not None:
        destination, rule = f"{bucket}.{name}", Rule.FILE_NAME_IN_BUCKET
        if not is_table_id(destination):
            raise refusal("mapping.invalid_destination", source, destination=destination)
    elif truthy(mapped):
        destination, rule = text_of(mapped), Rule.MAPPING
    elif entry is None and truthy(said):
        destination, rule = text_of(said), Rule.MANIFEST
    else:
        destination, rule = name, Rule.FILE_NAME
        if not is_table_id(name):
            raise refusal("mapping.file_name_dots", source, dots=name.count("."), name=name)
    if not is_table_id(destination):
        raise refusal("mapping.no_destination", source)
    return Chosen(destination, rule, without(candidates, *rule.split("+")))
