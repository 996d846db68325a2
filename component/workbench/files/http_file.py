"""The httpfile: a response of a web server as one gzip file, read and written to the byte (reference workbench 3).

Equal input gives equal bytes, whenever it is written.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import IO, Any, Final

from component.errors import Place, UserError
from component.naming import MIB

PREFIX: Final = "Cjw-Original-"
"""What stands before the name of a header of the wire; taken off on reading, in this spelling only."""
MOST_HEAD: Final = 1024 * 1024
"""Bytes before the body."""
_STATUS: Final = re.compile(r"[1-9][0-9]{2}( .*)?")
_CHARSET: Final = re.compile(r";\s*charset\s*=\s*\"?([A-Za-z0-9!#$%&'+^_`{}~-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HttpFile:
    """What was asked for, and the last response: `parameters` hold the URL and never a secret, `body` any bytes."""

    parameters: Mapping[str, Any]
    status: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)

    @property
    def url(self) -> str:
        """The URL that was asked for; empty when none is told."""
        url = self.parameters.get("url", "")
        return url if isinstance(url, str) else ""

    def header(self, name: str) -> str | None:
        """Return a header's value by its name in any case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def charset(self) -> str | None:
        """The encoding that the server states, which is binding; None when it states none."""
        found = _CHARSET.search(self.header("content-type") or "")
        return found[1] if found else None


def read_http_file(data: bytes, place: Place, *, strict: bool = False) -> HttpFile:
    """Return what an httpfile says. UserError `workbench.http_file` for anything that is none.

    Lenient reading is Workbench's, but for headers that no blank line ends: a line may end with LF alone, and what
    Latin-1 takes for blanks goes at both its ends. `strict` takes CRLF only, and no status that is none.
    """
    try:
        text = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise _broken(f"it is no whole gzip file: {error}", place) from error
    file, start = read_http_head(text[: MOST_HEAD + 1], place, strict=strict)
    return replace(file, body=text[start:])


def read_http_head(text: bytes, place: Place, *, strict: bool = False) -> tuple[HttpFile, int]:
    """Return what stands before the body of an unpacked httpfile, and where its body begins.

    `text` are its first bytes, more than `MOST_HEAD` if there are so many. Errors as `read_http_file`.
    """
    lines, start = _head(text, place, strict=strict)
    try:
        parameters = json.loads(lines[0])
    except (ValueError, RecursionError) as error:
        raise _broken(f"its first line is no JSON: {error}", place) from error
    if not isinstance(parameters, dict):
        raise _broken("its first line is no JSON object", place)
    status = lines[1].decode("latin-1").strip()
    if strict and _STATUS.fullmatch(status) is None:
        raise _broken(f"{status!r} is no status", place)
    return HttpFile(parameters, status, tuple(_header(line, place, strict=strict) for line in lines[2:])), start


def _head(text: bytes, place: Place, *, strict: bool) -> tuple[list[bytes], int]:
    """Return the lines before the blank one, without line ends, two at least, and where what follows it begins."""
    lines: list[bytes] = []
    at = 0
    while True:
        end = text.find(b"\n", at)
        if end < 0 or end > MOST_HEAD:
            raise _broken("no blank line ends its headers", place)
        line, at = text[at:end], end + 1
        if strict and not line.endswith(b"\r"):
            raise _broken(f"line {len(lines) + 1} does not end with CRLF", place)
        line = line.removesuffix(b"\r")
        if len(lines) >= 2 and not (line if strict else line.decode("latin-1").strip()):
            return lines, at
        lines.append(line)


def _header(line: bytes, place: Place, *, strict: bool) -> tuple[str, str]:
    text = line.decode("latin-1")
    name, colon, value = (text if strict else text.strip()).partition(":")
    if not colon:
        raise _broken(f"the header {name[:80]!r} has no colon", place)
    return name.removeprefix(PREFIX), value.strip(" \t") if strict else value.lstrip(" ")


def _broken(why: str, place: Place) -> UserError:
    return UserError(
        "workbench.http_file", f"The httpfile cannot be read: {why}", place=place, remedy="Fetch the file again."
    )


_KEPT: Final = frozenset({"content-type", "content-disposition", "server"})
_RENAMED: Final = frozenset({"transfer-encoding", "content-encoding", "content-length"})
_HEAD: Final = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF))
"""What a gzip member begins with that has no name and no time and is of the highest level."""


def write_http_file(file: HttpFile) -> bytes:
    """Return the bytes of an httpfile.

    Of the headers those are kept that tell what the body is; the ones of the wire get a prefix, since the body has no
    chunks and no compression any more. ValueError for a header or status with a line end.
    """
    sink = io.BytesIO()
    write_http_body(file, io.BytesIO(file.body), sink)
    return sink.getvalue()


def write_http_body(file: HttpFile, body: IO[bytes], sink: IO[bytes]) -> None:
    """Write an httpfile with a body that is read piece by piece; that of `file` is left aside. Errors as above."""
    asked = json.dumps(file.parameters, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    lines = [file.status, *(f"{name}: {value}" for name, value in kept_headers(file.headers))]
    if any("\n" in line or "\r" in line for line in lines):
        raise ValueError("a line end in a header")
    head = asked.encode() + b"\r\n" + "".join(f"{line}\r\n" for line in lines).encode("latin-1") + b"\r\n"
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    checksum, size, piece = 0, 0, head
    sink.write(_HEAD)
    while piece:
        checksum, size = zlib.crc32(piece, checksum), size + len(piece)
        sink.write(packer.compress(piece))
        piece = body.read(MIB)
    sink.write(packer.flush() + checksum.to_bytes(4, "little") + (size % 2**32).to_bytes(4, "little"))


def kept_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the headers that an httpfile keeps, by the names it has for them."""
    kept = []
    for name, value in headers:
        if name.lower() in _KEPT:
            kept.append((name, value))
        elif name.lower() in _RENAMED:
            kept.append((PREFIX + name, value))
    return kept


def fetch_parameters(url: str, **others: Any) -> dict[str, Any]:
    """Return the parameters of an httpfile; a key that begins with `#` is a secret, and never taken."""
    known = {"url": url, **others}
    return {key: value for key, value in known.items() if not key.startswith("#")}
