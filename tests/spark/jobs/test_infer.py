"""What inference says and counts, without Spark."""

from __future__ import annotations

import pytest

from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import ByteRange, CsvSplit
from component.spark.jobs.infer import Untyped, infer_types
from tests.spark.inline_engine import InlineEngine
from tests.spark.jobs.test_job import text_schema


def test_doubtful_commas_are_said_with_their_cell_and_splits_are_counted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"1;1,234\n2;3\n")
    schema, dialect = text_schema(2), Dialect(";")
    split = CsvSplit("t", "t.csv", path, gzip=False, range=ByteRange(0, path.stat().st_size))
    done: list[tuple[int, int, int]] = []
    table = Untyped(schema, CsvReader(schema, dialect), (split,), schema.names)
    (found,) = infer_types(InlineEngine(), [table], lambda *counts: done.append(counts))
    assert [column.type.value for column in found.schema.columns] == ["integer", "string"]
    assert any('"decimal": ","' in note and "1,234" in note and "c1" in note for note in found.notes)
    assert done == [(1, 2, path.stat().st_size)]


@pytest.mark.parametrize(
    ("text", "marks", "words"),
    [
        ("1;1.234,56\n2;1,5\n", None, "numeric(38,2) (',' before decimals, '.' between thousands)"),
        ("1;1,234\n2;3\n", (",", ""), "numeric(38,3) (',' before decimals)"),
        ("1;1,234\n2;3\n", (".", ","), "integer ('.' before decimals, ',' between thousands)"),
        (
            "1;1 234.5\n2;1\N{NO-BREAK SPACE}000\n",
            (".", " "),
            "numeric(38,1) ('.' before decimals, ' ' between thousands)",
        ),
    ],
)
def test_marks_of_numbers_are_found_or_configured_and_said(tmp_path, text, marks, words):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    schema, dialect = text_schema(2), Dialect(";")
    split = CsvSplit("t", "t.csv", path, gzip=False, range=ByteRange(0, path.stat().st_size))
    table = Untyped(schema, CsvReader(schema, dialect), (split,), schema.names, marks)
    (found,) = infer_types(InlineEngine(), [table])
    assert any(f"c1 {words}" in note for note in found.notes)
    (parsed,) = CsvReader(found.schema, dialect).read(split)
    assert not parsed.bad
    assert parsed.rows.num_rows == 2
