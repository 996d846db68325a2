"""docs/types.md says what the code does: every table of it is read and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from component.errors import Place
from component.formats.columns import column_in_file
from component.formats.csv.dialect import Dialect
from component.formats.csv.parse import Parser
from component.formats.rows import Parsed
from component.tables.infer import column_by_evidence, evidence_of, no_evidence
from component.tables.logical import Logical, logical_of
from component.tables.numeric import decimal_texts
from component.tables.types import BASE_TYPES, Column, NullRule, TableSchema, TypeName

PAGE = (Path(__file__).parents[2] / "docs" / "types.md").read_text(encoding="utf-8")


def rows_under(title: str) -> Iterator[list[str]]:
    """Yield the rows of the table under a title, without its head."""
    section = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    [text] = [part for part in section if part.startswith(f"{title}\n")]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    for line in lines[2:]:
        yield [cell.strip(" ") for cell in line.strip("|").split("|")]


def examples(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def column_of(words: str, **more: Any) -> Column:
    name, _, length = words.partition("(")
    return Column("c", TypeName(name), length.rstrip(")") or None, **more)


def words_of(column: Column) -> str:
    return column.type.value + (f"({column.length})" if column.length else "")


def read(column: Column, *cells: str) -> Parsed:
    schema = TableSchema((column, Column("other")))
    return Parser(schema, Dialect()).parse("".join(f"{cell},k\n" for cell in cells).encode())


def enclosed(text: str) -> str:
    return f'"{text}"' if "," in text else text


FITS = [(row[0], row[1], row[2], row[3]) for row in rows_under("What fits")]


@pytest.mark.parametrize(("words", "arrow", "fitting", "misfits"), FITS, ids=[row[0] for row in FITS])
def test_what_fits_a_type(words, arrow, fitting, misfits):
    column = column_of(words)
    assert str(column.arrow) == arrow.strip("`")
    good, bad = [enclosed(text) for text in examples(fitting)], [enclosed(text) for text in examples(misfits)]
    assert [text for text in good if read(column, text).bad] == []
    assert [text for text in bad if not read(column, text).bad] == []
    assert [row.row for row in read(column, *good, *bad, *good).bad] == [len(good) + at + 1 for at in range(len(bad))]


def test_every_type_has_its_row():
    assert {column_of(row[0]).type for row in FITS} == set(BASE_TYPES)


NULLS = list(rows_under("Empty cells"))


@pytest.mark.parametrize("row", NULLS, ids=[f"{row[0]} {row[1]}" for row in NULLS])
def test_what_an_empty_cell_means(row):
    rule, written, *said = row
    cell = {"bare": "", '`""`': '""'}[written]
    found = [meaning(Column("c", type_name, null_rule=NullRule(rule)), cell) for type_name in BASE_TYPES]
    assert said == found


def meaning(column: Column, cell: str) -> str:
    """What a cell means alone, and between cells that force the careful path."""
    alone = read(column, cell)
    careful = read(column, cell, "a,b")
    assert len(careful.bad) == len(alone.bad) + 1
    assert careful.rows.equals(alone.rows)
    if alone.bad:
        return "does not fit"
    return {None: "null", "": "empty text"}[alone.rows["c"][0].as_py()]


def test_every_rule_and_type_is_in_the_table():
    head = re.search(r"^\| nulls \| cell \| (.*) \|$", PAGE, re.MULTILINE)
    assert head
    assert head[1].split(" | ") == [type_name.value for type_name in BASE_TYPES]
    assert [(row[0], row[1]) for row in NULLS] == [(rule.value, cell) for rule in NullRule for cell in ("bare", '`""`')]


def test_the_rules_when_nothing_is_said():
    for type_name in BASE_TYPES:
        expected = NullRule.UNQUOTED if type_name is TypeName.STRING else NullRule.ALWAYS
        assert Column("c", type_name).nulls is expected
        assert Column("c", type_name, null_rule=NullRule.NEVER).nulls is NullRule.NEVER


@pytest.mark.parametrize("row", list(rows_under("Formats")), ids=" ".join)
def test_what_formats_read(row):
    words, formats, cell, value = row
    parsed = read(column_of(words, formats=tuple(examples(formats))), *examples(cell))
    found = "does not fit" if parsed.bad else str(parsed.rows["c"][0].as_py())
    assert found == value


@pytest.mark.parametrize("row", list(rows_under("Inference")), ids=" ".join)
def test_what_is_inferred(row):
    cells, words = row
    texts = pa.array([*examples(cells), None, ""])
    assert words_of(column_by_evidence("c", evidence_of(texts))) == words


@pytest.mark.parametrize("row", list(rows_under("Parquet")), ids=" ".join)
def test_what_a_type_of_parquet_becomes(row):
    names, words = row
    for name in examples(names):
        arrow = eval(name if name.endswith(")") else f"{name}()", dict(vars(pa)))
        assert outcome(arrow) == words


def outcome(arrow: pa.DataType) -> str:
    column = column_in_file("c", arrow, Place())
    kind = logical_of(column)
    words = words_of(column) + (f", {kind.value}" if kind in {Logical.TIME, Logical.TIMETZ} else "")
    return "as in the file" if column.type is TypeName.OTHER else words


MARKED = list(rows_under("Commas and other marks in numbers"))
BETWEEN = next(at for at, row in enumerate(MARKED) if row[0].startswith("in text"))


@pytest.mark.parametrize(
    ("delimiter", "row"), [*((";", row) for row in MARKED[:BETWEEN]), *((",", row) for row in MARKED[BETWEEN + 2 :])]
)
def test_what_marks_are_found_and_what_the_cells_are_then(delimiter, row):
    cells, words, values = row
    column = column_by_evidence("c", evidence_of(pa.array(examples(cells)), no_evidence(delimiter)))
    assert words_of(column) == words
    if values:
        parsed = read(column, *map(enclosed, examples(cells)))
        assert not parsed.bad
        assert ", ".join(decimal_texts(parsed.rows["c"]).to_pylist()) == values
