"""Types in the platform's words, and that docs/outputs.md says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.config.output_options import FileOptions, TableOptions
from component.outputs.manifest import native_types
from component.tables.logical import zoned
from component.tables.types import BASE_TYPES, Column, TypeName

PAGE = (Path(__file__).parents[2] / "docs" / "outputs.md").read_text(encoding="utf-8")
WORD = re.compile(r"`?(\w+)(?:\(([\d,]+)\))?`?")


def table_rows():
    section = PAGE.split("## Native types")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("|")]
    return rows[2:]


def said(cell):
    found = WORD.fullmatch(cell)
    return {"type": found[1], **({"length": found[2]} if found[2] else {})} if found else None


@pytest.mark.parametrize("row", table_rows(), ids=str)
def test_the_page_says_what_is_written(row):
    name, *cells = row
    column = WORD.fullmatch(name)
    words = dict(zip(("base", "snowflake", "bigquery"), map(said, cells), strict=True))
    assert native_types(Column("c", TypeName(column[1]), column[2])) == {
        key: word for key, word in words.items() if word
    }


def test_the_page_has_every_type():
    assert {row[0].split("(")[0] for row in table_rows()} == set(BASE_TYPES)


def test_a_numeric_always_says_its_length():
    assert native_types(Column("c", TypeName.NUMERIC))["base"] == {"type": "NUMERIC", "length": "38,9"}
    assert native_types(Column("c", TypeName.NUMERIC, "5"))["base"]["length"] == "5,0"


def test_a_length_that_a_backend_would_refuse_is_left_out():
    assert native_types(Column("c", TypeName.INTEGER, "11")) == {"base": {"type": "INTEGER"}}


@given(
    length=st.integers(1, 38).flatmap(lambda precision: st.tuples(st.just(precision), st.integers(0, precision))),
)
def test_every_numeric_has_a_type_of_bigquery_that_holds_it(length):
    precision, scale = length
    types = native_types(Column("c", TypeName.NUMERIC, f"{precision},{scale}"))
    whole, behind = (38, 38) if types.get("bigquery", {}).get("type") == "BIGNUMERIC" else (29, 9)
    assert scale <= behind
    assert precision - scale <= whole


@pytest.mark.parametrize("option", [*TableOptions.model_fields, *FileOptions.model_fields])
def test_the_page_names_every_option(option):
    assert f"`{option}`" in PAGE


def test_timestamps_that_keep_their_zone_have_a_type_with_one():
    assert native_types(zoned(Column("c", TypeName.TIMESTAMP))) == {
        "base": {"type": "TIMESTAMP"},
        "snowflake": {"type": "TIMESTAMP_TZ"},
        "bigquery": {"type": "TIMESTAMP"},
    }
