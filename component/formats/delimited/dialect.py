"""How delimited text of the records format is written: the thirteen hints, resolved (reference records 2).

Which hint has which default, and what a directory says, is decided in the records room; a dialect is whole and valid.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from component.errors import UserError

GZIP: Final = "GZIP"
BZIP: Final = "BZIP"
LZO: Final = "LZO"
COMPRESSIONS: Final = (GZIP, BZIP, LZO, None)
QUOTINGS: Final = ("all", "minimal", "nonnumeric", None)
ESCAPES: Final = ("\\", None)
ENCODINGS: Final[Mapping[str, str]] = {
    "UTF8": "utf-8",
    "UTF8BOM": "utf-8",
    "UTF16": "utf-16",
    "UTF16BOM": "utf-16",
    "UTF16LE": "utf-16-le",
    "UTF16BE": "utf-16-be",
    "LATIN1": "latin-1",
    "CP1252": "cp1252",
}
"""The hint's values, and Python's names of the encodings. A byte order mark is no part of any."""


@dataclass(frozen=True, slots=True)
class DelimitedDialect:
    """The hints of one directory; the defaults are those of the `bluelabs` variant, without compression.

    Characters must differ, whatever the quoting (reference records 9.4): no two of delimiter, quotechar and escape are
    the same, and the terminator holds none of them. Raises UserError `records.hint`.
    """

    header_row: bool = False
    field_delimiter: str = ","
    record_terminator: str = "\n"
    compression: str | None = None
    quoting: str | None = None
    quotechar: str = '"'
    doublequote: bool = False
    escape: str | None = "\\"
    encoding: str = "UTF8"
    dateformat: str = "YYYY-MM-DD"
    timeonlyformat: str = "HH24:MI:SS"
    datetimeformat: str = "YYYY-MM-DD HH24:MI:SS"
    datetimeformattz: str = "YYYY-MM-DD HH:MI:SSOF"

    def __post_init__(self) -> None:
        self._check_words()
        self._check_characters()

    @property
    def quote(self) -> str | None:
        """The quotechar where it means something; None without quoting."""
        return None if self.quoting is None else self.quotechar

    @property
    def codec(self) -> str:
        """Python's name of the encoding."""
        return ENCODINGS[self.encoding]

    @property
    def overlaps_itself(self) -> bool:
        """Whether two terminators can share characters; then only the text before tells them apart."""
        text = self.record_terminator
        return any(text.startswith(text[start:]) for start in range(1, len(text)))

    def _check_words(self) -> None:
        words: tuple[tuple[str, object, tuple[object, ...]], ...] = (
            ("compression", self.compression, COMPRESSIONS),
            ("quoting", self.quoting, QUOTINGS),
            ("escape", self.escape, ESCAPES),
            ("encoding", self.encoding, tuple(ENCODINGS)),
        )
        for hint, value, allowed in words:
            if value not in allowed:
                raise hint_error(hint, value, f"one of {', '.join(map(_shown, allowed))}")
        for hint, value in (("header-row", self.header_row), ("doublequote", self.doublequote)):
            if not isinstance(value, bool):
                raise hint_error(hint, value, "true or false")

    def _check_characters(self) -> None:
        _check_text("field-delimiter", self.field_delimiter, 1)
        _check_text("quotechar", self.quotechar, 1)
        _check_text("record-terminator", self.record_terminator, None)
        if self.quotechar == self.field_delimiter:
            raise hint_error("quotechar", self.quotechar, "another character than field-delimiter")
        if self.escape in {self.quotechar, self.field_delimiter}:
            raise hint_error("escape", self.escape, "another character than field-delimiter and quotechar")
        for special in filter(None, (self.field_delimiter, self.quotechar, self.escape)):
            if special in self.record_terminator:
                raise hint_error("record-terminator", self.record_terminator, f"a text without {_shown(special)}")
        self._check_encoding()

    def _check_encoding(self) -> None:
        """Refuse characters that the encoding does not have."""
        for hint, value in (
            ("field-delimiter", self.field_delimiter),
            ("quotechar", self.quotechar),
            ("record-terminator", self.record_terminator),
        ):
            try:
                value.encode(self.codec)
            except UnicodeEncodeError:
                raise hint_error(hint, value, f"characters of the encoding {self.encoding}") from None


def _check_text(hint: str, value: object, length: int | None) -> None:
    if not isinstance(value, str) or not value or (length and len(value) != length):
        raise hint_error(hint, value, "exactly one character" if length else "a text of at least one character")


def hint_error(hint: str, value: object, allowed: str) -> UserError:
    """Return the error for a hint whose value is not allowed: it says hint, value and what is allowed."""
    return UserError(
        "records.hint",
        f"The hint {hint} is {_shown(value)}, and must be {allowed}",
        remedy=f"Correct {hint}, in the file _format_delimited or in the hints that are configured.",
    )


def _shown(value: object) -> str:
    return json.dumps(value)
