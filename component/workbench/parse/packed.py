"""Files in other files: gzip, bzip2, zstd, and a ZIP of one file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

import zstandard

from component.errors import Place, UserError
from component.naming import GIB, MIB
from component.workbench.parse.content import Content, taken
from component.workbench.parse.kind import ContentKind

MOST_UNPACKED: Final = 4 * GIB
"""Bytes that a packed file may have, so that a small file cannot fill the disk."""
_ZSTD_BLOCK: Final = 1024
"""Bytes of zstd that are unpacked at once: they may become 32 MiB."""
_DAMAGE: Final = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile, struct.error),
    *(ValueError, RuntimeError, NotImplementedError),  # RuntimeError: a password is needed
)


def unpack(kind: ContentKind, content: Content, name: str, place: Place) -> tuple[Content, str] | None:
    """Return what is in a packed file, and its name where the packing knows it; None when the kind is no packing.

    UserError `gzip.truncated` for damage, `source.format` for a ZIP that does not hold exactly one file.
    """
    if kind is not ContentKind.ZIP and kind not in _UNPACKERS:
        return None
    with content.open() as stream:
        try:
            if kind is ContentKind.ZIP:
                return _inside_zip(stream, place)
            return taken(_UNPACKERS[kind](stream), MOST_UNPACKED), name
        except UserError:
            raise
        except _DAMAGE as error:
            raise UserError(
                "gzip.truncated",
                f"The packed file ends early or is damaged: {error}",
                place=place,
                remedy="Write or transfer the file again.",
            ) from error


def _blocks(stream: Any) -> Iterator[bytes]:
    with stream:
        while block := stream.read(MIB):
            yield block


def _unzstd(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of all frames; EOFError when the last one breaks off, which the library's stream passes by."""
    frame = None
    while data := stream.read(_ZSTD_BLOCK):
        while data:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(data)
            data = frame.unused_data if frame.eof else b""
            frame = None if frame.eof else frame
    if frame is not None:
        raise EOFError("a frame ends early")


_UNPACKERS: Final[dict[ContentKind, Callable[[Any], Iterator[bytes]]]] = {
    ContentKind.GZIP: lambda file: _blocks(gzip.GzipFile(fileobj=file)),
    ContentKind.BZIP2: lambda file: _blocks(bz2.BZ2File(file)),
    ContentKind.ZSTD: _unzstd,
}


def _inside_zip(stream: IO[bytes], place: Place) -> tuple[Content, str]:
    with zipfile.ZipFile(stream) as archive:
        files = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(files) == 1:
            return taken(_blocks(archive.open(files[0])), MOST_UNPACKED), files[0].filename
    raise UserError(
        "source.format",
        f"The ZIP has {len(files)} files, and one table is one file",
        place=place,
        remedy="Put one file into a ZIP.",
    )
