"""Fields of dates and times to days and microseconds, and back, by numpy's calendar."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from component.formats.delimited.time_fields import Fields, Mask, Numbers
from component.formats.delimited.time_tokens import PIVOT

SECOND: Final = 1_000_000
DAY: Final = 86_400 * SECOND
_HALF_DAY: Final = 12


def full_year(fields: Fields) -> Numbers:
    """Return the year; two digits are taken about `PIVOT`."""
    if "year" in fields:
        return fields["year"]
    short = fields["short_year"]
    return np.where(short >= PIVOT, short + 1900, short + 2000)


def days_of(fields: Fields) -> tuple[Numbers, Mask]:
    """Return days since 1970-01-01, and which of the dates exist."""
    year, month, day = full_year(fields), fields["month"], fields["day"]
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    first: Numbers = _days(months)
    fits = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= _days(months + 1) - first)
    return first + day - 1, fits


def _days(months: Any) -> Any:
    return months.astype("datetime64[D]").astype(np.int64)


def time_of(fields: Fields) -> tuple[Numbers, Mask]:
    """Return microseconds of the day, and which of the times exist."""
    nothing = np.zeros_like(fields["hour"])
    hour, minute, second = fields["hour"], fields.get("minute", nothing), fields.get("second", nothing)
    fits = (minute < 60) & (second < 60)
    if "meridian" in fields:
        fits &= (hour >= 1) & (hour <= _HALF_DAY)
        hour = hour % _HALF_DAY + _HALF_DAY * fields["meridian"]
    else:
        fits &= hour < 24
    if "offset_fits" in fields:
        fits &= fields["offset_fits"].astype(np.bool_)
    return ((hour * 60 + minute) * 60 + second) * SECOND + fields.get("fraction", nothing), fits


def date_fields(days: Numbers) -> Fields:
    """Return year, month and day of days since 1970-01-01."""
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    count = months.astype(np.int64)
    return {"year": count // 12 + 1970, "month": count % 12 + 1, "day": days - _days(months) + 1}


def time_fields(micros: Numbers) -> Fields:
    """Return hour, minute, second and fraction of microseconds of the day."""
    seconds = micros // SECOND
    return {
        "hour": seconds // 3600,
        "minute": seconds // 60 % 60,
        "second": seconds % 60,
        "fraction": micros - seconds * SECOND,
    }
