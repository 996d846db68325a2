"""Dates and times in the formats of the hints: what is read, what is written, what is refused.

The oracle reads and writes one text at a time with Python's own expressions and calendar.
"""

from __future__ import annotations

import datetime as dt
import re

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from component.errors import UserError
from component.formats.delimited.temporal import TemporalKind, format_column, format_or_lost, losses, parse_column
from component.formats.delimited.time_tokens import TimeLoss

DATES = ("YYYY-MM-DD", "MM-DD-YYYY", "DD-MM-YYYY", "MM/DD/YY", "DD/MM/YY", "DD-MM-YY", "YYYYMMDD", "DD.MM.YYYY")
TIMES = ("HH24:MI:SS", "HH:MI:SS", "HH12:MI AM", "HH24:MI", "HH12:MI:SS PM", "HH:MI:SS AM", "HH24MISS", "HH24")
DATETIMES = (*(f"{date} {time}" for date in DATES[:4] for time in TIMES), "YYYY-MM-DDTHH24:MI:SS", "YYMMDD HH:MI")
INSTANTS = (*DATETIMES, *(f"{text}OF" for text in DATETIMES if not text.endswith("M")), "YYYY-MM-DD HH12:MI:SS AM OF")
OF_KIND = {
    TemporalKind.DATE: DATES,
    TemporalKind.TIME: TIMES,
    TemporalKind.TIMETZ: TIMES,
    TemporalKind.DATETIME: DATETIMES,
    TemporalKind.DATETIMETZ: INSTANTS,
}
PLAIN = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?:(?P<year>\d{4})|(?P<short>\d\d))",
    "MM": r"(?P<month>\d\d?)",
    "DD": r"(?P<day>\d\d?)",
    "HH24": r"(?P<hour>\d\d?)",
    "HH12": r"(?P<hour>\d\d?)",
    "HH": r"(?P<hour>\d\d?)",
    "MI": r"(?P<minute>\d\d?)",
    "SS": r"(?P<second>\d\d?)(?:\.(?P<fraction>\d{1,6})0{0,3})?",
    "AM": r"(?P<half>[AaPp][Mm])",
    "PM": r"(?P<half>[AaPp][Mm])",
    "OF": r"(?P<offset>Z|[+-]\d\d(?::?\d\d)?)?",
}


TOKENS = re.compile(r"YYYY|YY|MM|DD|HH24|HH12|HH|MI|SS|AM|PM|OF|.")
DIGITS = PLAIN.keys() - {"AM", "PM", "OF"}


def moment(*parts):
    return dt.datetime(*parts)  # noqa: DTZ001 - timestamps of a table have no zone


def pattern(text_format, kind):
    tokens = [None, *TOKENS.findall(text_format), None]
    built = ""
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token in DIGITS and (before in DIGITS or after in DIGITS):
            built += (
                PLAIN[token]
                .replace(r"\d\d?", r"\d\d")
                .replace(r"(?:(?P<year>\d{4})|(?P<short>\d\d))", r"(?P<short>\d\d)")
            )
        elif token in {" ", "T"} and before in {"YYYY", "YY", "MM", "DD"}:
            built += "[ T]"
        elif token is not None:
            built += PLAIN.get(token, re.escape(token))
    if kind in {TemporalKind.TIMETZ, TemporalKind.DATETIMETZ} and "OF" not in tokens:
        built += PLAIN["OF"]
    return built


def slow_read(text, text_format, kind):
    found = re.fullmatch(pattern(text_format, kind), text, re.ASCII)
    if found is None:
        raise ValueError(text)
    there = found.groupdict()
    number = {name: int(there[name] or 0) for name in ("month", "day", "hour", "minute", "second") if name in there}
    year = int(there.get("year") or 0)
    if there.get("short"):
        year = int(there["short"]) + (1900 if int(there["short"]) >= 69 else 2000)
    if kind is TemporalKind.DATE:
        return dt.date(year, number["month"], number["day"])
    hour = number["hour"]
    if there.get("half"):
        if not 1 <= hour <= 12:
            raise ValueError(text)
        hour = hour % 12 + 12 * (there["half"].lower() == "pm")
    micros = int((there.get("fraction") or "").ljust(6, "0"))
    time = dt.time(hour, number.get("minute", 0), number.get("second", 0), micros)
    digits = (there.get("offset") or "Z").replace(":", "")
    offset = dt.timedelta(0)
    if digits != "Z":
        if int(digits[1:3]) > 23 or int(digits[3:] or 0) > 59:
            raise ValueError(text)
        offset = dt.timedelta(hours=int(digits[1:3]), minutes=int(digits[3:] or 0)) * (-1 if digits[0] == "-" else 1)
    if kind is TemporalKind.TIME:
        return time.isoformat()
    if kind is TemporalKind.TIMETZ:
        return time.replace(tzinfo=dt.timezone(offset)).isoformat()
    return dt.datetime.combine(dt.date(year, number["month"], number["day"]), time) - offset


def slow_reads(texts, text_format, kind):
    values, bad = [], []
    for position, text in enumerate(texts):
        try:
            values.append(None if text is None else slow_read(text, text_format, kind))
        except (ValueError, OverflowError):
            values.append(None)
            bad.append(position)
    return values, tuple(bad)


kinds_and_formats = st.sampled_from([(kind, text) for kind, texts in OF_KIND.items() for text in texts])


@st.composite
def texts_of(draw, text_format, kind):
    """Texts that look like the format, right or nearly."""
    tokens = TOKENS.findall(text_format)
    two = st.integers(0, 61).map(lambda n: f"{n:02}") | st.integers(0, 13).map(str)
    built = ""
    for token in tokens:
        if token == "YYYY":
            built += draw(st.sampled_from(["2000", "1999", "0001", "9999", "0000", "2024", "1968"]))
        elif token == "YY":
            built += draw(st.sampled_from(["00", "68", "69", "99", "1990", "0090", "1"]))
        elif token in {"AM", "PM"}:
            built += draw(st.sampled_from(["AM", "PM", "am", "pM", "XM"]))
        elif token == "OF":
            built += draw(OFFSETS)
        elif token == "SS":
            built += draw(two) + draw(st.sampled_from(["", ".5", ".123456", ".1000000", ".123456789", ".", ".000"]))
        elif token in PLAIN:
            built += draw(two)
        else:
            built += draw(st.sampled_from([token] * 6 + ["T", "/", " "]))
    if kind in {TemporalKind.TIMETZ, TemporalKind.DATETIMETZ} and "OF" not in tokens:
        built += draw(OFFSETS)
    return built


OFFSETS = st.sampled_from(["", "Z", "+00", "-0530", "+05:45", "+24", "+0060", "+5", "-23:59", "+"])


@given(data=st.data(), chosen=kinds_and_formats)
def test_texts_are_read_as_one_at_a_time(data, chosen):
    kind, text_format = chosen
    texts = data.draw(st.lists(st.none() | texts_of(text_format, kind) | st.text(max_size=4), max_size=6))
    column = pa.array(["front", *texts], pa.string()).slice(1)
    values, bad = parse_column(column, text_format, kind)
    expected, expected_bad = slow_reads(texts, text_format, kind)
    assert bad == expected_bad
    assert values.to_pylist() == expected


moments = st.datetimes() | st.datetimes(moment(1969, 1, 1), moment(2068, 12, 31))
rounded = st.one_of(
    moments,
    moments.map(lambda one: one.replace(microsecond=0)),
    moments.map(lambda one: one.replace(second=0, microsecond=0)),
    moments.map(lambda one: one.replace(minute=0, second=0, microsecond=0)),
).map(lambda one: one.replace(fold=0))


def column_of(kind, moments, offset=0):
    if kind is TemporalKind.DATE:
        return pa.array([None if m is None else m.date() for m in moments], pa.date32())
    if kind is TemporalKind.TIME:
        return pa.array([None if m is None else m.time().isoformat() for m in moments], pa.string())
    if kind is TemporalKind.TIMETZ:
        zone = dt.timezone(dt.timedelta(minutes=offset))
        return pa.array(
            [None if m is None else m.time().replace(tzinfo=zone).isoformat() for m in moments], pa.string()
        )
    return pa.array(moments, pa.timestamp("us"))


def is_lost(value, text_format, kind):
    if value is None:
        return False
    year, minute, second = value.year, value.minute, (value.second, value.microsecond)
    return (
        (
            kind not in {TemporalKind.TIME, TemporalKind.TIMETZ}
            and "YYYY" not in text_format
            and not 1969 <= year <= 2068
        )
        or (kind is not TemporalKind.DATE and "SS" not in text_format and second != (0, 0))
        or (kind is not TemporalKind.DATE and "MI" not in text_format and minute != 0)
    )


@given(
    chosen=kinds_and_formats,
    moments=st.lists(st.none() | rounded, max_size=5),
    offset=st.integers(-23 * 60, 23 * 60),
)
@example((TemporalKind.DATETIME, "MM/DD/YY HH24:MI"), [None, moment(2068, 12, 31, 23, 59)], 0)
def test_what_is_written_reads_back_equal_or_is_refused_at_the_first_value_that_would_not(chosen, moments, offset):
    kind, text_format = chosen
    values = column_of(kind, moments, offset)
    texts, lost = format_or_lost(values, text_format, kind)
    expected = [n for n, moment in enumerate(moments) if is_lost(moment, text_format, kind)]
    assert lost == (expected[0] if expected else None)
    if lost is None:
        assert parse_column(texts, text_format, kind) == (values, ())
        assert texts.null_count == values.null_count
    else:
        with pytest.raises(UserError) as refused:
            format_column(values, text_format, kind)
        assert refused.value.code == "cell.unwritable"
        assert refused.value.place.row == lost + 1


@pytest.mark.parametrize(
    ("kind", "text_format", "value", "written"),
    [
        (TemporalKind.DATE, "MM/DD/YY", dt.date(2000, 1, 2), "01/02/00"),
        (TemporalKind.DATE, "YYYY-MM-DD", dt.date(1, 1, 1), "0001-01-01"),
        (TemporalKind.DATETIME, "YYYY-MM-DD HH24:MI:SS", moment(2000, 1, 2, 12, 34, 56), "2000-01-02 12:34:56.000000"),
        (TemporalKind.DATETIME, "YYYY-MM-DD HH12:MI AM", moment(2000, 1, 2, 0, 34), "2000-01-02 12:34 AM"),
        (TemporalKind.DATETIMETZ, "YYYY-MM-DD HH:MI:SSOF", moment(2000, 1, 2, 12), "2000-01-02 12:00:00.000000+00:00"),
        (TemporalKind.TIME, "HH24:MI:SS", "13:04:05", "13:04:05"),
        (TemporalKind.TIME, "HH24:MI:SS", "13:04:05.5", "13:04:05.500000"),
        (TemporalKind.TIME, "HH12:MI AM", "13:04:00", "01:04 PM"),
        (TemporalKind.TIMETZ, "HH24:MI:SS", "13:04:05-05:30", "13:04:05-05:30"),
    ],
)  # fmt: skip
def test_formats_write(kind, text_format, value, written):
    values = column_of(kind, []) if value is None else pa.array([value])
    assert format_column(values, text_format, kind).to_pylist() == [written]


@pytest.mark.parametrize(
    ("kind", "text_format", "text", "value"),
    [
        (TemporalKind.DATE, "MM/DD/YY", "1/1/00", dt.date(2000, 1, 1)),
        (TemporalKind.DATE, "MM/DD/YY", "12/31/1969", dt.date(1969, 12, 31)),
        (TemporalKind.DATE, "MM/DD/YY", "12/31/69", dt.date(1969, 12, 31)),
        (TemporalKind.DATE, "MM/DD/YY", "12/31/68", dt.date(2068, 12, 31)),
        (TemporalKind.TIME, "HH12:MI AM", "12:00 AM", "00:00:00"),
        (TemporalKind.TIME, "HH24:MI:SS", "1:2:3.5", "01:02:03.500000"),
        (TemporalKind.DATETIMETZ, "YYYY-MM-DD HH:MI:SSOF", "2000-01-02 12:34:56-0500", moment(2000, 1, 2, 17, 34, 56)),
        (TemporalKind.DATETIMETZ, "YYYY-MM-DD HH:MI:SS", "2000-01-02T12:34:56Z", moment(2000, 1, 2, 12, 34, 56)),
        (TemporalKind.DATETIME, "MM/DD/YY HH24:MI", "1/1/00 13:00", moment(2000, 1, 1, 13, 0)),
    ],
)  # fmt: skip
def test_formats_read(kind, text_format, text, value):
    values, bad = parse_column(pa.array([text]), text_format, kind)
    assert (values.to_pylist(), bad) == ([value], ())


@pytest.mark.parametrize(
    ("kind", "text_format", "text"),
    [
        (TemporalKind.DATE, "MM/DD/YY", "13/02/00"),
        (TemporalKind.DATE, "YYYY-MM-DD", "2023-02-29"),
        (TemporalKind.DATE, "YYYY-MM-DD", "2023-02-28\n"),
        (TemporalKind.DATE, "YYYY-MM-DD", "0000-01-01"),
        (TemporalKind.TIME, "HH12:MI AM", "13:00 PM"),
        (TemporalKind.TIME, "HH24:MI:SS", "24:00:00"),
        (TemporalKind.TIME, "HH24:MI:SS", "12:00:00.1234567"),
        (TemporalKind.DATETIME, "YYYY-MM-DD HH:MI:SS", "2000-01-02 12:34:56Z"),
        (TemporalKind.DATETIMETZ, "YYYY-MM-DD HH:MI:SSOF", "0001-01-01 00:00:00+01"),
    ],
)
def test_texts_that_do_not_fit(kind, text_format, text):
    values, bad = parse_column(pa.array([text]), text_format, kind)
    assert (values.to_pylist(), bad) == ([None], (0,))


def test_instants_without_offset_are_on_the_clocks_of_the_zone_that_is_assumed():
    texts = pa.array(["2000-07-02 12:00:00", "2000-07-02 12:00:00+01", None, "2000-10-29 01:30:00"])
    values, bad = parse_column(texts, "YYYY-MM-DD HH:MI:SSOF", TemporalKind.DATETIMETZ, assume_tz="US/Eastern")
    assert bad == ()
    assert [str(value) for value in values.to_pylist()] == [
        "2000-07-02 16:00:00",
        "2000-07-02 11:00:00",
        "None",
        "2000-10-29 05:30:00",
    ]


def test_a_zone_that_is_not_known_is_refused():
    with pytest.raises(UserError) as refused:
        parse_column(
            pa.array(["2000-01-01 00:00:00"]), "YYYY-MM-DD HH:MI:SS", TemporalKind.DATETIMETZ, assume_tz="Mars"
        )
    assert refused.value.code == "records.hint"


@pytest.mark.parametrize(
    ("kind", "text_format"),
    [
        (TemporalKind.DATE, "YYYY-MON-DD"),
        (TemporalKind.DATE, "YYYY-MM"),
        (TemporalKind.DATE, "YYYY-MM-DD HH:MI"),
        (TemporalKind.DATE, "YYYY-YY-MM-DD"),
        (TemporalKind.DATE, ""),
        (TemporalKind.TIME, "HH12:MI"),
        (TemporalKind.TIME, "HH24:MI AM"),
        (TemporalKind.TIME, "HH:MIOF"),
        (TemporalKind.TIME, "HH:SS"),
        (TemporalKind.DATETIME, "YYYY-MM-DD"),
        (TemporalKind.DATETIME, "yyyy-mm-dd hh:mi"),
    ],
)
def test_formats_that_are_none_are_refused_with_their_text(kind, text_format):
    with pytest.raises(UserError) as refused:
        losses(text_format, kind)
    assert refused.value.code == "records.hint"
    assert repr(text_format) in str(refused.value)


def test_losses_name_what_a_format_cannot_carry():
    assert losses("MM/DD/YY HH24:MI", TemporalKind.DATETIME) == (TimeLoss.CENTURY, TimeLoss.SECONDS)
    assert losses("HH24", TemporalKind.TIME) == (TimeLoss.MINUTES, TimeLoss.SECONDS)
    assert losses("YYYY-MM-DD HH:MI:SS", TemporalKind.DATETIMETZ) == ()
    assert losses("YYYY-MM-DD", TemporalKind.DATE) == ()


def test_arrow_times_dates_and_instants_are_taken_as_they_are():
    time = pa.array([dt.time(1, 2, 3)], pa.time32("s"))
    assert format_column(time, "HH24:MI:SS", TemporalKind.TIME).to_pylist() == ["01:02:03"]
    instant = pa.array([0], pa.timestamp("ns", "US/Eastern"))
    written = format_column(instant, "YYYY-MM-DD HH24:MI:SSOF", TemporalKind.DATETIMETZ)
    assert written.to_pylist() == ["1970-01-01 00:00:00.000000+00:00"]
    day = pa.array([0], pa.date64())
    assert format_column(day, "YYYY-MM-DD", TemporalKind.DATE).to_pylist() == ["1970-01-01"]


def test_text_that_is_no_time_is_refused():
    assert format_or_lost(pa.array(["01:02:03", "25:00:00"]), "HH24:MI:SS", TemporalKind.TIME)[1] == 1
