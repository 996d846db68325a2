"""A text in Arrow's form stands for the same bytes, and its cells come back as they were."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from component.formats.delimited.canonical import canonical
from component.formats.delimited.dialect import DelimitedDialect
from tests.strategies.delimited_text import dialects, texts


@given(data=st.data(), dialect=dialects())
def test_the_form_has_no_return_and_comes_back_whole(data: st.DataObject, dialect: DelimitedDialect) -> None:
    text = data.draw(texts(dialect)).encode()
    form = canonical(text, dialect)
    assert form is not None
    assert b"\r" not in form.text
    assert form.text.count(b"\n") == text.count(dialect.record_terminator.encode())
    assert form.text.count(form.delimiter) == text.count(dialect.field_delimiter.encode())
    assert form.record(form.text.decode()) == text.decode()
    assert form.cells(pa.array([None, form.text.decode(), "a"])).to_pylist() == [None, text.decode(), "a"]
    assert form.source_length(len(form.text)) == len(text)


@given(data=st.data(), dialect=dialects())
def test_each_part_of_the_form_stands_for_a_part_of_the_text(data: st.DataObject, dialect: DelimitedDialect) -> None:
    text = data.draw(texts(dialect)).encode()
    form = canonical(text, dialect)
    assert form is not None
    records = form.text.split(b"\n")
    stop = len(form.text) - len(records[-1])
    source = text[: form.source_length(stop)]
    assert form.until(stop).record(form.until(stop).text.decode()) == source.decode()


def test_usual_text_is_its_own_form() -> None:
    text = b"a,b\nc,d\n"
    form = canonical(text, DelimitedDialect())
    assert form is not None
    assert form.text is text
    assert form.delimiter == b","


def test_a_text_that_holds_every_control_character_has_no_form() -> None:
    everything = bytes(range(128))
    assert canonical(everything, DelimitedDialect()) is None


def test_cells_of_a_slice_come_back() -> None:
    form = canonical(b"a\rb,c\n", DelimitedDialect())
    assert form is not None
    cells = pa.array(["x", *form.text.decode().strip().split(",")]).slice(1)
    assert form.cells(cells).to_pylist() == ["a\rb", "c"]
