"""A folder of results that need not be made again (reference workbench 4, "Render cache").

It is derived data: whatever is wrong with it, or missing, means that a result is made again, never that a run fails.
Several processes may use one folder. Files get their names by renaming, the JSON last: it is the commit point, and
names its Parquet file, so it never describes another's. Nothing is forced to disk: what a crash leaves torn does not
have its digest.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import pyarrow as pa

from component import clock, identity
from component.errors import TablemillError
from component.naming import GIB
from component.store.files import unfinished_file
from component.workbench.cache_entry import entry_of, entry_of_text, entry_text, rendered_of
from component.workbench.parquet_cache import encode_table
from component.workbench.rendered import Rendered

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
