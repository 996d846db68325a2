import csv
import gzip
import io
from collections.abc import Callable, Iterator

import pytest

from tests.folders.nasty import NastyExpectation, make_nasty_folder
from tests.folders.nasty_layout import BOM, NastyTable
from tests.folders.nasty_tables import HUGE_CELL_BYTES, WIDE_COLUMNS, nasty_tables
from tests.folders.plain_types import comparable, first_difference, parse_plain

GZIP = b"\x1f\x8b"
TABLES = {table.name: table for table in nasty_tables()}


@pytest.fixture(scope="module")
def nasty(tmp_path_factory) -> NastyExpectation:
    return make_nasty_folder(tmp_path_factory.mktemp("nasty") / "data")


@pytest.fixture(scope="module", autouse=True)
def huge_cells() -> Iterator[None]:
    before = csv.field_size_limit(2 * HUGE_CELL_BYTES)
    yield
    csv.field_size_limit(before)


def read_records(nasty: NastyExpectation, table: NastyTable) -> list[list[str]]:
    """All records by the csv module; an empty line of a one-column table is a record with an empty cell."""
    records: list[list[str]] = []
    for data in contents(nasty, table.name):
        text = (gzip.decompress(data) if data.startswith(GZIP) else data).decode("utf-8-sig")
        layout = table.layout
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter, quotechar=layout.enclosure)
        records.extend(row or [""] for row in reader)
    return records


def contents(nasty: NastyExpectation, name: str) -> list[bytes]:
    path = nasty.root / "in" / "tables" / name
    files = sorted(path.glob("[!.]*")) if path.is_dir() else [path]
    return [file.read_bytes() for file in files]


@pytest.mark.parametrize("name", TABLES)
def test_the_csv_module_reads_what_is_expected(nasty, name):
    table = nasty.tables[name]
    records = read_records(nasty, table)
    header = [list(table.columns)] if table.header else []
    expected = header + [[cell or "" for cell in row] for row in table.cells]
    assert first_difference(records, expected) is None


@pytest.mark.parametrize("name", TABLES)
def test_plain_python_gives_every_cell_the_expected_value(name):
    table = TABLES[name]
    for cells, values in zip(table.cells, table.values, strict=True):
        for cell, value, type_name in zip(cells, values, table.types, strict=True):
            is_null = cell is None or (not cell and type_name != "string")
            assert comparable(None if is_null else parse_plain(cell, type_name)) == comparable(value)


def test_a_folder_can_hold_a_few_of_the_tables_only(tmp_path):
    made = make_nasty_folder(tmp_path, only=["bom.csv", "php-arrays.csv"])
    found = sorted(path.name for path in (tmp_path / "in" / "tables").iterdir())
    assert found == ["bom.csv", "php-arrays.csv", "php-arrays.csv.manifest"]
    assert set(made.tables) == {"bom.csv", "php-arrays.csv"}


HAS: dict[str, Callable[[list[bytes]], bool]] = {
    "enclosed.csv": lambda files: b'"a\r\nb"' in files[0] and b'""""' in files[0],
    "semicolon.csv": lambda files: files[0].startswith(b"id;text"),
    "tab.csv": lambda files: files[0].startswith(b"id\ttext"),
    "pipe.csv": lambda files: files[0].startswith(b"id|text"),
    "apostrophe.csv": lambda files: b"'it''s'" in files[0],
    "bom.csv": lambda files: files[0].startswith(BOM + b"id"),
    "bom-enclosed.csv": lambda files: files[0].startswith(BOM + b'"id"'),
    "crlf.csv": lambda files: files[0].startswith(b"id,text,rest\r\n") and files[0].endswith(b"end\r\n"),
    "cr.csv": lambda files: files[0].startswith(b"id,text,rest\r1,") and files[0].count(b"\n") == 1,
    "mixed-line-ends.csv": lambda files: b"rest\n0,e,\r\n" in files[0] and b"\n2," not in files[0],
    "no-final-line-end.csv": lambda files: files[0].endswith(b"end"),
    "ends-with-delimiter.csv": lambda files: files[0].endswith(b"\n4,a,"),
    "empty.csv": lambda files: files[0] == b"id,text,rest\n",
    "one-column.csv": lambda files: files[0].startswith(b'only\na\n\n""\n'),
    "wide.csv": lambda files: files[0].partition(b"\n")[0].count(b",") == WIDE_COLUMNS - 1,
    "huge-cell.csv": lambda files: len(files[0]) > HUGE_CELL_BYTES,
    "column-names.csv": lambda files: b'"with ""quotes""","comma, name","new\nline"' in files[0],
    "headless.csv": lambda files: files[0].startswith(b"1,plain,\n"),
    "mixed-slices.csv": lambda files: [file[:2] == GZIP for file in files] == [False, True, True, False, True, False],
    "empty-slices.csv": lambda files: files[0] == b"" and gzip.decompress(files[1]) == b"",
}


@pytest.mark.parametrize("name", HAS)
def test_a_table_is_as_nasty_as_it_says(nasty, name):
    assert HAS[name](contents(nasty, name))


def test_the_first_difference_of_tables_is_found_and_short():
    same = [["a", 1.0, float("nan")], ["b", None, -0.0]]
    assert first_difference(same, [["a", 1.0, float("nan")], ["b", None, -0.0]]) is None
    assert first_difference(same, [["a", 1, float("nan")], ["b", None, -0.0]]) is not None
    assert first_difference(same, [same[0], ["b", None, 0.0]]) == "row 1, column 2: -0.0 instead of 0.0"
    assert first_difference(same, same[:1]) == "2 rows instead of 1"
    assert first_difference([["a"]], [["a", "b"]]) == "row 0: 1 cells instead of 2"
    assert len(first_difference([["x" * 10_000]], [["y" * 10_000]]) or "") < 500
