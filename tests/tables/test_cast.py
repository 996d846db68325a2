from __future__ import annotations

import datetime as dt
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.tables.cast import apply_null_rule, cast_text, is_within_calendar
from component.tables.logical import zoned
from component.tables.types import BASE_TYPES, Column, NullRule, TypeName
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


@pytest.mark.parametrize("type_name", [name for name in BASE_TYPES if name is not TypeName.STRING])
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


CLOCK = re.compile(r"(.{10})(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?: ?(Z|[+-]\d\d(?::?\d\d)?))?)?", re.ASCII)


def python_takes(text):
    """Python's own reader as the judge, told what it does not know: UTC, blanks before a zone, nanoseconds."""
    found = CLOCK.fullmatch(re.sub(r" ?UTC$", "Z", text.strip(" \t")))
    if found is None:
        return False
    day, clock, zone = found[1], found[2] or "00:00", found[3] or ""
    try:
        dt.date.fromisoformat(day)
        dt.datetime.fromisoformat(f"{day}T{clock.partition('.')[0]}{zone}")
    except ValueError:
        return False
    return day[4] == day[7] == "-" and (zone in {"", "Z"} or (int(zone[1:3]) < 19 and int(zone[-2:]) < 60))


zoned_texts = st.builds(
    lambda moment, between, fraction, zone: f"{moment:%Y-%m-%d}{between}{moment:%H:%M:%S}{fraction}{zone}",
    st.datetimes().filter(lambda moment: moment.year >= 1000),
    st.sampled_from(["T", " ", "  ", ""]),
    st.sampled_from(["", ".1", ".123456789", "."]),
    st.sampled_from(["", "Z", " Z", " UTC", "+02:00", " +0200", "-03", "+2", "+19:00", "+02:60", "CET"]),
) | st.sampled_from(
    ["2013-01-01", "2013-02-29 00:00:00Z", " 2013-01-01 05:00Z\t", "2013-01-01 24:00Z", "x", "0000-01-01 00:00Z"]
)


@given(st.lists(st.none() | zoned_texts, max_size=6))
def test_timestamps_with_a_zone_are_kept_as_they_came_or_refused(texts):
    column = zoned(Column("at", TypeName.TIMESTAMP))
    cast = cast_text(pa.array(texts, pa.string()), column)
    fits = [text is not None and python_takes(text) for text in texts]
    assert cast.values.to_pylist() == [text if fit else None for text, fit in zip(texts, fits, strict=True)]
    assert list(cast.bad) == [at for at, text in enumerate(texts) if text is not None and not fits[at]]
