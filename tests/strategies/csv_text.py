"""Delimited text as hypothesis makes it: random characters that matter, and well-formed tables."""

from __future__ import annotations

import csv
import io

from hypothesis import strategies as st

cells = st.text(st.sampled_from('ab0 ",;\n\r\té😀'), max_size=6)
"""Cells full of what splitting and parsing stumble over."""

hostile_text = st.text(st.sampled_from('ab0",\n\r"'), max_size=40)
"""Any text at all, stray and unclosed enclosures included."""


@st.composite
def tables(draw: st.DrawFn, *, columns: st.SearchStrategy[int] = st.integers(1, 4)) -> list[list[str]]:
    """Rows of one width."""
    width = draw(columns)
    return draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=12))


def write_rfc4180(
    rows: list[list[str]], *, delimiter: str = ",", terminator: str = "\n", quoting: int = csv.QUOTE_MINIMAL
) -> str:
    """Python's csv module as the writer; it leaves a line end that is not its own unquoted, so then all is quoted."""
    if any(end in cell for row in rows for cell in row for end in "\r\n"):
        quoting = csv.QUOTE_ALL
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=terminator, quoting=quoting).writerows(rows)
    return text.getvalue()


def read_with_python(text: str, *, delimiter: str = ",") -> list[list[str]]:
    """Python's csv module as the oracle; an empty line is no row, but in a table of one column a row with an empty cell."""
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
