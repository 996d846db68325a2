"""Bytes to text: which encoding, and what to do with bytes that are not of it (reference workbench 5, "Text")."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Final

from component.errors import Place, UserError
from component.naming import MIB
from component.workbench.messages import Message
from component.workbench.parse.options import PARSER
from component.workbench.reading import Reading

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SEEN: Final = 1 * MIB
"""Bytes that are looked at to guess the encoding."""
_MARK: Final = "\N{BYTE ORDER MARK}"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, and a message if some of its bytes were replaced."""

    text: str
    messages: tuple[Message, ...] = ()


def decode(data: bytes, encoding: str | None, reading: Reading, place: Place) -> Decoded:
    """Return the text of bytes, without byte order mark.

    A stated encoding is binding. Without one: a byte order mark, else UTF-8; and if the bytes are not that, what they
    look like (lenient). Bytes that are not of the encoding are replaced by U+FFFD with a message (lenient), or raise
    UserError `csv.encoding` with the position of the first (strict). UserError `config.value` for an unknown encoding.
    """
    name = _known(encoding, place) if encoding else _found(data, reading)
    try:
        return Decoded(_decoded(data, name, "strict"))
    except UnicodeDecodeError as error:
        fault = Fault(error.object[error.start], name, error.start)
        if reading is Reading.STRICT:
            raise fault.error(place) from error
        return Decoded(_decoded(data, name, "replace"), (fault.message,))
    except UnicodeError as error:  # UTF-16 that breaks off, without a position
        fault = Fault(data[-1], name, len(data) - 1)
        if reading is Reading.STRICT:
            raise fault.error(place) from error
        return Decoded(data.decode("latin-1"), (fault.message,))


@dataclass(frozen=True, slots=True)
class Fault:
    """The first byte that is not of an encoding."""

    byte: int
    encoding: str
    position: int

    @property
    def message(self) -> Message:
        """What is said when it is replaced."""
        arguments: dict[str, str | int | float] = {
            "encoding": self.encoding,
            "byte": f"0x{self.byte:02X}",
            "position": self.position,
        }
        return Message("text.repaired_encoding", arguments, PARSER)

    def error(self, place: Place) -> UserError:
        """Return what is raised when it is not."""
        return UserError(
            "csv.encoding",
            f"Byte 0x{self.byte:02x} is not valid {self.encoding}",
            place=Place(place.table, place.slice, byte=self.position),
            remedy="Say the encoding of the file, save it as UTF-8, or set reading to lenient.",
        )


def _known(encoding: str, place: Place) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise UserError(
            "config.value",
            f"There is no encoding {encoding!r}",
            place=place,
            remedy="Use a name as utf-8, windows-1252 or shift_jis.",
        ) from error


def _found(data: bytes, reading: Reading) -> str:
    """Return the encoding that the bytes say, or look like."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    if reading is Reading.STRICT or _is_utf8(data):
        return "utf-8"
    return _guessed(data)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _guessed(data: bytes) -> str:
    from chardet import EncodingEra, detect  # noqa: PLC0415 - loaded for odd files only

    found = detect(data, encoding_era=EncodingEra.MODERN_WEB, max_bytes=_SEEN)["encoding"]
    if found is None or found.lower() == "ascii":
        return "utf-8"
    return codecs.lookup(found).name


def _decoded(data: bytes, encoding: str, errors: str) -> str:
    return data.decode(encoding, errors).removeprefix(_MARK)
