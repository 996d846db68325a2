"""What happens to the files in out/files, in both eras (reference keboola 5).

Only regular files directly in the folder count. Nothing is merged: a mapping replaces the manifest, the last mapping
of a file wins, and a file that neither names is uploaded with the defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from component.folder.out_listing import FileListing, OutFile, OutManifest
from component.mapping.options.file import FILE_DEFAULTS, parse_file, parse_file_entry, parse_table_file
from component.mapping.options.nodes import NodeError
from component.mapping.platform.file_model import FileResolution, FileRule, FileUpload
from component.mapping.platform.model import MappingLayer, Origin, RefusedError, Settings
from component.mapping.platform.texts import refusal
from component.mapping.platform.type_faults import other_fault
from component.mapping.platform.values import (
    JsonError,
    comparison_key,
    decode_json,
    entries,
    is_array,
    platform_value,
    text_of,
    type_name,
    values,
)
from component.mapping.rules.system_tags import system_tags
from component.naming import MANIFEST_SUFFIX


@dataclass(frozen=True, slots=True)
class FileEra:
    """How the platform treats files at one time: texts, and whether it adds tags of its own."""

    rules: str
    manifest_text: str
    folder: str
    system_tags: bool
    exact_sources: bool


ERA_2026: Final = FileEra("2026", "mapping.file_manifest", "out/files/", system_tags=True, exact_sources=True)
ERA_2017: Final = FileEra("2017", "mapping.file_manifest_2017", "", system_tags=False, exact_sources=False)
SEED_ERA: Final = FileEra("seed", "mapping.file_manifest_2017", "", system_tags=False, exact_sources=False)
FILE_ERAS: Final[Mapping[str, FileEra]] = {era.rules: era for era in (SEED_ERA, ERA_2017, ERA_2026)}
"""How every rule set treats files; the rules documented in 2017 say nothing that the code of 2017 does not do."""


def resolve_files(listing: FileListing, mapping: Sequence[Any], settings: Settings, era: FileEra) -> FileResolution:
    """Return which files the platform would upload, and how; a failed job uploads none, whatever is wrong."""
    if settings.failed_job:
        return FileResolution(era.rules)
    uploads: list[FileUpload] = []
    error = None
    try:
        mapped = [_entry(entry, settings.mapping_layer, era) for entry in mapping]
        uploads.extend(_uploads(listing, mapped, settings, era))
    except RefusedError as refused:
        error = refused.error
    return FileResolution(era.rules, tuple(uploads), error)


def resolve_table_files(listing: FileListing, options: Any, settings: Settings) -> FileResolution:
    """Return how the files of out/tables are uploaded by a job that uploads tables as files (reference keboola 1.2).

    Manifests beside them are not read, but one whose file is missing is an error as ever; directories are not uploaded.
    """
    if settings.failed_job:
        return FileResolution(ERA_2026.rules)
    uploads: list[FileUpload] = []
    error = None
    try:
        _hold_whole(listing, [])
        uploads.extend(_table_file(file, options, settings) for file in listing.files)
    except RefusedError as refused:
        error = refused.error
    return FileResolution(ERA_2026.rules, tuple(uploads), error)


def _entry(entry: Any, layer: MappingLayer, era: FileEra) -> dict[str, Any]:
    try:
        value = platform_value(entry)
        # in 2017 every job parsed its entries, so there is no raw layer
        if layer is MappingLayer.NORMALIZED or not era.system_tags:
            return parse_file_entry(value)
    except JsonError as error:
        raise refusal("mapping.entry", reason=("mapping.json", str(error))) from error
    except NodeError as error:
        raise refusal("mapping.entry", reason=error.reason) from error
    if not is_array(value):
        raise other_fault("mapping entry", "array", value)
    found = dict(entries(value))
    if is_array(found.get("source")):
        raise other_fault("source", "string", found["source"])
    return found


def _hold_whole(listing: FileListing, mapping: list[dict[str, Any]]) -> None:
    names = {file.name for file in listing.files}
    comparable = {comparison_key(name) for name in names}
    for entry in mapping:
        source = entry.get("source")
        if comparison_key(source) not in comparable:
            raise refusal("mapping.file_missing", name=text_of(source))
    for manifest in listing.manifests:
        if manifest.name.removesuffix(MANIFEST_SUFFIX) not in names:
            raise refusal("mapping.file_orphaned_manifest", name=manifest.name)


def _uploads(
    listing: FileListing, mapping: list[dict[str, Any]], settings: Settings, era: FileEra
) -> Iterator[FileUpload]:
    _hold_whole(listing, mapping)
    last = {_match_key(entry.get("source"), era): entry for entry in mapping}
    manifests = {manifest.name: manifest for manifest in listing.manifests}
    for file in listing.files:
        manifest = manifests.get(file.name + MANIFEST_SUFFIX)
        yield _upload(file, manifest, last.get(_match_key(file.name, era)), listing, settings, era)
    names = {_match_key(file.name, era) for file in listing.files}
    sources = [entry.get("source") for entry in mapping]
    left = dict.fromkeys(text_of(source) for source in sources if _match_key(source, era) not in names)
    if left:
        raise refusal("mapping.file_unprocessed", names=", ".join(f"'{name}'" for name in left))


def _match_key(source: Any, era: FileEra) -> Any:
    # a number is found among the names, and then equals none of them exactly
    return (type_name(source), source) if era.exact_sources else comparison_key(source)


def _upload(
    file: OutFile,
    manifest: OutManifest | None,
    entry: dict[str, Any] | None,
    listing: FileListing,
    settings: Settings,
    era: FileEra,
) -> FileUpload:
    said = _read(manifest, listing, era) if manifest is not None else {}
    mapped = {key: value for key, value in (entry or {}).items() if key != "source"}
    rule = FileRule.MAPPING if mapped else FileRule.MANIFEST if said else FileRule.DEFAULTS
    try:
        config = parse_file(mapped or said)
    except NodeError as error:
        raise refusal("mapping.file_options", file.name, error.reason, path=era.folder + file.name) from error
    origin = Origin.MANIFEST if rule is FileRule.MANIFEST else Origin.MAPPING
    tags, tags_origin = _tags(config, origin, settings, era)
    provenance = {key: origin for key in config if key != "tags" and config[key] != FILE_DEFAULTS[key]}
    return FileUpload(
        file.name,
        tags=tags,
        is_public=config["is_public"],
        is_permanent=config["is_permanent"],
        is_encrypted=config["is_encrypted"],
        notify=config["notify"],
        rule=rule,
        overrode=bool(mapped) and manifest is not None,
        provenance=provenance | ({"tags": tags_origin} if tags else {}),
    )


def _read(manifest: OutManifest, listing: FileListing, era: FileEra) -> dict[str, Any]:
    source = manifest.name.removesuffix(MANIFEST_SUFFIX)
    path = f"{listing.root}/out/files/{manifest.name}"
    try:
        value = decode_json(manifest.data)
        # today a scalar becomes a list of one; in 2017 it was refused for its type
        return parse_file([value] if era.exact_sources and value is not None and not is_array(value) else value)
    except JsonError as error:
        raise refusal(era.manifest_text, source, ("mapping.json", str(error)), path=path) from error
    except NodeError as error:
        raise refusal(era.manifest_text, source, error.reason, path=path) from error


def _table_file(file: OutFile, options: Any, settings: Settings) -> FileUpload:
    try:
        config = parse_table_file(options)
    except NodeError as error:
        raise refusal("mapping.file_options", file.name, error.reason, path=f"out/tables/{file.name}") from error
    tags, tags_origin = _tags(config, Origin.MAPPING, settings, ERA_2026)
    return FileUpload(
        file.name,
        tags=tags,
        is_permanent=config["is_permanent"],
        rule=FileRule.TABLE_FILES,
        provenance={"is_permanent": Origin.PLATFORM} | ({"tags": tags_origin} if tags else {}),
    )


def _tags(config: dict[str, Any], origin: Origin, settings: Settings, era: FileEra) -> tuple[tuple[str, ...], Origin]:
    own = [text_of(tag) for tag in values(config["tags"])]
    if not era.system_tags:
        return tuple(dict.fromkeys(own)), origin
    system = system_tags(settings, run_id=settings.run_id)
    if system:
        origin = Origin.MERGED if own else Origin.PLATFORM
    prefix = "" if settings.branch is None else f"{settings.branch}-"
    return tuple(dict.fromkeys(prefix + tag for tag in own + system)), origin
