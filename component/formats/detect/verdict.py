"""Which reading of a text is taken and why; where two are equally good, the user has to choose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from component.errors import Place, UserError, shorten
from component.formats.detect.cutting import Marks, cut
from component.formats.detect.dialect import BACKSLASH, TextDialect, shown
from component.formats.detect.header import has_header
from component.formats.detect.ranking import ENCLOSURES, Given, Ranked, rank
from component.formats.detect.sample import Sample
from component.formats.detect.scoring import main_width

EQUAL: Final = 0.93
"""A runner-up with this share of the best reading's score is as good as it."""
CLOSE: Final = 0.8
"""A runner-up with this share is named in a warning."""
_LEAST: Final = 0.12
_SEPARATOR: Final = re.compile(r"sep=(.)(?:\r\n|\n|\r|\Z)", re.IGNORECASE)
_ALIGNED: Final = re.compile(r"\S {2,}\S|^ +\S")
_MOST: Final = 0.8
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class Detected:
    """The reading that was taken, what speaks for it, and what does not.

    `fitting` of the `records` records in the sample have `width` cells. `runner_up` is the next best reading, if it is
    close. `doubts` are sentences that a person should see.
    """

    dialect: TextDialect
    width: int = 0
    records: int = 0
    fitting: int = 0
    runner_up: TextDialect | None = None
    doubts: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The reading and its evidence in one line."""
        if not self.records:
            return f"{self.dialect.words} (the file is empty)"
        cells = f"{self.width} cell{'s' * (self.width != 1)}"
        return f"{self.dialect.words}: {self.fitting:,} of {self.records:,} sampled records have {cells}"


def detect(
    sample: Sample,
    given: Given,
    place: Place,
    *,
    skip_rows: int | None = None,
    header_rows: int | None = None,
    expects_header: bool = False,
) -> Detected:
    """Return how a text is delimited. What is given, in `given`, `skip_rows` and `header_rows`, is not looked for.

    `expects_header`: the text comes from where headers are the rule, so that only proof speaks against one.

    UserError `csv.ambiguous` when two readings that differ in
    cells are equally good, or none is any good.
    """
    text, skipped = sample.head, skip_rows or 0
    text = after_lines(text, skipped)
    stated = _SEPARATOR.match(text) if given.delimiter is None and skip_rows is None else None
    if stated is not None:
        given, text, skipped = replace(given, delimiter=stated[1]), text[stated.end() :], 1
    ranked = rank(text, given, whole=sample.whole)
    if not ranked or not ranked[0].score.records:
        return Detected(_empty(given, sample, skipped, header_rows))
    best = ranked[0]
    others = [one for one in ranked[1:] if _reads_otherwise(one, best)]
    closeness = others[0].score.total / max(best.score.total, 1e-9) if others else 0.0
    if given.delimiter is None:
        _hold_decided(text, best, others, closeness, place)
    marks = _sound_further_in(best.marks, sample.pieces, text, given)
    dialect, doubts = _dialect(text, best, marks, sample, skipped, skip_rows, header_rows, place, expects_header)
    runner_up = None
    if closeness >= CLOSE:
        runner_up = TextDialect(others[0].marks.delimiter, others[0].marks.enclosure, others[0].marks.escape)
        doubts += (_close(best, others[0]),)
    if given.enclosure is None and not dialect.enclosure:
        doubts += _open_cells(best)
    if sample.guessed:
        doubts += (f'The encoding {sample.encoding} is a guess; say it with "encoding" if letters are wrong',)
    table = best.cut.records[best.score.first :]
    fitting = sum(len(record) == best.score.width for record in table)
    return Detected(dialect, best.score.width, len(table), fitting, runner_up, doubts)


def _open_cells(best: Ranked) -> tuple[str, ...]:
    """Return what is doubtful where nothing is enclosed and a cell begins as an enclosed one that never ends."""
    for number, record in enumerate(best.cut.records, 1):
        for cell in record:
            if cell.startswith(ENCLOSURES[0]) and not cell.endswith(ENCLOSURES[0], 1):
                text = f"A cell of record {number} begins with a double quote that nothing closes: {shorten(cell, 60)}"
                return (f"{text}; quotes are read as text. If they enclose cells, close it",)
    return ()


def _empty(given: Given, sample: Sample, skipped: int, header_rows: int | None) -> TextDialect:
    enclosure = '"' if given.enclosure is None else given.enclosure
    return TextDialect(
        given.delimiter or ",",
        enclosure,
        given.escape or None,
        sample.encoding,
        skipped,
        given.comment or None,
        1 if header_rows is None else header_rows,
    )


def after_lines(text: str, count: int) -> str:
    """Return a text without its first lines."""
    for _ in range(count):
        found = re.search(r"\r\n|\n|\r", text)
        text = text[found.end() :] if found else ""
    return text


def _reads_otherwise(one: Ranked, best: Ranked) -> bool:
    """Say whether a reading gives other cells, blanks around them left aside."""
    if one.marks.delimiter.strip(" ") == best.marks.delimiter.strip(" ") != "":
        return _stripped(one) != _stripped(best)
    return one.cut.records != best.cut.records


def _stripped(one: Ranked) -> list[list[str]]:
    return [[cell.strip(" ") for cell in record] for record in one.cut.records]


def _hold_decided(text: str, best: Ranked, others: Sequence[Ranked], closeness: float, place: Place) -> None:
    """Raise UserError `csv.ambiguous` where a person has to say how the text is delimited."""
    if best.marks.delimiter in {"", " "} and _is_aligned(text):
        raise UserError(
            "csv.ambiguous",
            "The columns are aligned with blanks, and nothing else separates them",
            place=place,
            remedy=f"Save the table with a delimiter. {_OPTIONS}",
        )
    if others and closeness >= EQUAL:
        raise _ambiguous(best, others[0], place)
    if best.marks.delimiter == "" and (delimiter := _seems_delimited(best)) is not None:
        raise UserError(
            "csv.ambiguous",
            f"Most lines hold {shown(delimiter)}, but then records differ in their number of cells; without it, each is"
            " one cell",
            place=place,
            remedy=f"Correct the rows, or name the delimiter. {_OPTIONS}",
        )
    if best.score.total < _LEAST:
        raise UserError(
            "csv.ambiguous",
            "No delimiter gives records with the same number of cells",
            place=place,
            remedy=_OPTIONS,
        )


def _seems_delimited(one_column: Ranked) -> str | None:
    """Return the delimiter that bare cells of one column seem to hold: the first one, and most others.

    A delimiter before or after a blank is one of a sentence.
    """
    cells = [
        "" if enclosed[0] else record[0]
        for record, enclosed in zip(one_column.cut.records, one_column.cut.flags, strict=True)
        if record
    ]
    for delimiter in ",;\t|":
        inside = re.compile(rf"\S{re.escape(delimiter)}\S")
        found = [inside.search(cell) is not None for cell in cells]
        if len(found) > 1 and found[0] and 2 * sum(found) > len(found):
            return delimiter
    return None


_OPTIONS: Final = (
    "Say how the file is delimited: delimiter, enclosure, escape, skip_rows or comment of the table in the"
    " configuration, or --delimiter, --enclosure, --escape, --skip-rows or --comment."
)


def _ambiguous(best: Ranked, other: Ranked, place: Place) -> UserError:
    return UserError(
        "csv.ambiguous",
        f"Two readings are equally good: {_described(best)}, and {_described(other)}; {_example(best, other)}",
        place=place,
        remedy=_OPTIONS,
    )


def _close(best: Ranked, other: Ranked) -> str:
    what = f"Nearly as good is {_described(other)}; {_example(best, other)}"
    return f'{what}. Say "delimiter" and "enclosure" if the other one is meant'


def _described(one: Ranked) -> str:
    marks = one.marks
    dialect = TextDialect(marks.delimiter, marks.enclosure, marks.escape, comment=one.comment)
    cells = f"{one.score.width} cell{'s' * (one.score.width != 1)}"
    return f"{dialect.words} ({cells} in {one.score.consistent:.0%} of the records)"


def _example(best: Ranked, other: Ranked) -> str:
    """Return the first record that reads differently, in both readings."""
    pairs = zip(best.cut.records, other.cut.records, strict=False)
    number, one, two = next(
        ((number, one, two) for number, (one, two) in enumerate(pairs, 1) if one != two),
        (1, best.cut.records[0], other.cut.records[0]),
    )
    return f"record {number} is {shorten(str(one), 60)} or {shorten(str(two), 60)}"


def _is_aligned(text: str) -> bool:
    """Say whether runs of blanks separate columns of numbers, as in a report of fixed width."""
    lines = [line for line in re.split(r"\r\n|\n|\r", text) if line.strip()][:200]
    if len(lines) < 3:
        return False
    widths = [line.split() for line in lines]
    width = main_width(widths)
    same = sum(len(cells) == width for cells in widths)
    runs = sum(_ALIGNED.search(line) is not None for line in lines)
    return width > 1 and same >= _MOST * len(lines) and runs >= 0.5 * len(lines)


def _sound_further_in(marks: Marks, pieces: Sequence[str], head: str, given: Given) -> Marks:
    """Return marks that read the head the same, and pieces further in without the faults that these have there."""
    if _faults(marks, pieces) == 0:
        return marks
    quotes = [marks.enclosure] if given.enclosure is not None or marks.enclosure else [*ENCLOSURES, ""]
    escapes = [marks.escape] if given.escape is not None or marks.escape else [None, BACKSLASH]
    here = cut(head, marks).records
    for quote in quotes:
        for escape in escapes:
            other = Marks(marks.delimiter, quote, escape)
            if other != marks and _faults(other, pieces) == 0 and cut(head, other).records == here:
                return other
    return marks


def _faults(marks: Marks, pieces: Sequence[str]) -> int:
    """Return how many cells of the pieces break the rules: also such as a quote begins that nothing may begin."""
    count = 0
    for piece in pieces:
        found = cut(piece, marks)
        count += found.broken + found.stray
        if not marks.enclosure:
            count += sum(cell[:1] == '"' == cell[-1:] for record in found.records for cell in record)
    return count


def _dialect(
    text: str,
    best: Ranked,
    marks: Marks,
    sample: Sample,
    skipped: int,
    skip_rows: int | None,
    header_rows: int | None,
    place: Place,
    expects_header: bool,
) -> tuple[TextDialect, tuple[str, ...]]:
    """Return the dialect, with what stands before the table, and what is doubtful about that."""
    first, records = best.score.first, best.cut.records
    row_names = header_rows in {None, 1} and _has_row_names(best, text, place)
    if skip_rows is not None or row_names:
        first = 0
    comment, offset = best.comment, best.cut.starts[first] if records else 0
    before = _lines_before(text, offset, comment)
    if comment and skip_rows is None and not _has_comment((after_lines(text, before), *sample.pieces), comment):
        comment = None
    elif comment and not first:
        before = 0
    doubts: tuple[str, ...] = ()
    if row_names:
        header_rows, doubts = 1, (_row_names_doubt(records[0]),)
    elif header_rows is None:
        named, sure = has_header(records[first:], best.score.width)
        named, sure = (True, True) if expects_header and not sure else (named, sure)
        header_rows = int(named)
        doubts = () if sure else (_header_doubt(records[first], named=named),)
    delimiter = marks.delimiter
    return TextDialect(
        delimiter, marks.enclosure, marks.escape, sample.encoding, skipped + before, comment, header_rows, row_names
    ), doubts


def _row_names_doubt(record: Sequence[str]) -> str:
    return f"The first row names every column but the first, as R writes row names: {shorten(str(list(record)), 60)}"


def _header_doubt(record: Sequence[str], *, named: bool) -> str:
    way = "is read as names" if named else "is read as a row"
    return f"The first record {way}, which its cells do not prove: {shorten(str(list(record)), 60)}"


def _has_row_names(best: Ranked, text: str, place: Place) -> bool:
    """Say whether a first line of names lacks the one of the first column, as R's write.table leaves it.

    UserError `csv.ambiguous` where the second line looks like names too.
    """
    first, width, starts, records = best.score.first, best.score.width, best.cut.starts, best.cut.records
    if first != 1 or len(records[0]) != width - 1 or not all(map(str.strip, records[0])):
        return False
    if len(records[0]) == 1 and not best.cut.flags[0][0]:
        return False  # a title
    if _LINE.fullmatch(text[starts[0] : starts[1]]) is None:
        return False
    if has_header(records[1:], width) != (True, True):
        return True
    raise UserError(
        "csv.ambiguous",
        f"The first row has {len(records[0])} cells, and the second, which looks like names, {width}",
        place=place,
        remedy=f"Say which row holds the names: skip_rows 1, or skip_rows 1, header_rows 0 and names"
        f" {['row', *records[0]]}.",
    )


def _lines_before(text: str, offset: int, comment: str | None) -> int:
    """Return how many lines stand before a place in a text that is counted without its comments."""
    kept = number = 0
    for match in _LINE.finditer(text):
        line = match[0]
        if comment and line.startswith(comment):
            number += 1
            continue
        if kept >= offset or not line:
            break
        kept += len(line)
        number += 1
    return number


def _has_comment(texts: Iterable[str], comment: str) -> bool:
    return any(line.startswith(comment) for text in texts for line in re.split(r"\r\n|\n|\r", text))


def name_of(dialect: TextDialect) -> str:
    """Return the delimiter as people call it."""
    return shown(dialect.delimiter)
