"""Data files of CSV, which clients write if they are told to, and read by their suffix (reference kartothek 1.4)."""

import datetime as dt
import gzip
import math
from decimal import Decimal

import pyarrow as pa
import pytest

from component.dataset.changes.operations import build_indices, compact, delete_rows
from component.dataset.format.header import read_header
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.hand_made import UUID, put_header, put_rows, put_schema, put_text, refused, rows_of
from tests.dataset.making import bag, write_dataset

SCHEMA = pa.schema(
    [
        ("k", pa.string()),
        ("b", pa.bool_()),
        ("by", pa.binary()),
        ("d", pa.date32()),
        ("dec", pa.decimal128(5, 2)),
        ("f", pa.float64()),
        ("i", pa.int64()),
        ("n", pa.null()),
        ("s", pa.string()),
        ("t", pa.timestamp("us")),
        ("u", pa.uint64()),
    ]
)
TEXT = (
    "s;i;b;d;f;t;u;dec;n;more\n"
    "é;1;True;2024-01-01;1.5;2024-01-01 12:34:56.123456;18446744073709551615;1.10;;x\n"
    '"a;""b""\nc";-2;False;1677-01-01;inf;2024-01-01;0;-0.01;;y\n'
    ";;;;;;;;;\n"
    '"";3.0;;;1e300;1969-12-31 23:59:59;;;;\n'
    "NA;4;True;;-0.0;;7;2.50;;z\n"
)
CELLS = (
    ("é", 1, True, "2024-01-01", 1.5, "2024-01-01T12:34:56.123456", 2**64 - 1, "1.10"),
    ('a;"b"\nc', -2, False, "1677-01-01", math.inf, "2024-01-01", 0, "-0.01"),
    (None, None, None, None, None, None, None, None),
    ("", 3, None, None, 1e300, "1969-12-31T23:59:59", None, None),
    ("NA", 4, True, None, -0.0, None, 7, "2.50"),
)


def expected():
    columns = dict(zip(("s", "i", "b", "d", "f", "t", "u", "dec"), zip(*CELLS, strict=True), strict=True))
    columns["d"] = [day and dt.date.fromisoformat(day) for day in columns["d"]]
    columns["t"] = [moment and dt.datetime.fromisoformat(moment) for moment in columns["t"]]
    columns["dec"] = [number and Decimal(number) for number in columns["dec"]]
    columns |= {"k": ["x"] * len(CELLS), "by": [None] * len(CELLS), "n": [None] * len(CELLS)}
    return pa.table([pa.array(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)


@pytest.fixture
def root(tmp_path):
    return tmp_path


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


def put(root, suffix, text=TEXT, **content):
    data = text.encode()
    name = f"{UUID}/table/k=x/A{suffix}"
    put_text(root, name, gzip.compress(data, mtime=0) if suffix.endswith(".gz") else data)
    put_schema(root, SCHEMA, pandas={"columns": [], "index_columns": []})
    put_header(root, {"k=x/A": {"table": name}}, partition_keys=["k"], **content)


SUFFIXES = pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])


@SUFFIXES
def test_a_text_is_read_in_the_types_of_the_schema(root, store, suffix):
    put(root, suffix)
    assert bag(rows_of(store)) == bag(expected())
    assert rows_of(store).schema.equals(SCHEMA)


@SUFFIXES
@pytest.mark.parametrize(
    "predicates",
    [
        [[("i", ">", 0)]],
        [[("s", "is null", None)]],
        [[("s", "==", "")]],
        [[("d", "==", dt.date(2024, 1, 1))]],
        [[("b", "!=", True)]],
        [[("k", "==", "x"), ("f", ">", 1.0)]],
        [[("t", "<", dt.datetime.fromisoformat("1970-01-01"))], [("u", "==", 7)]],
    ],
    ids=str,
)
def test_a_text_answers_as_its_rows_do(root, store, suffix, predicates):
    put(root, suffix)
    assert bag(rows_of(store, predicates=predicates)) == bag(oracle.filtered(expected(), predicates))
    assert rows_of(store, predicates=predicates, columns=["s"]).column_names == ["s"]


def test_texts_and_parquet_stand_in_one_dataset(root, store):
    put(root, ".csv")
    put_rows(root, "k=y/B", pa.table({"i": [1], "s": ["p"]}))
    named = {"k=x/A": f"{UUID}/table/k=x/A.csv", "k=y/B": f"{UUID}/table/k=y/B.parquet"}
    put_header(root, {label: {"table": key} for label, key in named.items()}, partition_keys=["k"])
    assert sorted(rows_of(store, predicates=[[("i", "==", 1)]])["s"].to_pylist()) == ["p", "é"]


@pytest.mark.parametrize("text", ["", "s;i\n"])
def test_a_text_without_rows_has_none(root, store, text):
    put(root, ".csv", text)
    assert rows_of(store).num_rows == 0
    assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 0


@pytest.mark.parametrize(("text", "cells"), [("i\n1\n2\n", [1, 2]), ("more\n1\n2\n", [None, None])])
def test_a_text_that_lacks_columns_has_nulls_there(root, store, text, cells):
    put(root, ".csv", text)
    found = rows_of(store, columns=["k", "i", "s"]).to_pylist()
    assert found == [{"k": "x", "i": cell, "s": None} for cell in cells]


def test_a_cell_alone_in_its_row_is_null_where_it_is_empty(root, store):
    """pandas quotes it, since a blank line would be no row."""
    put(root, ".csv", 's\na\n""\n')
    assert rows_of(store, columns=["s"])["s"].to_pylist() == ["a", None]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("i\nx\n", "i"),
        ("i\n1.5\n", "i"),
        ("d\n2024-13-01\n", "d"),
        ("b\nperhaps\n", "b"),
        ("u\n-1\n", "u"),
        ("n\nx\n", "n"),
        ("by\nb'a'\n", "by"),
        ("dec\n1.234\n", "dec"),
    ],
)
def test_a_cell_of_another_type_is_refused_by_column(root, store, text, column):
    put(root, ".csv", text)
    assert refused(store).place.column == column


@pytest.mark.parametrize("text", ["i;s\n1\n", "i;s\n1;2;3\n", "i;i\n1;2\n"])
def test_a_text_that_is_no_table_is_refused(root, store, text):
    put(root, ".csv", text)
    refused(store)


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08 no gzip", b"i\n1\n", gzip.compress(b"i\n1\n", mtime=0)[:-6]])
def test_a_packed_text_that_is_damaged_is_refused(root, store, data):
    put(root, ".csv.gz")
    put_text(root, f"{UUID}/table/k=x/A.csv.gz", data)
    refused(store)


def test_what_is_no_utf_8_is_refused(root, store):
    put(root, ".csv")
    put_text(root, f"{UUID}/table/k=x/A.csv", b"s\n\xff\n")
    refused(store)


def test_a_text_that_is_not_there_is_named(root, store):
    put(root, ".csv")
    (root / f"{UUID}/table/k=x/A.csv").unlink()
    assert "A.csv" in str(refused(store, "store.missing"))


@SUFFIXES
def test_texts_are_verified_indexed_and_changed_as_other_files(root, store, suffix):
    put(root, suffix)
    rows = expected()
    build_indices(store, UUID, ["i"])
    assert rows_of(store, predicates=[[("i", "==", 4)]])["s"].to_pylist() == ["NA"]
    found = verify(store, UUID)
    assert (found.rows, found.files) == (5, 1)
    assert [(fault.code, fault.column) for fault in found.faults] == [("verify.column", "by")]
    write_dataset(store, rows.slice(0, 1), ["k"], ["i"], uuid=UUID, mode="append")
    assert bag(rows_of(store)) == bag(pa.concat_tables([rows, rows.slice(0, 1)]))
    compact(store, UUID)
    assert bag(rows_of(store)) == bag(pa.concat_tables([rows, rows.slice(0, 1)]))
    delete_rows(store, UUID, [[("i", "is null", None)]])
    assert bag(rows_of(store)) == bag(pa.concat_tables([rows, rows]).take([0, 1, 3, 4, 5]))
    keys = [key for files in read_header(store, UUID).header.partitions.values() for key in files.values()]
    assert all(key.endswith(".parquet") for key in keys)
    assert verify(store, UUID).faults == ()
