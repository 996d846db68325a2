"""What is configured of inputs that are no tables of the platform: any file, records directories, text in place."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StrictBool, StrictInt

from component.config.fields import Character, JsonObject, Name, Positive, Strict
from component.naming import GIB

ReadingWord = Literal["strict", "lenient"]
NumbersWord = Literal["text", "exact", "workbench"]
DefaultsWord = Literal["tablemill", "spec", "client"]
MOST_WAIT: Final = 86_400


class TableLimits(Strict):
    """The most that a table may have; what is left out is unbounded. Bytes are those of UTF-8."""

    rows: Positive | None = None
    columns: Positive | None = None
    cell_bytes: Positive | None = None
    name_bytes: Positive | None = None


class FileReading(Strict):
    """How a file is read that is no CSV or Parquet of the platform (docs/workbench-files.md).

    `strict` refuses what `lenient` mends. What is left out is found out from the file, if `reading` allows it.
    `limits` `workbench` are those of Workbench.
    """

    reading: ReadingWord = "strict"
    encoding: Name | None = None
    has_header: StrictBool = True
    numbers: NumbersWord = "text"
    mime_type: Name | None = None
    limits: Literal["none", "workbench"] | TableLimits = "none"


class RecordsReading(Strict):
    """How a records directory is read (docs/records.md).

    `lax` goes on after hints that are not known, with a warning. `outside` allows files outside of the directory.
    `hints` stand above those of the directory. `wait_seconds` is how long the manifest is waited for; None stands for a
    minute where files appear late, as in a bucket, and for not at all in a folder.
    `assume_timezone` is the zone of moments that are written without offset; None stands for UTC, as the spec has it.
    `keep_quoted_empty` makes a quoted empty cell of a text column the empty string; else it is null like any other.
    """

    lax: StrictBool = False
    outside: StrictBool = False
    hints: JsonObject = Field(default_factory=dict)
    defaults: DefaultsWord = "tablemill"
    wait_seconds: Annotated[StrictInt, Field(ge=0, le=MOST_WAIT)] | None = None
    assume_timezone: Name | None = None
    keep_quoted_empty: StrictBool = False


class TextTable(Strict):
    """A table that stands in the configuration, as text: an input like any other, called by its name."""

    name: Name
    csv: str
    has_header_row: StrictBool = True
    delimiter: Character | None = None
    numbers: NumbersWord = "text"
    reading: ReadingWord = "strict"
    limits: Literal["none", "workbench"] | TableLimits = "none"


class CacheConfig(Strict):
    """Where results of parsing files are kept between runs, and how much of them (docs/workbench.md)."""

    folder: Name
    max_bytes: Positive = GIB
    max_days: Positive = 30
