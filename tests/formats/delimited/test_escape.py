"""Cells in the text of a dialect: what the tokenizer finds in them is what was put in, or they are refused."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.escape import escaped, first_refused, rules_of
from component.formats.delimited.tokenizer import tokenize
from tests.strategies.delimited_tables import dialects, hard_texts


@given(texts=st.lists(hard_texts, min_size=1, max_size=4), dialect=dialects, always=st.booleans())
def test_a_cell_is_found_again_between_others_or_refused(texts, dialect, always):
    rules = rules_of(dialect)
    column = pa.array(["front", *texts]).slice(1)
    refused = first_refused(column, rules, "UTF8")
    assert refused is None or any(character in texts[refused[0]] for character in rules.refused)
    if refused is None:
        cells = escaped(column, rules, always=always).to_pylist()
        line = dialect.field_delimiter.join(["x", *cells, "y"]) + dialect.record_terminator
        records = list(tokenize(line + line, dialect))
        assert [[cell.text for cell in record.cells] for record in records] == [["x", *texts, "y"]] * 2
        assert not any(record.after_quote for record in records)


@given(texts=st.lists(st.none() | hard_texts, max_size=4), dialect=dialects)
def test_cells_are_quoted_only_where_it_is_needed_and_nulls_stay(texts, dialect):
    rules = rules_of(dialect)
    cells = escaped(pa.array(texts, pa.string()), rules).to_pylist()
    for text, cell in zip(texts, cells, strict=True):
        assert (cell is None) == (text is None)
        if text is not None and not set(text) & set(rules.special + rules.escaped):
            assert cell == text


@pytest.mark.parametrize(
    ("hints", "text", "written"),
    [
        ({}, 'a,"b\\c\nd', 'a\\,"b\\\\c\\\nd'),
        ({}, "a\r\nb", "a\\\r\\\nb"),
        ({"quoting": "minimal", "doublequote": True, "escape": None}, 'a,"b\\c\nd', '"a,""b\\c\nd"'),
        ({"quoting": "minimal", "doublequote": True, "escape": None}, "a\rb", '"a\rb"'),
        ({"quoting": "minimal"}, 'a,"b\\c\nd', '"a,\\"b\\\\c\nd"'),
        ({"quoting": "minimal"}, "a\\b", "a\\\\b"),
        ({"quoting": "minimal", "doublequote": True}, 'a"b\\c', '"a""b\\\\c"'),
        ({"field_delimiter": "\x01", "record_terminator": "\x02", "escape": None}, 'a,"b\\c\nd\r', 'a,"b\\c\nd\r'),
    ],
)
def test_special_characters(hints, text, written):
    assert escaped(pa.array([text]), rules_of(DelimitedDialect(**hints))).to_pylist() == [written]


@pytest.mark.parametrize(
    ("hints", "text"),
    [
        ({"escape": None}, "a,b"),
        ({"escape": None}, "a\nb"),
        ({"escape": None}, "a\rb"),
        ({"escape": None, "record_terminator": "\r\n"}, "a\nb"),
        ({"escape": None, "record_terminator": "\x02"}, "a\x02b"),
        ({"escape": None, "quoting": "all"}, 'a"b'),
    ],
)
def test_what_nothing_can_hide_is_refused(hints, text):
    position, why = first_refused(pa.array(["ok", None, text, text]), rules_of(DelimitedDialect(**hints)), "UTF8")
    assert position == 2
    assert "character" in why


@pytest.mark.parametrize(("encoding", "text"), [("LATIN1", "€"), ("CP1252", "\x81"), ("CP1252", "Ŀ"), ("LATIN1", "Ŀ")])
def test_characters_outside_an_encoding_are_refused(encoding, text):
    dialect = DelimitedDialect(encoding=encoding)
    assert first_refused(pa.array(["é", f"a{text}"]), rules_of(dialect), encoding)[0] == 1
    with pytest.raises(UnicodeEncodeError):
        text.encode(dialect.codec)


@pytest.mark.parametrize("encoding", ["LATIN1", "CP1252"])
def test_all_characters_of_an_encoding_are_taken(encoding):
    dialect = DelimitedDialect(encoding=encoding)
    there = [bytes([code]).decode(dialect.codec, "ignore") for code in range(256)]
    assert first_refused(pa.array(there), rules_of(dialect), encoding) is None


def test_a_byte_order_mark_that_could_start_a_file_is_hidden_or_refused():
    texts = pa.array(["\ufeffa", "b\ufeff", None])
    assert escaped(texts, rules_of(DelimitedDialect()), first=True).to_pylist() == ["\\\ufeffa", "b\ufeff", None]
    quoted = rules_of(DelimitedDialect(quoting="minimal", escape=None, doublequote=True))
    assert escaped(texts, quoted, first=True).to_pylist() == ['"\ufeffa"', "b\ufeff", None]
    assert first_refused(texts, rules_of(DelimitedDialect(escape=None)), "UTF8", first=True)[0] == 0
    with_mark = rules_of(DelimitedDialect(escape=None, encoding="UTF8BOM"))
    assert first_refused(texts, with_mark, "UTF8BOM", first=True) is None
