"""Times, times with an offset, and instants: kept in the seven types, and turned back."""

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.tables.logical import (
    LOGICAL,
    Logical,
    column_of_values,
    full_type,
    full_values,
    kept_values,
    logical_column,
    logical_of,
)
from component.tables.types import Column, TypeName

ZONES = ("UTC", "Europe/Prague", "America/New_York", "+05:30")


@given(st.lists(st.none() | st.times(), max_size=20))
def test_times_are_kept_as_text_that_python_reads_and_come_back(times):
    values = pa.array(times, pa.time64("us"))
    texts = kept_values(values)
    assert [None if text is None else dt.time.fromisoformat(text) for text in texts.to_pylist()] == times
    assert full_values(texts, logical_column("t", Logical.TIME)).equals(values)


@given(st.lists(st.none() | st.datetimes(), max_size=20), st.sampled_from(ZONES))
def test_instants_are_kept_in_utc_and_come_back(naive, zone):
    values = pa.array(naive, pa.timestamp("us")).cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us", zone))
    kept = kept_values(values)
    assert kept.to_pylist() == naive
    back = full_values(kept, logical_column("i", Logical.TIMESTAMPTZ))
    assert back.cast(pa.timestamp("us", zone)).equals(values)


@pytest.mark.parametrize("values", [pa.array([1], pa.timestamp("ns")), pa.array([1], pa.time64("ns"))])
def test_nanoseconds_that_would_be_lost_are_refused(values):
    with pytest.raises(UserError, match="microseconds") as caught:
        kept_values(values)
    assert caught.value.code == "cell.type"


def test_whole_microseconds_in_nanoseconds_are_taken():
    assert kept_values(pa.array([1000], pa.timestamp("ns"))).to_pylist() == [dt.datetime(1970, 1, 1, 0, 0, 0, 1)]  # noqa: DTZ001


@pytest.mark.parametrize(
    ("data_type", "type_name", "logical"),
    [
        (pa.time32("s"), TypeName.STRING, Logical.TIME),
        (pa.time64("ns"), TypeName.STRING, Logical.TIME),
        (pa.timestamp("ms", "UTC"), TypeName.TIMESTAMP, Logical.TIMESTAMPTZ),
        (pa.timestamp("us"), TypeName.TIMESTAMP, None),
        (pa.int32(), TypeName.INTEGER, None),
    ],
)
def test_an_arrow_type_is_described_with_its_kind(data_type, type_name, logical):
    column = column_of_values("c", data_type)
    assert (column.type, logical_of(column)) == (type_name, logical)


def test_a_kind_that_no_longer_fits_the_type_is_forgotten():
    column = Column("c", TypeName.INTEGER, attributes=((LOGICAL, "time"),))
    assert logical_of(column) is None
    assert full_type(column) == pa.int64()


def test_a_text_that_is_no_time_is_refused_by_name():
    with pytest.raises(UserError) as caught:
        full_values(pa.array(["noon"]), logical_column("at", Logical.TIME))
    assert caught.value.place.column == "at"


def test_attributes_are_set_and_removed():
    column = Column("c").with_attribute("b", "1").with_attribute("a", "2")
    assert column.attributes == (("a", "2"), ("b", "1"))
    assert column.with_attribute("b", None).attributes == (("a", "2"),)
