"""Bytes to text: which encoding, and what to do with bytes that are not of it (reference workbench 5, "Text")."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from component.config.rules import NO_TEXT
from component.errors import Place, UserError
from component.naming import MIB
from component.workbench.parse.content import Content
from component.workbench.parse.options import PARSER
from component.workbench.render.messages import Message
from component.workbench.rules.reading import ReadingMode

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
_MARKED: Final = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""Encodings whose mark says the order of bytes, and what they are without one."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, a message if some of its bytes were replaced, and a note if its encoding is a guess."""

    text: str
    messages: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()


def decode(data: bytes | Content, encoding: str | None, reading: ReadingMode, place: Place) -> Decoded:
    """Return the text of bytes, without byte order mark.

    A stated encoding is binding. Without one: a byte order mark, else UTF-8; and if the bytes are not that, what they
    look like (lenient). Bytes that are not of the encoding are replaced by U+FFFD with a message (lenient), or raise
    UserError `csv.encoding` with the position of the first (strict). UserError `config.value` for an unknown encoding.
    """
    decoding = Decoding(Content.of(data), encoding, reading, place)
    return Decoded("".join(decoding.blocks()), decoding.messages, decoding.notes)


class Decoding:
    """The text of a file, block by block, as `decode` says it; `messages` are all there once it was read to its end.

    `most` bytes are read. Errors as `decode`, those of the encoding when it is made.
    """

    def __init__(
        self, content: Content, encoding: str | None, reading: ReadingMode, place: Place, most: int | None = None
    ) -> None:
        self._content, self._reading, self._place = content, reading, place
        self._most = content.size if most is None else min(most, content.size)
        self._encoding, self._is_guess = (_known(encoding, place), False) if encoding else _found(content, reading)
        self._fault: DecodingFault | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """What is said of bytes that were replaced."""
        return () if self._fault is None else (self._fault.message,)

    @property
    def notes(self) -> tuple[Message, ...]:
        """What is said of an encoding that is only what the bytes look like, of which Workbench says nothing."""
        guess = Message("tablemill.guessed_encoding", {"encoding": self._encoding}, PARSER)
        return (guess,) if self._is_guess else ()

    def blocks(self, size: int = _SEEN) -> Iterator[str]:
        """Yield the text from its beginning; a block may be empty."""
        decoder = self._decoder()
        at, is_first = 0, True
        with self._content.open() as stream:
            while True:
                data = stream.read(min(size, self._most - at))
                text = self._decoded(decoder, data, at)
                if is_first and text:
                    text, is_first = text.removeprefix(_MARK), False
                yield text
                at += len(data)
                if not data:
                    return

    def _decoder(self) -> codecs.IncrementalDecoder:
        name = self._encoding
        if name in _MARKED and not self._content.head(4).startswith(tuple(mark for mark, one in _MARKS if one == name)):
            name = _MARKED[name]
        return codecs.getincrementaldecoder(name)("strict")

    def _decoded(self, decoder: codecs.IncrementalDecoder, data: bytes, at: int) -> str:
        """Return the text of the bytes at a position; no bytes: the end."""
        state = decoder.getstate()
        try:
            return decoder.decode(data, not data)
        except UnicodeDecodeError as error:
            waiting = state[0]
            found = DecodingFault((waiting + data)[error.start], self._encoding, at - len(waiting) + error.start)
            if self._reading is ReadingMode.STRICT:
                raise found.error(self._place) from error
            self._fault = self._fault or found
            decoder.setstate(state)  # decoders of some encodings forget what they waited with
            decoder.errors = "replace"
            return decoder.decode(data, not data)


@dataclass(frozen=True, slots=True)
class DecodingFault:
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
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):
        found = None
    if found is None or not getattr(found, "_is_text_encoding", True) or found.name in NO_TEXT:
        raise UserError(
            "config.value",
            f"There is no encoding {encoding!r}",
            place=place,
            remedy="Use a name as utf-8, windows-1252 or shift_jis.",
        )
    return found.name


def _found(content: Content, reading: ReadingMode) -> tuple[str, bool]:
    """Return the encoding that the bytes say, or look like, and whether it is a guess."""
    head = content.head(4)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, False
    if reading is ReadingMode.STRICT:
        return "utf-8", False
    with content.open() as stream:
        return ("utf-8", False) if _is_utf8(stream) else (_guessed(content.head(_SEEN)), True)


def _is_utf8(stream: IO[bytes]) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while data := stream.read(_SEEN):
            decoder.decode(data)
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def _guessed(data: bytes) -> str:
    from chardet import EncodingEra, detect  # noqa: PLC0415 - loaded for odd files only

    found = detect(data, encoding_era=EncodingEra.MODERN_WEB, max_bytes=_SEEN)["encoding"]
    if found is None or found.lower() == "ascii":
        return "utf-8"
    return codecs.lookup(found).name
