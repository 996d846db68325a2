"""Where bytes are read from: a file or an object of a bucket, with one contract (`tests/staged/test_locations.py`)."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from component.staging.objects import BucketObject, SeekableObject

Location = Path | BucketObject

ReadAt = Callable[[int, int], bytes]
"""Reads from an offset a number of bytes; fewer only at the end."""


def open_location(location: Location, start: int = 0, stop: int | None = None) -> io.RawIOBase:
    """Open what is read from front to back, standing at `start`; an object is not asked for more than up to `stop`."""
    if not isinstance(location, Path):
        return location.open(start, stop)
    file = location.open("rb", buffering=0)
    file.seek(start)
    return file


def open_seekable(location: Location) -> io.RawIOBase:
    """Open what is read here and there by a library that takes files."""
    return location.open("rb", buffering=0) if isinstance(location, Path) else SeekableObject(location)


@contextmanager
def reading_at(location: Location) -> Iterator[ReadAt]:
    """Open what is read here and there."""
    if not isinstance(location, Path):
        yield location.read_at
        return
    with location.open("rb", buffering=0) as file:
        descriptor = file.fileno()
        yield partial(_pread, descriptor)


def _pread(descriptor: int, offset: int, size: int) -> bytes:
    return os.pread(descriptor, size, offset)


def size_of(location: Location) -> int:
    """Return the size in bytes: of a file as it is now, of an object as it was found."""
    return location.stat().st_size if isinstance(location, Path) else location.size
