"""All readings of a text, best first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from component.formats.detect.cutting import Cut, Marks, cut
from component.formats.detect.dialect import BACKSLASH
from component.formats.detect.scoring import TYPED, Score, kind_of, score

_USUAL: Final = {",": 1.0, ";": 1.0, "\t": 1.0, "|": 0.97}
_RARE: Final = {
    ":": 0.6,
    " ": 0.55,
    "^": 0.85,
    "~": 0.85,
    "#": 0.6,
    "&": 0.6,
    "!": 0.6,
    "*": 0.6,
    "$": 0.55,
    "%": 0.5,
    "@": 0.5,
    "/": 0.45,
}
_CONTROL: Final = dict.fromkeys("\x01\x02\x07\x14\x1e\x1f", 1.0) | dict.fromkeys("§¦þ¬¤", 0.9)
_PRIORS: Final = {**_USUAL, **_RARE, **_CONTROL}
_RUN: Final = re.compile(r"[^\w\s\"'.+()\[\]{}-]{2,}")
_BLANK_AFTER: Final = re.compile(r"([,;|:]) +(?=\S)")
_SEVERAL: Final = 0.96
_LONGEST: Final = 4
ENCLOSURES: Final = ('"', "'")
_COMMENTS: Final = ("#", "//", "%", "--", "!")
_LEAST_OF_LINES: Final = 0.5
_LINES: Final = 400


@dataclass(frozen=True, slots=True)
class Given:
    """What is known of a text's marks; None: nothing, the empty text: there is none."""

    delimiter: str | None = None
    enclosure: str | None = None
    escape: str | None = None
    comment: str | None = None


NOTHING: Final = Given()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A reading: its marks and comment, how good it is, and the records that it gives."""

    marks: Marks
    comment: str | None
    score: Score
    cut: Cut


def rank(text: str, given: Given = NOTHING, *, whole: bool, most: int = _LINES) -> list[Ranked]:
    """Return readings of a text, best first; what is given is not tried otherwise. Readings of equal records are one.

    `whole`: the text is all there is; else its last line may be cut off. Of readings that differ only in comments, one
    is kept.
    """
    lines = [line for line in re.split(r"\r\n|\n|\r", text) if line.strip()][:_LINES]
    readings: list[Ranked] = []
    for note in _comments(lines, given.comment):
        kept = without_comments(text, note) if note else text
        shown = [line for line in lines if not (note and line.startswith(note))]
        for mark in [given.delimiter] if given.delimiter is not None else _delimiters(shown):
            cuts = {
                marks: cut(kept, marks, most=most, whole=whole)
                for quote in _enclosures(kept, mark, given.enclosure)
                for marks in _ways(kept, mark, quote, given.escape)
            }
            readings += [
                Ranked(marks, note, score(one, _prior(marks, one, cuts, note)), one) for marks, one in cuts.items()
            ]
    readings.sort(key=lambda one: one.score.total, reverse=True)
    kept_readings: list[Ranked] = []
    for one in readings:
        rival = next((other for other in kept_readings if other.marks == one.marks), None)
        if rival is not None and _is_better_commented(one, rival):
            kept_readings[kept_readings.index(rival)] = one
        elif rival is None and not any(_same(one, other) for other in kept_readings):
            kept_readings.append(one)
    return kept_readings


def _is_better_commented(one: Ranked, other: Ranked) -> bool:
    """Say whether comments explain lines that the other reading has as records of another width."""
    return one.comment is not None and other.comment is None and one.score.consistent > other.score.consistent


def _same(one: Ranked, other: Ranked) -> bool:
    return one.marks.delimiter == other.marks.delimiter and one.cut.records == other.cut.records


def _prior(marks: Marks, found: Cut, cuts: Mapping[Marks, Cut], comment: str | None) -> float:
    """Return how likely marks are before the cells are looked at."""
    prior = _PRIORS.get(marks.delimiter, 0.5 if len(marks.delimiter) == 1 else _SEVERAL) if marks.delimiter else 1.0
    if marks.delimiter == " ":
        prior += 0.4 * _typed_share(found)
    if marks.enclosure == "'":
        prior *= 0.95 if found.enclosed > found.broken + found.stray else 0.3
    if not marks.enclosure:
        sound = any(one.enclosed and not one.broken for way, one in cuts.items() if way.enclosure)
        prior *= 0.35 if sound else 0.999
    if marks.escape:
        prior *= 0.98
    return prior * (0.99 if comment else 1.0)


def _typed_share(found: Cut) -> float:
    """Return the share of the cells that are numbers, dates and the like, the first record left aside."""
    cells = [cell for record in found.records[1:] for cell in record if cell]
    return sum(kind_of(cell) in TYPED for cell in cells) / max(1, len(cells))


def without_comments(text: str, comment: str) -> str:
    """Return a text without the lines that begin with a comment's mark."""
    return re.sub(rf"(?:\A|(?<=[\r\n])){re.escape(comment)}[^\r\n]*(?:\r\n|\n|\r|\Z)", "", text)


def _comments(lines: Sequence[str], given: str | None) -> list[str | None]:
    """Return the marks of comments that are worth trying: some lines begin with it, and not most of them."""
    if given is not None:
        return [given or None]
    found: list[str | None] = [None]
    for mark in _COMMENTS:
        count = sum(line.startswith(mark) for line in lines)
        if count and count < len(lines) and (count <= len(lines) / 2 or lines[0].startswith(mark)):
            found.append(mark)
    return found


def _delimiters(lines: Sequence[str]) -> Iterator[str]:
    """Yield what may separate cells: nothing, single characters, and runs of them that stand in most lines."""
    yield ""
    least = max(1.0, _LEAST_OF_LINES * len(lines))
    for mark in _PRIORS:
        if sum(mark in line for line in lines) >= least:
            yield mark
    runs: Counter[str] = Counter()
    for line in lines:
        found = set(_RUN.findall(line))
        runs.update(found | {match[1] + " " for match in _BLANK_AFTER.finditer(line)})
        runs.update(run[: len(run) // 2] for run in found if run[: len(run) // 2] * 2 == run)
    for run in runs:
        if 1 < len(run) <= _LONGEST and _separates(run, lines):
            yield run


def _separates(run: str, lines: Sequence[str]) -> bool:
    """Say whether a run of characters stands in most lines, and, where it repeats one, that one not alone in the first.

    Two commas in a row are mostly an empty cell; in a line of names they separate.
    """
    holding = [line for line in lines if run in line]
    if len(holding) < _LEAST_OF_LINES * len(lines):
        return False
    return len(set(run)) > 1 or run[0] not in holding[0].replace(run, "")


def _enclosures(text: str, delimiter: str, given: str | None) -> list[str]:
    if given is not None:
        return [given]
    found = [mark for mark in ENCLOSURES if mark in text and mark != delimiter]
    before = rf"\A|[\r\n]|{re.escape(delimiter)}" if delimiter else r"\A|[\r\n]"
    begins = [mark for mark in found if re.search(f"(?:{before}){mark}", text)]
    return [*begins, ""] if begins else ["" if '"' in text else '"']


def _ways(text: str, delimiter: str, enclosure: str, escape: str | None) -> list[Marks]:
    """Return marks without and with an escape; with one only where something is escaped."""
    if escape is not None:
        return [Marks(delimiter, enclosure, escape or None)]
    special = [mark for mark in (enclosure, delimiter) if mark]
    ways = [Marks(delimiter, enclosure)]
    return (
        [*ways, Marks(delimiter, enclosure, BACKSLASH)] if any(BACKSLASH + mark in text for mark in special) else ways
    )
