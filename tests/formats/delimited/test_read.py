"""Any text of any dialect gives the rows of the tokenizer, whatever the way, the blocks and the encoding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.formats.delimited import read
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.read import DelimitedReader, read_header
from tests.formats.delimited.reading import encoded, rows_obviously, rows_of, split_of, texts_schema
from tests.formats.delimited.slow import tokenize
from tests.strategies.delimited_text import dialects, encodings, tables, texts, write_obviously

one_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

ENDINGS = {"quote": "csv.unclosed_quote", "escape": "csv.escape"}
COMPRESSIONS = st.sampled_from([None, "GZIP", "BZIP"])


def possible(text: str, dialect: DelimitedDialect) -> str:
    """The characters of a text that the encoding has."""
    return text.encode(dialect.codec, "ignore").decode(dialect.codec)


def without_mark(text: str, dialect: DelimitedDialect) -> str:
    """A text that does not begin with a mark, which only the first one of a file is."""
    return text if dialect.encoding in {"LATIN1", "CP1252"} else text.lstrip("\ufeff")


def assert_reads_as_the_tokenizer(
    path: Path, text: str, dialect: DelimitedDialect, width: int, block: int, *, keep: bool = False
) -> None:
    text = without_mark(text, dialect)
    expected, ending = rows_obviously(text, width, dialect, keep_quoted_empty=keep)
    reader = DelimitedReader(texts_schema(width), dialect, reject=True, keep_quoted_empty=keep)
    split = split_of(path, encoded(text, dialect), block_bytes=block)
    if ending is not None:
        expected.append((f"{len(expected) + 1}", ENDINGS[ending]))
    assert sorted(rows_of(reader, split), key=str) == sorted(expected, key=str)


@settings(one_file, max_examples=400)
@given(data=st.data(), dialect=dialects(), width=st.integers(1, 3), block=st.integers(4, 60), keep=st.booleans())
def test_any_text_gives_the_rows_of_the_tokenizer(
    data: st.DataObject, dialect: DelimitedDialect, width: int, block: int, keep: bool, tmp_path: Path
) -> None:
    text = data.draw(texts(dialect))
    assert_reads_as_the_tokenizer(tmp_path / "f", text, dialect, width, block, keep=keep)


@pytest.mark.parametrize("text", ['"",', '"a",', 'a,b\n"",', '"",\n'])
def test_a_last_cell_without_quotes_or_a_line_end_is_null(text: str, tmp_path: Path) -> None:
    dialect = DelimitedDialect(quoting="all")
    assert_reads_as_the_tokenizer(tmp_path / "f", text, dialect, 2, 60, keep=True)


@settings(one_file, max_examples=200)
@given(rows=tables(), dialect=dialects(), block=st.integers(4, 60), ended=st.booleans())
def test_written_tables_come_back(
    rows: list[list[str]], dialect: DelimitedDialect, block: int, ended: bool, tmp_path: Path
) -> None:
    text = write_obviously(rows, dialect, ended=ended)
    assert_reads_as_the_tokenizer(tmp_path / "f", text, dialect, len(rows[0]) if rows else 1, block)


@settings(one_file, max_examples=200)
@given(
    data=st.data(),
    dialect=dialects(encodings=encodings, compressions=COMPRESSIONS),
    width=st.integers(1, 3),
    block=st.integers(4, 60),
)
def test_any_encoding_and_compression_gives_the_same_rows(
    data: st.DataObject, dialect: DelimitedDialect, width: int, block: int, tmp_path: Path
) -> None:
    text = possible(data.draw(texts(dialect)), dialect)
    assert_reads_as_the_tokenizer(tmp_path / "f", text, dialect, width, block)


@settings(one_file, max_examples=100)
@given(rows=tables(), dialect=dialects(encodings=encodings), piece=st.integers(4, 12))
def test_a_header_is_one_record_of_each_file(
    rows: list[list[str]], dialect: DelimitedDialect, piece: int, tmp_path: Path
) -> None:
    names = ["a", 'the "b"\nof two lines', "c,\\", "d\r"][: len(rows[0]) if rows else 1]
    text = possible(write_obviously([names, *rows], dialect), dialect)
    split = split_of(tmp_path / "f", encoded(text, dialect), block_bytes=piece)
    header, *others = [tuple(cell.text for cell in record.cells) for record in tokenize(text, dialect)]
    with_header = replace(dialect, header_row=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read, "HEADER_PIECE", piece)
        assert read_header(split.location, with_header, place=split.place) == header
        reader = DelimitedReader(texts_schema(len(names)), with_header, reject=True)
        found = [row for parsed in reader.read(split) for row in parsed.rows.to_pylist()]
    expected = [tuple(cell or None for cell in row) for row in others if len(names) == 1 or row != ("",)]
    assert [tuple(row.values()) for row in found] == expected
