"""The object that lists the parts of a sliced table, and the parts themselves (reference keboola 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final

from component import naming
from component.config.json_text import JsonFaultError, parse_json
from component.errors import Place, UserError
from component.staging.buckets import Bucket, Staged
from component.staging.faults import changed, expired
from component.staging.objects import BucketObject, find_object, read_object

MANIFEST_LIMIT: Final = 64 * naming.MIB
AT_ONCE: Final = 16
"""Requests under way at the same time while the parts are looked for."""


@dataclass(frozen=True, slots=True)
class SliceEntry:
    """A part by the list. `size` is what the list says, if it does; one that is not mandatory may be missing."""

    bucket: Bucket
    key: str
    mandatory: bool = True
    size: int | None = None


@dataclass(frozen=True, slots=True)
class SlicePart:
    """An object with rows, and what it is called among the parts of its table."""

    name: str
    object: BucketObject


def find_parts(staged: Staged, table: str) -> tuple[tuple[SlicePart, ...], tuple[str, ...]]:
    """Return the objects with the rows of a table in their order, and warnings; a table in one piece is its own part.

    Reads the list and the first bytes of each part. UserError `staged.credentials`, `staged.missing`,
    `source.manifest`; RetryError `staged.changed`, `staged.failed`.
    """
    place = Place(table=table)
    if staged.bucket.expired():
        raise expired(staged.bucket, staged.key, place)
    if not staged.sliced:
        return (SlicePart(table, find_object(staged.bucket, staged.key, place)),), ()
    entries = read_entries(staged, place)
    names = part_names([entry.key for entry in entries])
    with ThreadPoolExecutor(AT_ONCE, "parts") as pool:
        found = list(pool.map(lambda entry, name: _find(entry, replace(place, slice=name)), entries, names))
    parts = tuple(SlicePart(name, one) for name, one in zip(names, found, strict=True) if one is not None)
    warnings = tuple(
        f"{entry.bucket.url(entry.key)}, a part of {table!r} that is not mandatory, is not there and is left out."
        for entry, one in zip(entries, found, strict=True)
        if one is None
    )
    return parts, warnings


def _find(entry: SliceEntry, place: Place) -> BucketObject | None:
    try:
        found = find_object(entry.bucket, entry.key, place)
    except UserError as error:
        if error.code == "staged.missing" and not entry.mandatory:
            return None
        raise
    if entry.size is not None and entry.size != found.size:
        what = f"has {found.size} bytes, and should have {entry.size}"
        raise changed(entry.bucket, entry.key, place, what)
    return found


def read_entries(staged: Staged, place: Place) -> tuple[SliceEntry, ...]:
    """Read the list of the parts; UserError `source.manifest` when it is none, or names a part twice."""
    data = read_object(staged.bucket, staged.key, place, limit=MANIFEST_LIMIT)
    try:
        document = parse_json(data)
    except JsonFaultError as error:
        raise _wrong(staged, place, str(error)) from None
    listed = document.get("entries") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise _wrong(staged, place, 'has no list "entries"')
    entries = tuple(_entry(item, number, staged, place) for number, item in enumerate(listed))
    for entry, count in Counter((entry.bucket, entry.key) for entry in entries).items():
        if count > 1:
            raise _wrong(staged, place, f"names {entry[0].url(entry[1])} twice")
    return entries


def _entry(item: Any, number: int, staged: Staged, place: Place) -> SliceEntry:
    url = item.get("url") if isinstance(item, dict) else None
    found = staged.bucket.of_url(url) if isinstance(url, str) else None
    if found is None:
        raise _wrong(staged, place, f"has no url such as {staged.bucket.url_form} in entries[{number}]")
    meta = item.get("meta")
    sizes = [one.get("content_length") for one in (item, meta if isinstance(meta, dict) else {})]
    size = next((one for one in sizes if isinstance(one, int) and not isinstance(one, bool)), None)
    # A part counts as mandatory unless it is said not to: rows must not be lost in silence.
    bucket, key = found
    return SliceEntry(bucket, key, mandatory=item.get("mandatory") is not False, size=size)


def part_names(keys: Sequence[str]) -> tuple[str, ...]:
    """Return what parts are called: the last step of their keys where it tells them apart, else the whole keys."""
    last = tuple(key.rpartition("/")[2] for key in keys)
    return last if len(set(last)) == len(keys) and all(last) else tuple(keys)


def _wrong(staged: Staged, place: Place, what: str) -> UserError:
    text = f"{staged.bucket.url(staged.key)}, which should list the parts of the table, {what}"
    return UserError("source.manifest", text, place=place, remedy="Run the job again.")
