"""Delimited text to records, against the machine written out state by state."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.workbench.parse import records
from component.workbench.parse.records import RecordReader, Repairs, columns_of, read_carefully

TEXTS = st.text(st.sampled_from('ab",\n\r \0é'), max_size=30)


def machine(text, delimiter):  # noqa: C901 - written out on purpose
    """The four states (reference workbench 5, "CSV machine"), a character at a time: rows, repairs, and an open end."""
    rows, repaired, row, cell, state, begun = [], [], [], "", "start", False
    text_ends = False

    def end_cell():
        nonlocal cell, state
        row.append(cell)
        cell, state = "", "start"

    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if state == "quoted":
            if character != '"':
                cell += character
            elif text[at : at + 1] == '"':
                cell += '"'
                at += 1
            else:
                state = "closed"
            continue
        if character == delimiter:
            end_cell()
            begun = True
        elif character in "\r\n":
            if begun:
                end_cell()
                rows.append(list(row))
                row.clear()
            begun = False
            state = "start"
        elif character == '"' and state == "start":
            state, begun = "quoted", True
        else:
            if state == "closed":
                repaired.append((len(rows) + 1, len(row) + 1))
            cell += character
            state, begun = "plain", True
    text_ends = state == "quoted"
    if begun:
        end_cell()
        rows.append(list(row))
    return rows, repaired, text_ends


def blocks_of(text, size):
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]


def read(text, delimiter=",", size=1000):
    reader = RecordReader(lambda: blocks_of(text, size), delimiter)
    rows = list(reader)
    return rows, (reader.repairs.count, reader.repairs.first), reader.repairs.closed_by_end


def expected(text, delimiter=","):
    rows, repaired, closed_by_end = machine(text, delimiter)
    return rows, (len(repaired), repaired[0] if repaired else None), closed_by_end


@given(TEXTS, st.integers(1, 5))
def test_every_text_gives_the_records_of_the_machine(text, size):
    assert read(text, size=size) == expected(text)


@given(TEXTS, st.sampled_from(",;\t"), st.integers(1, 5))
def test_reading_cell_by_cell_gives_the_same(text, delimiter, size):
    text = text.replace(",", delimiter)
    repairs = Repairs()
    rows = list(read_carefully(blocks_of(text, size), delimiter, repairs, Place()))
    assert (rows, (repairs.count, repairs.first), repairs.closed_by_end) == expected(text, delimiter)


@given(st.lists(st.lists(st.text('a,"\n\ré', min_size=1), min_size=1), max_size=5))
def test_what_pythons_csv_module_writes_is_read_without_repair(rows):
    import io

    sink = io.StringIO(newline="")
    csv.writer(sink, quoting=csv.QUOTE_ALL).writerows(rows)
    assert read(sink.getvalue()) == (rows, (0, None), False)


def test_a_cell_longer_than_the_limit_of_the_csv_module_is_read_and_the_limit_stays():
    before = csv.field_size_limit()
    assert read("a" * (before + 1))[0] == [["a" * (before + 1)]]
    assert csv.field_size_limit() == before


def test_cells_that_a_row_does_not_have_are_null():
    assert columns_of([["a"], ["b", "c"], []]) == [["a", "b", None], [None, "c", None]]


def test_a_cell_that_never_ends_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(records, "MOST_CELL", 50)
    with pytest.raises(UserError) as caught:
        read('a\n"' + "b\n" * 100, size=10)
    assert caught.value.code == "row.length"
    assert read('a\n"' + "b\n" * 20, size=10)[2]
