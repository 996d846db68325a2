from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.formats.csv.dialect import Dialect
from component.formats.csv.scan import Scanner, is_utf8

texts = st.text(st.sampled_from("0xX\"',;\n\r\t -a"), max_size=30).map(str.encode)
some_dialects = st.sampled_from([Dialect(), Dialect(";"), Dialect("\t", "'"), Dialect(",", "")])


def edge(dialect: Dialect) -> str:
    return f"[\r\n{re.escape(dialect.delimiter)}]"


@given(texts, some_dialects)
def test_an_enclosed_empty_cell_is_two_enclosures_between_the_edges_of_a_cell(data, dialect):
    pattern = f"(?:^|{edge(dialect)}){dialect.enclosure * 2}(?:{edge(dialect)}|$)"
    expected = bool(dialect.enclosure) and re.search(pattern.encode(), data + b"?") is not None
    expected = expected or (bool(dialect.enclosure) and data.endswith(dialect.quote * 2) and ends_so(data, dialect))
    assert Scanner(dialect).holds_enclosed_empty(data) == expected


def ends_so(data: bytes, dialect: Dialect) -> bool:
    return re.search(f"(?:^|{edge(dialect)})$".encode(), data.removesuffix(dialect.quote * 2) + b"") is not None


@given(texts, some_dialects)
def test_hexadecimal_is_looked_for_where_a_number_may_begin(data, dialect):
    before = rf"(?:^|{edge(dialect)}|[ \t+\-eE{dialect.enclosure}])"
    expected = re.search(f"{before}0[xX]".encode(), data)
    assert Scanner(dialect).holds_hexadecimal(data) == (expected is not None)


@pytest.mark.parametrize("at", [0, 1, 2**18 - 2, 2**18 - 1, 2**18, 2**18 + 1, 2**19 - 1, 2**20 - 3])
def test_nothing_is_missed_where_pieces_meet(at):
    data = bytearray(b",") * 2**20
    assert not Scanner(Dialect()).holds_hexadecimal(data)
    assert not Scanner(Dialect()).holds_enclosed_empty(data)
    data[at : at + 2] = b"0X"
    assert Scanner(Dialect()).holds_hexadecimal(data)
    data[at : at + 2] = b'""'
    assert Scanner(Dialect()).holds_enclosed_empty(data)


def test_texts_that_only_look_like_it_do_not_count():
    data = b'10x15,"say ""0y""","""",a""b,x0x\n'
    assert not Scanner(Dialect()).holds_hexadecimal(data)
    assert not Scanner(Dialect()).holds_enclosed_empty(data)


@given(st.binary(max_size=12) | st.text(max_size=6).map(str.encode))
def test_utf8_is_what_python_decodes(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        assert not is_utf8(data)
    else:
        assert is_utf8(data)
        assert is_utf8(memoryview(bytearray(data)))


@given(st.text(st.sampled_from('0123eE+-.,";\n a'), max_size=30).map(str.encode), some_dialects)
def test_no_negative_exponent_of_a_number_is_missed(data, dialect):
    after = f"(?:{edge(dialect)}|[ \t{dialect.enclosure}])"
    found = re.search(rf"[0-9.][eE]-[0-9]+{after}".encode(), data)
    assert found is None or Scanner(dialect).holds_negative_exponent(data)


@pytest.mark.parametrize(
    "text", ["1e-40,", "1.E-1\n", '"12.5e-07",', " 1e-5 ,", "0.1e-1000\r\n", "1e-" + "0" * 20 + "9,"]
)
def test_negative_exponents_are_seen(text):
    assert Scanner(Dialect()).holds_negative_exponent(b"a,b\n" + text.encode() + b"\n")


@pytest.mark.parametrize(
    "text", ["pre-1990,", "e-1,", "1e+40,", "1e40,", "a1e-4b7c-12,", "550e8400-e29b-41d4-a716-44665e-40000x,", "1-e,"]
)
def test_words_and_identifiers_with_e_and_a_hyphen_are_none(text):
    assert not Scanner(Dialect()).holds_negative_exponent(b"a,b\n" + text.encode() + b"\n")
