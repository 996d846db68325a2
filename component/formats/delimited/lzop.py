"""The container of the program lzop: blocks of LZO1X, each with checksums (Redshift's LZOP, the hint LZO).

The blocks are decompressed by the library lzallright; this is only what stands around them. A file may hold several
containers, one after the other.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from enum import IntFlag
from typing import Any, Final

from component import naming
from component.file_types import LZOP

MAGIC: Final = LZOP.magic
_WITH_LEVEL: Final = 0x0940
"""The version of lzop from which on a header has a level, a lowest version for reading, and times of 64 bits."""


class _Flag(IntFlag):
    ADLER32 = 0x1
    ADLER32_PACKED = 0x2
    EXTRA_FIELD = 0x40
    CRC32 = 0x100
    CRC32_PACKED = 0x200
    FILTER = 0x800
    HEADER_CRC32 = 0x1000


_CHECKS: Final = ((_Flag.ADLER32, zlib.adler32), (_Flag.CRC32, zlib.crc32))
_CHECKS_OF_PACKED: Final = (_Flag.ADLER32_PACKED, _Flag.CRC32_PACKED)
_LZO1X: Final = frozenset({1, 2, 3})
_LONGEST_BLOCK: Final = naming.RECORD_LIMIT


class LzopError(Exception):
    """The container ends early, or is damaged, or has what this reader does not know."""


class LzopFile:
    """Reads the decompressed bytes of a file of containers. Raises LzopError."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._flags: int | None = None
        self._ready = memoryview(b"")

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; nothing only at the end."""
        while not self._ready:
            if self._flags is None and not self._begin():
                return b""
            self._ready = memoryview(self._block())
        data, self._ready = self._ready[:size], self._ready[size:]
        return bytes(data)

    def _begin(self) -> bool:
        """Read a header; False at the end of the file."""
        magic = self._take(len(MAGIC), may_end=True)
        if not magic:
            return False
        if magic != MAGIC:
            raise LzopError("there is no lzop header")
        header = _Checked(self._take)
        version, _ = header.numbers("HH")
        recent = version >= _WITH_LEVEL
        method = header.numbers("HBB")[1] if recent else header.numbers("B")[0]
        (flags,) = header.numbers("I")
        if method not in _LZO1X or flags & _Flag.FILTER:
            raise LzopError("it is compressed in another way than LZO1X, or filtered")
        header.numbers("III" if recent else "II")
        header.read(header.numbers("B")[0])
        header.check(by_crc=bool(flags & _Flag.HEADER_CRC32))
        if flags & _Flag.EXTRA_FIELD:
            extra = _Checked(self._take)
            extra.read(extra.numbers("I")[0])
            extra.check(by_crc=bool(flags & _Flag.HEADER_CRC32))
        self._flags = flags
        return True

    def _block(self) -> bytes:
        """Read a block; nothing for the mark after the last one of a container."""
        flags = self._flags or 0
        (size,) = self._numbers("I")
        if size == 0:
            self._flags = None
            return b""
        (packed,) = self._numbers("I")
        if max(size, packed) > _LONGEST_BLOCK:
            raise LzopError("a block is longer than any that lzop writes")
        sums = [(check, self._numbers("I")[0]) for flag, check in _CHECKS if flags & flag]
        if packed < size:
            self._take(4 * sum(bool(flags & flag) for flag in _CHECKS_OF_PACKED))
        data = self._take(packed)
        if packed < size:
            data = _decompress(data, size)
        if any(check(data) != wanted for check, wanted in sums):
            raise LzopError("a block has another checksum")
        return data

    def _numbers(self, form: str) -> tuple[int, ...]:
        return struct.unpack(f">{form}", self._take(struct.calcsize(f">{form}")))

    def _take(self, size: int, *, may_end: bool = False) -> bytes:
        data = b""
        while len(data) < size:
            piece = self._file.read(size - len(data))
            if not piece:
                break
            data += piece
        if len(data) < size and not (may_end and not data):
            raise LzopError("it ends early")
        return data


class _Checked:
    """Reads what a checksum follows."""

    def __init__(self, take: Callable[[int], bytes]) -> None:
        self._take = take
        self._passed = b""

    def numbers(self, form: str) -> tuple[int, ...]:
        return struct.unpack(f">{form}", self.read(struct.calcsize(f">{form}")))

    def read(self, size: int) -> bytes:
        data = self._take(size)
        self._passed += data
        return data

    def check(self, *, by_crc: bool) -> None:
        wanted = zlib.crc32(self._passed) if by_crc else zlib.adler32(self._passed)
        if self.numbers("I") != (wanted,):
            raise LzopError("the header has another checksum")


def _decompress(data: bytes, size: int) -> bytes:
    from lzallright import LZOCompressor, LZOError  # noqa: PLC0415 - hardly any file is compressed like this

    try:
        text = bytes(LZOCompressor.decompress(data, size))
    except LZOError as error:
        raise LzopError(f"a block cannot be decompressed ({error})") from error
    if len(text) != size:
        raise LzopError("a block has another length")
    return text
