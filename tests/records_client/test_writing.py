"""We write, records-mover reads."""

from __future__ import annotations

import datetime as dt
import json

import pyarrow as pa
import pytest

from component.formats.delimited.write import DelimitedWriter
from component.records.directory import read_directory
from component.records.format_file import FormatType, RecordsFormat
from component.records.hint_values import VARIANTS
from component.records.hints import dialect_of, resolve_hints
from component.records.places import LocalListing
from component.records.statistics import statistics_of
from component.records.writing import WrittenDataFile, check_target, data_file_name, finish_directory
from component.tables.logical import RECORDS_FIELD, Logical, logical_column
from component.tables.types import Column, TableSchema, TypeName
from tests.records.published import published

pytestmark = pytest.mark.records
SCHEMA = TableSchema(
    (
        Column("id", TypeName.INTEGER, nullable=False),
        Column("price", TypeName.NUMERIC, "12,2"),
        Column("weight", TypeName.FLOAT),
        Column("name", TypeName.STRING, "40"),
        Column("sold", TypeName.BOOLEAN),
        Column("day", TypeName.DATE),
        Column("at", TypeName.TIMESTAMP),
        logical_column("instant", Logical.TIMESTAMPTZ),
    )
)
TEXTS = ['say "hi"', "tab\t|", "ä€😀", " pad ", "x"]
MORE = ["a,b", "a\nb", "a\\b", "\\,"]
ISO = {
    "dateformat": "YYYY-MM-DD",
    "datetimeformat": "YYYY-MM-DD HH24:MI:SS",
    "datetimeformattz": "YYYY-MM-DD HH24:MI:SSOF",
}


def table_of(texts):
    count = len(texts)
    at = [dt.datetime(2001, 2, 3, 4, 5, number, 678900) for number in range(count)]  # noqa: DTZ001 - it has no zone
    values = {
        "id": list(range(1, count + 1)),
        "price": [f"{number}.25" for number in range(count)],
        "weight": [number / 8 for number in range(count)],
        "name": texts,
        "sold": [number % 2 == 0 for number in range(count)],
        "day": [dt.date(2001, 2, 3)] * count,
        "at": at,
        "instant": at,
    }
    arrays = [
        pa.array(values[column.name], pa.string()).cast(column.arrow)
        if column.type is TypeName.NUMERIC
        else pa.array(values[column.name], column.arrow)
        for column in SCHEMA.columns
    ]
    return pa.table(arrays, list(SCHEMA.names))


def write(root, variant, texts, hints=None, schema=SCHEMA):
    target = LocalListing(root)
    root.mkdir()
    check_target(target)
    chosen = RecordsFormat(FormatType.DELIMITED, resolve_hints(variant, hints or {})[0])
    table = table_of(texts)
    path = root / data_file_name(1, chosen)
    writer = DelimitedWriter(path, schema, dialect_of(chosen.hints))
    writer.write(table)
    writer.close()
    finish_directory(target, chosen, schema, [WrittenDataFile(path.name, path.stat().st_size, statistics_of(table))])
    return table


def texts_of(variant):
    return TEXTS if variant == "dumb" else TEXTS + MORE


def plain(table):
    """The rows with what pandas makes of them: decimals become floats, instants have their zone."""
    rows = table.to_pylist()
    for row in rows:
        row["price"] = float(row["price"])
        row["instant"] = row["instant"].replace(tzinfo=dt.UTC)
    return rows


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_client_reads_what_we_write(client, tmp_path, variant):
    table = write(tmp_path / "r", variant, texts_of(variant), ISO)
    names, rows = client.read(tmp_path / "r")
    # Without a header the client names columns by number, though it has the schema (reference records 1.2).
    assert tuple(names) in {SCHEMA.names, tuple(map(str, range(len(SCHEMA.names))))}
    for found, meant in zip(rows, plain(table), strict=True):
        known = dict(zip(SCHEMA.names, found, strict=True))
        known["day"] = known["day"] if type(known["day"]) is dt.date else known["day"].date()
        assert known == meant


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_client_understands_what_stands_beside_the_data(client, tmp_path, variant):
    write(tmp_path / "r", variant, TEXTS, ISO)
    seen = client.describe(tmp_path / "r")
    hints = resolve_hints(variant, ISO)[0]
    assert (seen["format"], seen["variant"]) == ("delimited", variant)
    assert seen["hints"] == hints.values()
    assert seen["urls"] == [(tmp_path / "r" / data_file_name(1, RecordsFormat(FormatType.DELIMITED, hints))).as_uri()]
    ours = json.loads((tmp_path / "r" / "_schema.json").read_bytes())
    theirs = seen["schema"]["fields"]
    assert list(theirs) == list(ours["fields"])
    for name, field in ours["fields"].items():
        assert theirs[name]["type"] == field["type"]
        assert theirs[name]["constraints"] == field["constraints"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_copy_of_ours_by_the_client_is_read_by_us(client, tmp_path, variant):
    write(tmp_path / "r", variant, TEXTS, ISO)
    client.copy(tmp_path / "r", tmp_path / "copy")
    directory = read_directory(LocalListing(tmp_path / "copy"))
    assert directory.findings == ()
    assert [column.with_attribute(RECORDS_FIELD, None) for column in directory.schema.columns] == list(SCHEMA.columns)


def test_a_schema_of_every_type_passes_and_is_understood(client, tmp_path):
    columns = (*SCHEMA.columns, logical_column("time", Logical.TIME), logical_column("time_tz", Logical.TIMETZ))
    finish_directory(LocalListing(tmp_path / "r"), RecordsFormat(FormatType.PARQUET), TableSchema(columns), [])
    published().validate(json.loads((tmp_path / "r" / "_schema.json").read_bytes()))
    seen = client.describe(tmp_path / "r")
    kinds = {name: field["type"] for name, field in seen["schema"]["fields"].items()}
    assert list(kinds) == [column.name for column in columns]
    assert set(kinds.values()) == {
        *("integer", "decimal", "string", "boolean", "date", "time", "timetz", "datetime", "datetimetz")
    }
