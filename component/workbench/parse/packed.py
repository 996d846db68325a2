"""Files in other files: gzip, bzip2, zstd, and a ZIP of one file."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, Final

import zstandard

from component.errors import Place, UserError
from component.naming import GIB
from component.workbench.parse.kind import FileKind

MOST_UNPACKED: Final = 4 * GIB
"""Bytes that a packed file may have, so that a small file cannot fill the memory."""


def unpack(kind: FileKind, data: bytes, name: str, place: Place) -> tuple[bytes, str] | None:
    """Return what is in a packed file, and its name where the packing knows it; None when the kind is no packing.

    UserError `gzip.truncated` for damage, `source.format` for a ZIP that does not hold exactly one file.
    """
    unpacker = _UNPACKERS.get(kind)
    if unpacker is None:
        return None
    try:
        return _inside_zip(data, place) if unpacker is zipfile.ZipFile else (_all_of(unpacker(io.BytesIO(data))), name)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError, zipfile.BadZipFile, ValueError) as error:
        raise UserError(
            "gzip.truncated",
            f"The packed file ends early or is damaged: {error}",
            place=place,
            remedy="Write or transfer the file again.",
        ) from error


_UNPACKERS: Final[dict[FileKind, Callable[[Any], Any]]] = {
    FileKind.GZIP: lambda file: gzip.GzipFile(fileobj=file),
    FileKind.BZIP2: bz2.BZ2File,
    FileKind.ZSTD: lambda file: io.BytesIO(_unzstd(file.getvalue())),
    FileKind.ZIP: zipfile.ZipFile,
}


def _all_of(stream: Any) -> bytes:
    with stream:
        data: bytes = stream.read(MOST_UNPACKED + 1)
    if len(data) > MOST_UNPACKED:
        raise ValueError(f"it has more than {MOST_UNPACKED // GIB} GiB unpacked")
    return data


def _unzstd(data: bytes) -> bytes:
    """Return the content of all frames; EOFError when the last one breaks off, which the library's stream passes by."""
    found, size = [], 0
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        found.append(frame.decompress(data))
        size += len(found[-1])
        if not frame.eof:
            raise EOFError("a frame ends early")
        if size > MOST_UNPACKED:
            break
        data = frame.unused_data
    return b"".join(found)


def _inside_zip(data: bytes, place: Place) -> tuple[bytes, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(files) == 1:
            return _all_of(archive.open(files[0])), files[0].filename
    raise UserError(
        "source.format",
        f"The ZIP has {len(files)} files, and one table is one file",
        place=place,
        remedy="Put one file into a ZIP.",
    )
