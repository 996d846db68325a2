"""Delimited text as hypothesis makes it: random characters that matter, and well-formed tables in any dialect."""

from __future__ import annotations

import csv
import io

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from component.formats.csv.dialect import Dialect

one_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
"""For tests that write each example to the same file."""

cells = st.text(st.sampled_from("ab0 \"',;|\n\r\té😀\ufeff\x01\u2028"), max_size=6)
"""Cells full of what splitting and parsing stumble over."""

hostile_text = st.text(st.sampled_from('ab0",\n\r"'), max_size=40)
"""Any text at all, stray and unclosed enclosures included."""

terminators = st.sampled_from(["\n", "\r", "\r\n"])

dialects = st.builds(Dialect, st.sampled_from(",;\t|x^"), st.sampled_from("\"'~y"))
"""Dialects with an enclosure; letters are allowed, and so are nasty ones."""

bare_dialects = st.builds(Dialect, st.sampled_from(",;\t|"), st.just(""))
"""Dialects in which nothing is ever enclosed."""

widths = st.integers(1, 4)


@st.composite
def tables(draw: st.DrawFn, of: st.SearchStrategy[str] = cells) -> list[list[str]]:
    """Rows of one width."""
    width = draw(widths)
    return draw(st.lists(st.lists(of, min_size=width, max_size=width), max_size=12))


def write_rfc4180(
    rows: list[list[str]],
    *,
    dialect: Dialect | None = None,
    terminator: str = "\n",
    quoting: int = csv.QUOTE_MINIMAL,
) -> str:
    """Python's csv module as the writer; it leaves a line end that is not its own unquoted, so then all is quoted."""
    dialect = dialect or Dialect()
    if any(end in cell for row in rows for cell in row for end in "\r\n"):
        quoting = csv.QUOTE_ALL
    text = io.StringIO()
    csv.writer(
        text, delimiter=dialect.delimiter, quotechar=dialect.enclosure, lineterminator=terminator, quoting=quoting
    ).writerows(rows)
    return text.getvalue()


def write_bare(rows: list[list[str]], dialect: Dialect, *, terminator: str = "\n") -> str:
    """Rows without any enclosure: line ends and delimiters are taken out of the cells."""
    special = str.maketrans("", "", f"{dialect.delimiter}\r\n")
    return "".join(dialect.delimiter.join(cell.translate(special) for cell in row) + terminator for row in rows)


def read_with_python(text: str, dialect: Dialect | None = None) -> list[list[str]]:
    """Python's csv module as the oracle; an empty line is a row without cells."""
    dialect = dialect or Dialect()
    lines = io.StringIO(text, newline="")
    if not dialect.enclosure:
        return list(csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE))
    return list(csv.reader(lines, delimiter=dialect.delimiter, quotechar=dialect.enclosure))


def rows_with_python(text: str, width: int, dialect: Dialect | None = None) -> list[list[str]]:
    """The rows of a table of so many columns: an empty line is no row, but in one column a row with an empty cell."""
    rows = read_with_python(text, dialect)
    return [row or [""] for row in rows] if width == 1 else [row for row in rows if row]


def ends_open(text: str) -> bool:
    """Say whether Python's csv module is inside an enclosed cell at the end of a text."""
    return read_with_python(f"{text}\nend\n")[-1] != ["end"]


ANY_DIALECTS = dialects | bare_dialects

nasty_texts = st.text(st.sampled_from('ab,;\n\r"\'\0"",\n'), max_size=300)
"""Any text at all in which nearly every character means something; long enough to cross words of bits."""
