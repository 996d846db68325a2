"""Which encoding bytes are read in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.workbench.parse.content import Content
from component.workbench.parse.text import Decoding, decode
from component.workbench.rules.reading import ReadingMode

PLACE = Place(table="t")


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not text.startswith("\ufeff")))
def test_utf8_is_read_in_either_way(text):
    for reading in ReadingMode:
        assert decode(text.encode(), None, reading, PLACE).text == text
        assert decode(text.encode("utf-8-sig"), None, reading, PLACE).text == text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_decides_and_is_taken_off(encoding):
    assert decode("žluť".encode(encoding), None, ReadingMode.STRICT, PLACE).text == "žluť"


def test_a_stated_encoding_is_binding_and_its_mark_is_taken_off():
    assert decode("á".encode(), "latin-1", ReadingMode.LENIENT, PLACE).text == "Ã¡"
    assert decode("á".encode("utf-8-sig"), "utf-8", ReadingMode.STRICT, PLACE).text == "á"


@pytest.mark.parametrize("reading", ReadingMode)
@pytest.mark.parametrize("encoding", ["utf-9", "hex", "rot13", "idna", "punycode", "undefined", "\0"])
def test_an_unknown_encoding_is_an_error_of_the_configuration(encoding, reading):
    with pytest.raises(UserError) as caught:
        decode(b"", encoding, reading, PLACE)
    assert caught.value.code == "config.value"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Příliš žluťoučký kůň úpěl ďábelské ódy. Žízeň, řeka, večeře, člověk.\n" * 3, "cp1250"),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю.\n" * 3, "cp1251"),
        ("日本語の文章はこのように書かれています。東京は日本の首都です。\n" * 3, "shift_jis"),
    ],
)
def test_lenient_reading_looks_what_text_it_may_be(text, encoding):
    assert decode(text.encode(encoding), None, ReadingMode.LENIENT, PLACE).text == text


def test_bytes_that_are_not_of_the_encoding_are_replaced_and_told():
    decoded = decode(b"ab\xf4c", "utf-8", ReadingMode.LENIENT, PLACE)
    assert decoded.text == "ab\ufffdc"
    assert decoded.messages[0].arguments == {"byte": "0xF4", "encoding": "utf-8", "position": 2}


@pytest.mark.parametrize("data", [b"\xff", b"\xff\xfe\x00", b"\xc3"])
def test_text_that_breaks_off_is_refused_or_read_as_far_as_it_goes(data):
    with pytest.raises(UserError):
        decode(data, "utf-16" if data[0] == 0xFF else "utf-8", ReadingMode.STRICT, PLACE)
    assert len(decode(data, "utf-16" if data[0] == 0xFF else "utf-8", ReadingMode.LENIENT, PLACE).messages) == 1


@given(
    st.binary(max_size=20) | st.text(max_size=10).map(lambda text: text.encode("utf-16", "surrogatepass")),
    st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-32", "cp1252", "ascii", "shift_jis", "gb18030", "euc_kr"]),
    st.integers(1, 4),
)
def test_text_in_blocks_is_that_of_the_whole(data, encoding, size):
    decoding = Decoding(Content.of(data), encoding, ReadingMode.LENIENT, PLACE)
    text = "".join(decoding.blocks(size))
    assert text == decode(data, encoding, ReadingMode.LENIENT, PLACE).text
    name = (
        f"{encoding}-le" if encoding in {"utf-16", "utf-32"} and data[:1] not in {b"\xff", b"\xfe", b"\0"} else encoding
    )
    if not data.startswith(b"\0"):
        assert text == data.decode(name, "replace").removeprefix("\ufeff")
    assert [message.arguments["position"] for message in decoding.messages] == first_fault(data, name)


def first_fault(data, encoding):
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return [error.start]
    return []
