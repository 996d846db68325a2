"""The bytes of a file, in memory while they are few, else on disk, so that no file can fill the memory."""

from __future__ import annotations

import io
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from component.errors import Place, UserError
from component.naming import MIB

IN_MEMORY: Final = 64 * MIB
"""Bytes above which what is unpacked goes to disk."""
MOST_WHOLE: Final = 160 * MIB
"""Bytes of a file that is read in one piece: its table takes about ten times as many."""
_BLOCK: Final = MIB


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes that can be read from their beginning any number of times."""

    opener: Callable[[], Any] = field(repr=False)
    size: int

    @classmethod
    def of(cls, data: bytes | Content) -> Content:
        """Return bytes as content."""
        return data if isinstance(data, Content) else cls(lambda: io.BytesIO(data), len(data))

    @classmethod
    def of_file(cls, path: Path) -> Content:
        """Return the content of a file; OSError when there is none."""
        return cls(lambda: path.open("rb"), path.stat().st_size)

    def open(self) -> IO[bytes]:
        """Return a stream at the first byte."""
        stream: IO[bytes] = self.opener()
        return stream

    def head(self, size: int) -> bytes:
        """Return the first bytes."""
        with self.open() as stream:
            return stream.read(size)

    def tail(self, size: int) -> bytes:
        """Return the last bytes."""
        with self.open() as stream:
            stream.seek(max(0, self.size - size))
            return stream.read(size)

    def after(self, start: int) -> Content:
        """Return what comes from a position on."""
        size = max(0, self.size - start)

        def read_at(position: int, count: int) -> bytes:
            with self.open() as stream:
                stream.seek(position)
                return stream.read(count)

        return Content(lambda: _part(read_at, start, size), size)

    def whole(self, place: Place) -> bytes:
        """Return all bytes. UserError `workbench.limit` when they are too many to be read in one piece."""
        if self.size > MOST_WHOLE:
            raise UserError(
                "workbench.limit",
                f"The file has {self.size:,} bytes, and only delimited text may have more than {MOST_WHOLE:,}",
                place=place,
                remedy="Cut it into several files, or convert it to CSV or Parquet.",
            )
        with self.open() as stream:
            return stream.read()


def taken(blocks: Iterable[bytes], most: int) -> Content:
    """Return blocks of bytes as content, on disk if they are many. ValueError when they are more than `most` bytes."""
    begun: list[bytes] = []
    disk: _Disk | None = None
    size = 0
    for block in blocks:
        size += len(block)
        if size > most:
            raise ValueError(f"it has more than {most:,} bytes unpacked")
        begun.append(block)
        if size > IN_MEMORY:
            disk = disk or _Disk()
            disk.append(begun)
            begun = []
    if disk is None:
        return Content.of(b"".join(begun))
    read_at = disk.read_at
    return Content(lambda: _part(read_at, 0, size), size)


class _Disk:
    """A file without a name, which goes when nobody holds it any more."""

    def __init__(self) -> None:
        self._number, path = tempfile.mkstemp()
        weakref.finalize(self, os.close, self._number)
        Path(path).unlink()

    def append(self, blocks: Iterable[bytes]) -> None:
        with open(self._number, "ab", closefd=False) as file:
            file.writelines(blocks)

    def read_at(self, position: int, size: int) -> bytes:
        return os.pread(self._number, size, position)


ReadAt = Callable[[int, int], bytes]
"""Returns bytes at a position, as many as are asked for or fewer."""


def _part(read_at: ReadAt, start: int, size: int) -> IO[bytes]:
    return io.BufferedReader(_Part(read_at, start, size), _BLOCK)


class _Part(io.RawIOBase):
    """A stream of some of the bytes that can be read at positions."""

    def __init__(self, read_at: ReadAt, start: int, size: int) -> None:
        super().__init__()
        self._read_at, self._start, self._size, self._at = read_at, start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._read_at(self._start + self._at, max(0, min(len(buffer), self._size - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
