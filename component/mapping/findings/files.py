"""What is odd about out/files: what is dropped in silence, and what replaces what (reference keboola 5, S39)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from component.findings import Finding
from component.folder.out_listing import FileListing, UnseenKind
from component.mapping.findings.names import (
    last_of_several,
    manifest_near_misses,
    mapped_sources,
    near_misses,
    unseen_entries,
)
from component.mapping.findings.options import FILE_BOOLEANS, null_booleans
from component.mapping.findings.texts import finding
from component.mapping.platform.file_model import FileResolution
from component.naming import MANIFEST_SUFFIX


def file_findings(listing: FileListing, mapping: Sequence[Any], resolution: FileResolution) -> tuple[Finding, ...]:
    """Return all findings about files to upload."""
    names = [file.name for file in listing.files]
    manifests = [manifest.name for manifest in listing.manifests]
    sources = mapped_sources(mapping)
    return (
        *(finding("finding.file_manifest_replaced", one.source) for one in resolution.uploads if one.overrode),
        *_null_booleans(listing, mapping),
        *near_misses(names, sources, listing.unseen),
        *manifest_near_misses(names, manifests),
        *_folder_manifests(listing),
        *last_of_several(names, sources),
        *unseen_entries(listing.unseen, "finding.folder_dropped"),
    )


def _folder_manifests(listing: FileListing) -> Iterator[Finding]:
    folders = {one.path for one in listing.unseen if one.kind is UnseenKind.FOLDER}
    for manifest in listing.manifests:
        owner = manifest.name.removesuffix(MANIFEST_SUFFIX)
        if owner in folders:
            yield finding("finding.folder_manifest", owner, manifest=manifest.name)


def _null_booleans(listing: FileListing, mapping: Sequence[Any]) -> Iterator[Finding]:
    for manifest in listing.manifests:
        owner = manifest.name.removesuffix(MANIFEST_SUFFIX)
        yield from null_booleans(owner, "manifest", manifest.data, FILE_BOOLEANS)
    for entry in mapping:
        if isinstance(entry, Mapping):
            yield from null_booleans(str(entry.get("source")), "mapping", entry, FILE_BOOLEANS)
