"""How one table's text is delimited, and what its file had in the place of characters that stand for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from component import naming
from component.errors import UserError

_UTF8: Final = "utf-8"


@dataclass(frozen=True, slots=True)
class Original:
    """The file that a text was made from so that the CSV reader takes it, and what stands for what in the text.

    `separator` stands for the `delimiter` of the file. Each of `escaped` is a control character and the one of which it
    stands for the escaped form; an `escape` before any other character is still there. `dangling` stands for an escape
    that nothing follows. Each of `spelled` is what stands for one of these control characters where the file itself
    holds it. A byte that is not valid in the `encoding` of the file is one that is not valid UTF-8.
    """

    encoding: str = _UTF8
    delimiter: str = ""
    separator: str = ""
    escape: str = ""
    escaped: tuple[tuple[str, str], ...] = ()
    dangling: str = ""
    spelled: tuple[tuple[str, str], ...] = ()

    def _meanings(self, escape: str) -> Mapping[int, str]:
        """Return what stand-ins mean, by their code point; `escape` goes before what is escaped."""
        found = {ord(mark): escape + one for mark, one in self.escaped}
        found |= {ord(self.separator): self.delimiter} if self.separator else {}
        return found | ({ord(self.dangling): self.escape} if self.dangling else {})

    def text(self, text: str) -> str:
        """Return a piece of the text as it stands in the file."""
        return self._unspelled(text.translate(self._meanings(self.escape)))

    def cell(self, text: str) -> str:
        """Return what a cell means."""
        unescaped = text.replace(self.escape, "") if self.escape else text
        return self._unspelled(unescaped.translate(self._meanings("")))

    def _unspelled(self, text: str) -> str:
        for spelling, one in self.spelled:  # last what spellings begin with, so that it begins none anew
            text = text.replace(spelling, one)
        return text

    def cells(self, cells: pa.Array) -> pa.Array:
        """Return what cells mean."""
        gone = {self.escape: ""} if self.escape else {}
        marks = {chr(mark): one for mark, one in self._meanings("").items()}
        for mark, one in (gone | marks).items():
            if _may_hold(cells, mark):
                cells = pc.replace_substring(cells, mark, one)
        if self.spelled and _may_hold(cells, self.spelled[0][0]):
            for spelling, one in self.spelled:
                cells = pc.replace_substring(cells, spelling, one)
        return cells


def _may_hold(cells: pa.Array, text: str) -> bool:
    """Say whether the first byte of a text is among those of cells: seldom, and faster than looking into each cell."""
    data = cells.buffers()[2]
    return data is not None and bool((np.frombuffer(data, np.uint8) == text.encode()[0]).any())


@dataclass(frozen=True, slots=True)
class Dialect:
    """Delimiter and enclosure of RFC 4180 text; an empty enclosure means that nothing is ever enclosed.

    `strict`: a cell that breaks RFC 4180 makes its row a bad one; otherwise it is mended, and the row counted.
    `original`: what the text was made from, if it is not as it lies in its file. Cells that are one of `null_values`
    are null, enclosed or not.

    Raises UserError `source.manifest` for a delimiter or enclosure that is not one ASCII character.
    """

    delimiter: str = naming.DELIMITER
    enclosure: str = naming.ENCLOSURE
    strict: bool = True
    original: Original | None = None
    null_values: tuple[str, ...] = ()

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

    @property
    def dangling(self) -> bytes:
        """The byte that stands for an escape at the end of the text; empty when there is none."""
        return b"" if self.original is None else self.original.dangling.encode()

    @property
    def encoding(self) -> str:
        """The encoding of the file, as people call it."""
        encoding = _UTF8 if self.original is None else self.original.encoding
        return "UTF-8" if encoding == _UTF8 else encoding

    @property
    def delimiter_in_file(self) -> str:
        """What stands between two cells in the file."""
        return (self.original and self.original.delimiter) or self.delimiter

    def in_file(self, text: str) -> str:
        """Return a piece of the text as it stands in the file."""
        return text if self.original is None else self.original.text(text)

    def cell(self, text: str) -> str:
        """Return what a cell means that was cut out of the text."""
        return text if self.original is None else self.original.cell(text)

    def cells(self, cells: pa.Array) -> pa.Array:
        """Return what cells mean that were cut out of the text, null where they are one of `null_values`."""
        if self.original is not None:
            cells = self.original.cells(cells)
        if self.null_values:
            are_null = pc.is_in(cells, value_set=pa.array(self.null_values, cells.type))
            cells = pc.if_else(are_null, pa.scalar(None, cells.type), cells)
        return cells

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
