"""Units of dates: which days are first days, and how dates are shown."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.workbench.tables.date_unit import DateUnit, misfits, outside_calendar, render_dates
from tests.strategies.workbench_tables import dates, first_day


@given(st.sampled_from(DateUnit), st.lists(st.one_of(st.none(), dates(DateUnit.DAY), dates(DateUnit.QUARTER))))
def test_a_date_misfits_unless_it_is_the_first_day_of_its_unit(unit, found):
    expected = [date is not None and first_day(date, unit) != date for date in found]
    assert [bool(one) for one in misfits(pa.array(found, pa.date32()), unit).to_pylist()] == expected


@pytest.mark.parametrize(
    ("unit", "shown"),
    [("day", "2022-07-01"), ("week", "2022-07-01"), ("month", "2022-07"), ("quarter", "2022 Q3"), ("year", "2022")],
)
def test_a_date_is_shown_by_its_unit(unit, shown):
    given_dates = pa.array([dt.date(2022, 7, 1), None], pa.date32())
    assert render_dates(given_dates, DateUnit(unit)).to_pylist() == [shown, None]


def test_days_outside_of_the_years_1_to_9999_are_told():
    days = pa.array([-719_163, -719_162, 2_932_896, 2_932_897, None], pa.int32()).cast(pa.date32())
    assert outside_calendar(days).to_pylist() == [True, False, False, True, None]
