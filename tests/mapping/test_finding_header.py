from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.folder.out_listing import HEAD_BYTES, OutSource
from component.mapping.findings.header import header_findings
from component.mapping.findings.texts import FINDINGS
from component.mapping.platform.model import FirstLine, Load, Rule

COLUMNS = {"columns": ["My_col", "b"]}


def codes(head, options=None, header=None):
    options = options or {}
    headless = options.get("columns") and not options.get("has_header")
    header = header or (FirstLine.HEADLESS if headless else FirstLine.HEADER)
    load = Load("t", sliced=False, destination="in.c-x.t", options=options, rule=Rule.MAPPING, header=header)
    return [one.code for one in header_findings(load, OutSource("t", size=len(head), head=head))]


@pytest.mark.parametrize("head", [b"My_col,b\n1,2\n", b'"My col","B"\r\n', b"my-col,b"])
def test_a_header_above_declared_columns_is_found(head):
    assert codes(head, COLUMNS) == ["finding.header_as_row"]


def test_rows_below_declared_columns_are_fine():
    assert codes(b"1,2\n", COLUMNS) == []


def test_a_schema_names_columns_too():
    schema = {"schema": [{"name": "a"}, {"name": "b"}]}
    assert codes(b"a,b\n", schema, FirstLine.HEADLESS) == ["finding.header_as_row"]


def test_another_number_of_cells_is_found():
    assert codes(b"1,2,3\n", COLUMNS) == ["finding.column_count"]
    assert codes(b"1;2\n", COLUMNS | {"delimiter": ";"}) == []


def test_a_row_that_is_skipped_as_a_header_is_found():
    given_header = COLUMNS | {"has_header": True}
    assert codes(b"1,2\n", given_header) == ["finding.row_as_header"]
    assert codes(b"My col,b\n", given_header) == []


def test_a_byte_order_mark_is_found():
    assert codes(b"\xef\xbb\xbfa,b\n") == ["finding.bom"]
    assert codes(b"\xef\xbb\xbfMy_col,b\n", COLUMNS) == ["finding.bom", "finding.header_as_row"]


def test_another_delimiter_in_the_header_is_found():
    assert codes(b"a;b;c\n") == ["finding.delimiter"]
    assert codes(b"a;b;c\n", {"delimiter": ";"}) == []
    assert codes(b"a;b,c\n") == []
    assert codes(b"one\n") == []


def test_a_column_twice_in_the_header_is_found():
    assert codes(b"a,b,A\n") == ["finding.header_repeated"]


@pytest.mark.parametrize(
    "head",
    [b"", b"\n", gzip.compress(b"a,a\n", mtime=0), b"\xff\xfe,\xff\n", b'"a,a\n', b"a," + b"x" * HEAD_BYTES],
    ids=["empty", "blank", "gzip", "no text", "open quote", "too long"],
)
def test_what_cannot_be_read_raises_no_doubts(head):
    assert codes(head[:HEAD_BYTES]) == []


@pytest.mark.parametrize("character", ["", ",,", "\n", None, 5, True, []])
def test_characters_that_part_nothing_raise_no_doubts(character):
    assert codes(b"a,a\n", {"delimiter": character}) == []
    assert codes(b"a,a\n", {"enclosure": character}) == []


@given(head=st.binary(max_size=40), delimiter=st.text(max_size=2), enclosure=st.text(max_size=2))
def test_any_bytes_give_known_findings_or_none(head, delimiter, enclosure):
    assert set(codes(head, {"delimiter": delimiter, "enclosure": enclosure})) <= FINDINGS.keys()
