"""records-mover writes, we read: what was meant, also where it cannot read itself."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from component.formats.csv.split import ByteRange
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.source import DelimitedSplit
from component.records.directory import read_directory
from component.records.hint_values import VARIANTS, default_hints
from component.records.places import LocalListing

pytestmark = pytest.mark.records
TYPES = {
    "id": "integer",
    "price": "decimal",
    "sold": "boolean",
    "name": "string",
    "day": "date",
    "time": "time",
    "at": "datetime",
    "instant": "datetimetz",
    "last": "string",
}
UTC = dt.UTC


def row(number, text):
    return [
        None if number == 2 else 9007199254740993 + number,
        [0.1, None, -1.5e300][number % 3],
        number % 2 == 0,
        text,
        dt.date(2001, 2, 3 + number),
        dt.time(13, 4, number),
        dt.datetime(2001, 2, 3, 4, 5, number, 678900),  # noqa: DTZ001 - a datetime of records has no zone
        dt.datetime(2001, 7, 3, 4, 5, number, 678900, UTC),
        "end",
    ]


NASTY = ["plain", 'say "hi"', "a\\b", "NULL", " pad ", "ä€😀", "007", "tab\t|;", None]
LINES = ["a,b", "a\nb", "trailing\\", '"', "\\N"]
TEXTS = {"dumb": NASTY, "vertica": [*NASTY, *LINES, "\r\n"], "bluelabs": [*NASTY, *LINES, "\\,"]}
HINTS = [
    ("bluelabs", {"compression": None}),
    ("bluelabs", {"header-row": True, "field-delimiter": "\t"}),
    ("bluelabs", {"compression": "BZIP", "record-terminator": "\x02"}),
    ("bigquery", {"quotechar": "'"}),
    ("bigquery", {"encoding": "UTF16", "compression": None}),
    ("csv", {"quoting": "all", "dateformat": "YYYY-MM-DD", "datetimeformat": "YYYY-MM-DD HH:MI:SS"}),
    ("csv", {"dateformat": "DD/MM/YY", "datetimeformat": "DD/MM/YY HH24:MI", "datetimeformattz": "DD/MM/YY HH24:MI"}),
    ("csv", {"escape": "\\"}),
    ("csv", {"quoting": "nonnumeric", "doublequote": False, "escape": "\\"}),
]


def texts_of(variant):
    return TEXTS.get(variant, [*NASTY, *LINES, "\r\n"])


def read_rows(directory, **options):
    reader = DelimitedReader(directory.schema, directory.dialect, **options)
    tables = [
        parsed.rows
        for file in directory.files
        for parsed in reader.read(DelimitedSplit("r", file.name, file.location, ByteRange(0, file.size)))
    ]
    return pa.concat_tables(tables).to_pylist() if tables else []


def meant(rows, directory):
    """What must be read: what the format carries of what was written."""
    dialect = directory.dialect
    seconds, offset = "SS" in dialect.datetimeformat, "OF" in dialect.datetimeformattz
    return [dict(zip(TYPES, _meant(row, seconds=seconds, offset=offset), strict=True)) for row in rows]


def _meant(row, *, seconds, offset):
    *before, day, time, at, instant, last = row
    # Without an offset the client writes the wall clock of the column's zone (reference records 0.6).
    local = instant.replace(tzinfo=None) - (dt.timedelta(0) if offset else dt.timedelta(hours=4))
    cut = (lambda value: value) if seconds else (lambda value: value.replace(second=0, microsecond=0))
    return [*before, day, time.isoformat(), cut(at), cut(local), last]


@pytest.mark.parametrize(("variant", "hints"), [*((variant, {}) for variant in VARIANTS), *HINTS], ids=str)
def test_what_the_client_writes_is_read_as_it_was_meant(client, tmp_path, variant, hints):
    rows = [row(number, text) for number, text in enumerate(texts_of(variant))]
    dates = {"datetimeformattz": "YYYY-MM-DD HH:MI:SS"} if "datetimeformat" in hints and "all" in hints.values() else {}
    client.write(tmp_path / "r", variant, {**hints, **dates}, TYPES, rows)
    directory = read_directory(LocalListing(tmp_path / "r"))
    assert directory.findings == ()
    chosen = default_hints(variant, "client") | hints | dates
    assert {name: getattr(directory.dialect, name.replace("-", "_")) for name in chosen} == chosen
    assert read_rows(directory) == meant(rows, directory)


def test_the_zone_of_instants_without_offset_can_be_given(client, tmp_path):
    rows = [row(number, "x") for number in range(4)]
    client.write(tmp_path / "r", "bigquery", {}, TYPES, rows)
    found = read_rows(read_directory(LocalListing(tmp_path / "r")), assume_tz="US/Eastern")
    assert [one["instant"] for one in found] == [one[7].replace(tzinfo=None) for one in rows]


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_rows_are_no_rows(client, tmp_path, variant):
    types = {name: kind for name, kind in TYPES.items() if kind != "datetimetz"}  # the client raises TypeError for it
    client.write(tmp_path / "r", variant, {}, types, [])
    directory = read_directory(LocalListing(tmp_path / "r"))
    assert directory.schema.names == tuple(types)
    assert read_rows(directory) == []


def test_parquet_of_the_client_is_known_by_its_files(client, tmp_path):
    rows = [row(number, "x") for number in range(4)]
    client.write(tmp_path / "r", None, {}, TYPES, rows)
    directory = read_directory(LocalListing(tmp_path / "r"))
    assert (directory.format, directory.dialect, directory.findings) == ("parquet", None, ())
    assert directory.schema.names == tuple(TYPES)
