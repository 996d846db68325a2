"""Records byte by byte, as slow and plain as can be: the judge of what looks at many bytes at once."""

from __future__ import annotations

LF, CR = b"\n", b"\r"


def line_ends(data: bytes, quote: bytes, *, inside: bool = False) -> list[int]:
    """Return the positions of LF and CR outside of enclosures, by parity."""
    found = []
    for at in range(len(data)):
        byte = data[at : at + 1]
        if quote and byte == quote:
            inside = not inside
        elif byte in (LF, CR) and not inside:
            found.append(at)
    return found


def record_ends(data: bytes, quote: bytes) -> list[int]:
    """Return the offsets just after each record's line end; CRLF is one line end."""
    return [at + 1 for at in line_ends(data, quote) if data[at : at + 2] != CR + LF]


def ends_inside(data: bytes, quote: bytes, *, inside: bool) -> bool:
    """Return the state after the last byte."""
    return inside ^ bool(quote and data.count(quote) % 2)
