"""The fast path reads as the careful one does, or leaves the block to it."""

from __future__ import annotations

import csv
import io
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.formats.csv.blocks import record_blocks
from component.formats.csv.dialect import Dialect
from component.formats.csv.parse import Parser, framed
from component.formats.csv.source import ByteStream
from component.formats.rows import Parsed
from component.tables.cast import FALSE_WORDS, TRUE_WORDS, apply_null_rule, cast_text
from component.tables.types import BASE_TYPES, Column, NullRule, TableSchema, TypeName
from tests.formats.csv.reading import schema_of, text_schema, values_of
from tests.strategies.csv_text import tables, write_rfc4180
from tests.strategies.typed_text import KNOWN, columns, fitting_texts, odd_texts


def fast(schema: TableSchema, text: str) -> Parsed | None:
    """What the fast path gives, None where it leaves the text to the careful one."""
    parser = Parser(schema, Dialect())
    try:
        return parser._parse_fast(framed(text.encode(), parser.tail))
    except pa.ArrowInvalid:
        return None


def carefully(schema: TableSchema, text: str) -> Parsed:
    parser = Parser(schema, Dialect())
    return parser._parse_carefully(framed(text.encode(), parser.tail), latin=False)


def as_text(parsed: Parsed) -> list[Any]:
    return [column.cast(pa.string()).to_pylist() for column in parsed.rows.columns]


@given(
    columns.flatmap(lambda column: st.tuples(st.just(column), st.lists(odd_texts(column.type), max_size=3))), st.data()
)
def test_whatever_the_fast_path_accepts_it_reads_as_cells_are_cast_one_by_one(pair, data):
    column, texts = pair
    schema = schema_of(column, Column("other"))
    quoting = data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    text = write_rfc4180([[cell, "k"] for cell in texts], quoting=quoting)
    expected = carefully(schema, text)
    parsed = fast(schema, text)
    if parsed is not None:
        assert expected.bad == ()
        assert as_text(parsed) == as_text(expected)
        assert parsed.records == expected.records == len(texts)
    cells = pa.array(texts, pa.string())
    if quoting == csv.QUOTE_MINIMAL:
        cells = pa.array([cell or None for cell in texts], pa.string())
    cast = cast_text(apply_null_rule(cells, quoted_empty=True, column=column), column)
    assert [bad.row for bad in expected.bad] == [at + 1 for at in cast.bad]


@given(columns.flatmap(lambda column: st.tuples(st.just(column), st.lists(fitting_texts(column), max_size=4))))
def test_what_fits_is_read_as_its_value(pair):
    column, known = pair
    schema = schema_of(column, Column("other"))
    text = write_rfc4180([[cell, "k"] for cell, _ in known])
    parsed = Parser(schema, Dialect()).parse(text.encode())
    assert parsed.bad == ()
    assert parsed.rows["c"].to_pylist() == [value for _, value in known]


PLAIN = {
    Column("c", TypeName.INTEGER): ["42", "-7", "007", " 5 ", '"8"'],
    Column("c", TypeName.NUMERIC): ["42", "-7.5", "0.000000001", " 5 ", "+3", '"8.25"', "1e3"],
    Column("c", TypeName.NUMERIC, "15,2"): ["42", "-7.5", "1234567890123.45", "9999999999999.99"],
    Column("c", TypeName.FLOAT): ["42", "-7.5", "1e10", " 5 ", "nan", "inf", '"8.25"'],
    Column("c", TypeName.BOOLEAN): [*TRUE_WORDS, *FALSE_WORDS, '"true"'],
    Column("c", TypeName.DATE): ["2024-02-29", " 2024-01-01 ", "0001-01-01", "9999-12-31", '"2024-01-01"'],
    Column("c", TypeName.TIMESTAMP): ["2024-02-29", "2024-02-29 01:02:03.5", "2024-02-29T01:02", '"2024-01-01"'],
    Column("c", TypeName.DATE, formats=("%d.%m.%Y",)): ["29.2.2024", "1.1.0001"],
    Column("c"): ["a", " b ", '"c""d"', '"e\nf"', "0x1", "1e-40"],
    Column("c", null_rule=NullRule.NEVER): ["a", "", '""'],
    Column("c", null_rule=NullRule.ALWAYS): ["a", "", '""'],
}


@pytest.mark.parametrize(("column", "cells"), PLAIN.items(), ids=lambda item: str(getattr(item, "type", "")))
@pytest.mark.parametrize("empty", [[], ["", '""']])
def test_plain_cells_take_the_fast_path(column, cells, empty):
    nulls = empty if column.nulls is NullRule.ALWAYS else []
    text = "".join(f"{cell},k\n" for cell in [*cells, *nulls])
    parsed = fast(schema_of(column, Column("other")), text)
    assert parsed is not None
    assert parsed.records == len(cells) + len(nulls)


@pytest.mark.parametrize("type_name", BASE_TYPES)
def test_every_known_text_is_judged_alone_as_in_company(type_name):
    column = Column("c", type_name)
    texts = [text for text in KNOWN[type_name] if text]
    alone = [bool(cast_text(pa.array([text]), column).bad) for text in texts]
    assert cast_text(pa.array(texts), column).bad == tuple(at for at, bad in enumerate(alone) if bad)


@given(st.lists(tables(), max_size=4))
def test_a_parser_keeps_nothing_between_blocks(blocks):
    parser = Parser(text_schema(2), Dialect())
    for rows in blocks:
        text = write_rfc4180([(row * 2)[:2] for row in rows])
        fresh = Parser(text_schema(2), Dialect()).parse(text.encode())
        assert parser.parse(bytearray(text.encode())).rows.equals(fresh.rows)


def test_rows_do_not_share_memory_with_the_text():
    parser = Parser(text_schema(1), Dialect())
    first = parser.parse(b"first\n" * 1000).rows
    parser.parse(b"other\n" * 1000)
    assert set(first["c0"].to_pylist()) == {"first"}


def test_text_that_begins_with_a_mark_keeps_it():
    parsed = Parser(text_schema(1), Dialect()).parse("\ufeffa\n\ufeffb\n".encode())
    assert parsed.rows["c0"].to_pylist() == ["\ufeffa", "\ufeffb"]


def test_an_enclosed_empty_cell_is_read_by_the_rule_of_its_column():
    schema = schema_of(Column("text"), Column("number", TypeName.INTEGER), Column("more"))
    parsed = fast(schema, 'a,1,""\n"",,\n,"",b\n')
    assert parsed is not None
    assert parsed.rows.to_pydict() == {"text": ["a", "", None], "number": [1, None, None], "more": ["", None, "b"]}


def test_text_that_begins_with_two_marks_keeps_both():
    parsed = Parser(text_schema(1), Dialect()).parse("\ufeff\ufeffa\n".encode())
    assert parsed.rows["c0"].to_pylist() == ["\ufeff\ufeffa"]


@given(st.integers(1, 300))
def test_a_line_end_of_two_bytes_in_a_cell_is_kept_however_blocks_are_cut(block_bytes):
    lines = "".join(f'{"x" * (number % 9)},"a\r\nb"\r\n' for number in range(40))
    parser = Parser(text_schema(2), Dialect())
    stream = ByteStream(io.BytesIO(lines.encode()))
    blocks = record_blocks(stream, Dialect(), block_bytes=block_bytes, tail=parser.tail)
    rows = [list(row) for block in blocks for row in values_of(parser.parse_framed(block))]
    assert rows == [["x" * (number % 9), "a\r\nb"] for number in range(40)]
