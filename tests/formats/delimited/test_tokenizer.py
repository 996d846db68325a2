"""The tokenizer gives what the rules of reference records 9.3 say, character by character."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.tokenizer import CellText, Ending, EndsEarlyError, Record, tokenize
from tests.formats.delimited import slow
from tests.strategies.delimited_text import dialects, tables, texts, write_obviously

Tokenize = Callable[[str, DelimitedDialect], Iterator[Record]]
CSV = DelimitedDialect(quoting="minimal", doublequote=True, escape=None)


def outcome(read: Tokenize, text: str, dialect: DelimitedDialect) -> list[Record | tuple[Ending, int]]:
    found: list[Record | tuple[Ending, int]] = []
    try:
        found.extend(read(text, dialect))
    except EndsEarlyError as error:
        found.append((error.ending, error.start))
    return found


def rows(text: str, dialect: DelimitedDialect) -> list[list[str]]:
    return [[cell.text for cell in record.cells] for record in tokenize(text, dialect)]


@settings(max_examples=500)
@given(data=st.data(), dialect=dialects())
def test_any_text_means_what_the_rules_say(data: st.DataObject, dialect: DelimitedDialect) -> None:
    text = data.draw(texts(dialect))
    assert outcome(tokenize, text, dialect) == outcome(slow.tokenize, text, dialect)


@settings(max_examples=200)
@given(table=tables(), dialect=dialects(quotings=st.sampled_from(["all", "minimal"])))
def test_a_quoted_table_comes_back(table: list[list[str]], dialect: DelimitedDialect) -> None:
    kept = dialect.doublequote or dialect.escape is not None
    expected = [[cell if kept else cell.replace(dialect.quotechar, "") for cell in row] for row in table]
    assert rows(write_obviously(table, dialect), dialect) == expected


def test_an_escape_makes_the_next_character_literal() -> None:
    assert rows("a\\,b,\\n\\N\\\\,\\\n\n", DelimitedDialect()) == [["a,b", "nN\\", "\n"]]


def test_a_quote_in_the_middle_of_a_cell_is_data() -> None:
    assert rows('5" pipe,a"b"\n', CSV) == [['5" pipe', 'a"b"']]


def test_without_quoting_a_quote_is_data() -> None:
    assert rows('"a,b"\n', DelimitedDialect()) == [['"a', 'b"']]


def test_only_the_declared_terminator_ends_a_record() -> None:
    assert rows("a\rb\r\nc\n", DelimitedDialect()) == [["a\rb\r"], ["c"]]
    assert rows("a\rb\nc\r\nd", DelimitedDialect(record_terminator="\r\n")) == [["a\rb\nc"], ["d"]]


def test_text_after_a_closed_quote_is_a_fault_of_its_record_only() -> None:
    records = list(tokenize('"a"b,c\nd,e\n', CSV))
    assert [record.after_quote for record in records] == [True, False]
    assert records[0].cells == (CellText("ab", quoted=True), CellText("c", quoted=False))


def test_an_empty_remainder_is_no_record_and_an_empty_line_is_blank() -> None:
    assert [record.is_blank for record in tokenize('\n""\nb\n', CSV)] == [True, False, False]
    assert rows("", CSV) == []


def test_an_escape_at_the_end_and_an_open_quote_are_errors_of_their_record() -> None:
    assert outcome(tokenize, "a\nb\\", DelimitedDialect())[-1] == (Ending.ESCAPE, 2)
    assert outcome(tokenize, 'a\n"b\n', CSV)[-1] == (Ending.QUOTE, 2)


def test_equal_text_of_two_dialects_means_two_things() -> None:
    with pytest.raises(EndsEarlyError):
        rows('"a', CSV)
    assert rows('"a', DelimitedDialect()) == [['"a']]
