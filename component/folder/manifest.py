"""Manifests of input tables and files, of any era, as the platform or a processor left them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from component.errors import Place, UserError
from component.folder.datatypes import column_of_metadata, column_of_schema
from component.folder.manifest_object import ManifestObject
from component.folder.staged import staged_section, without_credentials
from component.naming import MANIFEST_SUFFIX
from component.staging.buckets import Staged
from component.tables.types import Column


@dataclass(frozen=True, slots=True)
class TableManifest:
    """What a manifest says of a table (reference keboola 2.2 and 4.1); what it does not say is None or empty.

    `columns` are the names in file order. `typed` are those columns whose type is known, in the same order: from
    `schema`, else from KBC.datatype metadata. `staged` is where the data are when they are not in the folder. `raw` is
    everything, for keys that nothing here reads; only credentials are left out.
    """

    id: str | None = None
    name: str | None = None
    destination: str | None = None
    primary_key: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    typed: tuple[Column, ...] = ()
    delimiter: str | None = None
    enclosure: str | None = None
    has_header: bool | None = None
    staged: Staged | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_output_style(self) -> bool:
        """Whether a processor wrote it: input manifests of the platform always have an id."""
        return self.id is None

    @classmethod
    def read(cls, path: Path) -> TableManifest:
        """Read a manifest; UserError `source.manifest`, or `column.duplicate` when it names a column twice."""
        found = ManifestObject.read(path, Place(table=path.name.removesuffix(MANIFEST_SUFFIX)))
        schema = found.objects("schema")
        names = found.texts("columns") or tuple(_name(entry) for entry in schema)
        _hold_different(names, path, found.place)
        return cls(
            id=found.text("id"),
            name=found.text("name"),
            destination=found.text("destination"),
            primary_key=_primary_key(found, schema),
            columns=names,
            typed=_typed(names, schema, found),
            delimiter=_character(found, "delimiter"),
            enclosure=_character(found, "enclosure"),
            has_header=found.flag("has_header"),
            staged=staged_section(found),
            raw=without_credentials(found.values),
        )


@dataclass(frozen=True, slots=True)
class FileManifest:
    """What a manifest says of a file (reference keboola 3); after a processor there may be no more than tags."""

    id: int | None = None
    name: str | None = None
    tags: tuple[str, ...] = ()
    is_sliced: bool = False
    created: str | None = None
    size_bytes: int | None = None
    staged: Staged | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def read(cls, path: Path) -> FileManifest:
        """Read a manifest; UserError `source.manifest`."""
        found = ManifestObject.read(path, Place())
        return cls(
            id=found.whole("id"),
            name=found.text("name"),
            tags=found.texts("tags"),
            is_sliced=found.flag("is_sliced") is True,
            created=found.text("created"),
            size_bytes=found.whole("size_bytes"),
            staged=staged_section(found),
            raw=without_credentials(found.values),
        )


def manifest_path(path: Path) -> Path:
    """Return where the manifest of a file or of a sliced table's directory is: beside it."""
    return path.with_name(path.name + MANIFEST_SUFFIX)


def _name(entry: ManifestObject) -> str:
    name = entry.text("name")
    if name:
        return name
    raise entry.wrong(entry.values.get("name"), "the name of a column", "name")


def _hold_different(names: tuple[str, ...], path: Path, place: Place) -> None:
    counts = Counter(names)
    for name in names:
        if counts[name] > 1:
            text = f"The manifest {str(path)!r} names the column {name!r} twice"
            raise UserError("column.duplicate", text, place=place)


def _primary_key(found: ManifestObject, schema: tuple[ManifestObject, ...]) -> tuple[str, ...]:
    names = found.texts("primary_key") or tuple(_name(entry) for entry in schema if entry.flag("primary_key"))
    # Empty and repeated names are dropped, as the platform does (reference keboola 4.1).
    return tuple(dict.fromkeys(name for name in names if name))


def _typed(names: tuple[str, ...], schema: tuple[ManifestObject, ...], found: ManifestObject) -> tuple[Column, ...]:
    of_schema = {_name(entry): column_of_schema(entry) for entry in schema}
    metadata = found.object("column_metadata")
    columns = (
        of_schema.get(name) or column_of_metadata(name, _pairs(metadata, name)) for name in names or metadata.values
    )
    return tuple(column for column in columns if column is not None)


def _pairs(metadata: ManifestObject, column: str) -> Mapping[str, Any]:
    """Return the metadata of a column, which are a list of {key, value}, or an object (reference keboola 9.2.10)."""
    if isinstance(metadata.values.get(column), list):
        entries = metadata.objects(column)
        return {key: entry.values.get("value") for entry in entries if (key := entry.text("key"))}
    return metadata.object(column).values


def _character(found: ManifestObject, key: str) -> str | None:
    text = found.text(key)
    if not text:
        return None
    if len(text) == 1 and text.isascii() and text not in "\r\n\0":
        return text
    raise found.wrong(text, "one ASCII character other than a line end", key)
