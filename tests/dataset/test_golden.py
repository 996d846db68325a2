"""Datasets that kartothek 5.3 and plateau 4.6.2 wrote, against the rows that they were given."""

import datetime as dt
import math
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from component.dataset.format.header import read_header
from component.dataset.reading.reader import open_dataset, plan_scan
from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.making import bag, read_all

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
KARTOTHEK = LocalStore(GOLDEN / "kartothek53_matrix")
PLATEAU = LocalStore(GOLDEN / "plateau462_pandas2_misc")
MATRIX = {
    "noidx": (),
    **dict.fromkeys(("strpart", "intpart", "tspart", "datepart", "fpart", "bpart"), "partition"),
    **dict.fromkeys(("stridx", "intidx", "tsidx", "dateidx", "fidx", "bidx"), "index"),
}
MATRIX_ROWS = [
    {
        "p": "x",
        "i": 1,
        "s": "a",
        "t": dt.datetime.fromisoformat("2024-01-01"),
        "d": dt.date(2024, 1, 1),
        "f": 1.0,
        "b": True,
    },
    {
        "p": "y",
        "i": 2,
        "s": "b",
        "t": dt.datetime.fromisoformat("2024-01-02"),
        "d": dt.date(2024, 1, 2),
        "f": 2.0,
        "b": False,
    },
]
_BERLIN = dt.datetime(2024, 1, 1, 12, 34, 56, tzinfo=ZoneInfo("Europe/Berlin"))
_FIELDS = ("id", "u", "country", "day", "b", "by", "cat", "d", "f", "lst", "s", "ts")
_FULL = [
    (1, 1, "DE", 1, True, b"ab", "x", "2020-01-01", 1.5, [1, 2], "a", "2024-01-01T12:34:56.123456"),
    (5, 5, "DE", 1, False, b"", "y", "1969-01-01", 1.5, [4], "a", "1969-12-31T23:59:59"),
    (2, 2, "DE", 2, False, b"\xff", "y", "2020-01-02", None, [], "b", "2024-01-02"),
    (3, 3, "FR é/=%", 1, True, None, "x", None, 2.5, None, None, None),
    (4, 4, " x", 2, True, b"ab", "x", "2020-01-01", 3.5, [3], "d", "2024-01-04"),
    (6, 6, "FR é/=%", 2, True, b"zz", None, "2020-01-02", math.inf, [5], "ü", "2024-01-01T12:34:56.123456"),
]


def _full_row(cells):
    row = dict(zip(_FIELDS, cells, strict=True))
    row["day"] = dt.date(2024, 1, row["day"])
    row["d"] = dt.date.fromisoformat(row["d"]) if row["d"] else None
    row["ts"] = dt.datetime.fromisoformat(row["ts"]) if row["ts"] else None
    return row | {"dec": Decimal("1.10"), "nul": None, "tz": _BERLIN}


FULL_ROWS = [_full_row(cells) for cells in _FULL]


@pytest.mark.parametrize("uuid", MATRIX)
def test_the_matrix_of_kartothek_reads_as_the_frame_it_was_written_from(uuid):
    found = read_all(KARTOTHEK, uuid)
    assert bag(found) == bag(pa.Table.from_pylist(MATRIX_ROWS))
    types = {field.name: field.type for field in found.schema}
    assert types == {
        "p": pa.string(),
        "i": pa.int64(),
        "s": pa.string(),
        "t": pa.timestamp("us"),
        "d": pa.date32(),
        "f": pa.float64(),
        "b": pa.bool_(),
    }


@pytest.mark.parametrize(("uuid", "kind"), MATRIX.items())
def test_the_matrix_of_kartothek_is_pruned_by_its_indices_and_partitions(uuid, kind):
    dataset = open_dataset(KARTOTHEK, uuid)
    column = next(iter(dataset.header.partition_keys or dataset.header.indices), "i")
    for row in MATRIX_ROWS:
        predicates = [[(column, "==", row[column])]]
        assert read_all(KARTOTHEK, uuid, predicates=predicates).to_pylist() == [{n: row[n] for n in dataset.columns}]
        assert len(plan_scan(dataset, predicates)) == 1
    assert len(plan_scan(dataset)) == (2 if kind == "partition" else 1)


@pytest.mark.parametrize("uuid", MATRIX)
def test_every_question_to_the_matrix_is_answered_as_row_by_row(uuid):
    """Whatever is a partition key or has an index there, and whatever the original clients make of it."""
    for column, low in MATRIX_ROWS[0].items():
        high = MATRIX_ROWS[1][column]
        asked = [(operator, low) for operator in ("==", "!=", ">", "<=")]
        asked += [("in", [low, high]), ("in", []), ("not in", [low]), ("is null", None), ("is not null", None)]
        for operator, value in asked:
            for predicates in ([[(column, operator, value)]], [[(column, operator, value), ("i", ">=", 2)]]):
                expected = [row for row in MATRIX_ROWS if oracle.keeps(row, predicates)]
                found = read_all(KARTOTHEK, uuid, predicates=predicates)
                assert sorted(found["i"].to_pylist()) == [row["i"] for row in expected]


def test_all_types_and_paths_of_plateau_read_as_the_frame_they_were_written_from():
    found = read_all(PLATEAU, "full")
    rows = [{name: row[name] for name in found.column_names} for row in FULL_ROWS]
    assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, rows))


def test_the_types_of_plateau_are_the_normal_ones():
    types = {field.name: str(field.type) for field in read_all(PLATEAU, "full").schema}
    assert types == {
        "country": "string",
        "day": "date32[day]",
        "b": "bool",
        "by": "binary",
        "cat": "string",
        "d": "date32[day]",
        "dec": "decimal128(3, 2)",
        "f": "double",
        "id": "int64",
        "lst": "list<item: int64>",
        "nul": "null",
        "s": "string",
        "ts": "timestamp[us]",
        "tz": "timestamp[us, tz=Europe/Berlin]",
        "u": "uint64",
    }


@pytest.mark.parametrize(("uuid", "storage_format", "rows"), [("plain", "json", 2), ("plainmp", "msgpack.zstd", 1)])
def test_both_header_formats_are_read(uuid, storage_format, rows):
    assert read_header(PLATEAU, uuid).storage_format == storage_format
    assert bag(read_all(PLATEAU, uuid)) == bag(pa.table({"a": [1, 2] * rows, "s": ["x", "y"] * rows}))


QUESTIONS = [
    [[("id", "==", 3)]],
    [[("id", "in", [1, 6, 99])]],
    [[("id", ">", 4)]],
    [[("u", "==", 4)]],
    [[("f", "==", 1.5)]],
    [[("f", "==", math.inf)]],
    [[("b", "==", False)]],
    [[("s", "==", "ü")]],
    [[("s", "!=", "a")]],
    [[("cat", "==", "y")]],
    [[("ts", "==", dt.datetime.fromisoformat("2024-01-01T12:34:56.123456"))]],
    [[("ts", "<", dt.datetime.fromisoformat("1970-01-01"))]],
    [[("d", "==", dt.date(2020, 1, 2))]],
    [[("d", ">=", dt.date(2020, 1, 2))]],
    [[("by", "==", b"ab")]],
    [[("by", "in", [b"", b"\xff"])]],
    [[("dec", "==", Decimal("1.10"))]],
    [[("tz", "==", _BERLIN)]],
    [[("nul", "==", "x")]],
    [[("country", "==", "FR é/=%")]],
    [[("country", "==", "DE"), ("day", "==", dt.date(2024, 1, 2))]],
    [[("id", "==", 1), ("cat", "==", "x")], [("country", "==", " x")], [("f", ">", 2.0), ("b", "==", True)]],
    [[("id", "<=", 2), ("u", ">=", 2), ("by", "!=", b"zz")]],
]


@pytest.mark.parametrize("predicates", QUESTIONS, ids=str)
def test_lookups_in_several_indices_agree_with_a_full_scan(predicates):
    found = read_all(PLATEAU, "full", predicates=predicates)
    expected = sorted(row["id"] for row in FULL_ROWS if oracle.keeps(row, predicates))
    assert sorted(found["id"].to_pylist()) == expected


def test_indices_of_plateau_leave_only_the_partitions_that_hold_the_value():
    dataset = open_dataset(PLATEAU, "full")
    assert len(plan_scan(dataset)) == 5
    for column in dataset.header.indices:
        for value in {row[column] for row in FULL_ROWS} - {None}:
            wanted = {(row["country"], row["day"]) for row in FULL_ROWS if row[column] == value}
            scans = plan_scan(dataset, [[(column, "==", value)]])
            assert {(scan.partition_values["country"], scan.partition_values["day"]) for scan in scans} == wanted
