from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.tables.cast import apply_null_rule, cast_text, is_within_calendar
from component.tables.types import Column, NullRule, TypeName
from tests.strategies.typed_text import columns, fitting_texts, odd_texts


@given(columns.flatmap(lambda column: st.tuples(st.just(column), st.lists(fitting_texts(column), max_size=8))))
def test_what_fits_becomes_its_value(pair):
    column, known = pair
    cast = cast_text(pa.array([text for text, _ in known], pa.string()), column)
    assert cast.values.type == column.arrow
    assert cast.values.to_pylist() == [value for _, value in known]
    assert cast.bad == ()


@given(
    columns.flatmap(lambda column: st.tuples(st.just(column), st.lists(st.none() | odd_texts(column.type), max_size=9)))
)
def test_each_cell_is_judged_alone(pair):
    column, texts = pair
    cast = cast_text(pa.array(texts, pa.string()), column)
    assert len(cast.values) == len(texts)
    for at, text in enumerate(texts):
        alone = cast_text(pa.array([text], pa.string()), column)
        assert bool(alone.bad) == (at in cast.bad)
        assert alone.values[0].equals(cast.values[at]) or str(alone.values[0]) == str(cast.values[at])
        assert not alone.bad or alone.values[0].as_py() is None
        assert text is not None or not alone.bad


@pytest.mark.parametrize("type_name", [name for name in TypeName if name is not TypeName.STRING])
@pytest.mark.parametrize("text", ["", " ", "\t", "NULL", "\u00a0", "x"])
def test_no_text_is_silently_null(type_name, text):
    assert cast_text(pa.array([text, None]), Column("c", type_name)).bad == (0,)


def test_many_bad_cells_are_all_found():
    texts = [str(number) if number % 3 else f"n{number}" for number in range(1_000)]
    cast = cast_text(pa.array(texts), Column("n", TypeName.INTEGER))
    assert cast.bad == tuple(range(0, 1_000, 3))
    assert cast.values.null_count == len(cast.bad)


def test_a_date_of_the_year_0_is_found_among_others():
    cast = cast_text(pa.array(["0000-12-31", "0001-01-01", "x", None, "0000-01-01"]), Column("d", TypeName.DATE))
    assert cast.bad == (0, 2, 4)
    assert cast.values.to_pylist() == [None, dt.date(1, 1, 1), None, None, None]


def test_the_calendar_is_the_years_1_to_9999():
    for first, last, type_name in (
        (pa.scalar(-719_162, pa.int32()), pa.scalar(2_932_896, pa.int32()), TypeName.DATE),
        (pa.scalar(-62_135_596_800_000_000), pa.scalar(253_402_300_799_999_999), TypeName.TIMESTAMP),
    ):
        arrow = Column("c", type_name).arrow
        assert is_within_calendar(pa.array([first.as_py(), last.as_py(), None]).cast(first.type).cast(arrow), type_name)
        assert not is_within_calendar(pa.array([first.as_py() - 1]).cast(first.type).cast(arrow), type_name)
        assert not is_within_calendar(pa.array([last.as_py() + 1]).cast(first.type).cast(arrow), type_name)
        assert is_within_calendar(pa.array([], arrow), type_name)


ZONED = Column("t", TypeName.TIMESTAMP, formats=("%Y-%m-%d %H:%M:%S%z", "%Y-%m-%d"))


def test_an_offset_is_applied():
    texts = ["2024-01-01 01:30:00+0200", "2024-01-01 01:30:00-01:00", "2024-01-01", " 2024-01-01 "]
    assert [str(value) for value in cast_text(pa.array(texts), ZONED).values.to_pylist()] == [
        "2023-12-31 23:30:00",
        "2024-01-01 02:30:00",
        "2024-01-01 00:00:00",
        "2024-01-01 00:00:00",
    ]


@pytest.mark.parametrize("text", ["0001-01-01 00:00:00+0100", "9999-12-31 23:59:59-0100"])
def test_an_offset_that_leads_out_of_the_calendar_does_not_fit(text):
    assert cast_text(pa.array([text]), ZONED).bad == (0,)


@pytest.mark.parametrize("pattern", ["YYYY-MM-DD", "%", "%Q", "", "%Y-%m-%d %H"])
def test_a_format_that_reads_nothing_is_no_crash(pattern):
    assert cast_text(pa.array(["2024-01-01"]), Column("d", TypeName.DATE, formats=(pattern,))).bad == (0,)


@pytest.mark.parametrize("quoted_empty", [False, True])
@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (NullRule.ALWAYS, [None, None, "x", " "]),
        (NullRule.UNQUOTED, [None, "", "x", " "]),
        (NullRule.NEVER, ["", "", "x", " "]),
    ],
)
def test_the_null_rule_decides_about_empty_cells(rule, expected, quoted_empty):
    cells = pa.array([None, "", "x", " "] if quoted_empty else [None, None, "x", " "])
    wanted = expected if quoted_empty else [expected[0], expected[0], "x", " "]
    assert apply_null_rule(cells, quoted_empty, Column("c", null_rule=rule)).to_pylist() == wanted
