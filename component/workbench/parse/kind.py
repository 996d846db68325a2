"""What a file is: by its bytes where they tell, else by the MIME type, else by its name (reference workbench 3, 5)."""

from __future__ import annotations

import re
import zipfile
from enum import StrEnum
from typing import Final

from component.workbench.parse.content import Content
from component.workbench.parse.excel_cells import OLE


class FileKind(StrEnum):
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
_PARQUET: Final = b"PAR1"
_LEAST_PARQUET: Final = 20
_MAGIC: Final = (
    (b"ARROW1\0\0", FileKind.ARROW),
    (b"\xff\xff\xff\xff", FileKind.ARROW_STREAM),
    (b"Obj\x01", FileKind.AVRO),
    (b"\x1f\x8b", FileKind.GZIP),
    (b"\x28\xb5\x2f\xfd", FileKind.ZSTD),
    (b"PK\x03\x04", FileKind.ZIP),
    (b"PK\x05\x06", FileKind.ZIP),
    (OLE, FileKind.XLS),
)
_BZIP2: Final = re.compile(rb"BZh[1-9]1AY&SY|BZh[1-9]\x17rE8P\x90")
_SUFFIXES: Final = {
    ".csv": FileKind.CSV,
    ".tsv": FileKind.TSV,
    ".tab": FileKind.TSV,
    ".txt": FileKind.TEXT,
    ".json": FileKind.JSON,
    ".jsonl": FileKind.JSON_LINES,
    ".ndjson": FileKind.JSON_LINES,
    ".xlsx": FileKind.XLSX,
    ".xls": FileKind.XLS,
}
_MIME_TYPES: Final = {
    "text/csv": FileKind.CSV,
    "application/csv": FileKind.CSV,
    "application/x-csv": FileKind.CSV,
    "text/tab-separated-values": FileKind.TSV,
    "text/plain": FileKind.TEXT,
    "application/json": FileKind.JSON,
    "application/x-ndjson": FileKind.JSON_LINES,
    "application/jsonl": FileKind.JSON_LINES,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": FileKind.XLSX,
    "application/vnd.ms-excel": FileKind.XLS,
}
PACKED: Final = {
    ".gz": FileKind.GZIP,
    ".bz2": FileKind.BZIP2,
    ".zst": FileKind.ZSTD,
    ".zip": FileKind.ZIP,
    ".httpfile": FileKind.GZIP,
}
"""Suffixes that say how a file is packed, and nothing of what it holds."""


def kind_by_content(content: Content) -> FileKind | None:
    """Return what the bytes say; None for text, which says nothing."""
    if not content.size:
        return FileKind.EMPTY
    head = content.head(_HEAD)
    if content.size >= _LEAST_PARQUET and head.startswith(_PARQUET) and content.tail(len(_PARQUET)) == _PARQUET:
        return FileKind.PARQUET
    if _BZIP2.match(head):
        return FileKind.BZIP2
    found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
    return FileKind.XLSX if found is FileKind.ZIP and _is_workbook(content) else found


def _is_workbook(content: Content) -> bool:
    with content.open() as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                return any(name.startswith("xl/workbook") for name in archive.namelist())
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return False


def kind_by_type(mime_type: str | None) -> FileKind | None:
    """Return what a MIME type says, its parameters left aside; None when it says nothing of use."""
    return _MIME_TYPES.get((mime_type or "").split(";")[0].strip().lower())


def kind_by_name(name: str) -> FileKind | None:
    """Return what the last suffix of a name says, suffixes of packing left aside; None when it says nothing."""
    lower = name.lower()
    for suffix in PACKED:
        lower = lower.removesuffix(suffix)
    return next((kind for suffix, kind in _SUFFIXES.items() if lower.endswith(suffix)), None)
