"""Steps on a file system that a crash cannot leave half done, and what an errno means to the user.

A new file is written under a name that nobody reads, forced to disk, and then renamed; the folder is forced to disk
after the rename. Local stores and archives are both written this way.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, Literal

from component.errors import RetryError, TablemillError, UserError

Action = Literal["read", "written", "deleted"]

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""No space on the device, over the quota, over the largest file allowed: the same to the user."""

DENIED: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
MISNAMED: Final = frozenset({errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR})
NO_FOLDER_SYNC: Final = frozenset({errno.EINVAL, errno.EBADF, errno.ENOTSUP})
"""What file systems answer that cannot force a folder to disk; they order renames themselves or not at all."""


def failure(error: OSError, path: Path | str, action: Action) -> TablemillError:
    """Return the error that says who must act on a failed file operation, with its path."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    text = f"{path} cannot be {action}: {reason}"
    if error.errno in FULL:
        return UserError("store.full", text, remedy="Free space there or choose another place, then run again.")
    if error.errno in DENIED:
        code, right = ("store.unreadable", "read") if action == "read" else ("store.unwritable", "write")
        return UserError(code, text, remedy=f"Give user id {os.geteuid()} the right to {right} there.")
    if error.errno == errno.EXDEV:
        remedy = "A store lies on one file system: mount all of it, not a folder in it."
        return UserError("store.unwritable", text, remedy=remedy)
    if error.errno in MISNAMED:
        remedy = "On a file system a name has at most 255 bytes, and no object can be the folder of another."
        return UserError("store.key", text, remedy=remedy)
    return RetryError("store.failed", text, remedy="Run again; if it stays, look at the disk or mount behind the path.")


@contextmanager
def failing(path: Path | str, action: Action) -> Iterator[None]:
    """Turn an OSError of the block into the error of `failure`."""
    try:
        yield
    except OSError as error:
        raise failure(error, path, action) from error


@contextmanager
def unfinished_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file for writing; whatever happens, nothing is left under its name when the block ends.

    The block keeps the file by renaming it.
    """
    file = path.open("xb")
    try:
        with file:
            yield file
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


FOLDER_TRIES: Final = 100
"""How often a folder is made that others keep removing."""


def force(file: BinaryIO) -> None:
    """Return when everything written to the file is on disk."""
    file.flush()
    os.fsync(file.fileno())


def force_folder(folder: Path | str) -> None:
    """Return when the names in the folder are on disk, where the file system can promise that."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


def make_folder(folder: Path, *, durable: bool = True) -> None:
    """Make a folder and those above it; their names are on disk on return, if that is asked for."""
    if folder.is_dir():
        return
    for changed in new_folders(os.fspath(folder)):
        if durable:
            force_folder(changed)


def new_folders(folder: str) -> list[str]:
    """Make a folder and those above it; return the folders that have a new name in them, from the top downwards.

    FileNotFoundError where none can be made, although the one above is there: so in /proc.
    """
    above = os.path.dirname(folder)  # noqa: PTH120 - thousands are made in a run, and a Path takes longer than a folder
    changed: list[str] = []
    for _ in range(FOLDER_TRIES):  # another process may remove the folder above as soon as it is made
        try:
            os.mkdir(folder)  # noqa: PTH102 - as above
        except FileExistsError:
            return changed
        except FileNotFoundError:
            if above == folder:
                raise
            changed += new_folders(above)
        else:
            return [*changed, above]
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
