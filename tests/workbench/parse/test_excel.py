"""Workbooks, as a spreadsheet program writes them."""

import datetime as dt
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from component.errors import Place, UserError
from component.workbench.parse import excel_cells
from component.workbench.parse.excel import letters, parse_excel
from component.workbench.parse.options import FileLimits, ParseOptions
from component.workbench.rules.limits import TableSizes
from component.workbench.rules.reading import ReadingMode

PLACE = Place(table="book")
LENIENT = ParseOptions(ReadingMode.LENIENT)
XLS = Path(__file__).parents[2] / "data/workbench/sheet.xls"


def at(*parts):
    """Return a moment as a sheet has it, without a zone."""
    return dt.datetime(*parts)  # noqa: DTZ001


def book(rows, formats=()):
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    for row in rows:
        sheet.append(row)
    for cell, number_format in formats:
        sheet[cell].number_format = number_format
    sink = io.BytesIO()
    workbook.save(sink)
    return sink.getvalue()


def test_numbers_moments_and_texts():
    data = book([["n", "d", "t"], [1, dt.date(2024, 2, 29), "a"], [2.5, at(1999, 1, 1, 12), None], [None]])
    parsed = parse_excel(data, LENIENT, PLACE)
    assert parsed.table.rows.to_pydict() == {
        "n": [1.0, 2.5],
        "d": [at(2024, 2, 29), at(1999, 1, 1, 12)],
        "t": ["a", None],
    }
    assert [str(column.kind) for column in parsed.table.columns] == ["number", "timestamp", "text"]
    assert parsed.messages == ()


def test_a_mixed_column_is_text_as_the_sheet_shows_it():
    rows = [["m"], ["word"], [0.125], [1234.5], [True], [at(2024, 1, 2)], [3], [0.1]]
    parsed = parse_excel(book(rows, [("A3", "0.0%"), ("A4", "#,##0.00")]), LENIENT, PLACE)
    assert parsed.table.rows["m"].to_pylist() == ["word", "12.5%", "1,234.50", "TRUE", "2024-01-02", "3", "0.1"]


def test_without_header_columns_have_letters():
    parsed = parse_excel(book([[1, 2]]), ParseOptions(has_header=False), PLACE)
    assert parsed.table.names == ("A", "B")
    assert [letters(number) for number in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_an_xls_of_before():
    parsed = parse_excel(XLS.read_bytes(), LENIENT, PLACE)
    assert parsed.table.rows.to_pydict() == {
        "number": [1.5, 2.0, -3.0],
        "day": [at(2024, 2, 29), at(1999, 12, 31, 23, 59), None],
        "mixed": ["12.5%", "word", "1,234.50"],
        "flag": ["TRUE", "FALSE", None],
        "text": ["ž", None, None],
    }


@pytest.mark.parametrize("data", [b"no workbook", b"PK\x03\x04 broken", XLS.read_bytes()[:600]])
def test_a_broken_workbook_is_an_empty_table_with_a_message_or_refused(data):
    parsed = parse_excel(data, LENIENT, PLACE)
    assert (parsed.table.columns, [message.id for message in parsed.messages]) == ((), ["excel.invalid_file"])
    with pytest.raises(UserError) as caught:
        parse_excel(data, ParseOptions(ReadingMode.STRICT), PLACE)
    assert caught.value.code == "source.format"


def test_moments_that_nanoseconds_do_not_reach_are_null_or_refused():
    data = book([["d"], [at(2024, 1, 1)], [at(9999, 1, 1)]])
    parsed = parse_excel(data, LENIENT, PLACE)
    assert parsed.table.rows["d"].to_pylist() == [at(2024, 1, 1), None]
    assert len(parsed.messages) == 1
    with pytest.raises(UserError) as caught:
        parse_excel(data, ParseOptions(ReadingMode.STRICT), PLACE)
    assert caught.value.code == "workbench.loss"


def test_limits():
    data = book([["a", "b"], ["xyz", 1], ["y", 2]])
    limits = FileLimits(TableSizes(rows=1, columns=1, cell_bytes=2))
    parsed = parse_excel(data, ParseOptions(ReadingMode.LENIENT, limits=limits), PLACE)
    assert parsed.table.rows.to_pydict() == {"a": ["xy"]}
    assert len(parsed.messages) == 3


@pytest.mark.parametrize("reading", ReadingMode)
def test_a_workbook_that_would_fill_the_memory_is_refused(monkeypatch, reading):
    data = book([["a", "b"], [1, 2], [3, 4]])
    for limit, words in (("MOST_CELLS", "cells"), ("MOST_UNPACKED", "unpacked")):
        with monkeypatch.context() as patched:
            patched.setattr(excel_cells, limit, 5)
            with pytest.raises(UserError, match=words) as caught:
                parse_excel(data, ParseOptions(reading), PLACE)
        assert caught.value.code == "workbench.limit"
    assert parse_excel(data, ParseOptions(reading), PLACE).table.rows.num_rows == 2


def test_cells_that_a_workbook_only_promises_are_not_there():
    data, sink = book([["a"], [1]]), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(sink, "w") as new:
        for entry in old.infolist():
            new.writestr(entry, old.read(entry).replace(b'ref="A1:A2"', b'ref="A1:XFD1048576"'))
    assert parse_excel(sink.getvalue(), LENIENT, PLACE).table.rows.to_pydict() == {"a": [1.0]}
