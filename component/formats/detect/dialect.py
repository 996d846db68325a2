"""A reading of delimited text: everything that must be known to cut a file into cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from component.naming import DELIMITER, ENCLOSURE

UTF8: Final = "utf-8"
BACKSLASH: Final = "\\"
_WORDS: Final = {
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "pipe",
    " ": "blank",
    ":": "colon",
    '"': "double quotes",
    "'": "single quotes",
    BACKSLASH: "backslash",
}


@dataclass(frozen=True, slots=True)
class TextDialect:
    """How a text is delimited; everything has a value.

    An empty `delimiter` means that the text has one column, an empty `enclosure` that nothing is ever enclosed. Without
    `escape` an enclosure within a cell is doubled. `skip_rows` are lines before the header; lines that begin with
    `comment` are no records. `header_rows` are the records that hold the names, 0 when there are none. With
    `row_names` the header lacks a name for the first column, as R's write.table leaves it.
    """

    delimiter: str = DELIMITER
    enclosure: str = ENCLOSURE
    escape: str | None = None
    encoding: str = UTF8
    skip_rows: int = 0
    comment: str | None = None
    header_rows: int = 1
    row_names: bool = False

    @property
    def words(self) -> str:
        """The reading in a few words, for people."""
        said = ["one column" if self.is_one_column else f"delimiter {shown(self.delimiter)}"]
        if self.enclosure != ENCLOSURE:
            said.append(f"cells enclosed in {shown(self.enclosure)}" if self.enclosure else "no enclosure")
        if self.escape:
            said.append(f"escape {shown(self.escape)}")
        if self.encoding != UTF8:
            said.append(f"encoding {self.encoding}")
        if self.skip_rows:
            said.append(f"{self.skip_rows} line{'s' * (self.skip_rows > 1)} before the header skipped")
        if self.comment:
            said.append(f"lines that begin with {self.comment!r} are comments")
        if self.header_rows != 1:
            said.append(f"{self.header_rows} header rows" if self.header_rows else "no header")
        if self.row_names:
            said.append("row names without a name of their own")
        return ", ".join(said)

    @property
    def is_one_column(self) -> bool:
        """Whether nothing separates cells."""
        return not self.delimiter

    @property
    def is_plain(self) -> bool:
        """Whether the CSV reader takes the text as it is."""
        one = len(self.delimiter) == 1 and self.delimiter.isascii()
        return one and self.encoding == UTF8 and not self.escape and not self.comment


def shown(mark: str) -> str:
    """Return a mark as people call it: `tab`, `semicolon`, or the characters themselves."""
    return _WORDS.get(mark, repr(mark))
