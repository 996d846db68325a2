"""What the platform accepts in silence and the user should know before the job runs (reference keboola 6.2, 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from component.findings import Finding
from component.folder.out_listing import OutListing
from component.mapping.findings.header import header_findings
from component.mapping.findings.ids import column_findings, id_findings
from component.mapping.findings.names import (
    last_of_several,
    manifest_near_misses,
    mapped_sources,
    near_misses,
    unmapped,
    unseen_entries,
)
from component.mapping.findings.options import (
    TABLE_BOOLEANS,
    cleared_key,
    ignored_defaults,
    ignored_escape,
    ignored_manifest,
    null_booleans,
)
from component.mapping.findings.sources import load_findings, source_findings
from component.mapping.findings.texts import finding
from component.mapping.platform.model import DataTypes, Feature, Load, Resolution, Settings
from component.mapping.platform.texts import quoted
from component.mapping.platform.values import truthy
from component.naming import MANIFEST_SUFFIX

LAST_WINS: Final = "2017"
"""The rule set in which only the last mapping of a source counts."""
TYPES_SINCE: Final = "2026"
"""The rule set that knows native types."""


def table_findings(
    listing: OutListing, mapping: Sequence[Any], resolution: Resolution, settings: Settings
) -> tuple[Finding, ...]:
    """Return all findings about out/tables: over the loads together, over each load, over what lies in the folder."""
    return tuple(
        dict.fromkeys(
            (
                *_shared_destinations(resolution.loads),
                *_own_inputs(resolution.loads, settings.input_tables),
                *_types_without_feature(resolution, settings),
                *_unread_schemas(resolution, settings),
                *_loads(listing, mapping, resolution),
                *_names(listing, mapping, resolution),
                *(one for source in listing.sources for one in source_findings(source)),
                *unseen_entries(listing.unseen, "finding.nested_folder"),
            )
        )
    )


def _shared_destinations(loads: Sequence[Load]) -> Iterator[Finding]:
    sources: dict[str, list[str]] = {}
    for load in loads:
        sources.setdefault(load.destination, []).append(load.source)
    for destination, names in sources.items():
        if len(names) > 1:
            yield finding("finding.shared_destination", names[0], names=quoted(names), destination=destination)


def _own_inputs(loads: Sequence[Load], input_tables: frozenset[str]) -> Iterator[Finding]:
    for load in loads:
        if load.destination in input_tables:
            yield finding("finding.own_input", load.source, destination=load.destination)


def _types_without_feature(resolution: Resolution, settings: Settings) -> Iterator[Finding]:
    asked = settings.data_types is not DataTypes.NONE and Feature.NATIVE_TYPES not in settings.features
    if asked and resolution.rules == TYPES_SINCE:
        yield finding("finding.types_without_feature", data_types=settings.data_types, feature=Feature.NATIVE_TYPES)


def _unread_schemas(resolution: Resolution, settings: Settings) -> Iterator[Finding]:
    """Yield the loads whose only columns are in a schema that the project does not read (reference keboola 4.3)."""
    if Feature.NATIVE_TYPES in settings.features or resolution.rules != TYPES_SINCE:
        return
    for load in resolution.loads:
        if truthy(load.options.get("schema")):
            effect = "its slices would be loaded without columns" if load.sliced else "its types do not count"
            yield finding("finding.schema_unread", load.source, effect=effect)


def _loads(listing: OutListing, mapping: Sequence[Any], resolution: Resolution) -> Iterator[Finding]:
    sources = {source.name: source for source in listing.sources}
    manifests = {manifest.name.removesuffix(MANIFEST_SUFFIX): manifest.data for manifest in listing.manifests}
    entries: dict[Any, list[Mapping[str, Any]]] = {}
    for entry in mapping:
        if isinstance(entry, Mapping) and isinstance(entry.get("source"), str):
            entries.setdefault(entry["source"], []).append(entry)
    for load in resolution.loads:
        source = sources[load.source]
        mapped = entries.get(load.source, [])
        yield from id_findings(load)
        yield from column_findings(load)
        yield from load_findings(load, source)
        yield from cleared_key(load)
        yield from ignored_defaults(load, mapped)
        yield from ignored_manifest(load, manifests.get(load.source, b""), resolution.rules)
        if resolution.rules == LAST_WINS:
            yield from ignored_escape(load, manifests.get(load.source, b""), mapped)
        yield from header_findings(load, source)
        yield from null_booleans(load.source, "manifest", manifests.get(load.source, b""), TABLE_BOOLEANS)
        for entry in mapped:
            yield from null_booleans(load.source, "mapping", entry, TABLE_BOOLEANS)


def _names(listing: OutListing, mapping: Sequence[Any], resolution: Resolution) -> Iterator[Finding]:
    names = [source.name for source in listing.sources]
    manifests = [manifest.name for manifest in listing.manifests]
    mapped = mapped_sources(mapping)
    yield from near_misses(names, mapped, listing.unseen)
    yield from manifest_near_misses(names, manifests)
    yield from unmapped(names, mapped, manifests)
    if resolution.rules == LAST_WINS:
        yield from last_of_several(names, mapped)
