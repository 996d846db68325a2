"""Timestamps are shown with as few parts as say everything."""

from __future__ import annotations

import datetime as dt
import re

import pyarrow as pa
import pytest
from hypothesis import given

from component.workbench.tables.timestamps import render_timestamps
from tests.strategies.workbench_tables import moments

SECOND = 10**9


@pytest.mark.parametrize(
    ("nanoseconds", "shown"),
    [
        (0, "1970-01-01"),
        (3 * 3600 * SECOND, "1970-01-01T03:00Z"),
        (3 * 3600 * SECOND + 245 * SECOND, "1970-01-01T03:04:05Z"),
        (6 * SECOND // 1000, "1970-01-01T00:00:00.006Z"),
        (6000, "1970-01-01T00:00:00.000006Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (None, None),
    ],
)
def test_a_timestamp_is_shown_in_the_shortest_form(nanoseconds, shown):
    assert render_timestamps(pa.array([nanoseconds], pa.timestamp("ns"))).to_pylist() == [shown]


@given(moments)
def test_what_is_shown_says_the_whole_timestamp(nanoseconds):
    shown = render_timestamps(pa.array([nanoseconds], pa.timestamp("ns")))[0].as_py()
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{3}|\d{6}|\d{9}))?Z)?", shown)
    assert found
    day, minute, second, fraction = (part or "" for part in found.groups())
    moment = dt.datetime.fromisoformat(f"{day}T{minute or '00:00'}{second or ':00'}+00:00")
    seconds = (moment - dt.datetime.fromtimestamp(0, dt.UTC)) // dt.timedelta(seconds=1)
    assert seconds * SECOND + int(fraction.ljust(9, "0")) == nanoseconds
