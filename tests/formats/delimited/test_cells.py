"""What the cells of typed columns may hold, and what they become."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.read import DelimitedReader
from component.tables.logical import Logical, logical_column
from component.tables.types import BASE_TYPES, Column, NullRule, TableSchema, TypeName
from tests.formats.delimited.reading import split_of

NULL_WORDS = ["#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"]
NULL_WORDS += ["<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null", "None"]
QUOTED = DelimitedDialect(quoting="all", doublequote=True, escape=None)


def shown(values: list[object]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def read_one(
    path: Path, cells: list[str], column: Column, dialect: DelimitedDialect | None = None, **options: object
) -> list[object]:
    """The values of a column of cells, beside a column that keeps blank lines away; a bad cell is its own text."""
    dialect = dialect or DelimitedDialect()
    schema = TableSchema((column, Column("beside")))
    data = "".join(f"{cell},x\n" for cell in cells).encode()
    reader = DelimitedReader(schema, dialect, True, **options)  # type: ignore[arg-type] # options by name
    (parsed,) = reader.read(split_of(path, data))
    good = iter(parsed.rows[column.name].to_pylist())
    bad = {row.row: row for row in parsed.bad}
    return [f"bad {bad[n].value}" if n in bad else next(good) for n in range(1, len(cells) + 1)]


def test_strings_are_kept_exactly_and_words_for_null_are_strings(tmp_path: Path) -> None:
    found = read_one(tmp_path / "f", [*NULL_WORDS, "\\\\N", " pad ", "007", "\ufeffa", "é\u2028"], Column("s"))
    assert found == [*NULL_WORDS, "\\N", " pad ", "007", "\ufeffa", "é\u2028"]


def test_booleans_are_the_words_of_all_writers_in_any_case(tmp_path: Path) -> None:
    true, false = ["True", "true", "TRUE", "tRuE", "t", "T", "1", "yes", "YES", "y"], ["False", "f", "0", "No", "n"]
    found = read_one(tmp_path / "f", [*true, *false, "", "on", "2", " t "], Column("b", TypeName.BOOLEAN))
    assert found == [*[True] * 10, *[False] * 5, None, "bad on", "bad 2", True]


def test_numbers_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "f"
    integers = ["9007199254740993", "-9223372036854775808", "", "1.0", "0x10", "9223372036854775808"]
    assert read_one(path, integers, Column("n", TypeName.INTEGER)) == [
        9007199254740993,
        -9223372036854775808,
        None,
        "bad 1.0",
        "bad 0x10",
        "bad 9223372036854775808",
    ]
    decimals = ["12345678901234567890.12", "1e2", "0.001"]
    assert read_one(path, decimals, Column("d", TypeName.NUMERIC, "30,2")) == [
        Decimal("12345678901234567890.12"),
        Decimal("100.00"),
        "bad 0.001",
    ]
    floats = ["0.30000000000000004", "1.5e+300", "-inf", "-0.0", "x"]
    assert read_one(path, floats, Column("f", TypeName.FLOAT)) == [
        0.30000000000000004,
        1.5e300,
        -float("inf"),
        -0.0,
        "bad x",
    ]


def test_dates_and_times_follow_the_formats_of_the_hints(tmp_path: Path) -> None:
    dialect = replace(
        DelimitedDialect(),
        dateformat="MM/DD/YY",
        timeonlyformat="HH12:MI AM",
        datetimeformat="DD-MM-YYYY HH24:MI",
        datetimeformattz="YYYY-MM-DD HH:MI:SSOF",
    )
    path = tmp_path / "f"
    found = read_one(path, ["12/31/69", "1/2/00", "13/02/00", ""], Column("d", TypeName.DATE), dialect)
    assert shown(found) == ["1969-12-31", "2000-01-02", "bad 13/02/00", None]
    assert read_one(path, ["1:05 PM", "12:00 AM", "25:00"], logical_column("t", Logical.TIME), dialect) == [
        "13:05:00",
        "00:00:00",
        "bad 25:00",
    ]
    found = read_one(path, ["31-12-2000 23:59", "2000-12-31 23:59"], Column("ts", TypeName.TIMESTAMP), dialect)
    assert shown(found) == ["2000-12-31 23:59:00", "bad 2000-12-31 23:59"]
    instants = [
        "2000-01-02 12:34:56.789012-0500",
        "2000-01-02T00:00:00Z",
        "2000-01-02 00:00:00",
        "2000-01-02 00:00:00+01",
    ]
    assert shown(read_one(path, instants, logical_column("i", Logical.TIMESTAMPTZ), dialect)) == [
        "2000-01-02 17:34:56.789012",
        "2000-01-02 00:00:00",
        "2000-01-02 00:00:00",
        "2000-01-01 23:00:00",
    ]


def test_instants_without_offset_are_on_the_clock_that_is_assumed(tmp_path: Path) -> None:
    column = logical_column("i", Logical.TIMESTAMPTZ)
    found = read_one(tmp_path / "f", ["2000-01-02 12:00:00"], column, assume_tz="America/New_York")
    assert shown(found) == ["2000-01-02 17:00:00"]


@pytest.mark.parametrize("word", BASE_TYPES)
def test_an_empty_cell_is_null_in_every_type_quoted_or_not(word: TypeName, tmp_path: Path) -> None:
    assert read_one(tmp_path / "f", ["", '""'], Column("c", word), QUOTED) == [None, None]


@pytest.mark.parametrize("word", BASE_TYPES)
def test_a_quoted_empty_cell_can_be_kept_as_a_text(word: TypeName, tmp_path: Path) -> None:
    found = read_one(tmp_path / "f", ["", '""'], Column("c", word), QUOTED, keep_quoted_empty=True)
    assert found == [None, "" if word is TypeName.STRING else None]


def test_a_null_rule_of_a_column_is_kept(tmp_path: Path) -> None:
    never = Column("c", null_rule=NullRule.NEVER)
    assert read_one(tmp_path / "f", ["", '""'], never, QUOTED) == ["", ""]


def test_blank_lines_are_rows_only_in_a_table_of_one_column(tmp_path: Path) -> None:
    def rows(width: int) -> list[dict[str, str | None]]:
        schema = TableSchema(tuple(Column(f"c{n}") for n in range(width)))
        text = ("a" if width == 1 else "a,b") + "\n\n" + ("b" if width == 1 else "c,d") + "\n"
        reader = DelimitedReader(schema, QUOTED)
        return [
            row for parsed in reader.read(split_of(tmp_path / "f", text.encode())) for row in parsed.rows.to_pylist()
        ]

    assert rows(1) == [{"c0": "a"}, {"c0": None}, {"c0": "b"}]
    assert rows(2) == [{"c0": "a", "c1": "b"}, {"c0": "c", "c1": "d"}]
