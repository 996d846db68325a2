"""What a file is by its first bytes. Names do not decide: the platform names files freely (reference keboola 2.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from component.errors import UserError

GZIP_MAGIC: Final = b"\x1f\x8b"
PARQUET_MAGIC: Final = b"PAR1"


def is_gzip(path: Path) -> bool:
    """Tell whether a file is gzip; UserError `source.format` when it cannot be read."""
    return _first_bytes(path, len(GZIP_MAGIC)) == GZIP_MAGIC


def is_parquet(path: Path) -> bool:
    """Tell whether a file is Parquet; UserError `source.format` when it cannot be read."""
    return _first_bytes(path, len(PARQUET_MAGIC)) == PARQUET_MAGIC


def _first_bytes(path: Path, count: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise UserError("source.format", f"The file {str(path)!r} cannot be read: {error.strerror}") from error
