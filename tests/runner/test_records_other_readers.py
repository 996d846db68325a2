"""Parquet and Avro of our records directories, read by others: pyarrow, Spark, DuckDB, fastavro, Avro's own library."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import duckdb
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.spark
MOMENT = dt.datetime(2001, 2, 3, 4, 5, 6, 789123)  # noqa: DTZ001 - a datetime of records has no zone
ROWS = {
    "id": (pa.int64(), [1, -(2**63), None]),
    "big": (pa.decimal128(20, 0), [Decimal(2**64 - 1), Decimal(0), None]),
    "price": (pa.decimal128(10, 2), [Decimal("1.50"), Decimal("-0.01"), None]),
    "share": (pa.float64(), [0.1, -1.5e300, None]),
    "name": (pa.string(), ["žluť 😀", "", None]),
    "sold": (pa.bool_(), [True, False, None]),
    "day": (pa.date32(), [dt.date(2001, 2, 3), dt.date(1, 1, 1), None]),
    "time": (pa.time64("us"), [dt.time(4, 5, 6, 789123), dt.time(23, 59, 59), None]),
    "at": (pa.timestamp("us"), [MOMENT, MOMENT.replace(year=1), None]),
    "instant": (pa.timestamp("us", "UTC"), [MOMENT.replace(tzinfo=dt.UTC), MOMENT.replace(2262, tzinfo=dt.UTC), None]),
}
TABLE = pa.table({name: pa.array(cells, kind) for name, (kind, cells) in ROWS.items()})


@pytest.fixture
def written(folder, run, tmp_path):
    """Write the table as a directory of two files in a format; return their paths in order."""
    sink = pa.BufferOutputStream()
    pq.write_table(TABLE, sink)

    def write(kind, variant=None):
        folder.file("t.parquet", sink.getvalue().to_pybytes())
        target = tmp_path / kind
        records = {"format": kind, "url": target.as_uri(), "files": 2}
        output = {"dataset": "t", "as": "file", "format": "records", "records": records}
        folder.configure(datasets=[{"uuid": "t", "tables": [{"source": "t.parquet"}]}], outputs=[output])
        outcome = run()
        assert outcome.done, outcome.err
        entries = json.loads((target / "_manifest").read_text())["entries"]
        return [target / entry["url"].rpartition("/")[2] for entry in entries]

    return write


def test_pyarrow_reads_the_types_of_the_table(written):
    assert pa.concat_tables([pq.read_table(path) for path in written("parquet")]).equals(TABLE)


def test_duckdb_reads_parquet(written):
    paths = [str(path) for path in written("parquet")]
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        found = connection.sql(f"select * from read_parquet({paths!r})")
        types = [str(kind) for kind in found.types]
        rows = found.to_arrow_table()
    assert types == TYPES_OF_DUCKDB
    assert rows.to_pylist() == TABLE.to_pylist()


TYPES_OF_DUCKDB = [
    *("BIGINT", "DECIMAL(20,0)", "DECIMAL(10,2)", "DOUBLE", "VARCHAR", "BOOLEAN", "DATE", "TIME", "TIMESTAMP"),
    "TIMESTAMP WITH TIME ZONE",
]


def test_spark_reads_parquet_with_a_schema_that_has_times_as_numbers(written, engine):
    """Spark knows no time by itself: micros of the day, as a long (reference records A)."""
    from pyspark.sql import SparkSession

    paths = [str(path) for path in written("parquet")]
    spark = SparkSession(engine.context)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    schema = (
        "id long, big decimal(20,0), price decimal(10,2), share double, name string, sold boolean, day date, "
        "time long, at timestamp_ntz, instant timestamp"
    )
    found = spark.read.schema(schema).parquet(*paths)
    texts = found.selectExpr(
        "id", "big", "price", "share", "name", "sold", "string(day)", "time", "string(at)", "unix_micros(instant)"
    ).collect()
    micros = lambda moment: (moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)  # noqa: E731
    for row, meant in zip(texts, TABLE.to_pylist(), strict=True):
        *plain, day, time, at, instant = row
        assert plain == [meant[name] for name in ("id", "big", "price", "share", "name", "sold")]
        assert day == (meant["day"] and meant["day"].isoformat())
        clock = meant["time"]
        since = dt.timedelta(hours=clock.hour, minutes=clock.minute, seconds=clock.second) if clock else None
        assert time == (since // dt.timedelta(microseconds=1) + clock.microsecond if clock else None)
        assert at == (meant["at"] and meant["at"].isoformat(" "))
        assert instant == (meant["instant"] and micros(meant["instant"]))


def test_fastavro_reads_avro(written):
    rows = []
    for path in written("avro"):
        with path.open("rb") as file:
            rows += list(fastavro.reader(file))
    assert rows == TABLE.to_pylist()


def test_the_avro_library_of_spark_reads_avro(written, engine):
    java = engine.context._jvm
    rows, kinds = [], {}
    for path in written("avro"):
        reader = java.org.apache.avro.generic.GenericDatumReader()
        file = java.org.apache.avro.file.DataFileReader(java.java.io.File(str(path)), reader)
        for field in json.loads(file.getSchema().toString())["fields"]:
            kinds[field["name"]] = next(one for one in field["type"] if one != "null")
        while file.hasNext():
            record = file.next()
            rows.append([record.get(name) for name in TABLE.column_names])
        file.close()
    assert {name: kind.get("logicalType") for name, kind in kinds.items() if isinstance(kind, dict)} == {
        "big": "decimal",
        "price": "decimal",
        "day": "date",
        "time": "time-micros",
        "at": "local-timestamp-micros",
        "instant": "timestamp-micros",
    }
    plain = [0, 3, 5]
    meant = [list(row.values()) for row in TABLE.to_pylist()]
    assert [[row[at] for at in plain] for row in rows] == [[row[at] for at in plain] for row in meant]
    assert [None if row[4] is None else str(row[4]) for row in rows] == ROWS["name"][1]
