"""The manifests of the input: whether they can be read, what in them is unknown, which are missing or alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component import clock
from component.check.finding import error, of_error, relative, warning
from component.check.manifest_words import FILE_KEYS, TABLE_KEYS, unknown_keys, unknown_types
from component.errors import UserError
from component.findings import Finding
from component.folder.layout import DataFolder, entries
from component.folder.manifest import FileManifest, TableManifest, manifest_path
from component.folder.slices import is_data
from component.naming import MANIFEST_SUFFIX
from component.staging.buckets import SESSION_LIFE

NEW_FOLDER: Final = "Make the folder again: the platform gives new credentials to each job."


@dataclass(frozen=True, slots=True)
class CheckedManifests:
    """What was found in manifests.

    `unusable` are places of inputs (`in/tables/a.csv`) that nobody can read, `staged` those of inputs in a bucket.
    """

    findings: tuple[Finding, ...] = ()
    unusable: frozenset[str] = frozenset()
    staged: frozenset[str] = frozenset()


def check_manifests(folder: DataFolder) -> CheckedManifests:
    """Look at every manifest of the input, and at every input without one."""
    looks = [_look(path, folder, _of_table) for path in _manifests(folder.in_tables)]
    looks += [_look(path, folder, _of_file) for path in _manifests(folder.in_files)]
    return CheckedManifests(
        findings=(*(finding for look in looks for finding in look.findings), *_missing(folder)),
        unusable=frozenset(place for look in looks for place in look.unusable),
        staged=frozenset(place for look in looks for place in look.staged),
    )


def _look(path: Path, folder: DataFolder, look: Callable[[Path, str], CheckedManifests]) -> CheckedManifests:
    place = relative(path, folder.root)
    try:
        return look(path, place)
    except UserError as failed:
        return CheckedManifests((of_error(failed, place),), unusable=frozenset({place.removesuffix(MANIFEST_SUFFIX)}))


def _manifests(path: Path) -> list[Path]:
    return [entry for entry in _entries(path) if entry.name.endswith(MANIFEST_SUFFIX) and entry.is_file()]


def _entries(path: Path) -> tuple[Path, ...]:
    try:
        return entries(path)
    except UserError:  # a folder that cannot be read is said where sources are looked for
        return ()


def _of_table(path: Path, place: str) -> CheckedManifests:
    manifest = TableManifest.read(path)
    owner = place.removesuffix(MANIFEST_SUFFIX)
    words = (*unknown_keys(manifest.raw, TABLE_KEYS, place), *unknown_types(manifest.raw, place))
    if manifest.staged is None:
        return CheckedManifests((*words, *_alone(path, place)))
    if is_data(path.with_name(path.name.removesuffix(MANIFEST_SUFFIX))):
        return CheckedManifests(words)
    if manifest.staged.bucket.expired():
        text = "The credentials of the bucket that the data are in have expired"
        return CheckedManifests((*words, error("staging.expired", place, text, NEW_FOLDER)), frozenset({owner}))
    return CheckedManifests((*words, *_old_credentials(path, place)), staged=frozenset({owner}))


def _of_file(path: Path, place: str) -> CheckedManifests:
    manifest = FileManifest.read(path)
    return CheckedManifests((*unknown_keys(manifest.raw, FILE_KEYS, place), *_alone(path, place)))


def _alone(path: Path, place: str) -> Iterator[Finding]:
    if not is_data(path.with_name(path.name.removesuffix(MANIFEST_SUFFIX))):
        yield warning("manifest.orphan", place, "There is no input beside the manifest; it is ignored")


def _missing(folder: DataFolder) -> Iterator[Finding]:
    if folder.loose:
        return
    for path, unknown in ((folder.in_tables, "types and keys"), (folder.in_files, "tags")):
        for entry in _entries(path):
            if not entry.name.endswith(MANIFEST_SUFFIX) and is_data(entry) and not manifest_path(entry).is_file():
                yield warning(
                    "manifest.missing",
                    relative(entry, folder.root),
                    f"The input has no manifest: its {unknown} are not known",
                )


def _old_credentials(path: Path, place: str) -> Iterator[Finding]:
    written = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)
    if clock.utc_now() - written > SESSION_LIFE:
        hours = SESSION_LIFE // dt.timedelta(hours=1)
        text = f"The manifest is of {written:%Y-%m-%d}, and session credentials live for {hours} hours at most"
        yield warning("staging.old", place, text, NEW_FOLDER)
