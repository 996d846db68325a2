"""What inference says and counts, without Spark."""

from __future__ import annotations

from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import ByteRange, CsvSplit
from component.spark.infer import Untyped, infer_types
from tests.spark.inline_engine import InlineEngine
from tests.spark.test_job import text_schema


def test_a_decimal_comma_is_said_with_its_cell_and_splits_are_counted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"1;77,46\n2;1,5\n")
    schema, dialect = text_schema(2), Dialect(";")
    split = CsvSplit("t", "t.csv", path, gzip=False, range=ByteRange(0, path.stat().st_size))
    done: list[tuple[int, int, int]] = []
    table = Untyped(schema, CsvReader(schema, dialect), (split,), schema.names)
    (found,) = infer_types(InlineEngine(), [table], lambda *counts: done.append(counts))
    assert [column.type.value for column in found.schema.columns] == ["integer", "string"]
    assert any("decimal comma" in note and "77,46" in note and "c1" in note for note in found.notes)
    assert done == [(1, 2, path.stat().st_size)]
