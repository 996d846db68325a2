"""How well the cells of a reading hang together: the same number in each record, and columns of one kind.

A right delimiter leaves cells that are something: numbers, dates, words. A wrong one leaves fragments: pieces of dates,
or cells in which another delimiter stands as often in each record.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from component.formats.detect.cutting import Cut

_DATE: Final = r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{2,4}|\d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4})"
_TIME: Final = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[AaPp][Mm])?"
_KINDS: Final = (
    ("integer", re.compile(r"[+-]?\d+")),
    ("number", re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf)", re.IGNORECASE)),
    ("missing", re.compile(r"NA|N/A|n/a|NaN|nan|null|NULL|None|none|\\N|-|--|\?|\.|#N/A|<NA>")),
    ("number", re.compile(r"[+-]?\d+,\d+|[+-]?\d{1,3}(?:[., '\u00a0]\d{3})+(?:[.,]\d+)?")),
    ("number", re.compile(r"[+-]?[$€£] ?[+-]?[\d.,]*\d|[+-]?\d[\d.,]* ?[%€$£]|\([$€£]?\d[\d.,]*\)")),
    ("moment", re.compile(rf"{_DATE}(?:[ T]{_TIME}(?: ?(?:Z|UTC|[+-]\d{{2}}:?\d{{2}}))?)?")),
    ("moment", re.compile(rf"{_TIME}|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? .*\d{{4}}.*|\d{{4}}-?[QWM]\d{{1,2}}")),
    ("flag", re.compile(r"(?:true|false|yes|no|y|n|t|f)", re.IGNORECASE)),
    ("address", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?|ftp|s3|file)://[^\s;|\t]+|www\.[^\s;|\t]+")),
    ("address", re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?:/\d+|:\d+)?|(?:/[\w.-]+)+/?|[\w-]+\.[a-z]{2,4}")),
    ("code", re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{16,}")),
    ("structure", re.compile(r"\{.*\}|\[.*\]|\([^()]*\)|<.*>", re.DOTALL)),
)
TYPED: Final = frozenset({"integer", "number", "moment", "flag", "address", "code"})
_WORDS: Final = re.compile(r"[^\W_](?:[\w .'&()/+*#-]|[^\x00-\x7f])*")
_LEFT_OVER: Final = re.compile(r"[;\t|\x1f\x01]|,(?! )")
_PROSE: Final = re.compile(r"[^,;|\t]*[,:;] .*", re.DOTALL)
_QUALITY: Final = {
    "empty": 0.85,
    "missing": 0.95,
    "word": 0.95,
    "prose": 0.8,
    "structure": 0.85,
    "other": 0.65,
    "marks": 0.3,
    "left over": 0.35,
    "enclosed": 0.97,
}
_CERTAIN: Final = 1.1
"""The quality of a number or date: no accident, unlike words."""
_LONGEST_LOOKED_AT: Final = 200
_MOST: Final = 0.8
_NARROW: Final = 2
_MANY: Final = 0.4


@lru_cache(maxsize=65_536)
def kind_of(text: str) -> str:
    """Return what a bare cell holds: a kind of `TYPED` or of `_QUALITY`.

    `left over` is a text in which a usual delimiter stands as it would between cells, `marks` one without a letter or
    digit.
    """
    text = text.strip()
    if not text:
        return "empty"
    text = text[:_LONGEST_LOOKED_AT]
    for kind, pattern in _KINDS:
        if pattern.fullmatch(text):
            return kind
    if _LEFT_OVER.search(text):
        return "left over"
    if _WORDS.fullmatch(text):
        return "word"
    if _PROSE.fullmatch(text):
        return "prose"
    return "other" if any(map(str.isalnum, text)) else "marks"


@dataclass(frozen=True, slots=True)
class Score:
    """How good a reading is, from 0 to 1, and why.

    `width` is the number of cells that most records have, `consistent` the share of records that have it, `first` the
    first of them, `kinds` how good the cells are.
    """

    total: float = 0.0
    width: int = 0
    records: int = 0
    consistent: float = 0.0
    first: int = 0
    kinds: float = 0.0


def main_width(records: Sequence[Sequence[str]]) -> int:
    """Return the number of cells that most records have; 0 for no records.

    Where many records have one cell more, they are the whole ones: the last cell is often left out when it is empty.
    """
    counts = Counter(map(len, records))
    width = max(counts, key=lambda width: (counts[width], width), default=0)
    return width + 1 if width > 1 and counts[width + 1] > _MANY * counts[width] else width


def score(found: Cut, prior: float) -> Score:
    """Return how good the records of a reading are; `prior` is how likely its delimiter is at all."""
    width = main_width(found.records)
    if not width:
        return Score()
    first = first_of_table(found.records, width)
    table = found.records[first:]
    fitting = [number for number, record in enumerate(table) if len(record) == width]
    consistent = len(fitting) / len(table)
    shorter = sum(len(record) == width - 1 for record in table) / len(table) if width > _NARROW else 0.0
    kinds = _kinds([table[number] for number in fitting], [found.flags[first:][number] for number in fitting])
    shape = 1 - 0.45 / width if width > 1 else 0.72 if _is_typed(table) else 0.5
    faults = found.broken + 0.25 * found.stray
    enclosing = 0.85 / (1 + 2 * faults / max(1, found.enclosed + len(table) / 4)) if faults else 1.0
    before = 1.0 if not first else 0.75 if first <= len(table) else 0.5
    total = (consistent + 0.4 * shorter) ** 2 * kinds * shape * prior * enclosing * before
    return Score(total, width, len(found.records), consistent, first, kinds)


def _is_typed(records: Sequence[Sequence[str]]) -> bool:
    """Say whether the lines themselves are numbers, dates or the like: then nothing needs to separate them."""
    body = [record[0] for record in records[1:] or records]
    return kind_of(records[0][0]) != "left over" and sum(kind_of(cell) in TYPED for cell in body) >= _MOST * len(body)


def first_of_table(records: Sequence[Sequence[str]], width: int) -> int:
    """Return the record at which the table begins: what is before has fewer cells than the table is wide.

    A record of another width within the table does not end it; before it, two records of the width follow each other.
    """
    widths = Counter(map(len, records))
    if not records or len(records[0]) == width or (len(records[0]) == width - 1 > 1 and widths[width - 1] > 1):
        return 0
    for number, record in enumerate(records):
        if len(record) == width and (number + 1 == len(records) or len(records[number + 1]) == width):
            return number
    return 0


def _kinds(records: Sequence[Sequence[str]], flags: Sequence[Sequence[bool]]) -> float:
    """Return the mean quality of columns; that of a column is the mean of its cells, less where kinds are mixed."""
    if not records:
        return 0.0
    body = slice(1, None) if len(records) > 1 else slice(None)
    qualities = []
    for cells, marks in zip(zip(*records, strict=True), zip(*flags, strict=True), strict=True):
        heads = [_quality(cell, enclosed=mark) for cell, mark in zip(cells[:1], marks[:1], strict=True)]
        kinds = [_kind(cell, enclosed=mark) for cell, mark in zip(cells[body], marks[body], strict=True)]
        values = [_CERTAIN if kind in TYPED else _QUALITY[kind] for kind in kinds]
        counts = Counter(kind for kind in kinds if kind not in {"empty", "missing"})
        pure = max(counts.values(), default=0) / max(1, counts.total()) if counts else 1.0
        empty = 1.0 if counts else 0.55
        qualities.append((0.85 * sum(values) / len(values) + 0.15 * heads[0]) * (0.85 + 0.15 * pure) * empty)
    return sum(qualities) / len(qualities)


def _kind(cell: str, *, enclosed: bool) -> str:
    kind = kind_of(cell)
    return "enclosed" if enclosed and kind not in TYPED else kind


def _quality(cell: str, *, enclosed: bool) -> float:
    kind = _kind(cell, enclosed=enclosed)
    return _CERTAIN if kind in TYPED else _QUALITY[kind]
