"""A directory as a store.

Every object is a file at root/key, so kartothek and plateau read and write the same directory. What promises rest on:

- *Whole or not at all*: an object is written under `HIDDEN`, forced to disk, and renamed; its folder is forced to disk
  before the call returns. So each put is durable by itself, also when it ran on another machine than the one that
  puts the header. Objects that are put together share this: each folder is forced once.
- *One winner*: `put_if` compares and renames under a lock (flock, which dies with its process); `delete_if` compares
  and removes, and `delete` removes, under the same lock: so a deleted header is never brought back by an append that
  read it. Clients that take no lock (kartothek, plateau) are not kept out.
- *Nothing outside*: a key that leads through a symbolic link below the root is refused, and listings skip links.
- *No litter*: unfinished files of killed writers are removed by a later `put_if`; a folder goes with its last object.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

import pyarrow as pa

from component.errors import CommitRefusedError, CommitUnknownError, RetryError, TablemillError, UserError
from component.store.base import KEY_CHARACTERS, Stat, Version, check_key
from component.store.files import failing, failure, force_folder, make_folder, new_folders

HIDDEN: Final = ".tablemill;"
"""Folder of locks and unfinished files. No key can have a `;`, so it can neither be listed nor be an object."""

UNFINISHED_SUFFIX: Final = ".part"
ABANDONED_SECONDS: Final = 24 * 3600
"""Age after which an unfinished file belongs to a writer that was killed."""

LOCKS: Final = 64
"""Lock files of a store: keys share them, so that deleting thousands of objects does not leave as many locks."""

LOCK_SECONDS: Final = 60.0
LOCK_POLL_SECONDS: Final = 0.01
RENAME_TRIES: Final = 100
"""Renames are tried again while other processes remove the folder that has just become empty."""


@dataclass(frozen=True, slots=True)
class LocalStore:
    """A store in a directory, which is made by the first put; until then it is an empty store.

    `lock_seconds` is how long `put_if` waits for another writer of the same key. `durable`: what was done is on disk
    on return. A store that is not durable ends with its process, which alone commits to it: nothing is forced to disk,
    and nothing is locked. Errors: those of the contract, and UserError `store.unreadable` where reading is not
    allowed; all name the path.
    """

    root: Path
    lock_seconds: float = LOCK_SECONDS
    durable: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(self.root).absolute())

    @property
    def url(self) -> str:
        """The file URL of the root, percent-encoded."""
        return self.root.as_uri()

    def get(self, key: str) -> bytes:
        """Return an object whole; UserError `store.missing` when there is none."""
        path = self._place(key)
        data = _read(path)
        if data is None:
            raise _missing(path)
        return data

    def get_versioned(self, key: str) -> tuple[bytes, Version] | None:
        """Return an object and its version, or None when there is none."""
        data = _read(self._place(key))
        return None if data is None else (data, _version(data))

    def open(self, key: str) -> pa.NativeFile:
        """Open an object for random reads; UserError `store.missing` when there is none.

        Not memory-mapped: a foreign client that truncates a file in place would kill the process.
        """
        path = self._place(key)
        with failing(path, "read"):
            if not _is_object(path):
                raise _missing(path)
            try:
                return pa.OSFile(os.fspath(path), "rb")
            except FileNotFoundError:
                raise _missing(path) from None

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        """Put an object; it and its name are on disk on return, if the store is durable."""
        self.put_all([(key, data)])

    def put_all(self, objects: Sequence[tuple[str, bytes | pa.Buffer]]) -> None:
        """Put objects; they and their names are on disk on return, if the store is durable.

        Each folder is forced to disk once for all of them: thousands of small objects spend most of their time there.
        """
        if not objects:
            return
        places = self._places([key for key, _ in objects])
        with failing(places[0], "written"):
            hidden = self._hidden()
        parts: list[str] = []
        changed: dict[str, None] = {}
        try:
            for path, (_, data) in zip(places, objects, strict=True):
                with failing(path, "written"):
                    parts.append(_part_in(hidden))
                    _write_new(parts[-1], data, durable=self.durable)
            for path, part in zip(places, parts, strict=True):
                with failing(path, "written"):
                    changed |= dict.fromkeys(_rename(part, path))
            for folder in changed if self.durable else ():
                with failing(folder, "written"), suppress(FileNotFoundError):  # another process deleted what was put
                    force_folder(folder)
        except BaseException:
            for part in parts:
                with suppress(OSError):
                    os.unlink(part)  # noqa: PTH108 - as in `_places`
            raise

    def put_if(self, key: str, data: bytes | pa.Buffer, expected: Version | None) -> Version:
        """Put an object only if its version is `expected`; versions are hashes of the content.

        RetryError `store.failed` when another writer holds the lock for `lock_seconds`.
        """
        path = self._place(key)
        with failing(path, "written"), self._locked(key):
            if self.durable:
                self._remove_abandoned()
            _check_version(path, expected)
            part = _part_in(self._hidden())
            try:
                _write_new(part, data, durable=self.durable)
                _commit(part, path, durable=self.durable)
            finally:
                with suppress(OSError):
                    os.unlink(part)  # noqa: PTH108 - as in `_places`
        return _version(data)

    def list(self, prefix: str, *, deep: bool = True) -> Iterator[Stat]:
        """Yield the objects whose key starts with the prefix, sorted by key, one folder at a time."""
        check_key(f"{prefix}x")
        above, slash, start = prefix.rpartition("/")
        return _walk(self._place(above) if above else self.root, above + slash, start, deep=deep)

    def delete(self, key: str) -> None:
        """Delete an object and the folders it leaves empty; it is gone from the disk on return."""
        self._delete(self._place(key), key, None)

    def delete_if(self, key: str, expected: Version) -> bool:
        """Delete an object only if its version is `expected`; it is gone from the disk on return."""
        return self._delete(self._place(key), key, expected)

    def _delete(self, path: Path, key: str, expected: Version | None) -> bool:
        with failing(path, "deleted"):
            if not _is_object(path):
                return False
            with self._locked(key):
                if expected is not None and _version_at(path) != expected:
                    return False
                path.unlink(missing_ok=True)
            folder = path.parent
            while folder != self.root and _removed(folder):
                folder = folder.parent
            if self.durable:
                with suppress(FileNotFoundError):
                    force_folder(folder)
        return True

    def _place(self, key: str) -> Path:
        """Return where an object is or would be; UserError `store.key` when a link leads there."""
        return Path(self._places([key])[0])

    def _places(self, keys: Sequence[str]) -> Sequence[str]:
        """Return where objects are or would be, with one look at each folder; UserError `store.key` for a link.

        As text: of many small objects, a Path of each would take longer than to write them.
        """
        known = {"": os.fspath(self.root)}
        return [_below(known, check_key(key)) for key in keys]

    def _hidden(self) -> Path:
        folder = self.root / HIDDEN
        _refuse_link(folder)
        make_folder(folder, durable=self.durable)
        return folder

    @contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        if not self.durable:
            yield
            return
        share = hashlib.sha256(key.encode()).digest()[0] % LOCKS
        from filelock import FileLock, Timeout  # noqa: PLC0415 - only stores that others may write to are locked

        lock = FileLock(self._hidden() / f"{share}.lock")
        try:
            lock.acquire(timeout=self.lock_seconds, poll_interval=LOCK_POLL_SECONDS)
        except Timeout:
            text = f"Another writer of {key!r} has held its lock for {self.lock_seconds:g} seconds"
            raise RetryError("store.failed", text, remedy="Run again when the other run has ended.") from None
        try:
            yield
        finally:
            lock.release()

    def _remove_abandoned(self) -> None:
        oldest = time.time() - ABANDONED_SECONDS
        for path in self._hidden().glob(f"*{UNFINISHED_SUFFIX}"):
            with suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


def _version(data: bytes | pa.Buffer) -> Version:
    return Version(hashlib.sha256(data).hexdigest())


def _version_at(path: Path) -> Version | None:
    data = _read(path)
    return None if data is None else _version(data)


def _missing(path: Path) -> UserError:
    return UserError("store.missing", f"There is no object at {path}")


def _refuse_link(path: Path | str) -> None:
    if os.path.islink(path):  # noqa: PTH114 - Path.is_symlink raises where a folder above may not be searched
        remedy = "Put the files themselves there; a store follows no links below its root."
        raise UserError("store.key", f"{path} is a symbolic link", remedy=remedy)


def _is_object(path: Path) -> bool:
    """Say whether a regular file is there; unlike Path.is_file, never False because looking was not allowed."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _read(path: Path) -> bytes | None:
    """Return a file's bytes, or None where no regular file is."""
    with failing(path, "read"):
        try:
            return path.read_bytes() if _is_object(path) else None
        except FileNotFoundError:
            return None


def _check_version(path: Path, expected: Version | None) -> None:
    found = _version_at(path)
    if found == expected:
        return
    how = "is gone" if found is None else "exists already" if expected is None else "has changed since it was read"
    raise CommitRefusedError("commit.refused", f"{path} {how}", remedy="Read it again and repeat the change.")


def _below(known: dict[str, str], key: str) -> str:
    """Return the path of a key; `known` holds folders above it that are no links, and takes those that are found."""
    above, _, name = key.rpartition("/")
    folder = known.get(above)
    if folder is None:
        folder = known[above] = _below(known, above)
    path = f"{folder}{os.sep}{name}"
    _refuse_link(path)
    return path


def _part_in(hidden: Path) -> str:
    """Return the name of a new unfinished file."""
    return f"{hidden}{os.sep}{uuid4().hex}{UNFINISHED_SUFFIX}"


def _write_new(part: str, data: bytes | pa.Buffer, *, durable: bool) -> None:
    """Write a new file, and force it to disk if that is asked for."""
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        left = memoryview(data).cast("B")
        while left:
            left = left[os.write(descriptor, left) :]
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename(unfinished: str, path: str) -> list[str]:
    """Give a finished file its name, in a folder that another process may be removing.

    Return the folders that have a new name in them, which are to be forced to disk: from the root downwards.
    """
    folder = os.path.dirname(path)  # noqa: PTH120 - as in `_places`
    changed: list[str] = []
    for _ in range(RENAME_TRIES):
        try:
            os.replace(unfinished, path)  # noqa: PTH105 - as in `_places`
        except FileNotFoundError:
            changed += new_folders(folder)
        else:
            return [*changed, folder]
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def _commit(unfinished: str, path: Path, *, durable: bool) -> None:
    """Rename, and tell what is certainly not done from what may be."""
    try:
        changed = _rename(unfinished, os.fspath(path))
    except OSError as error:
        cause: TablemillError = failure(error, path, "written")
        if isinstance(cause, UserError):
            raise cause from error
        raise _unknown(cause) from error
    if not durable:
        return
    try:
        for folder in changed:
            force_folder(folder)
    except OSError as error:
        raise _unknown(failure(error, path, "written")) from error


def _unknown(cause: TablemillError) -> CommitUnknownError:
    remedy = "`tablemill dataset history` says whether the commit is there; run again if it is not."
    return CommitUnknownError("commit.unknown", f"Perhaps done, perhaps not: {cause.text}", remedy=remedy)


def _removed(folder: Path) -> bool:
    """Remove a folder if it is empty, and say whether it is gone."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _walk(folder: Path, above: str, start: str, *, deep: bool) -> Iterator[Stat]:
    """Yield what is in a folder whose names start so. `above` is the folder's key with its slash."""
    for name, status in _entries(folder, start):
        if status is None:
            if deep:
                yield from _walk(folder / name, above + name, "", deep=True)
        else:
            yield Stat(above + name, status.st_size, status.st_mtime)


def _entries(folder: Path, start: str) -> list[tuple[str, os.stat_result | None]]:
    """List objects with their status and folders with a slash and None, in the order of their keys."""
    found: list[tuple[str, os.stat_result | None]] = []
    with failing(folder, "read"), suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(start) or KEY_CHARACTERS.fullmatch(entry.name) is None:
                continue
            if entry.is_dir(follow_symlinks=False):
                found.append((f"{entry.name}/", None))
            elif entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
    return sorted(found, key=lambda named: named[0])
