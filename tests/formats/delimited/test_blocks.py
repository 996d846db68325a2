"""Record ends that are said to be proven are those that the rules of the tokenizer give."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from component.formats.delimited.blocks import is_whole, last_record_end
from component.formats.delimited.canonical import canonical
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.tokenizer import EndsEarlyError
from tests.formats.delimited.slow import tokenize
from tests.strategies.delimited_text import texts

usual = st.builds(
    DelimitedDialect,
    quoting=st.sampled_from([None, "minimal", "minimal"]),
    doublequote=st.booleans(),
    escape=st.sampled_from([None, "\\"]),
)
CSV = DelimitedDialect(quoting="minimal", doublequote=True, escape=None)


def ends(text: str, dialect: DelimitedDialect) -> tuple[list[int], bool, bool]:
    """Where records end in a text; whether its end is the end of a cell, and whether something follows a quote."""
    found: list[int] = []
    strange = False
    try:
        for record in tokenize(text, dialect):
            found.append(record.end)
            strange |= record.after_quote
    except EndsEarlyError:
        return found, False, strange
    return found, True, strange


@settings(max_examples=600)
@given(data=st.data(), dialect=usual)
def test_a_proven_end_is_one(data: st.DataObject, dialect: DelimitedDialect) -> None:
    text = data.draw(texts(dialect))
    form = canonical(text.encode(), dialect)
    assert form is not None
    stop = last_record_end(form, dialect)
    found, whole, strange = ends(text, dialect)
    if stop is None:
        assert dialect.quoting is not None
    elif stop:
        assert len(text.encode()[: form.source_length(stop)].decode()) in found
    if is_whole(form, dialect):
        assert whole
        assert not strange


def form_end(text: str, dialect: DelimitedDialect = CSV) -> int | None:
    form = canonical(text.encode(), dialect)
    assert form is not None
    return last_record_end(form, dialect)


def test_line_ends_in_quotes_end_no_record() -> None:
    assert form_end('a,"b\n') == 0
    assert form_end('a,"b\n"\nc') == 7
    assert form_end('a,"b ""\n"" "\nc') == 13


def test_what_lies_before_a_quote_that_opens_nothing_is_proven() -> None:
    assert form_end('a,b\nc,5" d\ne,f\n') == 4
    assert form_end('c,5" d\ne,f\n') is None
    assert form_end('"a"b\n') is None


def test_escaped_line_ends_end_no_record() -> None:
    assert form_end("a\\\n\\\\\nb\\\n", DelimitedDialect()) == 6
    assert form_end('"\\"\n"\nb', DelimitedDialect(quoting="all")) == 6


def test_a_last_record_is_whole_outside_of_quotes_and_not_after_an_escape() -> None:
    def whole(text: str, dialect: DelimitedDialect) -> bool:
        form = canonical(text.encode(), dialect)
        return form is not None and is_whole(form, dialect)

    assert whole('a,"b"', CSV)
    assert not whole('a,"b', CSV)
    assert not whole('a,"b"c', CSV)
    assert whole("a\\\\", DelimitedDialect())
    assert not whole("a\\", DelimitedDialect())
