"""A folder of results that need not be made again (reference workbench 4, "Render cache").

It is derived data: whatever is wrong with it, or missing, means that a result is made again, never that a run fails.
Several processes may use one folder. Files get their names by renaming, the JSON last: it is the commit point, and
names its Parquet file, so it never describes another's; it says what that file must be, and all that stands beside the
table (`CacheEntry`; reference workbench 7). Nothing is forced to disk: what a crash leaves torn does not
have its digest.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from component import clock, identity
from component.errors import TablemillError, UserError
from component.naming import GIB
from component.store.files import unfinished_file
from component.workbench.cache.parquet_cache import decode_table, encode_table
from component.workbench.files.table_metadata import TableMetadata, metadata_document, metadata_of, metadata_of_document
from component.workbench.render.messages import RenderError, json_text, render_error_of
from component.workbench.render.rendered import Rendered, RenderStatus
from component.workbench.tables.table import NO_TABLE

_KEYS: Final = {"key", "status", "n_rows", "columns", "errors", "json", "file", "bytes", "digest"}


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """What is said of a result. `file` is the name of its Parquet file, None for a result without columns."""

    key: str
    metadata: TableMetadata
    errors: tuple[RenderError, ...]
    json: Mapping[str, Any]
    file: str | None = None
    bytes: int = 0
    digest: str = ""


def digest_of(content: Any) -> str:
    """Return the digest of bytes that tells damage."""
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def entry_of(key: str, rendered: Rendered, file: str | None, content: pa.Buffer | None) -> CacheEntry:
    """Return the entry of a result whose table was encoded to `content`, to be kept under the name `file`."""
    metadata = metadata_of(rendered.table)
    if content is None:
        return CacheEntry(key, metadata, rendered.errors, rendered.json)
    return CacheEntry(key, metadata, rendered.errors, rendered.json, file, content.size, digest_of(content))


def entry_text(entry: CacheEntry) -> str:
    """Return an entry as two lines of JSON, the second being the digest of the first; ValueError for NaN in `json`."""
    status = (
        RenderStatus.OK if entry.metadata.columns else RenderStatus.ERROR if entry.errors else RenderStatus.UNREACHABLE
    )
    line = json_text(
        {
            "key": entry.key,
            "status": str(status),
            **metadata_document(entry.metadata),
            "errors": [error.document for error in entry.errors],
            "json": dict(entry.json),
            "file": entry.file,
            "bytes": entry.bytes,
            "digest": entry.digest,
        }
    )
    return f"{line}\n{_proof(line.encode())}"


def _proof(line: bytes) -> str:
    """Return the second line of an entry: anything else after its first is damage, if only a missing line end."""
    return f"{json_text({'digest': digest_of(line)})}\n"


def entry_of_text(content: bytes, key: str) -> CacheEntry:
    """Return the entry that was written for a key; UserError `workbench.metadata` when it is anything else."""
    line, _, end = content.partition(b"\n")
    if end != _proof(line).encode():
        raise _damaged("its JSON is damaged")
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _damaged("its JSON cannot be read") from error
    if not isinstance(document, dict) or document.keys() != _KEYS:
        raise _damaged("its JSON is another version's")
    if document["key"] != key:
        raise _damaged("it belongs to another key")
    file = document["file"]
    if file is not None and (not file.startswith(f"{key}.") or "/" in file):
        raise _damaged("its Parquet file is not its own")
    return CacheEntry(
        key,
        metadata_of_document({"n_rows": document["n_rows"], "columns": document["columns"]}),
        tuple(render_error_of(error) for error in document["errors"]),
        document["json"],
        file,
        document["bytes"],
        document["digest"],
    )


def rendered_of(entry: CacheEntry, content: pa.Buffer | None) -> Rendered:
    """Return the result of an entry and the bytes of its Parquet file; UserError when these are not what it says."""
    if content is None:
        return Rendered(NO_TABLE, entry.errors, entry.json)
    if content.size != entry.bytes or digest_of(content) != entry.digest:
        raise _damaged("its Parquet file is damaged")
    return Rendered(decode_table(content, entry.metadata), entry.errors, entry.json)


def _damaged(why: str) -> UserError:
    return UserError("workbench.metadata", f"A cached result cannot be used: {why}")


_JSON: Final = ".json"
_PARQUET: Final = ".parquet"
_PART: Final = ".part"
_UNFINISHED_SECONDS: Final = 3600
"""How old a file is that nothing names, before it is taken for left behind and not for one being written."""
_WRONG: Final = (OSError, TablemillError, pa.ArrowException, ValueError, KeyError, TypeError)


@dataclass(frozen=True, slots=True)
class CacheBounds:
    """How much is kept: bytes of all files together, and seconds since a result was last used."""

    bytes: int = GIB
    seconds: float = 30 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Found:
    """What a look into the cache gave: a result, or why there is none."""

    result: Rendered | None
    reason: str

    @property
    def hit(self) -> bool:
        """Whether the result was there."""
        return self.result is not None


@dataclass(frozen=True, slots=True)
class CacheUse:
    """How often a result was there, was not there, was kept and could not be kept, and how many were removed."""

    hits: int = 0
    misses: int = 0
    kept: int = 0
    not_kept: int = 0
    removed: int = 0


class RenderCache:
    """Results by key in a folder, which is made when there is something to keep.

    `say` gets one line for each hit, miss and trouble.
    """

    def __init__(
        self, folder: Path, bounds: CacheBounds | None = None, say: Callable[[str], None] = lambda _line: None
    ) -> None:
        self._folder = folder
        self._bounds = bounds or CacheBounds()
        self._say = say
        self._counts = {one.name: 0 for one in fields(CacheUse)}

    @property
    def use(self) -> CacheUse:
        """What has been done so far."""
        return CacheUse(**self._counts)

    def render(self, key: str, make: Callable[[], Rendered]) -> Rendered:
        """Return the result kept under a key, or make and keep it."""
        found = self.find(key)
        if found.result is not None:
            return found.result
        result = make()
        self.keep(key, result)
        return result

    def find(self, key: str) -> Found:
        """Return the result kept under a key, if it is whole; it then counts as used now."""
        path = self._folder / f"{key}{_JSON}"
        try:
            found = self._read(path, key)
        except _WRONG as error:
            found = Found(None, f"what is kept cannot be used: {_first_line(error)}")
        if found.hit:
            now = clock.utc_now().timestamp()
            with suppress(OSError):
                os.utime(path, (now, now))
        self._count("hits" if found.hit else "misses")
        self._say(f"Cache {'hit' if found.hit else 'miss'} ({key[:12]}): {found.reason}.")
        return found

    def _read(self, path: Path, key: str) -> Found:
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return Found(None, "nothing is kept for these inputs, configuration and code")
        entry = entry_of_text(text, key)
        content = None if entry.file is None else pa.py_buffer((self._folder / entry.file).read_bytes())
        return Found(rendered_of(entry, content), "the same inputs, configuration and code")

    def keep(self, key: str, result: Rendered) -> bool:
        """Keep a result under a key, and bring the folder within its bounds; False when it could not be kept."""
        try:
            self._write(key, result)
        except _WRONG as error:
            self._count("not_kept")
            self._say(f"A result was not kept in the cache: {_first_line(error)}.")
            return False
        self._count("kept")
        self.trim()
        return True

    def _write(self, key: str, result: Rendered) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = encode_table(result.table) if result.table.columns else None
        name = None if content is None else f"{key}.{identity.new_hex()}{_PARQUET}"
        text = entry_text(entry_of(key, result, name, content))
        path = self._folder / f"{key}{_JSON}"
        before = _parquet_of(path, key)
        if content is not None and name is not None:
            self._put(self._folder / name, content)
        self._put(path, text.encode())
        if before is not None:
            with suppress(OSError):
                (self._folder / before).unlink()

    def _put(self, path: Path, content: bytes | pa.Buffer) -> None:
        hidden = self._folder / f".{identity.new_hex()}{_PART}"
        with unfinished_file(hidden) as file:
            file.write(content)
            file.close()
            hidden.rename(path)
        now = clock.utc_now().timestamp()
        os.utime(path, (now, now))

    def trim(self) -> None:
        """Remove results that were not used for too long, then those used longest ago until all fit, and leftovers."""
        try:
            files = [(path, path.stat()) for path in self._folder.iterdir()]
        except OSError as error:
            self._say(f"The cache was not trimmed: {_first_line(error)}.")
            return
        now = clock.utc_now().timestamp()
        used = {path.name.removesuffix(_JSON): seen.st_mtime for path, seen in files if path.name.endswith(_JSON)}
        sizes = dict.fromkeys(used, 0)
        for path, seen in files:
            key = path.name.split(".", 1)[0]
            if key in sizes:
                sizes[key] += seen.st_size
            elif path.name.endswith((_PARQUET, _PART)) and now - seen.st_mtime > _UNFINISHED_SECONDS:
                with suppress(OSError):
                    path.unlink()
        self._remove_beyond_bounds(used, sizes, now)

    def _remove_beyond_bounds(self, used: dict[str, float], sizes: dict[str, int], now: float) -> None:
        left = self._bounds.bytes
        for key in sorted(used, key=lambda one: (-used[one], one)):
            left -= sizes[key]
            if left < 0 or now - used[key] > self._bounds.seconds:
                self._remove(key)

    def _remove(self, key: str) -> None:
        """Remove a result, its commit point first."""
        self._count("removed")
        with suppress(OSError):
            (self._folder / f"{key}{_JSON}").unlink(missing_ok=True)
            for path in self._folder.glob(f"{key}.*{_PARQUET}"):
                path.unlink(missing_ok=True)

    def _count(self, what: str) -> None:
        self._counts[what] += 1


def _parquet_of(path: Path, key: str) -> str | None:
    """Return the Parquet file of what is kept under a key, if that can be read."""
    try:
        return entry_of_text(path.read_bytes(), key).file
    except _WRONG:
        return None


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
