"""How one table's text is delimited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow.csv as pacsv

from component import naming
from component.errors import UserError


@dataclass(frozen=True, slots=True)
class Dialect:
    """Delimiter and enclosure of RFC 4180 text; an empty enclosure means that nothing is ever enclosed.

    `strict`: a cell that breaks RFC 4180 makes its row a bad one; otherwise it is mended, and the row counted.

    Raises UserError `source.manifest` for a delimiter or enclosure that is not one ASCII character.
    """

    delimiter: str = naming.DELIMITER
    enclosure: str = naming.ENCLOSURE
    strict: bool = True

    def __post_init__(self) -> None:
        for what, text, least in (("delimiter", self.delimiter, 1), ("enclosure", self.enclosure, 0)):
            if not least <= len(text) <= 1 or not text.isascii() or text in {"\n", "\r", "\0"}:
                raise UserError(
                    "source.manifest",
                    f"The {what} {text!r} is not one ASCII character",
                    remedy="Set one character in the manifest, for example ',' or '\\t'.",
                )
        if self.delimiter == self.enclosure:
            raise UserError("source.manifest", f"Delimiter and enclosure are both {self.delimiter!r}")

    @property
    def quote(self) -> bytes:
        """The enclosure as bytes; empty when there is none."""
        return self.enclosure.encode()

    def join(self, cells: Sequence[str | None]) -> str:
        """Return a record without line end; None is an empty cell without enclosure."""
        return self.delimiter.join("" if cell is None else self._cell(cell) for cell in cells)

    def _cell(self, text: str) -> str:
        special = (self.delimiter, self.enclosure, "\n", "\r")
        if not self.enclosure or (text and not any(character in text for character in special)):
            return text
        return self.enclosure + text.replace(self.enclosure, 2 * self.enclosure) + self.enclosure

    def parse_options(self, columns: int) -> pacsv.ParseOptions:
        """Return Arrow's options for this dialect.

        An empty line is no record, as in Python's csv module; in a table of one column it is a record with an empty
        cell, as RFC 4180 has it.
        """
        return pacsv.ParseOptions(
            delimiter=self.delimiter,
            quote_char=self.enclosure or False,
            double_quote=bool(self.enclosure),
            newlines_in_values=True,
            ignore_empty_lines=columns != 1,
        )
