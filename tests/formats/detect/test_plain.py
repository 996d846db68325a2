"""Any dialect becomes plain CSV with the same cells, or an error with its place."""

import bz2
import gzip
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.csv.split import ByteRange
from component.formats.detect import plain
from component.formats.detect.dialect import TextDialect
from component.tables.types import Column, TableSchema
from tests.formats.csv import oracle
from tests.formats.detect.corpus import write

PLACE = Place(table="t", slice="t")


def rows_of(path, names, dialect=None, start=0):
    schema = TableSchema(tuple(map(Column, names)))
    split = CsvSplit("t", "t", path, gzip=False, range=ByteRange(start, path.stat().st_size), data_start=start)
    tables = [parsed.rows for parsed in CsvReader(schema, dialect or Dialect()).read(split)]
    return [tuple(row.values()) for table in tables for row in table.to_pylist()]


def rewritten(tmp_path, data, dialect, nulls=()):
    source, lines, cells = tmp_path / "source", tmp_path / "lines", tmp_path / "cells"
    source.write_bytes(data)
    plain.write_lines(source, lines, dialect, PLACE)
    head = plain.read_head(lines, TextDialect(dialect.delimiter, dialect.enclosure, dialect.escape), PLACE)
    names = head.records[0]
    plain.write_cells(lines, cells, names, dialect, head.data_start, nulls, PLACE)
    return rows_of(cells, names)


CELLS = st.text("ab,;|~:\\\"'\n é#", max_size=5)
DIALECTS = st.builds(
    TextDialect,
    st.sampled_from([",", ";", "\t", "|", "||", "~|~", "¦", "::"]),
    st.sampled_from(['"', "'"]),
    st.sampled_from([None, "\\"]),
)


@settings(max_examples=60)
@given(rows=st.lists(st.tuples(CELLS, CELLS), max_size=6), dialect=DIALECTS)
def test_cells_of_any_dialect_come_back(rows, dialect, tmp_path_factory):
    text = write([["x", "y"], *map(list, rows)], dialect, "all", "\n")
    assert rewritten(tmp_path_factory.mktemp("plain"), text.encode(), dialect) == rows


def test_an_empty_cell_stays_enclosed_or_bare(tmp_path):
    assert rewritten(tmp_path, b'a||b\n""||\n||""\n', TextDialect("||")) == [("", None), (None, "")]


def test_null_values_are_null_also_when_they_are_enclosed(tmp_path):
    found = rewritten(tmp_path, b'a,b\nNA,1\n"NA",-\nNAN,2\n', TextDialect(), nulls=("NA", "-"))
    assert found == [(None, "1"), (None, None), ("NAN", "2")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1250", "shift_jis"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_bytes_become_utf_8_without_a_mark(encoding, pack, tmp_path):
    text = "a;b\né;č\n" if encoding != "shift_jis" else "a;b\n日;本\n"
    (tmp_path / "source").write_bytes(pack(text.encode(encoding)))
    name = {"utf-8-sig": "utf-8", "utf-16": "utf-16"}.get(encoding, encoding)
    plain.write_lines(tmp_path / "source", tmp_path / "target", TextDialect(";", encoding=name), PLACE)
    assert (tmp_path / "target").read_bytes() == text.encode()


def test_a_byte_that_is_not_of_the_encoding_is_named_by_its_place(tmp_path):
    (tmp_path / "source").write_bytes(b"a\n" * 600_000 + b"\xff\n")
    with pytest.raises(UserError) as caught:
        plain.write_lines(tmp_path / "source", tmp_path / "target", TextDialect(), PLACE)
    assert (caught.value.code, caught.value.place.byte) == ("csv.encoding", 1_200_000)


def test_comments_go_but_not_within_an_enclosed_cell_and_are_counted(tmp_path):
    (tmp_path / "source").write_bytes(b'# one\na,b\n1,"x\n# no comment\ny"\n# two\n2,z\n#end')
    count = plain.write_lines(tmp_path / "source", tmp_path / "target", TextDialect(comment="#"), PLACE)
    assert (count, (tmp_path / "target").read_bytes()) == (3, b'a,b\n1,"x\n# no comment\ny"\n2,z\n')


@given(texts=st.lists(st.text("ab|~\n", max_size=6), max_size=6))
def test_a_delimiter_that_two_pieces_share_is_found(texts):
    found = "".join(plain.swapped(iter(texts), "|~|"))
    assert found == "".join(texts).replace("|~|", "\x1f")


@given(text=st.text('ab#\r\n"', max_size=40), skip=st.integers(0, 3), size=st.integers(1, 5))
def test_lines_are_the_same_however_the_text_comes_in_pieces(text, skip, size):
    def kept(pieces):
        lines = plain.Lines(TextDialect(comment="#", skip_rows=skip))
        return "".join([lines.kept(piece) for piece in pieces] + [lines.rest()]), lines.comments

    assert kept([text[at : at + size] for at in range(0, len(text), size)]) == kept([text])


def test_the_header_of_several_records_ends_where_the_data_begin(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes('\ufeffskipped\nä,"b\nc"\nd,e\n1,2\n'.encode())
    head = plain.read_head(path, TextDialect(skip_rows=1, header_rows=2), PLACE)
    assert head.records == (("ä", "b\nc"), ("d", "e"))
    assert path.read_bytes()[head.data_start :] == b"1,2\n"


def test_a_header_longer_than_the_first_read_is_read_on(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"column_{number}" for number in range(5000)]
    path.write_text(",".join(names) + "\n" + ",".join("1" * 5000) + "\n", encoding="utf-8")
    assert plain.read_head(path, TextDialect(), PLACE).records == (tuple(names),)


@pytest.mark.parametrize(
    ("data", "code", "row"),
    [
        (b"a||b\n1||2||3\n", "row.cells", 1),
        (b'a||b\n1||2\n1||"x"y\n', "csv.after_quote", 2),
        (b'a||b\n1||"x\n', "csv.unclosed_quote", 1),
        (b'a||b\n1||x"y\n', "csv.quote_in_cell", 1),
        (b"a||b\n1||2\n\0||2\n", "csv.nul", 2),
        (b'a||b"\n1||2\n', "csv.quote_in_cell", None),
        (b'"a"x||b\n1||2\n', "csv.after_quote", None),
        (b'"a||b\n1||2\n', "csv.unclosed_quote", None),
    ],
)
@pytest.mark.parametrize("mark", [None, "\\"])
def test_what_breaks_the_rules_is_an_error_with_its_row(data, code, row, mark, tmp_path):
    with pytest.raises(UserError) as caught:
        rewritten(tmp_path, data, TextDialect("||", escape=mark))
    assert (caught.value.code, caught.value.place.row) == (code, row)
    assert "on_bad_row" not in caught.value.remedy


def test_a_value_in_an_error_is_as_it_stands_in_the_file(tmp_path):
    with pytest.raises(UserError) as caught:
        rewritten(tmp_path, b'a||b\n1||x\\"y"\n', TextDialect("||", escape="\\"))
    assert (caught.value.place.column, caught.value.place.value) == ("b", 'x"y"')


def test_lenient_reading_takes_cells_as_they_stand_and_counts_their_rows(tmp_path):
    source, lines, cells = tmp_path / "source", tmp_path / "lines", tmp_path / "cells"
    source.write_bytes(b'a,b\n1,x"y\n2,"z"!\n3,w\n4,v\0\n')
    plain.write_lines(source, lines, TextDialect(escape="\\"), PLACE)
    assert plain.write_cells(lines, cells, "ab", TextDialect(escape="\\"), 4, (), PLACE, strict=False) == 3
    assert rows_of(cells, "ab", Dialect(strict=False)) == [("1", 'x"y'), ("2", "z!"), ("3", "w"), ("4", "v\0")]


def test_an_escape_at_the_end_is_an_error(tmp_path):
    with pytest.raises(UserError) as caught:
        rewritten(tmp_path, b"a,b\n1,2\\", TextDialect(escape="\\"))
    assert caught.value.code == "csv.escape"


STRICT_DIALECTS = st.builds(
    TextDialect, st.sampled_from([",", "||", "¦", "|a"]), st.sampled_from(['"', "'", ""]), st.sampled_from([None, "\\"])
)


def literal(text, dialect):
    """The text with private characters for what is escaped, NUL left aside, and for a delimiter."""
    if dialect.escape:
        text = re.sub(
            r"\\(.)", lambda match: match[1] if match[1] == "\0" else chr(0xE000 + ord(match[1])), text, flags=re.DOTALL
        )
    return text.replace(dialect.delimiter, "\uf000")


def meant(cell, dialect):
    text = cell.replace("\uf000", dialect.delimiter)
    return "".join(chr(ord(one) - 0xE000) if 0xE000 <= ord(one) < 0xE100 else one for one in text)


def rows_judged(text, dialect):
    """What the oracle says of the rows after the header."""
    marked = replace(Dialect(), enclosure=dialect.enclosure, delimiter="\x1f")
    return oracle.rows(literal(text, dialect).replace("\uf000", "\x1f"), 2, marked)[1:]


@settings(max_examples=150, deadline=None)
@given(text=st.text("a,|¦\"'\\\r\n\0", max_size=30), dialect=STRICT_DIALECTS, nulls=st.sampled_from([(), ("a",)]))
@example(text="x,y\n1,2\r\n3,4\n", dialect=TextDialect(), nulls=("a",))
@example(text='\x00,"', dialect=TextDialect(), nulls=())
def test_any_text_gives_the_rows_of_the_oracle_or_an_error(text, dialect, nulls):
    """Whatever the dialect, the same text is refused, and the others give the cells that stand in them.

    A row with a NUL and another fault is refused for either.
    """
    text = f"n{dialect.delimiter}m\n{text}"
    judged = rows_judged(text, dialect)
    dangling = bool(dialect.escape) and literal(text, dialect).endswith("\\")
    codes = ["csv.escape"] * dangling + [code for record in judged if (code := oracle.code_of(record, 2))]
    with tempfile.TemporaryDirectory() as folder:
        if codes:
            with pytest.raises(UserError) as caught:
                rewritten(Path(folder), text.encode(), dialect, nulls)
            others = [oracle.code_of(record, 2) for record in rows_judged(text.replace("\0", "a"), dialect)]
            assert caught.value.code in {codes[0], next(filter(None, others), None)}
            return
        found = rewritten(Path(folder), text.encode(), dialect, nulls)
    cells = [[value and meant(value.replace("\x1f", "\uf000"), dialect) for value in one.values] for one in judged]
    assert found == [tuple(None if cell in nulls else cell for cell in row) for row in cells]


def test_text_that_holds_the_unit_separator_is_refused_where_that_would_separate(tmp_path):
    with pytest.raises(UserError, match="U\\+001F"):
        rewritten(tmp_path, b"a||b\n1\x1f||2\n", TextDialect("||"))
