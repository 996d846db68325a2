"""Plain text of cells to the text of a dialect, whole columns at a time (reference records 9.4).

| quoting | escape | doublequote | a special character in a cell |
|---|---|---|---|
| none | none | any | the cell is refused |
| none | backslash | any | is escaped, and so is a backslash |
| any | none | true | the cell is quoted, the quotechar doubled |
| any | none | false | the cell is quoted; one that holds the quotechar is refused |
| any | backslash | false | the cell is quoted; quotechar and backslash are escaped |
| any | backslash | true | the cell is quoted, the quotechar doubled; a backslash is escaped |

Special are the delimiter, every character of the terminator, the quotechar where there is quoting, CR and LF. Where
nothing can be quoted or escaped, and the terminator is made of other characters (as in `vertica`), CR and LF are data.
A byte order mark at the start of a first cell is special, since it may be the start of a file.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component.formats.characters import Mask, has_other_than_ascii, holding, in_class
from component.formats.delimited.dialect import DelimitedDialect

BYTE_ORDER_MARK: Final = "\ufeff"
_LINE_ENDS: Final = "\r\n"
_NARROW: Final = ("LATIN1", "CP1252")
_BARE_START: Final = ("UTF8", "UTF16LE", "UTF16BE")
"""Encodings that are written without a byte order mark, so that one in the data would be taken for it."""


@dataclass(frozen=True, slots=True)
class EscapeRules:
    """What a dialect does with characters: `special` make a cell quoted, `escaped` get an escape before them.

    `refused` are those that no cell may hold.
    """

    quote: str
    escape: str
    special: str
    escaped: str
    doubled: bool
    refused: str
    guards_start: bool

    @property
    def can_hide(self) -> bool:
        """Whether a special character can stand in a cell at all."""
        return bool(self.quote or self.escape)


@lru_cache(maxsize=64)
def rules_of(dialect: DelimitedDialect) -> EscapeRules:
    """Return the rules of a dialect."""
    quote, escape = dialect.quote or "", dialect.escape or ""
    ends = "".join(dict.fromkeys(dialect.record_terminator))
    if quote or escape or set(ends) <= set(_LINE_ENDS):
        ends = "".join(dict.fromkeys(ends + _LINE_ENDS))
    special = dialect.field_delimiter + ends + quote
    refused = "" if escape else quote if quote and not dialect.doublequote else "" if quote else special
    own = escape + (quote if not dialect.doublequote else "") if quote else escape + special
    return EscapeRules(
        quote=quote,
        escape=escape,
        special=special,
        escaped=own if escape else "",
        doubled=bool(quote) and dialect.doublequote,
        refused=refused,
        guards_start=dialect.encoding in _BARE_START,
    )


def escaped(texts: pa.Array, rules: EscapeRules, *, always: bool = False, first: bool = False) -> pa.Array:
    """Return the text of cells in a dialect; nulls stay null.

    `always`: every cell is quoted. `first`: it is the first column.
    """
    starts = _starting(texts, rules) if first else None
    hidden = holding(texts, rules.special) if rules.quote and not always else None
    texts = _with_escapes(texts, rules)
    if not rules.quote:
        return texts if starts is None else _where(starts, _joined(rules.escape, texts), texts)
    if hidden is None:
        return _joined(rules.quote, texts, rules.quote)
    if starts is not None:
        hidden |= starts
    if not hidden.any():
        return texts
    chosen = texts.filter(pa.array(hidden))
    return pc.replace_with_mask(texts, pa.array(hidden), _joined(rules.quote, chosen, rules.quote))


def first_refused(texts: pa.Array, rules: EscapeRules, encoding: str, *, first: bool = False) -> tuple[int, str] | None:
    """Return the position of the first cell that cannot be written, and why."""
    found: list[tuple[int, str]] = []
    if rules.refused:
        found += _first(holding(texts, rules.refused), "it holds a character that could not be told from the dialect's")
    if first and not rules.can_hide and (starts := _starting(texts, rules)) is not None:
        found += _first(starts, "it begins with a byte order mark, which would be taken for that of the file")
    if encoding in _NARROW:
        found += _first(_outside(texts, encoding), f"it holds a character that {encoding} does not have")
    return min(found, default=None)


def _first(mask: Mask, why: str) -> list[tuple[int, str]]:
    return [(int(mask.argmax()), why)] if mask.any() else []


def _with_escapes(texts: pa.Array, rules: EscapeRules) -> pa.Array:
    if rules.escaped:
        held = holding(texts, rules.escaped)
        if held.any():
            characters = "".join(map(in_class, rules.escaped))
            changed = pc.replace_substring_regex(texts.filter(pa.array(held)), f"([{characters}])", r"\\\1")
            texts = pc.replace_with_mask(texts, pa.array(held), changed)
    if rules.doubled:
        held = holding(texts, rules.quote)
        if held.any():
            changed = pc.replace_substring(texts.filter(pa.array(held)), rules.quote, rules.quote * 2)
            texts = pc.replace_with_mask(texts, pa.array(held), changed)
    return texts


def _joined(*parts: Any) -> pa.Array:
    return pc.binary_join_element_wise(*parts, "")


def _where(mask: Mask, one: pa.Array, other: pa.Array) -> pa.Array:
    return pc.if_else(pa.array(mask), one, other)


def _starting(texts: pa.Array, rules: EscapeRules) -> Mask | None:
    """Return which cells begin with a byte order mark; None when none does, or it does not matter."""
    if not rules.guards_start or not has_other_than_ascii(texts):
        return None
    starts: Mask = pc.fill_null(pc.starts_with(texts, BYTE_ORDER_MARK), False).to_numpy(zero_copy_only=False)
    return starts if starts.any() else None


def _outside(texts: pa.Array, encoding: str) -> Mask:
    """Return which cells hold a character that an encoding of one byte does not have."""
    if not has_other_than_ascii(texts):
        return np.zeros(len(texts), np.bool_)
    outside = pc.match_substring_regex(texts, f"[^{_repertoire(encoding)}]")
    mask: Mask = pc.fill_null(outside, False).to_numpy(zero_copy_only=False)
    return mask


@lru_cache(maxsize=len(_NARROW))
def _repertoire(encoding: str) -> str:
    decode = codecs.getdecoder(encoding)
    there = [decode(bytes([code]), "replace")[0] for code in range(256)]
    return "".join(in_class(character) for character in there if character != "\ufffd")
