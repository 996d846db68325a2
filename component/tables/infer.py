"""Types by evidence: a column has the narrowest type that every cell of it fits. Never from a sample.

Only texts that the type gives back with the same meaning count: `007` and `+5` stay strings, and so do zip codes; a
number with more digits than a float keeps is no float. Words for nothing (`NA`, `null`) are null where all other cells
fit a type, and text in a column of text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, reduce
from typing import Any, Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from component.tables.cast import SLASHED_DATE, SLASHED_TIMESTAMP, cast_text
from component.tables.marks import with_marks
from component.tables.types import MAX_PRECISION, Column, TypeName

NULL_WORDS: Final = ("NA", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "Null", "None", "\\N")
"""What R, pandas, spreadsheets and databases write for a cell that has no value."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A type that a column may have, and how its cells look.

    `marks` are what stands before decimals and between thousands; `proof` is how a cell looks that is a number with
    these marks only, without which the cells may as well have others.
    """

    type: TypeName
    pattern: str
    formats: tuple[str, ...] = ()
    marks: tuple[str, str] | None = None
    proof: str = ""


_TIME: Final = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_CANDIDATES: Final[Mapping[str, _Candidate]] = {
    "boolean": _Candidate(TypeName.BOOLEAN, r"^(true|false|True|False|TRUE|FALSE)$"),
    "integer": _Candidate(TypeName.INTEGER, r"^-?(0|[1-9][0-9]{0,17})$"),
    "date": _Candidate(TypeName.DATE, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    "date with slashes": _Candidate(TypeName.DATE, r"^[0-9]{4}/[0-9]{2}/[0-9]{2}$", (SLASHED_DATE,)),
    "timestamp": _Candidate(TypeName.TIMESTAMP, rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[ T]{_TIME}(\.[0-9]{{1,6}})?$"),
    "timestamp with slashes": _Candidate(
        TypeName.TIMESTAMP, rf"^[0-9]{{4}}/[0-9]{{2}}/[0-9]{{2}} {_TIME}$", (SLASHED_TIMESTAMP,)
    ),
    "numeric": _Candidate(TypeName.NUMERIC, r"^-?(0|[1-9][0-9]{0,37})(\.[0-9]{1,38})?$"),
    "float": _Candidate(TypeName.FLOAT, r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$"),
    "numeric with a decimal comma": _Candidate(
        TypeName.NUMERIC,
        r"^-?(0|[1-9][0-9]{0,17})(,[0-9]{1,18})?$",
        marks=(",", ""),
        proof=r"^-?(0|[0-9]{4,}),|,[0-9]{1,2}$|,[0-9]{4,}$",
    ),
    "numeric with a decimal comma and points": _Candidate(
        TypeName.NUMERIC,
        r"^-?(0|[1-9][0-9]{3,17}|[1-9][0-9]{0,2}(\.[0-9]{3}){0,5})(,[0-9]{1,18})?$",
        marks=(",", "."),
        proof=r"\..*,",
    ),
    "numeric with commas between thousands": _Candidate(
        TypeName.NUMERIC,
        r"^-?(0|[1-9][0-9]{3,17}|[1-9][0-9]{0,2}(,[0-9]{3}){0,5})(\.[0-9]{1,18})?$",
        marks=(".", ","),
        proof=r",.*\.",
    ),
}
"""The types that are looked for, the one to be preferred first."""
_FLOAT_DIGITS: Final = 17
"""Digits that tell any two floats apart; a text with more holds something that a float does not."""
_WITH_MARKS: Final = tuple(name for name, one in _CANDIDATES.items() if one.marks)
_MARKED: Final = r"^-?[0-9]+([.,][0-9]+)*,[0-9]+([.,][0-9]+)*$"
"""Numbers with a comma somewhere."""
_ALSO_PLAIN: Final = "numeric with commas between thousands"
_MARKED_DIGITS: Final = 18
"""A number with a point and no more characters than this fits the type that has commas between thousands, too."""
_CAST: Final = frozenset({TypeName.FLOAT, TypeName.DATE, TypeName.TIMESTAMP})
"""Types that not every text fits that looks so."""
_WORDS: Final = frozenset(NULL_WORDS)
_HEAD: Final = 64
"""Texts that are looked at before all are: most types are ruled out by them."""
_FEW: Final = 512
"""Cells up to which a batch is looked at cell by cell."""


@dataclass(frozen=True, slots=True)
class Example:
    """A cell by its row, counted from 0, and the types that it and all cells beside it fit."""

    row: int
    text: str
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the cells of a column allow: types that all of them fit, and the digits of the longest numbers.

    `cells` counts different cells that say something, those of each batch on its own, until no type was left; `fitting`
    those of them that fit the type that most fit. Without any there is no evidence. `null_words` are the words for
    nothing that were met, `examples` the first cell for each set of types that a batch allowed.
    `commas` counts, among the cells of batches that no type was left for, the numbers that hold a comma and do not
    fit. `proven` are the types with marks of which a cell is proof, `comma_digits` the most digits after a last comma.
    """

    types: frozenset[str] = frozenset(_CANDIDATES)
    cells: int = 0
    fitting: int = 0
    whole_digits: int = 0
    fraction_digits: int = 0
    null_words: frozenset[str] = frozenset()
    examples: tuple[Example, ...] = ()
    commas: int = 0
    proven: frozenset[str] = frozenset()
    comma_digits: int = 0

    def __or__(self, other: Evidence) -> Evidence:
        return Evidence(
            self.types & other.types,
            self.cells + other.cells,
            self.fitting + other.fitting,
            max(self.whole_digits, other.whole_digits),
            max(self.fraction_digits, other.fraction_digits),
            self.null_words | other.null_words,
            _first_of_each((*self.examples, *other.examples)),
            self.commas + other.commas,
            self.proven | other.proven,
            max(self.comma_digits, other.comma_digits),
        )

    def moved(self, rows: int) -> Evidence:
        """Return the evidence of the same cells, `rows` further down."""
        if not rows:
            return self
        return replace(self, examples=tuple(replace(one, row=one.row + rows) for one in self.examples))


def no_evidence(delimiter: str) -> Evidence:
    """Return what is known before a cell is seen: in text that commas delimit, none stands before decimals."""
    commas = {name for name in _WITH_MARKS if (_CANDIDATES[name].marks or ("", ""))[0] == delimiter}
    return Evidence(frozenset(_CANDIDATES) - commas)


def _first_of_each(examples: Iterable[Example]) -> tuple[Example, ...]:
    first: dict[frozenset[str], Example] = {}
    for one in sorted(examples, key=lambda one: (one.row, one.text, sorted(one.types))):
        first.setdefault(one.types, one)
    return tuple(first.values())


def evidence_of(cells: Any, known: Evidence | None = None, first_row: int = 0) -> Evidence:
    """Return the evidence of one batch of text cells; null and empty ones say nothing.

    Types that `known`, the evidence of batches before, has ruled out are not looked at again: add up the two. The first
    cell is that of row `first_row`.
    """
    candidates = (known or Evidence()).types
    if not candidates:
        return Evidence(frozenset())
    look_at = _few if len(cells) <= _FEW else _many
    texts, words = look_at(cells)
    if not len(texts):
        return Evidence(candidates, null_words=words)
    types = _types_of(texts, candidates)
    if not types:
        best = _best_of(texts, candidates)
        fit, misfits = texts.parted(best)
        examples = _first_of_each(
            Example(first_row + some.row(text), text, allowed)
            for some, allowed in ((fit, frozenset({best})), (misfits, types))
            if (text := some.first()) is not None
        )
        commas = misfits.count(_MARKED)
        return Evidence(types, len(texts), len(fit), null_words=words, examples=examples, commas=commas)
    first = texts.first() or ""
    whole = fraction = comma_digits = 0
    proven: frozenset[str] = frozenset()
    if "numeric" in types:
        whole, fraction = texts.digits()
    elif marked := types.intersection(_WITH_MARKS):
        first = texts.first(_MARKED) or first  # one with a comma tells more
        fraction, comma_digits = texts.digits_after("."), texts.digits_after(",")
        proven = frozenset(name for name in marked if texts.count(_CANDIDATES[name].proof))
    examples = (Example(first_row + texts.row(first), first, types),)
    return Evidence(types, len(texts), len(texts), whole, fraction, words, examples, 0, proven, comma_digits)


def _types_of(texts: _Texts, candidates: frozenset[str]) -> frozenset[str]:
    """Return the types that all texts fit; what fits one type and so another is not looked at twice."""
    found: set[str] = set()
    for name in _CANDIDATES:
        implied = (
            (name == "numeric" and "integer" in found)
            or (name == "float" and "numeric" in found and texts.longest() <= _FLOAT_DIGITS)
            or (name in _WITH_MARKS and "integer" in found)
            or (name == _ALSO_PLAIN and "numeric" in found and texts.longest() <= _MARKED_DIGITS)
        )
        if name in candidates and (implied or texts.all_fit(name)):
            found.add(name)
    return frozenset(found)


def _best_of(texts: _Texts, candidates: frozenset[str]) -> str:
    """Return the type that most texts look like."""
    looking = {name: texts.count(one.pattern) for name, one in _CANDIDATES.items() if name in candidates}
    return max(looking, key=looking.__getitem__)


class _Texts(Protocol):
    """The different texts of a batch that say something, in the order of their first cells.

    A pattern is meant as RE2 means it: `$` is the end of the text.
    """

    def __len__(self) -> int: ...

    def first(self, pattern: str = "") -> str | None:
        """Return the first text in which the pattern is found."""

    def row(self, text: str) -> int:
        """Return the row of the first cell with this text, counted from 0."""

    def count(self, pattern: str) -> int:
        """Return in how many texts the pattern is found."""

    def all_fit(self, name: str) -> bool:
        """Say whether all texts fit a type."""

    def parted(self, name: str) -> tuple[_Texts, _Texts]:
        """Return the texts that fit a type, and the others."""

    def longest(self) -> int:
        """Return the bytes of the longest number."""

    def digits(self) -> tuple[int, int]:
        """Return the most digits of numbers before and after the point."""

    def digits_after(self, mark: str) -> int:
        """Return the most digits after the last such mark of a number; 0 where none has the mark."""


class _Many:
    """Texts that Arrow looks at together."""

    def __init__(self, cells: pa.Array, texts: pa.Array) -> None:
        self._cells = cells
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    def first(self, pattern: str = "") -> str | None:
        at = pc.index(self._look(pattern), True).as_py() if pattern else min(0, len(self._texts) - 1)
        return None if at < 0 else str(self._texts[at])

    def row(self, text: str) -> int:
        row: int = pc.index(self._cells, text).as_py()
        return row

    def count(self, pattern: str) -> int:
        return pc.sum(self._look(pattern)).as_py() or 0

    def all_fit(self, name: str) -> bool:
        candidate = _CANDIDATES[name]
        head = _Many(self._cells, self._texts.slice(0, _HEAD))
        if head.count(candidate.pattern) < len(head) or self.count(candidate.pattern) < len(self):
            return False
        return candidate.type not in _CAST or bool(pc.all(_keeps(self._texts, candidate)).as_py())

    def parted(self, name: str) -> tuple[_Many, _Many]:
        candidate = _CANDIDATES[name]
        fit = self._look(candidate.pattern)
        if candidate.type in _CAST:
            fit = pc.replace_with_mask(fit, fit, _keeps(self._texts.filter(fit), candidate))
        return _Many(self._cells, self._texts.filter(fit)), _Many(self._cells, self._texts.filter(pc.invert(fit)))

    def longest(self) -> int:
        longest: int = pc.max(pc.binary_length(self._texts)).as_py()
        return longest

    def digits(self) -> tuple[int, int]:
        bare = pc.ascii_ltrim(self._texts, "-")
        points = pc.find_substring(bare, ".")
        lengths = pc.binary_length(bare)
        has_point = pc.greater_equal(points, 0)
        whole = pc.max(pc.if_else(has_point, points, lengths)).as_py()
        fraction = pc.max(pc.if_else(has_point, pc.subtract(pc.subtract(lengths, points), 1), 0)).as_py()
        return whole, fraction

    def digits_after(self, mark: str) -> int:
        decimals = pc.replace_substring_regex(self._texts, rf"^.*[{mark}]|^[^{mark}]*$", "")
        digits: int = pc.max(pc.binary_length(decimals)).as_py()
        return digits

    def _look(self, pattern: str) -> pa.Array:
        return pc.match_substring_regex(self._texts, pattern)


def _many(cells: Any) -> tuple[_Texts, frozenset[str]]:
    """Return the texts of many cells, and the words for nothing among them."""
    cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    texts = pc.unique(pc.drop_null(cells))
    texts = texts.filter(pc.not_equal(texts, ""))
    is_word = pc.is_in(texts, value_set=pa.array(NULL_WORDS, texts.type))
    words = frozenset(texts.filter(is_word).to_pylist())
    return _Many(cells, texts.filter(pc.invert(is_word)) if words else texts), words


class _Few:
    """Texts that are looked at one by one: a call of Arrow costs as much as a hundred of them."""

    def __init__(self, cells: list[str | None], texts: list[str]) -> None:
        self._cells = cells
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    def first(self, pattern: str = "") -> str | None:
        return next(filter(_search(pattern), self._texts), None)

    def row(self, text: str) -> int:
        return self._cells.index(text)

    def count(self, pattern: str) -> int:
        search = _search(pattern)
        return sum(1 for text in self._texts if search(text))

    def all_fit(self, name: str) -> bool:
        candidate = _CANDIDATES[name]
        if not all(map(_search(candidate.pattern), self._texts)):
            return False
        return candidate.type not in _CAST or all(_keeps(pa.array(self._texts), candidate).to_pylist())

    def parted(self, name: str) -> tuple[_Few, _Few]:
        candidate = _CANDIDATES[name]
        looking = list(filter(_search(candidate.pattern), self._texts))
        if candidate.type in _CAST:
            keeps = _keeps(pa.array(looking, pa.string()), candidate).to_pylist()
            looking = [text for text, kept in zip(looking, keeps, strict=True) if kept]
        fit = set(looking)
        return _Few(self._cells, looking), _Few(self._cells, [text for text in self._texts if text not in fit])

    def longest(self) -> int:
        return max(map(len, self._texts))

    def digits(self) -> tuple[int, int]:
        parts = [text.lstrip("-").partition(".") for text in self._texts]
        return max(len(whole) for whole, _, _ in parts), max(len(fraction) for _, _, fraction in parts)

    def digits_after(self, mark: str) -> int:
        return max(len(text.rpartition(mark)[2]) if mark in text else 0 for text in self._texts)


def _few(cells: Any) -> tuple[_Texts, frozenset[str]]:
    """Return the texts of a few cells, and the words for nothing among them."""
    listed = cells.to_pylist()
    said = dict.fromkeys(text for text in listed if text)
    words = _WORDS & said.keys()
    return _Few(listed, [text for text in said if text not in words]), words


@cache
def _search(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return what finds a pattern as RE2 finds it: `$` of Python would also match before a last line end."""
    return re.compile(pattern.replace("$", r"\Z")).search


def _keeps(texts: pa.Array, candidate: _Candidate) -> pa.Array:
    """Say of each text that looks like a float, a date or a timestamp whether it is one, to its last digit."""
    if candidate.type is not TypeName.FLOAT:
        return pc.is_valid(cast_text(texts, Column("", candidate.type, formats=candidate.formats)).values)
    digits = pc.utf8_length(pc.replace_substring_regex(texts, r"^-?(0\.)?0*|\.|[eE].*", ""))
    return pc.and_(pc.less_equal(digits, _FLOAT_DIGITS), pc.is_finite(texts.cast(pa.float64())))


def combine(evidence: Iterable[Evidence]) -> Evidence:
    """Return the evidence of all batches together, in any order."""
    return reduce(lambda left, right: left | right, evidence, Evidence())


def column_by_evidence(name: str, evidence: Evidence) -> Column:
    """Return the column that the evidence asks for; a string where there is none.

    A numeric column has as many decimals as its cells, and room for all digits before the point that there can be.
    """
    chosen = _chosen(evidence)
    if chosen is None:
        return Column(name)
    candidate = _CANDIDATES[chosen]
    has_comma = candidate.marks is not None and candidate.marks[0] == ","
    decimals = evidence.comma_digits if has_comma else evidence.fraction_digits
    length = f"{MAX_PRECISION},{decimals}" if candidate.type is TypeName.NUMERIC else None
    words = tuple(sorted(evidence.null_words))
    column = Column(name, candidate.type, length, formats=candidate.formats, null_words=words)
    return column if candidate.marks is None else with_marks(column, *candidate.marks)


def _chosen(evidence: Evidence) -> str | None:
    allowed = evidence.types if evidence.cells else frozenset()
    if evidence.whole_digits + evidence.fraction_digits > MAX_PRECISION:
        allowed -= {"numeric"}
    allowed -= set(_WITH_MARKS) - evidence.proven
    return next((name for name in _CANDIDATES if name in allowed), None)


def kept_text(evidence: Evidence) -> tuple[Example, str] | None:
    """Return the first cell that kept a column text, and the type of those before or beside it.

    None where the column has a type, and where less than half of the cells look like anything but text.
    """
    if _chosen(evidence) is not None or 2 * evidence.fitting < evidence.cells:
        return None
    allowed: frozenset[str] = frozenset()
    for one in sorted(evidence.examples, key=lambda one: (not one.types, one.row)):
        if not allowed:
            allowed = one.types
        elif not allowed & one.types:
            return one, next(name for name in _CANDIDATES if name in allowed)
        else:
            allowed &= one.types
    return None


def doubtful_commas(evidence: Evidence) -> Example | None:
    """Return a number with a comma, where such numbers are why a column is text: all other cells are typed.

    Nothing proves whether the comma stands before decimals or between thousands, or the cells do not agree on it.
    """
    if _chosen(evidence) is not None or not evidence.cells:
        return None
    if not evidence.types and evidence.commas + evidence.fitting < evidence.cells:
        return None
    return next((one for one in evidence.examples if re.search(_MARKED, one.text)), None)
