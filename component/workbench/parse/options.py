"""What is said of a file before it is read, and what comes of reading it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from component.naming import GIB
from component.workbench.render.messages import Message
from component.workbench.rules.limits import UNLIMITED, WORKBENCH_2021, TableSizes
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.table import NO_TABLE, WorkbenchTable

PARSER: Final = "cjwparse"
"""The catalogue that has the texts of the parser's messages."""


class Numbers(StrEnum):
    """Whether columns of text become numbers.

    - `text`: never.
    - `exact`: where every cell comes back as the same text, so that nothing is lost; others stay text, with a message.
    - `workbench`: as Workbench does it, losses included (`01234` is 1234, 2**53 + 1 loses a digit).
    """

    TEXT = "text"
    EXACT = "exact"
    WORKBENCH = "workbench"


@dataclass(frozen=True, slots=True)
class FileLimits:
    """The most that is read of a file: of its table, bytes of delimited text, and bytes of text in JSON."""

    table: TableSizes = UNLIMITED
    csv_bytes: int | None = None
    text_bytes: int | None = None


WORKBENCH_LIMITS: Final = FileLimits(WORKBENCH_2021, csv_bytes=2 * GIB, text_bytes=GIB)
NO_LIMITS: Final = FileLimits()


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How a file is to be read; None: found out from the file, if `reading` allows it."""

    reading: ReadingMode = ReadingMode.STRICT
    encoding: str | None = None
    delimiter: str | None = None
    has_header: bool = True
    numbers: Numbers = Numbers.TEXT
    mime_type: str | None = None
    limits: FileLimits = NO_LIMITS


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A table, and what had to be done to get it; `notes` are of what Workbench does without a word."""

    table: WorkbenchTable = NO_TABLE
    messages: tuple[Message, ...] = field(default=())
    notes: tuple[Message, ...] = field(default=())
