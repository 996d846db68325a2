"""Text of any dialect has the same rows as the CSV reader finds, and the same bad rows, as they stand in the file."""

import bz2
import codecs
import gzip
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from component import naming
from component.errors import Place, UserError
from component.formats.csv.dialect import Dialect, Original
from component.formats.csv.guess import guess_splits
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.detect import plain
from component.formats.detect.dialect import TextDialect
from component.tables.types import Column, TableSchema
from tests.formats.csv import oracle
from tests.formats.csv.reading import bad_rows, parse_splits
from tests.formats.detect.corpus import write

PLACE = Place(table="t", slice="t")


def parsed_of(folder, data, dialect, nulls=(), *, strict=True, reject=False):
    """What the reader of a rewritten text gives, its first record the header, cut into splits of many blocks."""
    source, path = folder / "source", folder / "text"
    source.write_bytes(data)
    plain.write_text(source, path, dialect, PLACE)
    start = (head := plain.read_head(path, replace(dialect, skip_rows=0), PLACE, strict=strict)).data_start
    schema = TableSchema(tuple(map(Column, head.records[0])))
    reader = CsvReader(schema, plain.csv_dialect(dialect, strict=strict, null_values=nulls), reject)
    ranges = guess_splits(path, reader.dialect, start=start, split_bytes=20)
    return parse_splits(
        reader, [CsvSplit("t", "t", path, False, part, start, guessed=True, block_bytes=8) for part in ranges]
    )


def rows_in(parsed):
    return [tuple(row.values()) for one in parsed for row in one.rows.to_pylist()]


def rewritten(folder, data, dialect, nulls=()):
    return rows_in(parsed_of(folder, data, dialect, nulls))


def rejected(folder, data, dialect, nulls=()):
    parsed = parsed_of(folder, data, dialect, nulls, reject=True)
    return rows_in(parsed), [(bad.row, bad.code, bad.column, bad.value, bad.record) for bad in bad_rows(parsed)]


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
    plain.write_text(tmp_path / "source", tmp_path / "target", TextDialect(";", encoding=name), PLACE)
    assert (tmp_path / "target").read_bytes() == text.encode()


def test_a_byte_that_is_not_of_the_encoding_is_named_by_its_place(tmp_path):
    (tmp_path / "source").write_bytes(b"a\n" * 600_000 + b"\xff\n\xfe\n")
    error = plain.write_text(tmp_path / "source", tmp_path / "target", TextDialect(), PLACE).not_encoded
    assert (error.code, error.place.byte) == ("csv.encoding", 1_200_000)


@pytest.mark.parametrize(
    ("encoding", "byte"),
    [
        ("utf-8", b"\xe9"),
        ("cp1252", b"\x81"),
        ("utf-16-le", b"\x00\xd8"),
        ("shift_jis", b"\xfc\xfc"),
        ("ascii", b"\xc3\xa9"),
    ],
)
def test_a_row_with_bytes_that_are_not_of_the_encoding_is_a_bad_row(encoding, byte, tmp_path):
    before, after = ("".join(text).encode(encoding) for text in (["a;b\n1;x\n2;"], ["\n3;y\n"]))
    rows, bad = rejected(tmp_path, before + byte + after, TextDialect(";", encoding=encoding))
    assert rows == [("1", "x"), ("3", "y")]
    ((number, code, column, value, record),) = bad
    assert (number, code, column, set(value), record) == (2, "csv.encoding", "b", {"\ufffd"}, f"2;{value}")


@given(data=st.binary(max_size=12), encoding=st.sampled_from(["utf-8", "cp1252", "utf-16-le", "shift_jis", "gb18030"]))
def test_no_bytes_that_are_not_of_an_encoding_become_a_text(data, encoding, tmp_path_factory):
    """Where Python's codec refuses a text, what is written is no UTF-8."""
    assume(not data.startswith((b"\x1f\x8b", b"BZ", b"\x28\xb5")))
    folder = tmp_path_factory.getbasetemp()
    (folder / "source").write_bytes(data)
    written = plain.write_text(folder / "source", folder / "target", TextDialect(encoding=encoding), PLACE)
    found = (folder / "target").read_bytes()
    try:
        text, at = codecs.decode(data, encoding), None
    except UnicodeDecodeError as error:
        text, at = None, error.start
    assert written.not_encoded == at if at is None else written.not_encoded.place.byte == at
    if text is None:
        with pytest.raises(UnicodeDecodeError):
            found.decode()
    else:
        assert found.decode() == text.removeprefix("\ufeff")


def test_a_header_that_is_not_of_the_encoding_is_an_error_with_its_byte(tmp_path):
    (tmp_path / "source").write_bytes(b"a;\x81\n1;2\n")
    dialect = TextDialect(";", encoding="cp1252")
    fault = plain.write_text(tmp_path / "source", tmp_path / "target", dialect, PLACE).not_encoded
    with pytest.raises(UserError, match="Byte 0x81 is not valid cp1252") as caught:
        plain.read_head(tmp_path / "target", dialect, PLACE, not_encoded=fault)
    assert caught.value.place.byte == 2


def test_comments_go_but_not_within_an_enclosed_cell_and_are_counted(tmp_path):
    (tmp_path / "source").write_bytes(b'# one\na,b\n1,"x\n# no comment\ny"\n# two\n2,z\n#end')
    written = plain.write_text(tmp_path / "source", tmp_path / "target", TextDialect(comment="#"), PLACE)
    assert (written.comments, (tmp_path / "target").read_bytes()) == (3, b'a,b\n1,"x\n# no comment\ny"\n2,z\n')


@given(texts=st.lists(st.text("ab|~\n", max_size=6), max_size=6))
def test_a_delimiter_that_two_pieces_share_is_found(texts):
    found = "".join(plain.swapped(iter(texts), plain.original_of(TextDialect("|~|"))))
    assert found == "".join(texts).replace("|~|", "\x1f")


@settings(max_examples=150)
@given(
    text=st.text('a#,|\r\n"\\', max_size=40),
    skip=st.integers(0, 2),
    size=st.integers(1, 5),
    delimiter=st.sampled_from([",", "||"]),
    enclosure=st.sampled_from(['"', ""]),
    escape=st.sampled_from([None, "\\"]),
)
@example(text='a"\n#\n', skip=0, size=1, delimiter=",", enclosure='"', escape=None)
@example(text="a\\\n#\n#", skip=0, size=1, delimiter=",", enclosure='"', escape="\\")
def test_comments_are_the_lines_that_stand_where_a_record_begins(text, skip, size, delimiter, enclosure, escape):
    """However the text comes in pieces, and whatever faults its records have."""
    dialect = TextDialect(delimiter, enclosure, escape, skip_rows=skip, comment="#")
    lines = plain.Lines(dialect, PLACE)
    found = "".join([lines.kept(text[at : at + size]) for at in range(0, len(text), size)] + [lines.rest()])
    marked, expected, comments = literal(without_skipped(text, skip), dialect), "", 0
    as_marked = replace(Dialect(), enclosure=enclosure, delimiter="\v")
    while marked:
        if marked.startswith("#"):
            line = re.match(r"[^\r\n]*(\r\n|\r|\n|\Z)", unmarked(marked, dialect))[0]
            marked, comments = literal(unmarked(marked, dialect)[len(line) :], dialect), comments + 1
            continue
        stop = oracle.records(marked.replace("\uf000", "\v"), as_marked)[0].stop
        expected, marked = expected + marked[:stop], marked[stop:]
    assert (found, lines.comments) == (unmarked(expected, dialect), comments)


def without_skipped(text, count):
    for _ in range(count):
        text = re.sub(r"^[^\r\n]*(\r\n|\r|\n|\Z)", "", text)
    return text


def test_a_record_that_goes_on_for_too_long_is_refused_where_comments_are_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(naming, "RECORD_LIMIT", 1000)
    (tmp_path / "source").write_bytes(b'a,b\n1,"x\n' + b"#y\n" * 1000)
    with pytest.raises(UserError, match="No record ends") as caught:
        plain.write_text(tmp_path / "source", tmp_path / "target", TextDialect(comment="#"), PLACE)
    assert caught.value.code == "csv.unclosed_quote"


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
    assert ("on_bad_row" in caught.value.remedy) == (row is not None)


def test_a_value_in_an_error_is_as_it_stands_in_the_file(tmp_path):
    with pytest.raises(UserError) as caught:
        rewritten(tmp_path, b'a||b\n1||x\\"y"\n', TextDialect("||", escape="\\"))
    assert (caught.value.place.column, caught.value.place.value) == ("b", 'x\\"y"')


def test_lenient_reading_takes_cells_as_they_stand_and_counts_their_rows(tmp_path):
    data = b'a,b\n1,x"y\n2,"z"!\n3,w\n4,v\0\n5,\\"\n6,u\\'
    parsed = parsed_of(tmp_path, data, TextDialect(escape="\\"), strict=False)
    assert rows_in(parsed) == [("1", 'x"y'), ("2", "z!"), ("3", "w"), ("4", "v\0"), ("5", '"'), ("6", "u\\")]
    assert sum(one.mended for one in parsed) == 4


@pytest.mark.parametrize("text", ["a,b\n1,2\\", "a,b\\"])
def test_an_escape_at_the_end_is_an_error(text, tmp_path):
    with pytest.raises(UserError) as caught:
        rewritten(tmp_path, text.encode(), TextDialect(escape="\\"))
    assert caught.value.code == "csv.escape"


def test_bad_rows_stand_as_in_the_file_and_the_others_are_read(tmp_path):
    lines = [r"a||b", r"1||x\"y", r'2||"y"z', r'3||w\||\"v"', r"4||5||\|\\6", r'7||"p\"||\q"', r'8||"\n||', r"9||q\\"]
    assert rejected(tmp_path, "\n".join(lines).encode(), TextDialect("||", escape="\\")) == (
        [("1", 'x"y'), ("7", 'p"||q')],
        [
            (2, "csv.after_quote", "b", '"y"z', lines[2]),
            (3, "csv.quote_in_cell", "b", r'w\||\"v"', lines[3]),
            (4, "row.cells", None, None, lines[4]),
            (6, "csv.unclosed_quote", "b", '"\\n||\n' + lines[7], "\n".join(lines[6:])),
        ],
    )


def test_a_stand_in_is_what_it_stands_for_in_a_value_and_in_its_record(tmp_path):
    original = Original(escape="\\", escaped=(("\x01", '"'), ("\x02", "\\")), dangling="\x03")
    assert (original.cell("\x01\\n\x02\x03"), original.text("\x01\\n\x02\x03")) == ('"n\\\\', '\\"\\n\\\\\\')


STRICT_DIALECTS = st.builds(
    TextDialect,
    st.sampled_from([",", "||", "¦", "|a", "a,", "\x1f\x1e"]),
    st.sampled_from(['"', "'", ""]),
    st.sampled_from([None, "\\"]),
)


def literal(text, dialect):
    """The text with private characters for what is escaped, NUL left aside, and for a delimiter."""
    if dialect.escape:
        text = re.sub(r"\\([^\0])", lambda match: chr(0xE000 + ord(match[1])), text)
    return text.replace(dialect.delimiter, "\uf000")


def unmarked(text, dialect):
    """The text that `literal` was given."""
    text = text.replace("\uf000", dialect.delimiter)
    return "".join("\\" + chr(ord(one) - 0xE000) if 0xE000 <= ord(one) < 0xE100 else one for one in text)


def meant(cell, dialect):
    text = unmarked(cell, dialect)
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) if dialect.escape else text


def rows_judged(text, dialect):
    """What the oracle says of the rows after the header."""
    marked = replace(Dialect(), enclosure=dialect.enclosure, delimiter="\v")
    return oracle.rows(literal(text, dialect).replace("\uf000", "\v"), 2, marked)[1:]


def code_judged(record, is_last, dialect):
    """What is wrong with a row: an escape that nothing follows is the last fault of the last cell of a text."""
    dangles = is_last and bool(dialect.escape) and record.cells[-1].endswith("\\")
    fault = "csv.unclosed_quote" if record.is_open else record.fault
    return fault or ("csv.escape" if dangles else oracle.code_of(record, 2))


@settings(max_examples=200, deadline=None)
@given(
    text=st.text("a,|¦\"'\\\r\n\0\x1f\x1e\x17", max_size=30),
    dialect=STRICT_DIALECTS,
    nulls=st.sampled_from([(), ("a",)]),
)
@example(text="x,y\n1,2\r\n3,4\n", dialect=TextDialect(), nulls=("a",))
@example(text='\x00,"', dialect=TextDialect(), nulls=())
def test_any_text_gives_the_rows_of_the_oracle_and_its_bad_rows(text, dialect, nulls):
    """Whatever the dialect, the same rows are bad, with their numbers and as they stand, and the others are read."""
    judged = rows_judged(f"n{dialect.delimiter}m\n{text}", dialect)
    marked = literal(f"n{dialect.delimiter}m\n{text}", dialect)
    codes = [code_judged(record, at == len(judged), dialect) for at, record in enumerate(judged, 1)]
    expected, bad = [], []
    for number, (record, code) in enumerate(zip(judged, codes, strict=True), 1):
        if code:
            bad.append((number, code, unmarked(marked[record.start : record.stop].rstrip("\r\n"), dialect)))
            continue
        cells = [value and meant(value.replace("\v", "\uf000"), dialect) for value in record.values]
        expected.append(tuple(None if cell in nulls else cell for cell in cells))
    with tempfile.TemporaryDirectory() as folder:
        parsed = parsed_of(Path(folder), f"n{dialect.delimiter}m\n{text}".encode(), dialect, nulls, reject=True)
    assert rows_in(parsed) == expected
    assert [(one.row, one.code, one.record) for one in bad_rows(parsed)] == bad


@settings(max_examples=40, deadline=None)
@given(
    random=st.randoms(use_true_random=False),
    dialect=st.builds(
        TextDialect,
        st.sampled_from([";", "||", "¦"]),
        st.just('"'),
        st.sampled_from([None, "\\"]),
        st.sampled_from(["utf-8", "utf-16", "cp1252"]),
        st.integers(0, 2),
        st.sampled_from([None, "#"]),
    ),
)
def test_faults_in_any_rows_reject_these_and_load_the_others_exactly(random: Random, dialect):
    """Rows of a known table are written with faults, comments and blank lines among them."""
    delimiter, quote, lines, good, bad = dialect.delimiter, dialect.enclosure, [], [], []
    for number in range(1, random.randint(2, 12)):
        lines += random.choice([[], [], [""], ["# a " + quote]]) if dialect.comment else random.choice([[], [""]])
        text = random.choice(["é", "", "x" + delimiter, quote, "a\n# b", "plain"])
        code = random.choice([None, None, "csv.after_quote", "csv.quote_in_cell", "csv.nul", "row.cells"])
        escaped = text.replace(quote, dialect.escape + quote if dialect.escape else quote * 2)
        record = f"{number}{delimiter}{quote}{escaped}{quote}"
        record = {
            None: record,
            "csv.after_quote": f"{record}!",
            "csv.quote_in_cell": f"{number}{delimiter}5{quote} pipe",
            "csv.nul": f"{number}{delimiter}\0",
            "row.cells": f"{record}{delimiter}more",
        }[code]
        lines.append(record)
        good += [] if code else [(str(number), text)]
        bad += [(number, code, record)] if code else []
    before = ["before"] * dialect.skip_rows
    text = "".join(f"{line}\n" for line in [*before, f"n{delimiter}t", *lines])
    with tempfile.TemporaryDirectory() as folder:
        parsed = parsed_of(Path(folder), text.encode(dialect.encoding), dialect, reject=True)
    assert rows_in(parsed) == good
    assert [(one.row, one.code, one.record) for one in bad_rows(parsed)] == bad
