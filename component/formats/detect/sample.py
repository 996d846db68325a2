"""A bounded part of a file as text: its head, pieces from further in where the file is seekable, and its encoding."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from component import naming
from component.errors import Place
from component.folder.magic import is_packed
from component.formats.detect.dialect import UTF8
from component.formats.detect.plain import open_unpacked
from component.staging.locations import Location, reading_at, size_of

HEAD_BYTES: Final = 128 * naming.KIB
PIECE_BYTES: Final = 16 * naming.KIB
PIECES: Final = 4
_MARKS: Final = (
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDE: Final = ("utf-16-le", "utf-16-be")
_MOSTLY: Final = 0.7
_LONGEST_CHARACTER: Final = 4


@dataclass(frozen=True, slots=True)
class Sample:
    """Text of a file: `head` from its beginning, `whole` if that is all of it, and `pieces` of whole lines further in.

    `guessed`: the encoding is neither marked nor UTF-8, so it is only what the bytes look like.
    """

    head: str
    whole: bool = True
    pieces: tuple[str, ...] = ()
    encoding: str = UTF8
    guessed: bool = False


def sample_of(location: Location, place: Place, encoding: str | None = None) -> Sample:
    """Return a sample of a file or object, unpacked where it is compressed.

    Bytes that are not of the encoding become U+FFFD: their rows are for the reader to judge. UserError `gzip.truncated`
    for damage.
    """
    with open_unpacked(location, place) as file:
        text = _read(file, HEAD_BYTES + 1)
    whole, text = len(text) <= HEAD_BYTES, text[:HEAD_BYTES]
    name, mark, guessed = encoding_of(text, whole=whole) if encoding is None else (*_given(encoding, text), False)
    head = codecs.getincrementaldecoder(name)("replace").decode(text[mark:], whole)
    is_seekable = isinstance(location, Path) and not is_packed(location)
    pieces = () if whole or not is_seekable else tuple(_pieces(location, size_of(location), name))
    return Sample(head if whole else _whole_lines(head), whole, pieces, name, guessed)


def encoding_of(data: bytes, *, whole: bool = True) -> tuple[str, int, bool]:
    """Return the encoding of the beginning of a text, the bytes of its mark, and whether it is only a guess."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name, len(mark), False
    wide = _wide(data)
    if wide is not None:
        return wide, 0, False
    try:
        codecs.getincrementaldecoder(UTF8)().decode(data, whole)
    except UnicodeDecodeError:
        return _looks_like(data), 0, True
    return UTF8, 0, False


def _wide(data: bytes) -> str | None:
    """Return UTF-16 without a mark, by the zero bytes that every second byte of Western text is."""
    even, odd = data[0::2], data[1::2]
    if not odd:
        return None
    zeros = even.count(0) / len(even), odd.count(0) / len(odd)
    if zeros[1] > _MOSTLY and not zeros[0]:
        return _WIDE[0]
    return _WIDE[1] if zeros[0] > _MOSTLY and not zeros[1] else None


def _looks_like(data: bytes) -> str:
    """Return the encoding that bytes look like; what chardet is not sure of is Windows-1252, the commonest by far."""
    from chardet import EncodingEra, detect  # noqa: PLC0415 - loaded for odd files only

    found = detect(data, encoding_era=EncodingEra.MODERN_WEB, max_bytes=HEAD_BYTES)
    name, sure = found["encoding"], found["confidence"] or 0.0
    if not name or name.lower() in {"ascii", UTF8, "utf-8-sig"} or sure < _MOSTLY:
        return "cp1252"
    return codecs.lookup(name).name


def _given(encoding: str, data: bytes) -> tuple[str, int]:
    name = codecs.lookup(encoding).name
    found = next(((mark, one) for mark, one in _MARKS if data.startswith(mark) and one.startswith(name)), None)
    if found is not None:
        return found[1], len(found[0])
    return (f"{name}-le" if name in {"utf-16", "utf-32"} else name), 0


def _pieces(location: Location, size: int, encoding: str) -> Iterator[str]:
    """Yield whole lines from places further in, the last of which is the file's end."""
    last = max(HEAD_BYTES, size - PIECE_BYTES)
    with reading_at(location) as read_at:
        for number in range(PIECES):
            offset = HEAD_BYTES + number * (last - HEAD_BYTES) // (PIECES - 1)
            data = read_at(offset - offset % _LONGEST_CHARACTER, PIECE_BYTES + _LONGEST_CHARACTER)
            text = data.decode(encoding, "replace")
            yield _whole_lines(text[text.find("\n") + 1 :])


def _whole_lines(text: str) -> str:
    """Return a text up to its last line end; all of it where it has none."""
    return text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text


def _read(file: Any, size: int) -> bytes:
    pieces: list[bytes] = []
    while size and (piece := file.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
