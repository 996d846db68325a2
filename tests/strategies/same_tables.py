"""One table written in two ways, and tables that differ in one cell."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

CELLS = st.one_of(
    st.none(),
    st.sampled_from(["", "a", "1", "1.0", "x,y", 'say "x"', "two\nlines", "cr\r\nlf", " ", "ü", "null", "-", "0:a"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
)


@dataclass(frozen=True)
class Written:
    """How a table is written: the order of its rows, where slices are cut, gzip, a header or `columns`."""

    order: list[int]
    cuts: list[int]
    gzip: bool
    header: bool


@st.composite
def tables(draw, least_rows=0):
    width = draw(st.integers(1, 4))
    names = [f"c{number}" for number in range(width)]
    row = st.lists(CELLS, min_size=width, max_size=width)
    return names, draw(st.lists(row, min_size=least_rows, max_size=12))


@st.composite
def ways(draw, rows):
    sliced = draw(st.booleans())
    return Written(
        order=draw(st.permutations(range(rows))),
        cuts=sorted(draw(st.lists(st.integers(0, rows), max_size=3))) if sliced else [],
        gzip=draw(st.booleans()),
        header=not sliced and draw(st.booleans()),
    )


def write(path: Path, names: list[str], rows: list[list[str | None]], way: Written) -> None:
    """Write a table; a null is an empty cell without enclosure, all others are enclosed."""
    ordered = [rows[at] for at in way.order]
    if not way.header:
        path.with_name(f"{path.name}.manifest").write_text(json.dumps({"columns": names}))
    if way.header or not way.cuts:
        path.write_bytes(_text(([names] if way.header else []) + ordered, packed=way.gzip))
        return
    path.mkdir()
    for number, (start, stop) in enumerate(zip([0, *way.cuts], [*way.cuts, len(rows)], strict=True)):
        (path / f"part{number}").write_bytes(_text(ordered[start:stop], packed=way.gzip))


def _text(rows: list[list[str | None]], *, packed: bool) -> bytes:
    file = io.StringIO(newline="")
    for row in rows:
        cells = ("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in row)
        file.write(",".join(cells) + "\n")
    data = file.getvalue().encode()
    return gzip.compress(data, mtime=0) if packed else data
