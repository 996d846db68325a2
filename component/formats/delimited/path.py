"""Which way a dialect is read, and whether a file of it can be cut: pure choices, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from component.formats.delimited.dialect import DelimitedDialect


class Way(StrEnum):
    """How the text of a dialect is read."""

    ARROW = "arrow"
    TOKENIZER = "tokenizer"


@dataclass(frozen=True, slots=True)
class Choice:
    """The way of reading, and why."""

    way: Way
    reason: str


@dataclass(frozen=True, slots=True)
class Cutting:
    """Whether a file can be read as several splits, and why or why not."""

    possible: bool
    reason: str


_CUT_ENCODINGS: Final = frozenset({"UTF8", "UTF8BOM", "LATIN1", "CP1252"})


def choose_way(dialect: DelimitedDialect) -> Choice:
    """Say how text of a dialect is read. Either way gives the rows that `tokenizer` defines."""
    quote = dialect.quote
    if quote is not None and (not quote.isascii() or quote in "\n\r\0"):
        return Choice(Way.TOKENIZER, "the quotechar is none that Arrow takes")
    if dialect.overlaps_itself and (quote is not None or dialect.escape is not None):
        return Choice(
            Way.TOKENIZER,
            "the terminator overlaps itself, and not each one ends a record: where one begins depends on the cells",
        )
    return Choice(Way.ARROW, "the text has a form that Arrow's CSV reader takes")


def choose_cutting(dialect: DelimitedDialect) -> Cutting:
    """Say whether the records of a file can be found from its middle, with certainty."""
    if dialect.compression is not None:
        return Cutting(possible=False, reason=f"{dialect.compression} is read from its beginning")
    if dialect.quoting is not None:
        return Cutting(possible=False, reason="whether a terminator is quoted is known only from the beginning")
    if dialect.encoding not in _CUT_ENCODINGS:
        return Cutting(possible=False, reason=f"in {dialect.encoding} the bytes of a terminator can be parts of others")
    if dialect.overlaps_itself:
        return Cutting(
            possible=False, reason="where a terminator that overlaps itself begins depends on what is before"
        )
    if dialect.escape is not None:
        return Cutting(possible=True, reason="a terminator ends a record if an even number of escapes is before it")
    return Cutting(possible=True, reason="each terminator ends a record")
