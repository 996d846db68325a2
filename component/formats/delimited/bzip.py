"""A bzip2 file of one or several streams, read to its last byte.

Python's own `BZ2File` takes a stream that is damaged at its beginning for something that does not belong to the file,
if it is not the first, and leaves out what follows without a word. Here it is an error.
"""

from __future__ import annotations

from bz2 import BZ2Decompressor
from typing import Any, Final

from component import naming

_PACKED: Final = 256 * naming.KIB


class BzipError(Exception):
    """The file ends early, or is damaged."""


class BzipFile:
    """Reads the decompressed bytes of a file. Raises BzipError."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._stream: BZ2Decompressor | None = None
        self._packed = b""

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; nothing only at the end."""
        text = b""
        while not text:
            if self._stream is None or self._stream.eof:
                if not self._begin():
                    return b""
            elif self._stream.needs_input and not self._packed:
                self._packed = self._file.read(_PACKED)
                if not self._packed:
                    raise BzipError("it ends early")
            text = self._unpack(size)
        return text

    def _begin(self) -> bool:
        """Begin a stream where there are bytes for one."""
        self._packed = (self._stream.unused_data if self._stream else b"") or self._file.read(_PACKED)
        self._stream = BZ2Decompressor() if self._packed else None
        return self._stream is not None

    def _unpack(self, size: int) -> bytes:
        packed, self._packed = self._packed, b""
        try:
            return self._stream.decompress(packed, size) if self._stream else b""
        except OSError as error:
            raise BzipError(str(error)) from error
