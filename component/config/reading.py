"""What is configured of inputs that are no tables of the platform: any file, records directories, text in place."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StrictBool, StrictInt

from component.config.fields import Character, JsonObject, Name, Positive, Strict
from component.naming import GIB

ReadingWord = Literal["strict", "lenient"]
HeaderWord = Literal["error", "by_name", "by_position"]
NumbersWord = Literal["text", "exact", "workbench"]
DefaultsWord = Literal["tablemill", "spec", "client"]
MOST_WAIT: Final = 86_400


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
