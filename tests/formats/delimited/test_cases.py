"""The directories that records-mover wrote: their files come back as what was meant."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from component.formats.csv.split import ByteRange
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.read import DelimitedReader, read_header
from component.formats.delimited.source import DelimitedSplit
from component.tables.logical import Logical, logical_column
from component.tables.types import Column, TableSchema, TypeName

CASES = Path(__file__).parents[2] / "data" / "records" / "cases"
TYPES = {
    "string": TypeName.STRING,
    "integer": TypeName.INTEGER,
    "decimal": TypeName.FLOAT,
    "boolean": TypeName.BOOLEAN,
    "date": TypeName.DATE,
    "datetime": TypeName.TIMESTAMP,
}
LOGICAL = {"time": Logical.TIME, "timetz": Logical.TIMETZ, "datetimetz": Logical.TIMESTAMPTZ}

NAMES = sorted(folder.parent.name for folder in CASES.glob("*/_format_delimited"))


def dialect_of(folder: Path) -> DelimitedDialect:
    hints = json.loads((folder / "_format_delimited").read_text())["hints"]
    return DelimitedDialect(**{name.replace("-", "_"): value for name, value in hints.items()})


def schema_of(columns: list[str], types: list[str]) -> TableSchema:
    return TableSchema(
        tuple(
            logical_column(name, LOGICAL[word]) if word in LOGICAL else Column(name, TYPES[word])
            for name, word in zip(columns, types, strict=True)
        )
    )


def as_expected(value: object, word: str) -> object:
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="microseconds") + ("Z" if word == "datetimetz" else "")
    return value.isoformat() if isinstance(value, dt.date) else value


@pytest.mark.parametrize("name", NAMES)
def test_what_records_mover_wrote_is_read_as_it_was_meant(name: str) -> None:
    expected = json.loads((CASES / f"{name}.expected.json").read_text())
    dialect = dialect_of(CASES / name)
    reader = DelimitedReader(schema_of(expected["columns"], expected["types"]), dialect)
    rows = []
    for file in sorted((CASES / name).glob("data*")):
        split = DelimitedSplit(name, file.name, file, ByteRange(0, file.stat().st_size))
        if dialect.header_row:
            assert read_header(file, dialect, place=split.place) == tuple(expected["columns"])
        for parsed in reader.read(split):
            rows += [
                [as_expected(value, word) for value, word in zip(row.values(), expected["types"], strict=True)]
                for row in parsed.rows.to_pylist()
            ]
    assert rows == expected["rows"]


def test_there_are_cases() -> None:
    assert len(NAMES) > 30
