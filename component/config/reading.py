"""What is configured of inputs that are no tables of the platform: any file, records directories, text in place."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StrictBool, StrictInt

from component.config.fields import (
    NO_ENCLOSURE,
    Character,
    Delimiter,
    Enclosure,
    JsonObject,
    Name,
    Names,
    Positive,
    Strict,
)
from component.naming import GIB

ReadingWord = Literal["strict", "lenient"]
HeaderWord = Literal["error", "by_name", "by_position"]
NumbersWord = Literal["text", "exact", "workbench"]
DefaultsWord = Literal["tablemill", "spec", "client"]
MOST_WAIT: Final = 86_400
MOST_HEADER_ROWS: Final = 10


class TextOptions(Strict):
    """How delimited text is written (docs/detection.md); what is left out is the manifest's, or found out."""

    delimiter: Delimiter | None = None
    r"""What stands between two cells: one or more characters; `\t` and `tab` are the tab. Blank means the manifest's,
    else a comma; without a manifest it is found out.
    """
    enclosure: Enclosure | None = None
    """The character around a cell, or `none`. Blank means the manifest's, else a double quote; without a
    manifest it is found out.
    """
    quotes: ReadingWord = "strict"
    """`strict` refuses cells of CSV that break RFC 4180, `lenient` takes them as they stand and counts their rows."""
    escape: Literal["\\"] | None = None
    """The backslash, where it takes away what the character after it means. Without it, an enclosure is doubled."""
    encoding: Name | None = None
    """The encoding, such as utf-16 or windows-1252. Without it, it is found out; a table with a manifest is
    UTF-8 unless a byte order mark says otherwise.
    """
    skip_rows: Annotated[StrictInt, Field(ge=0)] | None = None
    """How many lines stand before the header."""
    comment: Name | None = None
    """What lines begin with that are no records."""
    header_rows: Annotated[StrictInt, Field(ge=0, le=MOST_HEADER_ROWS)] | None = None
    """How many records hold names; those of several are joined by `_`. With 0, columns are called `column_1` and so on,
    unless `names` or the manifest name them.
    """
    names: Names = ()
    """The names of all columns in order, in place of those of the header."""
    null_values: Names = ()
    """Texts that stand for null, enclosed or not."""
    decimal: Literal[".", ","] | None = None
    """What stands before the decimals of numbers. Without it, a point; inference finds a comma where the cells prove
    it.
    """
    thousands: Literal[",", ".", " ", "'"] | None = None
    """What stands between thousands of numbers. Without it, nothing, unless inference finds cells that prove a mark.
    """

    @property
    def marks(self) -> tuple[str, str] | None:
        """What stands before decimals and between thousands; None where nothing is said."""
        if self.decimal is None and self.thousands is None:
            return None
        return self.decimal or ".", self.thousands or ""

    @property
    def is_strict(self) -> bool:
        """Whether cells that break the rules make their row a bad one."""
        return self.quotes == "strict"

    @property
    def enclosing(self) -> str | None:
        """The enclosure as a character; the empty text where nothing is enclosed, None where nothing is said."""
        return "" if self.enclosure == NO_ENCLOSURE else self.enclosure

    @property
    def says_more(self) -> bool:
        """Whether more is said than a manifest can say: a delimiter and an enclosure of one ASCII character."""
        more = (self.escape, self.encoding, self.skip_rows, self.comment, self.header_rows)
        odd = self.delimiter is not None and (len(self.delimiter) > 1 or not self.delimiter.isascii())
        return odd or any(one is not None for one in more) or bool(self.names or self.null_values)


class TableLimits(Strict):
    """The most that a table may have; what is left out is unbounded. Bytes are those of UTF-8."""

    rows: Positive | None = None
    """The most rows."""
    columns: Positive | None = None
    """The most columns."""
    cell_bytes: Positive | None = None
    """The most bytes in a cell."""
    name_bytes: Positive | None = None
    """The most bytes in the name of a column."""


class FileReading(Strict):
    """How a file is read that is no CSV or Parquet of the platform (docs/workbench-files.md).

    `strict` refuses what `lenient` mends. What is left out is found out from the file, if `reading` allows it.
    `limits` `workbench` are those of Workbench.
    """

    reading: ReadingWord = "strict"
    """`strict` refuses a file with a fault, `lenient` mends what it can and says what it changed."""
    encoding: Name | None = None
    """The encoding of the text, such as `windows-1252`. Without it, the encoding is found from the bytes."""
    has_header: StrictBool = True
    """Whether the first row holds the names of the columns."""
    numbers: NumbersWord = "text"
    """How numbers are read: as `text`, as `exact` decimals, or as Workbench reads them."""
    mime_type: Name | None = None
    """The media type of the file, for one whose name does not say what it is."""
    limits: Literal["none", "workbench"] | TableLimits = "none"
    """The largest table that is accepted: `none`, `workbench`, or limits of your own."""


class RecordsReading(Strict):
    """How a records directory is read (docs/records.md).

    `lax` goes on after hints that are not known, with a warning. `outside` allows files outside of the directory.
    `hints` stand above those of the directory. `wait_seconds` is how long the manifest is waited for; None stands for a
    minute where files appear late, as in a bucket, and for not at all in a folder.
    `assume_timezone` is the zone of moments that are written without offset; None stands for UTC, as the spec has it.
    `keep_quoted_empty` makes a quoted empty cell of a text column the empty string; else it is null like any other.
    """

    lax: StrictBool = False
    """Whether to go on after unknown hints, with a warning."""
    outside: StrictBool = False
    """Whether the manifest may name files outside of the directory."""
    hints: JsonObject = Field(default_factory=dict)
    """Hints that override those of the directory."""
    defaults: DefaultsWord = "tablemill"
    """Whose defaults hold for hints that nobody gives."""
    wait_seconds: Annotated[StrictInt, Field(ge=0, le=MOST_WAIT)] | None = None
    """How long to wait for the manifest. Without it, a minute in a bucket and not at all in a folder."""
    assume_timezone: Name | None = None
    """The zone of times that are written without one. Without it, UTC."""
    keep_quoted_empty: StrictBool = False
    """Whether a quoted empty cell of a text column is the empty string instead of null."""


class TextTable(Strict):
    """A table that stands in the configuration, as text: an input like any other, called by its name."""

    name: Name
    """What the configuration calls the table."""
    csv: str
    """The text of the table."""
    has_header_row: StrictBool = True
    """Whether the first line holds the names of the columns."""
    delimiter: Character | None = None
    """The character between two cells. Without it, the text decides."""
    numbers: NumbersWord = "text"
    """How numbers are read: as `text`, as `exact` decimals, or as Workbench reads them."""
    reading: ReadingWord = "strict"
    """`strict` refuses text with a fault, `lenient` mends what it can and says what it changed."""
    limits: Literal["none", "workbench"] | TableLimits = "none"
    """The largest table that is accepted: `none`, `workbench`, or limits of your own."""


class CacheConfig(Strict):
    """Where results of parsing files are kept between runs, and how much of them (docs/workbench.md)."""

    folder: Name
    """The folder of the cache."""
    max_bytes: Positive = GIB
    """The most bytes in the cache; the oldest results go first."""
    max_days: Positive = 30
    """Days after which an unused result goes."""
