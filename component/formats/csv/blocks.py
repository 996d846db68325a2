"""A split cut into blocks of whole records, in memory that is used again and again.

Fresh memory is dear: the system hands it out zeroed, a page at a time. A block that lives in the memory of the one
before costs nothing but the reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from component import naming
from component.formats.csv.dialect import Dialect
from component.formats.csv.faults import RecordFault, find_records
from component.formats.csv.source import ByteStream
from component.formats.csv.split import last_record_end
from component.formats.rows import RecordTooLongError

LINE_ENDS: Final = b"\r\n"
_SMALL: Final = 64 * naming.KIB
"""What is read before memory for a whole block is taken: most of thousands of slices are smaller."""


class UnclosedError(Exception):
    """The last record has an enclosure that is never closed: `fault` is its first fault, `text` all that it takes in.

    All records before it have been yielded.
    """

    def __init__(self, fault: RecordFault, text: bytes) -> None:
        super().__init__(fault, text)
        self.fault = fault
        self.text = text


def record_blocks(
    stream: ByteStream, dialect: Dialect, *, block_bytes: int, tail: bytes = b"", exact: bool = False
) -> Iterator[memoryview]:
    """Cut a stream into blocks of whole records of about `block_bytes`; a longer record makes its block longer.

    Each block is followed by `tail`, where there is one, and ends with a line end before it. A block is valid until the
    next one is asked for. Where records end is told by counting enclosures, which is right if they pair up; `exact`
    ends are right in any text. Raises RecordTooLongError when no record ends within `naming.RECORD_LIMIT`, and
    UnclosedError where ends are exact.
    """
    room = len(tail) + 1
    size = min(block_bytes, naming.RECORD_LIMIT)
    window = bytearray(min(size, _SMALL) + room)
    held = 0
    while True:
        space = memoryview(window)[:-room]
        filled = held + stream.fill(space[held:])
        at_end = filled < len(space)
        if not at_end and len(space) < size:
            window, held = window + bytes(size - len(space)), filled
            continue
        found = find_records(space[:filled], dialect, final=at_end) if exact else None
        stop = found.stop if found else filled if at_end else last_record_end(space, dialect.quote)
        rest = bytes(space[stop:filled])
        if stop:
            yield _with_tail(memoryview(window), stop, tail)
        if found and found.open:
            raise UnclosedError(found.open, rest)
        if at_end:
            return
        window[: len(rest)] = rest
        held = len(rest)
        if not stop:
            window = _wider(window, room)


def _with_tail(window: memoryview, stop: int, tail: bytes) -> memoryview:
    """Put the tail behind a block, over what is there."""
    added = b"\n" + tail if tail and window[stop - 1] not in LINE_ENDS else tail
    window[stop : stop + len(added)] = added
    return window[: stop + len(added)]


def _wider(window: bytearray, room: int) -> bytearray:
    """Return a window of twice the size with the same bytes."""
    size = len(window) - room
    if size >= naming.RECORD_LIMIT:
        raise RecordTooLongError
    return window + bytes(min(size, naming.RECORD_LIMIT - size))
