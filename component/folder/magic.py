"""What a file is by its first bytes. Names do not decide: the platform names files freely (reference keboola 2.1)."""

from __future__ import annotations

import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from component.errors import Place, UserError
from component.file_types import ARROW, AVRO, BZIP2, GZIP, PARQUET, ZIP, ZSTD
from component.naming import UTF8_BOM
from component.staging.locations import Location

FORMAT_PREFIX: Final = "_format_"
"""What the name of the file begins with that every records directory has (reference records 1)."""
RECORDS_MANIFEST: Final = "_manifest"
"""The other file of a records directory: one without its format file is opened too, and what is missing is said."""
_PACKED: Final = (GZIP.magic, BZIP2.magic, ZSTD.magic)
_KINDS: Final = ((PARQUET.magic, "parquet"), (AVRO.magic, "avro"), (ARROW.magic, "arrow"))


_HTML: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
HTML_HEAD: Final = 4096
"""Bytes from the beginning by which a page of HTML is known."""


def refuse_html(head: bytes, place: Place) -> None:
    """Raise UserError `source.format` for text that begins as a page of HTML: servers send it in place of a file."""
    if _HTML.match(head):
        raise UserError(
            "source.format",
            "The file is a page of HTML, not delimited text",
            place=place,
            remedy="Check the address that it was fetched from: a server sends such a page to say what went wrong.",
        )


def is_gzip(location: Location) -> bool:
    """Tell whether a file or an object is gzip; UserError `source.format` when a file cannot be read."""
    return first_bytes(location, len(GZIP.magic)) == GZIP.magic


def is_packed(location: Location) -> bool:
    """Tell whether a file or an object is gzip, bzip2 or zstd; UserError `source.format` when it cannot be read."""
    return first_bytes(location, max(map(len, _PACKED))).startswith(_PACKED)


def is_parquet(location: Location) -> bool:
    """Tell whether a file or an object is Parquet; UserError `source.format` when a file cannot be read."""
    return first_bytes(location, len(PARQUET.magic)) == PARQUET.magic


def kind_of_content(path: Path) -> str | None:
    """Return `parquet`, `avro` or `arrow` for a file that begins like one; None for any other."""
    start = first_bytes(path, 8)
    return next((kind for magic, kind in _KINDS if start.startswith(magic)), None)


def is_records(path: Path) -> bool:
    """Tell whether a folder is a records directory, or a ZIP or tar holds one, by the names of its files.

    Either of the two files that the format asks for will do: what reads the directory says which one is missing.
    """
    if path.is_dir():
        return any(_marks_records(entry.name) for entry in path.iterdir())
    names = _zipped(path) if first_bytes(path, len(ZIP.magic)) == ZIP.magic else _tarred(path)
    return any(_marks_records(name.rpartition("/")[2]) for name in names)


def _marks_records(name: str) -> bool:
    return name == RECORDS_MANIFEST or name.startswith(FORMAT_PREFIX)


def _zipped(path: Path) -> Iterator[str]:
    with suppress(zipfile.BadZipFile, OSError), zipfile.ZipFile(path) as archive:
        yield from archive.namelist()


def _tarred(path: Path) -> Iterator[str]:
    """Yield the names in a tar, compressed or not; of any other file only the first bytes are read."""
    with suppress(tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError), tarfile.open(path) as archive:
        yield from (member.name for member in archive)


def mark_size(location: Location) -> int:
    """Return the size of the byte order mark that a file or an object begins with; 0 when it has none."""
    return len(UTF8_BOM) if first_bytes(location, len(UTF8_BOM)) == UTF8_BOM else 0


def first_bytes(location: Location, count: int) -> bytes:
    """Return the first bytes of a file or an object; UserError `source.format` when a file cannot be read."""
    if not isinstance(location, Path):
        return location.head[:count]
    try:
        with location.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise UserError("source.format", f"The file {str(location)!r} cannot be read: {error.strerror}") from error
