"""From a URL to the store behind it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote_to_bytes

from component.errors import UserError
from component.store.base import Store
from component.store.local import LocalStore

_FILE: Final = re.compile(r"file:(?://(?P<host>[^/]*))?(?P<path>/.*)?", re.DOTALL | re.IGNORECASE)
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.\-]*)://.*", re.DOTALL | re.IGNORECASE)
_REMEDY: Final = "Use file:///path/to/folder or an absolute path."


def open_store(url: str) -> Store:
    """Open the store of a `file://` URL (percent-encoded) or of an absolute path (taken as it is).

    UserError `store.url` for anything else. A URL may hold a secret in any part but its scheme, so no other part is
    ever in the text.
    """
    if url.startswith("/"):
        return LocalStore(_folder(os.fsencode(url)))
    found = _FILE.fullmatch(url)
    if found is None:
        other = _SCHEME.fullmatch(url)
        what = f"has the scheme {other[1]!r}, which is not supported" if other else "is no URL and no absolute path"
        raise UserError("store.url", f"The store {what}", remedy=_REMEDY)
    host, path = found["host"], found["path"]
    if host and host.lower() != "localhost":
        raise UserError("store.url", "The file URL of the store names a host", remedy=_REMEDY)
    if not path or "?" in path or "#" in path:
        text = "The file URL of the store has no path, or a bare ? or # in it"
        raise UserError("store.url", text, remedy=f"{_REMEDY} In a URL, ? is written %3F and # is written %23.")
    return LocalStore(_folder(unquote_to_bytes(path)))


def _folder(path: bytes) -> Path:
    if b"\0" in path:
        raise UserError("store.url", "The path of the store has a NUL character in it", remedy=_REMEDY)
    return Path(os.fsdecode(path))
