"""How a nasty table lies on disk, and its bytes: written here one by one, without the csv module."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

Cell = str | None
"""The text of a cell; None is an empty cell without enclosure, `""` is written with one."""

INPUT_BUCKET: Final = "in.c-nasty"
BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows become bytes; `line_ends` are taken in turn."""

    delimiter: str = ","
    enclosure: str = '"'
    line_ends: tuple[str, ...] = ("\n",)
    enclose_all: bool = False
    bom: bool = False
    final_line_end: bool = True


@dataclass(frozen=True, slots=True)
class SliceFile:
    """One file of a sliced table: its rows, and how it is packed (plain, gzip, or gzip in two members)."""

    name: str
    rows: Sequence[Sequence[Cell]]
    packed: str = "plain"
    layout: Layout = Layout()


@dataclass(frozen=True, slots=True)
class NastyTable:
    """One input table, and what must be read from it under the default null rules.

    `values` are typed Python values; a null is None. `manifest` None means that there is no manifest at all.
    Tables with `slices` are folders, the others files.
    """

    name: str
    why: str
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    values: tuple[tuple[Any, ...], ...]
    types: tuple[str, ...]
    manifest: Any = None
    layout: Layout = Layout()
    header: bool = True
    slices: tuple[SliceFile, ...] = ()


def encode_rows(rows: Sequence[Sequence[Cell]], layout: Layout) -> bytes:
    """Return rows as delimited text."""
    lines = [layout.delimiter.join(_encode_cell(cell, layout) for cell in row) for row in rows]
    ends = list(itertools.islice(itertools.cycle(layout.line_ends), len(lines)))
    if ends and not layout.final_line_end:
        ends[-1] = ""
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return (BOM if layout.bom else b"") + text.encode()


def _encode_cell(cell: Cell, layout: Layout) -> str:
    if cell is None:
        return ""
    special = (layout.enclosure, layout.delimiter, "\r", "\n")
    if cell and not layout.enclose_all and not any(character in cell for character in special):
        return cell
    return layout.enclosure + cell.replace(layout.enclosure, 2 * layout.enclosure) + layout.enclosure


def pack(data: bytes, packed: str) -> bytes:
    """Return the bytes of a slice file."""
    if packed == "plain":
        return data
    cut = len(data) // 2 if packed == "gzip in two members" else 0
    members = [data[:cut], data[cut:]] if cut else [data]
    return b"".join(gzip.compress(member, mtime=0) for member in members)
