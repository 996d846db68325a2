"""Types by evidence: a column has the narrowest type that every cell of it fits. Never from a sample.

Only texts that the type gives back with the same meaning count: `007` and `+5` stay strings, and so do zip codes; a
number with more digits than a float keeps is no float.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.tables.cast import cast_text
from component.tables.types import MAX_PRECISION, NUMERIC_DEFAULT, Column, TypeName

_PATTERNS: Final = {
    TypeName.BOOLEAN: r"^(true|false|True|False|TRUE|FALSE)$",
    TypeName.INTEGER: r"^-?(0|[1-9][0-9]{0,17})$",
    TypeName.NUMERIC: r"^-?(0|[1-9][0-9]{0,37})(\.[0-9]{1,38})?$",
    TypeName.FLOAT: r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$",
    TypeName.DATE: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    TypeName.TIMESTAMP: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$",
}
_FLOAT_DIGITS: Final = 17
"""Digits that tell any two floats apart; a text with more holds something that a float does not."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the cells of a column allow: types that all of them fit, and the digits of the longest numbers.

    `cells` counts different cells that are not empty, those of each batch on its own; without any there is no evidence.
    """

    types: frozenset[TypeName] = frozenset(_PATTERNS)
    cells: int = 0
    whole_digits: int = 0
    fraction_digits: int = 0

    def __or__(self, other: Evidence) -> Evidence:
        return Evidence(
            self.types & other.types,
            self.cells + other.cells,
            max(self.whole_digits, other.whole_digits),
            max(self.fraction_digits, other.fraction_digits),
        )


def evidence_of(cells: Any) -> Evidence:
    """Return the evidence of one batch of text cells; null and empty ones say nothing."""
    texts = pc.drop_null(cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells)
    texts = pc.unique(texts.filter(pc.not_equal(texts, "")))
    if not len(texts):
        return Evidence()
    types = frozenset(name for name, pattern in _PATTERNS.items() if _all_fit(texts, name, pattern))
    if TypeName.NUMERIC not in types:
        return Evidence(types, len(texts))
    whole = pc.utf8_length(pc.replace_substring_regex(texts, r"^-|\..*", ""))
    fraction = pc.utf8_length(pc.replace_substring_regex(texts, r"^[^.]*\.?", ""))
    return Evidence(types, len(texts), pc.max(whole).as_py(), pc.max(fraction).as_py())


def _all_fit(texts: pa.Array, name: TypeName, pattern: str) -> bool:
    if not pc.all(pc.match_substring_regex(texts, pattern)).as_py():
        return False
    if name is TypeName.FLOAT:
        return _float_keeps(texts)
    if name in {TypeName.DATE, TypeName.TIMESTAMP}:
        return not cast_text(texts, Column("", name)).bad
    return True


def _float_keeps(texts: pa.Array) -> bool:
    """Say whether floats hold all digits of numbers, and none is beyond their range."""
    digits = pc.utf8_length(pc.replace_substring_regex(texts, r"^-?(0\.)?0*|\.|[eE].*", ""))
    values = texts.cast(pa.float64())
    return bool(pc.max(digits).as_py() <= _FLOAT_DIGITS and pc.all(pc.is_finite(values)).as_py())


def combine(evidence: Iterable[Evidence]) -> Evidence:
    """Return the evidence of all batches together, in any order."""
    return reduce(lambda left, right: left | right, evidence, Evidence())


def column_by_evidence(name: str, evidence: Evidence) -> Column:
    """Return the column that the evidence asks for; a string where there is none.

    A numeric column has the default length where that holds its digits, so that later runs find the same.
    """
    if not evidence.cells:
        return Column(name)
    types = evidence.types
    for type_name in (TypeName.BOOLEAN, TypeName.INTEGER, TypeName.DATE, TypeName.TIMESTAMP):
        if type_name in types:
            return Column(name, type_name)
    if TypeName.NUMERIC in types and evidence.whole_digits + evidence.fraction_digits <= MAX_PRECISION:
        return Column(name, TypeName.NUMERIC, _numeric_length(evidence))
    return Column(name, TypeName.FLOAT) if TypeName.FLOAT in types else Column(name)


def _numeric_length(evidence: Evidence) -> str | None:
    precision, scale = NUMERIC_DEFAULT
    if evidence.fraction_digits <= scale and evidence.whole_digits <= precision - scale:
        return None
    return f"{MAX_PRECISION},{evidence.fraction_digits}"
