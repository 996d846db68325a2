"""The types of files that anything here reads or writes: their suffixes, MIME types and first bytes.

Who recognises files takes from here what it knows how to read: the data folder (`folder/files.py`, `folder/magic.py`),
conversions (`convert/places.py`) and Workbench (`workbench/parse/kind.py`) each know another part of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class FileType:
    """One type of file. `suffixes`: the usual one first. `magic`: what each file begins with; empty where nothing."""

    suffixes: tuple[str, ...]
    mime_types: tuple[str, ...] = ()
    magic: bytes = b""

    @property
    def suffix(self) -> str:
        """The usual suffix."""
        return self.suffixes[0]


# --- tables ---
CSV: Final = FileType((".csv",), ("text/csv", "application/csv", "application/x-csv"))
TSV: Final = FileType((".tsv", ".tab"), ("text/tab-separated-values",))
PSV: Final = FileType((".psv",))
TEXT: Final = FileType((".txt",), ("text/plain",))
JSON: Final = FileType((".json",), ("application/json",))
JSON_LINES: Final = FileType((".jsonl", ".ndjson"), ("application/x-ndjson", "application/jsonl"))
PARQUET: Final = FileType((".parquet",), magic=b"PAR1")
AVRO: Final = FileType((".avro",), magic=b"Obj\x01")
ARROW: Final = FileType((".arrow", ".feather"), magic=b"ARROW1\0\0")
"""Arrow's file format; the last two bytes of its magic are padding."""
ARROW_STREAM: Final = FileType((), magic=b"\xff\xff\xff\xff")
XLSX: Final = FileType((".xlsx",), ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",))
XLS: Final = FileType((".xls",), ("application/vnd.ms-excel",), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

# --- compression and archives ---
GZIP: Final = FileType((".gz",), magic=b"\x1f\x8b")
BZIP2: Final = FileType((".bz2",), magic=b"BZh")
BZIP2_START: Final = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
"""How bzip2 files begin, with or without data. A text can begin with `BZh`, but not go on like this."""
ZSTD: Final = FileType((".zst",), magic=b"\x28\xb5\x2f\xfd")
LZOP: Final = FileType((), magic=b"\x89LZO\x00\r\n\x1a\n")
ZIP: Final = FileType((".zip",), magic=b"PK\x03\x04")
EMPTY_ZIP: Final = b"PK\x05\x06"
"""How a ZIP without entries begins."""
HTTP_FILE: Final = FileType((".httpfile",))
"""An answer of a server as Workbench keeps it: gzip, with the request before the body."""
