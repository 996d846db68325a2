"""What a file is: by its bytes where they tell, else by the MIME type, else by its name (reference workbench 3, 5)."""

from __future__ import annotations

import zipfile
from enum import StrEnum
from typing import Final

from component import file_types
from component.workbench.parse.content import Content


class ContentKind(StrEnum):
    """What a file is read as."""

    EMPTY = "empty"
    PARQUET = "parquet"
    ARROW = "arrow"
    ARROW_STREAM = "arrow stream"
    AVRO = "avro"
    GZIP = "gzip"
    BZIP2 = "bzip2"
    ZSTD = "zstd"
    ZIP = "zip"
    CSV = "csv"
    TSV = "tsv"
    TEXT = "txt"
    JSON = "json"
    JSON_LINES = "jsonl"
    XLSX = "xlsx"
    XLS = "xls"
    UNKNOWN = "unknown"


_HEAD: Final = 16
_LEAST_PARQUET: Final = 20
_MAGIC: Final = (
    (file_types.ARROW.magic, ContentKind.ARROW),
    (file_types.ARROW_STREAM.magic, ContentKind.ARROW_STREAM),
    (file_types.AVRO.magic, ContentKind.AVRO),
    (file_types.GZIP.magic, ContentKind.GZIP),
    (file_types.ZSTD.magic, ContentKind.ZSTD),
    (file_types.ZIP.magic, ContentKind.ZIP),
    (file_types.EMPTY_ZIP, ContentKind.ZIP),
    (file_types.XLS.magic, ContentKind.XLS),
)
_NAMED: Final = (
    (file_types.CSV, ContentKind.CSV),
    (file_types.TSV, ContentKind.TSV),
    (file_types.TEXT, ContentKind.TEXT),
    (file_types.JSON, ContentKind.JSON),
    (file_types.JSON_LINES, ContentKind.JSON_LINES),
    (file_types.XLSX, ContentKind.XLSX),
    (file_types.XLS, ContentKind.XLS),
)
"""Types that a name or a MIME type tells."""
_SUFFIXES: Final = {suffix: kind for one, kind in _NAMED for suffix in one.suffixes}
_MIME_TYPES: Final = {mime_type: kind for one, kind in _NAMED for mime_type in one.mime_types}
PACKED: Final = {
    file_types.GZIP.suffix: ContentKind.GZIP,
    file_types.BZIP2.suffix: ContentKind.BZIP2,
    file_types.ZSTD.suffix: ContentKind.ZSTD,
    file_types.ZIP.suffix: ContentKind.ZIP,
    file_types.HTTP_FILE.suffix: ContentKind.GZIP,
}
"""Suffixes that say how a file is packed, and nothing of what it holds."""


def kind_by_content(content: Content) -> ContentKind | None:
    """Return what the bytes say; None for text, which says nothing."""
    if not content.size:
        return ContentKind.EMPTY
    head, magic = content.head(_HEAD), file_types.PARQUET.magic
    if content.size >= _LEAST_PARQUET and head.startswith(magic) and content.tail(len(magic)) == magic:
        return ContentKind.PARQUET
    if file_types.BZIP2_START.match(head):
        return ContentKind.BZIP2
    found = next((kind for start, kind in _MAGIC if head.startswith(start)), None)
    return ContentKind.XLSX if found is ContentKind.ZIP and _is_workbook(content) else found


def _is_workbook(content: Content) -> bool:
    with content.open() as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                return any(name.startswith("xl/workbook") for name in archive.namelist())
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return False


def kind_by_type(mime_type: str | None) -> ContentKind | None:
    """Return what a MIME type says, its parameters left aside; None when it says nothing of use."""
    return _MIME_TYPES.get((mime_type or "").split(";")[0].strip().lower())


def kind_by_name(name: str) -> ContentKind | None:
    """Return what the last suffix of a name says, suffixes of packing left aside; None when it says nothing."""
    lower = name.lower()
    for suffix in PACKED:
        lower = lower.removesuffix(suffix)
    return next((kind for suffix, kind in _SUFFIXES.items() if lower.endswith(suffix)), None)
