"""The manifest: the data files of a directory by absolute URLs (reference records 1, 8)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from component.config.json_text import JsonFaultError, describe, parse_json
from component.errors import Place, UserError

MANIFEST: Final = "_manifest"
UNFINISHED: Final = "manifest"
"""What UNLOAD and the client call a manifest before they rename it: a directory with only this one is not whole."""
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One data file by the manifest. `mandatory` is None where nothing is said; `size` is its length in bytes."""

    url: str
    mandatory: bool | None = None
    size: int | None = None


def parse_manifest(data: bytes, place: Place | None = None) -> tuple[ManifestEntry, ...]:
    """Return the entries of a manifest in their order; what UNLOAD adds to them is ignored.

    UserError `records.manifest` when it is no JSON object with a list of entries, when an entry has no absolute URL, or
    when a part of one has the wrong type.
    """
    try:
        document = parse_json(data)
    except JsonFaultError as fault:
        raise _wrong(str(fault), place) from None
    listed = document.get("entries") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise _wrong('has no list "entries"', place)
    return tuple(_entry(item, number, place) for number, item in enumerate(listed))


def manifest_bytes(entries: Iterable[ManifestEntry]) -> bytes:
    """Return a manifest in the client's form: each entry mandatory, with its length."""
    listed = [{"url": entry.url, "mandatory": True, "meta": {"content_length": entry.size or 0}} for entry in entries]
    return json.dumps({"entries": listed}, ensure_ascii=False).encode()


def _entry(item: Any, number: int, place: Place | None) -> ManifestEntry:
    if not isinstance(item, dict):
        raise _wrong(f"has {describe(item)} as entries[{number}]", place)
    url, mandatory, meta = item.get("url"), item.get("mandatory"), item.get("meta")
    if not isinstance(url, str) or not _SCHEME.match(url):
        raise _wrong(f"has {describe(url)} as entries[{number}].url, which is no absolute URL", place)
    if mandatory is not None and not isinstance(mandatory, bool):
        raise _wrong(f"has {describe(mandatory)} as entries[{number}].mandatory", place)
    size = meta.get("content_length") if isinstance(meta, dict) else None
    if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 0):
        raise _wrong(f"has {describe(size)} as entries[{number}].meta.content_length", place)
    return ManifestEntry(url, mandatory, size)


def _wrong(what: str, place: Place | None) -> UserError:
    remedy = 'It should be like {"entries": [{"url": "file:///data/x/data001.csv", "mandatory": true}]}.'
    return UserError("records.manifest", f"The manifest _manifest {what}", place=place, remedy=remedy)
