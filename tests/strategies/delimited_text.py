"""Delimited text of the records format as hypothesis makes it: dialects of all kinds, nasty cells and texts."""

from __future__ import annotations

from hypothesis import strategies as st

from component.formats.delimited.dialect import ENCODINGS, QUOTINGS, DelimitedDialect

delimiters = st.sampled_from([",", "|", "\t", ";", "\x01", " ", "a", "¦", "\n", "\r", "\0"])
terminators = st.sampled_from(["\n", "\r\n", "\r", "\x02", "\n\n", "||", "end", "¶", "xyx"])
quotechars = st.sampled_from(['"', "'", "b", "«", "\n"])

COMMON = 'ab,"\\\n\r'
RARE = "x0ye|'nd \t;\x01\x02é¦«¶日\U0001f389\ufeff\0\u2028"


_PLAIN: st.SearchStrategy[str | None] = st.none()
_UTF8 = st.just("UTF8")
_ANY_QUOTING: st.SearchStrategy[str | None] = st.sampled_from(QUOTINGS)


def dialects(
    *,
    compressions: st.SearchStrategy[str | None] = _PLAIN,
    encodings: st.SearchStrategy[str] = _UTF8,
    quotings: st.SearchStrategy[str | None] = _ANY_QUOTING,
) -> st.SearchStrategy[DelimitedDialect]:
    """Valid dialects; the usual characters most often. ISO dates and no header, unless replaced."""
    return st.tuples(
        st.one_of(st.just(","), delimiters),
        st.one_of(st.just("\n"), terminators),
        compressions,
        quotings,
        st.one_of(st.just('"'), quotechars),
        st.booleans(),
        st.sampled_from([None, "\\"]),
        encodings,
    ).map(_dialect_or_usual)


def _dialect_or_usual(
    hints: tuple[str, str, str | None, str | None, str, bool, str | None, str],
) -> DelimitedDialect:
    """Return the dialect of hints, with the usual characters where theirs clash or are not in the encoding."""
    delimiter, terminator, compression, quoting, quotechar, doublequote, escape, encoding = hints
    characters = [delimiter, quotechar, *terminator]
    clash = delimiter == quotechar or delimiter in terminator or quotechar in terminator
    if clash or not _has(encoding, "".join(characters)):
        delimiter, terminator, quotechar = ",", "\n", '"'
    return DelimitedDialect(
        field_delimiter=delimiter,
        record_terminator=terminator,
        compression=compression,
        quoting=quoting,
        quotechar=quotechar,
        doublequote=doublequote,
        escape=escape,
        encoding=encoding,
    )


def _has(encoding: str, text: str) -> bool:
    try:
        text.encode(ENCODINGS[encoding])
    except UnicodeEncodeError:
        return False
    return True


encodings = st.sampled_from(list(ENCODINGS))

cells = st.text(st.one_of(st.sampled_from(COMMON), st.sampled_from(RARE)), max_size=6)
"""Cells full of what splitting and parsing stumble over."""


def texts(dialect: DelimitedDialect, *, max_size: int = 40) -> st.SearchStrategy[str]:
    """Any text at all, made of what means something in a dialect and a few other characters."""
    special = [dialect.field_delimiter, dialect.record_terminator, dialect.quotechar, dialect.quotechar * 2]
    if dialect.escape is not None:
        special += ["\\", "\\\\"]
    pieces = st.one_of(
        st.sampled_from([*special, *dialect.record_terminator, "a", "b"]), st.sampled_from(COMMON + RARE)
    )
    return st.lists(pieces, max_size=max_size).map("".join)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """Rows of one width."""
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=8))


def write_obviously(rows: list[list[str]], dialect: DelimitedDialect, *, ended: bool = True) -> str:
    """Rows as text that reads back the same, cell by cell; what the dialect cannot carry is taken out of the cells."""
    lines = [dialect.field_delimiter.join(_cell(cell, dialect) for cell in row) for row in rows]
    text = "".join(line + dialect.record_terminator for line in lines)
    return text if ended else text.removesuffix(dialect.record_terminator)


def _cell(text: str, dialect: DelimitedDialect) -> str:
    special = {dialect.field_delimiter, *dialect.record_terminator}
    quote = dialect.quote
    if quote is None and dialect.escape is None:
        return "".join(character for character in text if character not in special)
    if quote is None:
        return "".join(f"\\{character}" if character in {"\\", *special} else character for character in text)
    escaped = text.replace("\\", "\\\\") if dialect.escape else text
    if dialect.doublequote:
        return quote + escaped.replace(quote, 2 * quote) + quote
    return quote + escaped.replace(quote, f"\\{quote}" if dialect.escape else "") + quote
