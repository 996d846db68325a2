"""ZIP files byte by byte, so that every lie can be told."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

STORED, DEFLATED = 0, 8


def deflate(data: bytes, end: int = zlib.Z_FINISH) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush(end)


@dataclass(frozen=True, slots=True)
class Raw:
    """One entry; what is None is told truthfully. `data` are the bytes as they lie in the archive."""

    name: bytes
    data: bytes = b"content"
    method: int = STORED
    checksum: int | None = None
    size: int | None = None
    packed: int | None = None
    flags: int = 0
    attributes: int = 0
    local_name: bytes | None = None
    local_method: int | None = None
    local_flags: int | None = None
    offset: int | None = None

    @classmethod
    def deflated(cls, name: bytes, content: bytes, size: int | None = None) -> Raw:
        true = len(content) if size is None else size
        return cls(name, deflate(content), DEFLATED, checksum=zlib.crc32(content), size=true)

    @property
    def numbers(self) -> tuple[int, int, int]:
        packed = len(self.data) if self.packed is None else self.packed
        size = len(self.data) if self.size is None else self.size
        return zlib.crc32(self.data) if self.checksum is None else self.checksum, packed, size

    @property
    def local(self) -> bytes:
        name = self.name if self.local_name is None else self.local_name
        method = self.method if self.local_method is None else self.local_method
        flags = self.flags if self.local_flags is None else self.local_flags
        head = struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, method, 0, 33, *self.numbers, len(name), 0)
        return head + name + self.data

    def central(self, offset: int) -> bytes:
        place = offset if self.offset is None else self.offset
        system = 3 << 8 | 20
        numbers = (system, 20, self.flags, self.method, 0, 33, *self.numbers, len(self.name), 0, 0, 0, 0)
        return struct.pack("<4s6H3L5H2L", b"PK\1\2", *numbers, self.attributes, place) + self.name


def zip_bytes(entries: Iterable[Raw], *, comment: bytes = b"", count: int | None = None) -> bytes:
    body, directory, number = b"", b"", 0
    for number, entry in enumerate(entries, 1):  # noqa: B007 # the last number is the count
        directory += entry.central(len(body))
        body += entry.local
    told = number if count is None else count
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, told, told, len(directory), len(body), len(comment))
    return body + directory + end + comment


def zip_64_bytes(entries: Iterable[Raw], *, count: int | None = None, signature: bytes = b"PK\6\6") -> bytes:
    """The same with the end of a large archive, whose own numbers count."""
    plain = zip_bytes(entries)
    number, size, place = struct.unpack("<H2L", plain[-12:-2])
    told = number if count is None else count
    end = struct.pack("<4sQ2H2L4Q", signature, 44, 45, 45, 0, 0, told, told, size, place)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(plain) - 22, 1)
    return plain[:-22] + end + locator + plain[-22:]
