"""Text to records of cells by a dialect, forgiving: what breaks the dialect's rules is counted, not refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

_LINE_END: Final = r"\r\n|\n|\r"


@dataclass(frozen=True, slots=True)
class Marks:
    """What separates and encloses cells; all else of a dialect is about lines."""

    delimiter: str
    enclosure: str = ""
    escape: str | None = None


@dataclass(slots=True)
class Cut:
    """The records of a text.

    `starts` and `stops` are the offsets at which records begin and end; `flags` say which cells are enclosed, and
    `enclosed` how many are. `broken` counts cells that begin with the enclosure and do not end with it, `stray` bare
    cells that hold one further on.
    """

    records: list[list[str]] = field(default_factory=list)
    flags: list[list[bool]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    enclosed: int = 0
    broken: int = 0
    stray: int = 0


def cut(text: str, marks: Marks, *, most: int | None = None, whole: bool = True) -> Cut:
    """Return the records of a text; blank lines are none. Not `whole`: what follows the last line end is left out.

    So is a record whose enclosed cell goes on beyond the text: doubled enclosures in it, and no single one, prove it.
    """
    found = Cut()
    cells: list[str] = []
    flags: list[bool] = []
    start, quote = 0, marks.enclosure
    for match in _pattern(marks).finditer(text):
        inside, bare, end = match.groups()
        if not whole and inside is None and _is_open(text, match.start(2), marks):
            found.enclosed += 1
            return found
        if inside is not None:
            found.enclosed += 1
            cells.append(_unescaped(inside, marks))
            flags.append(True)
        else:
            if quote and quote in bare:
                found.broken += bare.startswith(quote)
                found.stray += not bare.startswith(quote)
            cells.append(bare)
            flags.append(False)
        if marks.delimiter and end == marks.delimiter:
            continue
        if (len(cells) > 1 or cells[0].strip() or flags[0]) and (end or whole):
            found.records.append(cells)
            found.flags.append(flags)
            found.starts.append(start)
            found.stops.append(match.end())
            if most is not None and len(found.records) >= most:
                return found
        cells, flags, start = [], [], match.end()
        if match.end() == len(text):
            break
    return found


def _is_open(text: str, start: int, marks: Marks) -> bool:
    """Say whether an enclosed cell begins here that the text is too short for."""
    quote = marks.enclosure
    if not quote or not text.startswith(quote, start):
        return False
    return _goes_on(marks).match(text, start) is not None and text.find(quote * 2, start + 1) >= 0


@lru_cache(maxsize=256)
def _goes_on(marks: Marks) -> re.Pattern[str]:
    quote, escape = re.escape(marks.enclosure), re.escape(marks.escape or "")
    unit = rf"{escape}(?:[\s\S]|\Z)|" if escape else ""
    return re.compile(rf"{quote}(?:{unit}[^{quote}{escape}]|{quote}{quote})*+\Z")


@lru_cache(maxsize=256)
def _pattern(marks: Marks) -> re.Pattern[str]:
    delimiter, quote = re.escape(marks.delimiter), re.escape(marks.enclosure)
    escape = re.escape(marks.escape or "")
    ends = f"{delimiter}|{_LINE_END}|\\Z" if delimiter else f"{_LINE_END}|\\Z"
    unit = rf"{escape}(?:[\s\S]|\Z)|" if escape else ""
    if len(marks.delimiter) == 1:
        bare = rf"(?:{unit}[^{delimiter}\r\n{escape}])*+" if escape else rf"[^{delimiter}\r\n]*+"
    elif delimiter:
        bare = rf"(?:{unit}(?!{delimiter})[^\r\n{escape}])*+"
    else:
        bare = r"[^\r\n]*+"
    if not quote:
        return re.compile(rf"(?!)()|({bare})({ends})")
    closed = rf"{quote}((?:{unit}[^{quote}{escape}]|{quote}{quote})*+){quote}"
    return re.compile(rf"(?:{closed}|({bare}))({ends})")


def _unescaped(text: str, marks: Marks) -> str:
    if marks.escape and marks.escape in text:
        text = re.sub(re.escape(marks.escape) + r"([\s\S])", r"\1", text)
    return text.replace(marks.enclosure * 2, marks.enclosure)
