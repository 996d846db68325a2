"""Units of dates: which days may stand for a week, month, quarter or year, and how they are shown."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum

import pyarrow as pa
import pyarrow.compute as pc

from component.tables.cast import CALENDAR
from component.tables.types import TypeName


class DateUnit(StrEnum):
    """What a date stands for (reference workbench 1.1)."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


FIRST_DAY, LAST_DAY = CALENDAR[TypeName.DATE]


def outside_calendar(dates: pa.Array) -> pa.Array:
    """Say of each date32 whether it lies outside of the years 1 to 9999; null for null."""
    days = dates.cast(pa.int32())
    return pc.or_(pc.less(days, FIRST_DAY), pc.greater(days, LAST_DAY))


def misfits(dates: pa.Array, unit: DateUnit) -> pa.Array:
    """Say of each date32 whether it is not the first day of its unit; null for null.

    A week begins on Monday, a quarter on the first of January, April, July or October. All dates must lie within the
    calendar.
    """
    if unit is DateUnit.DAY:
        return pc.and_(pc.is_null(dates), False)
    if unit is DateUnit.WEEK:
        return pc.not_equal(pc.day_of_week(dates), 0)
    wrong = pc.not_equal(pc.day(dates), 1)
    if unit is DateUnit.MONTH:
        return wrong
    months = pa.array([1] if unit is DateUnit.YEAR else [1, 4, 7, 10], pa.int64())
    return pc.or_(wrong, pc.invert(pc.is_in(pc.month(dates), value_set=months)))


def render_date(date: dt.date, unit: DateUnit) -> str:
    """Return a date as Workbench shows it: `2022-08-01` (day, week), `2022-08`, `2022 Q3`, `2022`."""
    if unit is DateUnit.YEAR:
        return f"{date.year:04d}"
    if unit is DateUnit.QUARTER:
        return f"{date.year:04d} Q{(date.month + 2) // 3}"
    return date.isoformat()[:7] if unit is DateUnit.MONTH else date.isoformat()


def render_dates(dates: pa.Array, unit: DateUnit) -> pa.Array:
    """Return dates as texts; nulls stay null. All dates must lie within the calendar."""
    texts = [None if one is None else render_date(one, unit) for one in dates.to_pylist()]
    return pa.array(texts, pa.string())
