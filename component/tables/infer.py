"""Types by evidence: a column has the narrowest type that every cell of it fits. Never from a sample.

Only texts that the type would write back the same count: `007` and `+5` stay strings, and so do zip codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.tables.types import MAX_PRECISION, NUMERIC_DEFAULT, Column, TypeName

_PATTERNS: Final = {
    TypeName.BOOLEAN: r"^(true|false|True|False|TRUE|FALSE)$",
    TypeName.INTEGER: r"^-?(0|[1-9][0-9]{0,17})$",
    TypeName.NUMERIC: r"^-?(0|[1-9][0-9]{0,28})(\.[0-9]{1,28})?$",
    TypeName.FLOAT: r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$",
    TypeName.DATE: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    TypeName.TIMESTAMP: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$",
}
_CALENDAR: Final = {TypeName.DATE: pa.date32(), TypeName.TIMESTAMP: pa.timestamp("us")}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the cells of a column allow: types that all of them fit, and the digits of the longest numbers.

    `cells` counts those that are not empty; without any there is no evidence.
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
    parts = pc.split_pattern(pc.replace_substring_regex(texts, "^-", ""), ".", max_splits=1)
    whole = pc.max(pc.utf8_length(pc.list_element(parts, 0))).as_py()
    fractions = pc.subtract(pc.utf8_length(pc.replace_substring_regex(texts, r"^[^.]*", "")), 1)
    return Evidence(types, len(texts), whole, max(0, pc.max(fractions).as_py()))


def _all_fit(texts: pa.Array, name: TypeName, pattern: str) -> bool:
    if not pc.all(pc.match_substring_regex(texts, pattern)).as_py():
        return False
    if name in _CALENDAR:
        try:
            texts.cast(_CALENDAR[name])
        except pa.ArrowInvalid:
            return False
    return True


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
