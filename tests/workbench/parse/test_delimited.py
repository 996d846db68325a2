"""CSV, TSV and TXT: what lenient reading mends, strict reading refuses."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.workbench.parse import columns_of_text
from component.workbench.parse.columns_of_text import TextColumns
from component.workbench.parse.delimited import parse_delimited, sniff_delimiter
from component.workbench.parse.options import FileLimits, ParseOptions
from component.workbench.rules.limits import TableSizes
from component.workbench.rules.reading import ReadingMode
from tests.formats.csv import oracle
from tests.strategies.csv_text import nasty_texts

PLACE = Place(table="people.csv")
LENIENT = ParseOptions(ReadingMode.LENIENT)
STRICT = ParseOptions(ReadingMode.STRICT)


def rows_of(parsed):
    return parsed.table.rows.to_pydict()


@pytest.mark.parametrize(
    ("data", "mended", "code", "place"),
    [
        (b"a,b\n1\n2,3", {"a": ["1", "2"], "b": [None, "3"]}, "row.cells", Place("people.csv", row=2)),
        (b"a\n1,2", {"a": ["1"], "Column 2": ["2"]}, "row.cells", Place("people.csv", row=2)),
        (b'a\n"1"2', {"a": ["12"]}, "csv.after_quote", Place("people.csv", row=2, value='"1"2')),
        (b'a\n"1', {"a": ["1"]}, "csv.unclosed_quote", Place("people.csv", row=2, value='"1')),
        (b"a,a\n1,2", {"a": ["1"], "a 2": ["2"]}, "column.duplicate", Place("people.csv", column="a")),
        (b"a,\n1,2", {"a": ["1"], "Column 2": ["2"]}, "source.format", Place("people.csv")),
        (b"a\nf\xf4o", {"a": ["fôo"]}, "csv.encoding", Place("people.csv", byte=3)),
    ],
)
def test_what_is_mended_with_a_message_or_refused_with_its_place(data, mended, code, place):
    parsed = parse_delimited(data, LENIENT, PLACE)
    assert rows_of(parsed) == mended
    with pytest.raises(UserError) as caught:
        parse_delimited(data, STRICT, PLACE)
    assert (caught.value.code, caught.value.place) == (code, place)


@pytest.mark.parametrize(
    ("limits", "ids"),
    [
        (FileLimits(TableSizes(rows=1)), ["warning.skipped_rows"]),
        (FileLimits(TableSizes(columns=1)), ["warning.skipped_columns"]),
        (FileLimits(TableSizes(cell_bytes=2)), ["warning.truncated_values"]),
        (FileLimits(csv_bytes=3), ["csv.truncated_file"]),
        (FileLimits(TableSizes(rows=2, columns=2, cell_bytes=3), csv_bytes=9), []),
    ],
)
def test_limits_cut_with_a_message_or_are_held(limits, ids):
    data = b"a,b\n1,xyz"
    parsed = parse_delimited(data, ParseOptions(ReadingMode.LENIENT, limits=limits), PLACE)
    assert [message.id for message in parsed.messages] == ids
    if ids:
        with pytest.raises(UserError) as caught:
            parse_delimited(data, ParseOptions(ReadingMode.STRICT, limits=limits), PLACE)
        assert caught.value.code == "workbench.limit"


@pytest.mark.parametrize(
    ("text", "delimiter"), [("a;b\n1;2", ";"), ("a\tb\n1\t2", "\t"), ("a,b", ","), ("", ","), ("x", ",")]
)
def test_the_delimiter_is_looked_for(text, delimiter):
    assert sniff_delimiter(text) == delimiter


def test_strict_reading_tells_null_from_the_empty_string_and_lenient_reading_does_not():
    data = b'a,b\n1,\n"",""\n'
    assert rows_of(parse_delimited(data, STRICT, PLACE)) == {"a": ["1", ""], "b": [None, ""]}
    assert rows_of(parse_delimited(data, LENIENT, PLACE)) == {"a": ["1", ""], "b": ["", ""]}


def test_an_empty_line_is_a_row_of_one_column_and_no_row_of_two():
    assert rows_of(parse_delimited(b"a\nx\n\ny\n", STRICT, PLACE)) == {"a": ["x", None, "y"]}
    assert rows_of(parse_delimited(b"a,b\nx,1\n\ny,2\n", STRICT, PLACE)) == {"a": ["x", "y"], "b": ["1", "2"]}
    bare = ParseOptions(ReadingMode.STRICT, has_header=False)
    assert rows_of(parse_delimited(b"\nx\n\n", bare, PLACE)) == {"Column 1": [None, "x", None]}


@settings(max_examples=60, deadline=None)
@given(nasty_texts)
@example('\r,"""')
@example('\n\n"x')
@example('\n\na,b\n"')
@example("\r\n\n")
def test_strict_reading_gives_the_rows_of_the_oracle_or_an_error(text):
    found = oracle.records(text)
    width = next((len(record.cells) for record in found if not record.is_blank), 1)
    expected = oracle.rows(text, width)
    options = ParseOptions(ReadingMode.STRICT, delimiter=",", has_header=False)
    if any(oracle.code_of(record, width) for record in expected):
        with pytest.raises(UserError) as caught:
            parse_delimited(text.encode(), options, PLACE)
        codes = [oracle.code_of(record, width) for record in expected]
        first = next(number for number, code in enumerate(codes) if code)
        assert caught.value.place.row == first + 1
        return
    got = parse_delimited(text.encode(), options, PLACE).table.rows.columns
    assert list(zip(*(column.to_pylist() for column in got), strict=True)) == [record.values for record in expected]


def test_an_empty_file_is_an_empty_table():
    assert parse_delimited(b"", STRICT, PLACE).table.columns == ()


@given(st.lists(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4), min_size=1, max_size=12))
def test_columns_are_the_same_in_memory_and_on_disk(rows):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(columns_of_text, "_BLOCK_ROWS", 2)
        patched.setattr(columns_of_text, "IN_MEMORY", 40)
        gathered = TextColumns(TableSizes(rows=8, columns=3, cell_bytes=2))
        for row in rows:
            gathered.add(row)
        columns = gathered.finish()
    kept = [row[:3] for row in rows[:8]]
    width = max(map(len, kept))
    expected = [[row[at][:2] if at < len(row) else None for row in kept] for at in range(width)]
    assert [column.to_pylist() for column in columns] == expected
    long = [(at, cell + 1) for at, row in enumerate(kept, 1) for cell, text in enumerate(row) if len(text) > 2]
    assert (gathered.cut, gathered.first_cut) == (len(long), long[0] if long else None)
    assert gathered.rows_beyond == max(0, len(rows) - 8)
    assert gathered.columns_beyond == max(0, *(len(row) - 3 for row in rows[:8]), 0)
