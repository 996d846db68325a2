"""Types by evidence: a column has the narrowest type that every cell of it fits. Never from a sample.

Only texts that the type gives back with the same meaning count: `007` and `+5` stay strings, and so do zip codes; a
number with more digits than a float keeps is no float. Words for nothing (`NA`, `null`) are null where all other cells
fit a type, and text in a column of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

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
_HEAD: Final = 64
"""Cells that are looked at before all are: most types are ruled out by them."""


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
    cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    texts = pc.unique(pc.drop_null(cells))
    texts = texts.filter(pc.not_equal(texts, ""))
    is_word = pc.is_in(texts, value_set=pa.array(NULL_WORDS, texts.type))
    words = frozenset(texts.filter(is_word).to_pylist())
    if words:
        texts = texts.filter(pc.invert(is_word))
    if not len(texts):
        return Evidence(candidates, null_words=words)
    types = _types_of(texts, candidates)
    if not types:
        best, fit = _best_of(texts, candidates)
        examples = _first_of_each(
            Example(first_row + pc.index(cells, text).as_py(), text.as_py(), allowed)
            for text, allowed in ((_first(texts, fit), frozenset({best})), (_first(texts, pc.invert(fit)), types))
            if text is not None
        )
        commas = pc.sum(pc.and_(pc.match_substring_regex(texts, _MARKED), pc.invert(fit))).as_py()
        return Evidence(types, len(texts), pc.sum(fit).as_py(), null_words=words, examples=examples, commas=commas)
    text = texts[0]
    if "numeric" not in types and not types.isdisjoint(_WITH_MARKS):
        text = _first(texts, pc.match_substring_regex(texts, _MARKED)) or text  # one with a comma tells more
    first = Example(first_row + pc.index(cells, text).as_py(), text.as_py(), types)
    whole, fraction = _digits(texts) if "numeric" in types else (0, _digits_after(texts, ".", types))
    commas = 0 if "numeric" in types else _digits_after(texts, ",", types)
    proven = frozenset(name for name in _WITH_MARKS if name in types and _proves(texts, name, types))
    return Evidence(types, len(texts), len(texts), whole, fraction, words, (first,), proven=proven, comma_digits=commas)


def _digits_after(texts: pa.Array, mark: str, types: frozenset[str]) -> int:
    """Return the most digits after the last such mark of numbers with marks, which always have room for them."""
    if types.isdisjoint(_WITH_MARKS):
        return 0
    decimals = pc.replace_substring_regex(texts, rf"^.*[{mark}]|^[^{mark}]*$", "")
    digits: int = pc.max(pc.binary_length(decimals)).as_py()
    return digits


def _proves(texts: pa.Array, name: str, types: frozenset[str]) -> bool:
    """Say whether a cell is a number with these marks only; none is where all are numbers without any."""
    return "numeric" not in types and bool(pc.any(pc.match_substring_regex(texts, _CANDIDATES[name].proof)).as_py())


def _first(texts: pa.Array, mask: pa.Array) -> Any:
    at = pc.index(mask, True).as_py()
    return None if at < 0 else texts[at]


def _types_of(texts: pa.Array, candidates: frozenset[str]) -> frozenset[str]:
    """Return the types that all texts fit; what fits one type and so another is not looked at twice."""
    head = texts.slice(0, _HEAD)
    longest = pc.max(pc.binary_length(texts)).as_py()
    found: set[str] = set()
    for name in _CANDIDATES:
        implied = (name == "numeric" and "integer" in found) or (
            name == "float" and "numeric" in found and longest <= _FLOAT_DIGITS
        )
        implied = implied or (name in _WITH_MARKS and "integer" in found)
        if name in candidates and (implied or (_all_look(head, name) and _all_fit(texts, name))):
            found.add(name)
    return frozenset(found)


def _all_look(texts: pa.Array, name: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, _CANDIDATES[name].pattern)).as_py())


def _all_fit(texts: pa.Array, name: str) -> bool:
    if not _all_look(texts, name):
        return False
    candidate = _CANDIDATES[name]
    if candidate.type is TypeName.FLOAT:
        return bool(pc.all(_float_keeps(texts)).as_py())
    if candidate.type in {TypeName.DATE, TypeName.TIMESTAMP}:
        return not cast_text(texts, Column("", candidate.type, formats=candidate.formats)).bad
    return True


def _best_of(texts: pa.Array, candidates: frozenset[str]) -> tuple[str, pa.Array]:
    """Return the type that most texts fit, and which of them do."""
    looks = {name: pc.match_substring_regex(texts, one.pattern) for name, one in _CANDIDATES.items()}
    best = max((name for name in _CANDIDATES if name in candidates), key=lambda name: pc.sum(looks[name]).as_py())
    fit = looks[best]
    looking = texts.filter(fit)
    if _CANDIDATES[best].type is TypeName.FLOAT:
        fit = pc.replace_with_mask(fit, fit, _float_keeps(looking))
    elif _CANDIDATES[best].type in {TypeName.DATE, TypeName.TIMESTAMP}:
        cast = cast_text(looking, Column("", _CANDIDATES[best].type, formats=_CANDIDATES[best].formats))
        fit = pc.replace_with_mask(fit, fit, pc.is_valid(cast.values))
    return best, fit


def _float_keeps(texts: pa.Array) -> pa.Array:
    """Say of each number whether a float holds all its digits, and is not beyond their range."""
    digits = pc.utf8_length(pc.replace_substring_regex(texts, r"^-?(0\.)?0*|\.|[eE].*", ""))
    return pc.and_(pc.less_equal(digits, _FLOAT_DIGITS), pc.is_finite(texts.cast(pa.float64())))


def _digits(texts: pa.Array) -> tuple[int, int]:
    """Return the most digits before and after the point."""
    bare = pc.ascii_ltrim(texts, "-")
    points = pc.find_substring(bare, ".")
    lengths = pc.binary_length(bare)
    has_point = pc.greater_equal(points, 0)
    whole = pc.max(pc.if_else(has_point, points, lengths)).as_py()
    fraction = pc.max(pc.if_else(has_point, pc.subtract(pc.subtract(lengths, points), 1), 0)).as_py()
    return whole, fraction


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
