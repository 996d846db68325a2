"""UTF-8 text of a dialect brought to the form that Arrow's CSV reader takes, and its cells brought back.

Arrow ends records at LF, CR and CRLF, and takes one ASCII character as delimiter. So the terminator becomes an LF, a
delimiter that Arrow does not take becomes a byte that the text does not hold, and CR and LF that are data become other
such bytes. A terminator that does not overlap itself is found wherever it stands, and shares no character with
delimiter, quote and escape; one that does is found from the left, in text where each one counts (see `path`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component.formats.delimited.dialect import DelimitedDialect

FEED: Final = b"\n"
_RETURN: Final = b"\r"
_NUL: Final = b"\0"
_SPARE: Final = tuple(bytes([code]) for code in (*range(0x01, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F))
"""Control characters: a text rarely holds all of them. They are ASCII, so that text stays UTF-8."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """A text in which an LF ends every record, `delimiter` is one byte that Arrow takes, and no CR is left.

    `back` says for single bytes what they stand for, `wide` for those that stand for more than one byte.
    """

    text: bytes
    delimiter: bytes
    back: tuple[tuple[bytes, bytes], ...] = ()
    wide: tuple[tuple[bytes, bytes], ...] = ()

    def until(self, stop: int) -> Canonical:
        """Return the first `stop` bytes."""
        return replace(self, text=self.text[:stop])

    def source_length(self, stop: int) -> int:
        """Return how many bytes of the source the first `stop` bytes stand for."""
        return stop + sum(self.text.count(mark, 0, stop) * (len(source) - 1) for mark, source in self.wide)

    def cells(self, cells: pa.Array) -> pa.Array:
        """Return cells of text with all bytes as they were in the source."""
        for mark, source in self.wide:
            if _holds(cells, mark):
                cells = pc.replace_substring(cells, mark.decode(), source.decode())
        if not any(_holds(cells, mark) for mark, _ in self.back):
            return cells
        valid, offsets, data = cells.buffers()
        text = pa.py_buffer(data.to_pybytes().translate(_table(self.back)))
        return pa.Array.from_buffers(cells.type, len(cells), [valid, offsets, text], offset=cells.offset)

    def record(self, text: str) -> str:
        """Return the text of a record as it was in the source."""
        data = text.encode()
        for mark, source in self.wide:
            data = data.replace(mark, source)
        return data.translate(_table(self.back)).decode()


def canonical(text: bytes, dialect: DelimitedDialect) -> Canonical | None:
    """Bring a text to Arrow's form; None where it holds so many control characters that none is left to stand in."""
    terminator, delimiter = dialect.record_terminator.encode(), dialect.field_delimiter.encode()
    spare = _spare_bytes(text, dialect)
    forth: dict[bytes, bytes] = {}
    wide: list[tuple[bytes, bytes]] = []
    try:
        if len(terminator) > 1:
            mark = next(spare)
            text = text.replace(terminator, mark)
            forth[mark] = FEED
            wide.append((FEED, terminator))
        elif terminator != FEED:
            forth[terminator] = FEED
        if len(delimiter) > 1:
            mark = next(spare)
            text = text.replace(delimiter, mark)
            wide.append((mark, delimiter))
            delimiter = mark
        elif delimiter in {FEED, _RETURN, _NUL}:
            forth[delimiter] = mark = next(spare)
            delimiter = mark
        for data in (FEED, _RETURN):
            if data != terminator and data not in forth and data in text:
                forth[data] = next(spare)
    except StopIteration:
        return None
    back = {new: old for old, new in forth.items() if new != FEED or len(terminator) == 1}
    text = text.translate(_table(forth.items())) if forth else text
    return Canonical(text, delimiter, tuple(back.items()), tuple(wide))


def _spare_bytes(text: bytes, dialect: DelimitedDialect) -> Iterator[bytes]:
    """Yield bytes that are neither in the text nor in what separates it."""
    taken = dialect.record_terminator + dialect.field_delimiter + dialect.quotechar
    for byte in _SPARE:
        if byte.decode() not in taken and byte not in text:
            yield byte


def _table(pairs: Any) -> bytes:
    sources, targets = zip(*pairs, strict=True) if pairs else ((), ())
    return bytes.maketrans(b"".join(sources), b"".join(targets))


def _holds(cells: pa.Array, mark: bytes) -> bool:
    data = cells.buffers()[2]
    return data is not None and bool((np.frombuffer(data, np.uint8) == mark[0]).any())
