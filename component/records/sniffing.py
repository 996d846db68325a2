"""What only the bytes of a data file tell: its terminator, where no hint says it."""

from __future__ import annotations

from typing import Final

from component import naming
from component.formats.csv.split import ByteRange
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.read import open_text
from component.formats.delimited.source import DelimitedSplit
from component.records.data_files import DataFile

LINE_ENDS: Final = ("\r\n", "\n", "\r")
_FIRST_PIECE: Final = 64 * naming.KIB


def terminator_of(file: DataFile, dialect: DelimitedDialect) -> str | None:
    """Return the first terminator in a file that is neither quoted nor escaped, None when there is none.

    Candidates are the dialect's own and the three line ends (reference records 2.2).
    """
    own = dialect.record_terminator
    text = _beginning(file, dialect, _FIRST_PIECE)
    candidates = LINE_ENDS if own in LINE_ENDS or own not in text else (own,)
    at, in_quotes = 0, False
    while at < len(text):
        if text[at] == dialect.escape:
            at += 1
        elif text[at] == dialect.quote:
            in_quotes = not in_quotes
        elif not in_quotes:
            found = next((one for one in candidates if text.startswith(one, at)), None)
            if found is not None:
                return found
        at += 1
    return None


def _beginning(file: DataFile, dialect: DelimitedDialect, size: int) -> str:
    """Return at least as many characters of a file, fewer only when it has no more."""
    split = DelimitedSplit("", file.name, file.location, ByteRange(0, file.size))
    pieces: list[str] = []
    with open_text(split, dialect) as text:
        while sum(map(len, pieces)) < size and (piece := text.read(size)):
            pieces.append(piece.decode(errors="replace"))
    return "".join(pieces)
