"""Httpfiles written: equal input gives equal bytes, whenever it is written (reference workbench 3)."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterable
from typing import IO, Any, Final

from component.naming import MIB
from component.workbench.http_file import PREFIX, HttpFile

_KEPT: Final = frozenset({"content-type", "content-disposition", "server"})
_RENAMED: Final = frozenset({"transfer-encoding", "content-encoding", "content-length"})
_HEAD: Final = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF))
"""What a gzip member begins with that has no name and no time and is of the highest level."""


def write_http_file(file: HttpFile) -> bytes:
    """Return the bytes of an httpfile.

    Of the headers those are kept that tell what the body is; the ones of the wire get a prefix, since the body has no
    chunks and no compression any more. ValueError for a header or status with a line end.
    """
    sink = io.BytesIO()
    write_http_body(file, io.BytesIO(file.body), sink)
    return sink.getvalue()


def write_http_body(file: HttpFile, body: IO[bytes], sink: IO[bytes]) -> None:
    """Write an httpfile with a body that is read piece by piece; that of `file` is left aside. Errors as above."""
    asked = json.dumps(file.parameters, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    lines = [file.status, *(f"{name}: {value}" for name, value in kept_headers(file.headers))]
    if any("\n" in line or "\r" in line for line in lines):
        raise ValueError("a line end in a header")
    head = asked.encode() + b"\r\n" + "".join(f"{line}\r\n" for line in lines).encode("latin-1") + b"\r\n"
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    checksum, size, piece = 0, 0, head
    sink.write(_HEAD)
    while piece:
        checksum, size = zlib.crc32(piece, checksum), size + len(piece)
        sink.write(packer.compress(piece))
        piece = body.read(MIB)
    sink.write(packer.flush() + checksum.to_bytes(4, "little") + (size % 2**32).to_bytes(4, "little"))


def kept_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the headers that an httpfile keeps, by the names it has for them."""
    kept = []
    for name, value in headers:
        if name.lower() in _KEPT:
            kept.append((name, value))
        elif name.lower() in _RENAMED:
            kept.append((PREFIX + name, value))
    return kept


def fetch_parameters(url: str, **others: Any) -> dict[str, Any]:
    """Return the parameters of an httpfile; a key that begins with `#` is a secret, and never taken."""
    known = {"url": url, **others}
    return {key: value for key, value in known.items() if not key.startswith("#")}
