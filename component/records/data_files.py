"""From the entries of a manifest to the files that are read, each checked (reference records 1, 8).

An entry is looked for where its URL says if that is inside the directory, else by its last step inside the directory,
which finds the files of a directory that was moved or copied. Only what is allowed to is read from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from component.errors import Place, UserError
from component.findings import Finding, warning
from component.records.manifest import MANIFEST, ManifestEntry
from component.records.places import Listing, last_step
from component.records.waiting import NO_PATIENCE, Patience, wait_for
from component.staging.locations import Location, size_of
from component.staging.sliced import AT_ONCE


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file with rows: its name, where it is, and its size in bytes as stored."""

    name: str
    location: Location
    size: int


@dataclass(frozen=True, slots=True)
class SearchRules:
    """What is taken of a manifest: `outside` allows entries outside the directory, `lax` goes on where it can."""

    outside: bool = False
    lax: bool = False
    patience: Patience = NO_PATIENCE


@dataclass(frozen=True, slots=True)
class _Found:
    entry: ManifestEntry
    file: DataFile | None
    how: str = "here"


_SCHEMES: Final = frozenset({"file", "s3", "s3a"})


def find_files(
    entries: Sequence[ManifestEntry], listing: Listing, rules: SearchRules, place: Place
) -> tuple[tuple[DataFile, ...], tuple[Finding, ...]]:
    """Return the data files in the order of the manifest, and remarks about how they were found.

    UserError `records.file` for a missing file unless it is said not to be mandatory, and for one of another length
    than announced; `records.manifest` for an entry outside the directory, for a hidden name, and for a file that is
    named twice. `lax` makes remarks of a missing file of which nothing is said, of a length, and of a hidden name.
    """
    found = _find_all(entries, listing, rules, place)
    files = [one.file for one in found if one.file is not None]
    if entries and not files:
        raise _missing("None of the files of the manifest is there", place)
    _check_distinct(files, place)
    said = [
        *_moved(found),
        *_left_out(found),
        *(remark for one in found for remark in _checked(one, rules, place)),
        *_unlisted(files, listing),
    ]
    return tuple(files), tuple(said)


def _find_all(entries: Sequence[ManifestEntry], listing: Listing, rules: SearchRules, place: Place) -> list[_Found]:
    """Find all files, of a bucket many at once; the first error ends the search."""
    if not listing.waits:
        return [_find(entry, listing, rules, place) for entry in entries]
    pool = ThreadPoolExecutor(AT_ONCE, "files")
    try:
        return list(pool.map(lambda entry: _find(entry, listing, rules, place), entries))
    finally:
        pool.shutdown(cancel_futures=True)


def _find(entry: ManifestEntry, listing: Listing, rules: SearchRules, place: Place) -> _Found:
    name = listing.name_of(entry.url)
    if name is None:
        found = _find_outside(entry, listing, rules, place)
    else:
        location = wait_for(partial(listing.locate, name), rules.patience)
        found = _Found(entry, None if location is None else DataFile(name, location, size_of(location)))
    if found.file is None and (entry.mandatory or (entry.mandatory is None and not rules.lax)):
        _check_scheme(entry, place)
        raise _missing(f"The file {entry.url} of the manifest is missing", place)
    return found


def _check_scheme(entry: ManifestEntry, place: Place) -> None:
    """Refuse a URL that no directory can have; asked only of files that are not there under their name either."""
    scheme = entry.url.partition(":")[0].lower()
    if scheme not in _SCHEMES:
        text = f"The manifest names {entry.url}, and files cannot be read from {scheme}: URLs"
        remedy = "Put the file beside the manifest, or name it by a file:// or s3:// URL."
        raise UserError("records.manifest", text, place=place, remedy=remedy)


def _find_outside(entry: ManifestEntry, listing: Listing, rules: SearchRules, place: Place) -> _Found:
    if rules.outside and (there := listing.elsewhere(entry.url)) is not None:
        return _Found(entry, DataFile(entry.url, there, size_of(there)), "outside")
    for name in last_step(entry.url):
        moved = listing.locate(name)
        if moved is not None:
            return _Found(entry, DataFile(name, moved, size_of(moved)), "moved")
    if rules.outside or listing.elsewhere(entry.url) is None:
        return _Found(entry, None)
    raise UserError(
        "records.manifest",
        f"The manifest names {entry.url}, which lies outside of the directory",
        place=place,
        remedy="Allow files outside of the directory if you trust the manifest, or put the file beside it.",
    )


def _checked(found: _Found, rules: SearchRules, place: Place) -> list[Finding]:
    """Return the remarks on one file; what is no remark is raised."""
    file, said = found.file, []
    if file is None:
        return []
    at = replace(place, slice=file.name)
    if found.entry.size is not None and found.entry.size != file.size:
        text = f"The file {file.name} has {file.size} bytes, and its manifest says {found.entry.size}"
        if not rules.lax:
            remedy = "It was cut off or changed after it was written: write or transfer the directory again."
            raise UserError("records.file", text, place=at, remedy=remedy)
        said.append(warning("manifest.length", MANIFEST, f"{text}."))
    if found.how != "outside" and file.name.startswith(("_", ".")):
        text = f"The manifest names {file.name} as a data file, and such names are kept for other files"
        if not rules.lax:
            raise UserError("records.manifest", text, place=at, remedy="Rename it, there and in the manifest.")
        said.append(warning("manifest.hidden", MANIFEST, f"{text}."))
    return said


def _moved(found: Sequence[_Found]) -> list[Finding]:
    moved = [one for one in found if one.how == "moved"]
    outside = [one for one in found if one.how == "outside"]
    said = []
    if moved:
        text = f"The directory was moved: {len(moved)} of its files, such as {moved[0].entry.url}, are read beside it."
        said.append(warning("manifest.moved", MANIFEST, text))
    if outside:
        text = f"{len(outside)} files outside of the directory are read, such as {outside[0].entry.url}."
        said.append(warning("manifest.outside", MANIFEST, text))
    return said


def _left_out(found: Sequence[_Found]) -> list[Finding]:
    missing = [one.entry.url for one in found if one.file is None]
    text = "The file {}, which is not mandatory, is missing and left out."
    return [warning("manifest.optional", MANIFEST, text.format(url)) for url in missing]


def _unlisted(files: Sequence[DataFile], listing: Listing) -> list[Finding]:
    """Return a remark on files that look like data and that the manifest does not name."""
    known = {file.name for file in files}
    others = [name for name in listing.names() if not name.startswith(("_", ".")) and name not in known]
    if not others:
        return []
    text = f"{len(others)} files that the manifest does not name are ignored, such as {others[0]}."
    return [warning("manifest.unlisted", MANIFEST, text)]


def _check_distinct(files: Sequence[DataFile], place: Place) -> None:
    seen: set[str] = set()
    for file in files:
        where = file.location
        same = str(where.resolve()) if isinstance(where, Path) else where.bucket.url(where.key)
        if same in seen:
            text = f"The manifest names the file {file.name} twice, so its rows would be doubled"
            raise UserError("records.manifest", text, place=place, remedy="Name every file once.")
        seen.add(same)


def _missing(text: str, place: Place) -> UserError:
    remedy = "The directory is not whole: wait for its writer, or transfer it again."
    return UserError("records.file", text, place=place, remedy=remedy)
