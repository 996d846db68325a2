"""A split cut into blocks of whole records, in memory that is used again and again.

Fresh memory is dear: the system hands it out zeroed, a page at a time. A block that lives in the memory of the one
before costs nothing but the reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from component import naming
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import ByteStream
from component.formats.csv.split import last_record_end


class RecordTooLongError(Exception):
    """No record ends within the limit, if the enclosures of the text pair up."""


def record_blocks(stream: ByteStream, dialect: Dialect, *, block_bytes: int) -> Iterator[memoryview]:
    """Cut a stream into blocks of whole records of about `block_bytes`; a longer record makes its block longer.

    A block is valid until the next one is asked for. Raises RecordTooLongError when no record ends within
    `naming.RECORD_LIMIT`.
    """
    window = bytearray(min(block_bytes, naming.RECORD_LIMIT))
    held = 0
    while True:
        filled = held + stream.fill(memoryview(window)[held:])
        at_end = filled < len(window)
        stop = filled if at_end else last_record_end(window, dialect.quote)
        if stop:
            yield memoryview(window)[:stop]
        if at_end:
            return
        held = filled - stop
        if stop:
            window[:held] = window[stop:filled]
        else:
            window = _wider(window)


def _wider(window: bytearray) -> bytearray:
    """Return a window of twice the size with the same bytes."""
    if len(window) >= naming.RECORD_LIMIT:
        raise RecordTooLongError
    return window + bytes(min(len(window), naming.RECORD_LIMIT - len(window)))
