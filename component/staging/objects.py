"""An object of a bucket, read by byte ranges that all belong to the same version of it."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from component import naming
from component.errors import Place, UserError
from component.staging.buckets import Bucket
from component.staging.faults import ServerAnswer, changed, fault_of

HEAD_BYTES: Final = 8
"""Enough to know gzip, Parquet and a byte order mark."""
FIRST_PIECE: Final = 256 * naming.KIB
LARGEST_PIECE: Final = 8 * naming.MIB
"""Bytes of one request: small at first, since a header takes no more, then twice as many each time."""
BODY_TRIES: Final = 4
"""A body that breaks off is asked for again; the client by itself repeats only requests that were not answered."""
BODY_PAUSE: Final = 0.2


@dataclass(frozen=True, slots=True)
class BucketObject:
    """One version of an object, by its entity tag. `head` is how it begins; `place` is where its errors are.

    Small, and pickled into each task that reads it.
    """

    bucket: Bucket
    key: str
    size: int
    tag: str | None
    head: bytes
    place: Place

    def read_at(self, offset: int, size: int) -> bytes:
        """Return the bytes of a range, fewer only where the object ends.

        UserError `staged.credentials`, `staged.missing`; RetryError `staged.changed`, `staged.failed`.
        """
        stop = min(offset + size, self.size)
        if stop <= offset:
            return b""
        try:
            data = _get(self.bucket, self.key, self.place, offset, stop, tag=self.tag)[0]
        except _NothingThereError:
            data = b""
        if len(data) != stop - offset:
            what = f"gave {len(data)} bytes from byte {offset} on, and should have given {stop - offset}"
            raise changed(self.bucket, self.key, self.place, what)
        return data

    def open(self, start: int, stop: int | None) -> ObjectFile:
        """Return a file that stands at `start` and reads no further than `stop`, the end when it is None."""
        return ObjectFile(self.read_at, start, self.size if stop is None else min(stop, self.size))


def find_object(bucket: Bucket, key: str, place: Place) -> BucketObject:
    """Return what an object is now, from one request; the same errors as of reading it."""
    try:
        head, meta = _get(bucket, key, place, 0, HEAD_BYTES)
    except _NothingThereError:
        return BucketObject(bucket, key, 0, None, b"", place)
    return BucketObject(bucket, key, meta["size"], meta["e_tag"], head, place)


def read_object(bucket: Bucket, key: str, place: Place, *, limit: int) -> bytes:
    """Return a whole small object; UserError `source.manifest` when it is larger than `limit`."""
    found = find_object(bucket, key, place)
    if found.size > limit:
        text = f"{bucket.url(key)} is no manifest: it has {found.size} bytes"
        raise UserError("source.manifest", text, place=place, remedy=f"A manifest has at most {limit} bytes.")
    return found.read_at(0, found.size)


class _NothingThereError(Exception):
    """The object has no byte in the range."""


def _get(bucket: Bucket, key: str, place: Place, start: int, stop: int, *, tag: str | None = None) -> tuple[bytes, Any]:
    """Get a range, and what the store says of the object; a body that breaks off is asked for again."""
    from component.staging.client import FAULTS, InvalidPathError, get_range  # noqa: PLC0415 - most runs do without

    for left in reversed(range(BODY_TRIES)):
        answered = False
        try:
            answer = get_range(bucket, key, start, stop, tag)
            answered = True
            return bytes(answer.bytes()), answer.meta
        except (InvalidPathError, ValueError):  # both are raised for a key that is none
            text = f"{bucket.url(key)} is no name of an object"
            raise UserError("source.manifest", text, place=place) from None
        except FAULTS as error:
            said = ServerAnswer.of(error)
            if said.status == 416:
                raise _NothingThereError from None
            if not answered or said.status is not None or not left:
                raise fault_of(error, bucket, key, place) from None
        time.sleep(BODY_PAUSE)
    raise AssertionError  # pragma: no cover - the loop returns or raises


class ObjectFile(io.RawIOBase):
    """A range of an object as a raw file: read in large pieces, the next one while the last is used."""

    def __init__(self, read_at: Callable[[int, int], bytes], start: int, stop: int) -> None:
        super().__init__()
        self._read_at = read_at
        self._asked = start
        self._stop = stop
        self._size = FIRST_PIECE
        self._piece = memoryview(b"")
        self._coming: Future[bytes] | None = None
        self._pool = ThreadPoolExecutor(1, "read-ahead")

    def readable(self) -> bool:
        """Return true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read up to as many bytes as fit, none only at the end."""
        if not self._piece:
            self._piece = memoryview(self._next_piece())
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count

    def close(self) -> None:
        """Stop reading ahead."""
        if not self.closed:
            self._pool.shutdown(wait=False, cancel_futures=True)
        super().close()

    def _next_piece(self) -> bytes:
        data = self._coming.result() if self._coming is not None else self._read_at(*self._range())
        self._coming = self._pool.submit(self._read_at, *self._range()) if self._asked < self._stop else None
        return data

    def _range(self) -> tuple[int, int]:
        """Return offset and size of the piece to be asked for next."""
        offset, size = self._asked, min(self._size, self._stop - self._asked)
        self._asked += size
        self._size = min(self._size * 2, LARGEST_PIECE)
        return offset, size


class SeekableObject(io.RawIOBase):
    """An object as a raw file to be read here and there: each read is one request for just its bytes."""

    def __init__(self, found: BucketObject) -> None:
        super().__init__()
        self._found = found
        self._offset = 0

    def readable(self) -> bool:
        """Return true."""
        return True

    def seekable(self) -> bool:
        """Return true."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset; the next read begins there."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._offset, io.SEEK_END: self._found.size}[whence]
        self._offset = max(0, base + offset)
        return self._offset

    def tell(self) -> int:
        """Return where the next read begins."""
        return self._offset

    def readinto(self, buffer: Any) -> int:
        """Read as many bytes as fit, fewer only at the end."""
        data = self._found.read_at(self._offset, len(buffer))
        buffer[: len(data)] = data
        self._offset += len(data)
        return len(data)
