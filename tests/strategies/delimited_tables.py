"""Dialects of delimited text, and tables that dialects have trouble with."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pyarrow as pa
from hypothesis import strategies as st

from component.errors import UserError
from component.formats.delimited.dialect import DelimitedDialect
from component.tables.logical import Logical, logical_column
from component.tables.types import TableSchema, column_of_arrow
from tests.strategies.typed_tables import TYPES, columns

ISO = {
    "dateformat": "YYYY-MM-DD",
    "timeonlyformat": "HH24:MI:SS",
    "datetimeformat": "YYYY-MM-DD HH24:MI:SS",
    "datetimeformattz": "YYYY-MM-DD HH24:MI:SSOF",
}
CSV = {
    "dateformat": "MM/DD/YY",
    "datetimeformat": "MM/DD/YY HH24:MI",
    "datetimeformattz": "MM/DD/YY HH24:MI",
}
QUOTED = {"quoting": "minimal", "doublequote": True, "escape": None}
VARIANTS = {
    "dumb": DelimitedDialect(escape=None),
    "csv": DelimitedDialect(header_row=True, **QUOTED, **CSV),
    "bluelabs": DelimitedDialect(),
    "vertica": DelimitedDialect(field_delimiter="\x01", record_terminator="\x02", escape=None),
    "bigquery": DelimitedDialect(header_row=True, **QUOTED, datetimeformattz="YYYY-MM-DD HH:MI:SS"),
}
"""The variants' defaults (reference records 2.1), without compression."""

NASTY = ",|;\"'\\\n\r\t \x01\x02§\ufeff\x00Ŀab0.-:"
"""Characters that dialects give a meaning, and some that they do not."""
hard_texts = st.text(st.sampled_from(NASTY), max_size=5) | st.sampled_from(["", "\r\n", '""', "\\", "\\N", "NULL", "€"])


def _dialect(**hints) -> DelimitedDialect | None:
    try:
        return DelimitedDialect(**hints)
    except UserError:
        return None


dialects = st.builds(
    _dialect,
    header_row=st.booleans(),
    field_delimiter=st.sampled_from([",", "|", "\t", ";", "\x01", " ", "-", "§", "0"]),
    record_terminator=st.sampled_from(["\n", "\r\n", "\r", "\x02", "\n\n", "ab", "§§;"]),
    compression=st.sampled_from([None, "GZIP", "BZIP"]),
    quoting=st.sampled_from([None, "all", "minimal", "nonnumeric"]),
    quotechar=st.sampled_from(['"', "'", "|"]),
    doublequote=st.booleans(),
    escape=st.sampled_from([None, "\\"]),
    encoding=st.sampled_from(["UTF8", "UTF16", "UTF16LE", "UTF16BE", "UTF16BOM", "UTF8BOM", "LATIN1", "CP1252"]),
    **{name: st.just(text) for name, text in ISO.items()},
).filter(lambda dialect: dialect is not None)
"""Dialects that are valid, of all quotings, escapes, terminators and encodings."""

_clock_times = st.times().map(
    lambda time: time.replace(fold=0, microsecond=time.microsecond // 10 * 10 + 7)
) | st.times().map(lambda time: time.replace(fold=0, microsecond=0))
_times = _clock_times.map(dt.time.isoformat)
_offsets = st.integers(-23 * 60, 23 * 60).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
ZONES = st.sampled_from(["", "Z", " UTC", "+00:00", " +0200", "-03:30", "+14"])
_LOGICAL = {
    Logical.TIME: _times,
    Logical.TIMETZ: st.builds(lambda time, zone: time.replace(tzinfo=zone).isoformat(), _clock_times, _offsets),
    Logical.TIMESTAMPTZ: st.datetimes().map(lambda moment: moment.replace(fold=0)),
    Logical.ZONED: st.builds(lambda moment, zone: f"{moment.replace(fold=0)}{zone}", st.datetimes(), ZONES),
}


@st.composite
def typed_tables(draw: st.DrawFn, *, most: int = 4) -> tuple[pa.Table, TableSchema]:
    """A table with its columns: all types and kinds, with texts that are hard to delimit."""
    rows = draw(st.integers(0, 5))
    found, described = [], []
    for number in range(draw(st.integers(1, most))):
        name = f"{number}{draw(hard_texts)}"
        kind = draw(st.sampled_from(["text", "text", "logical", "typed"]))
        if kind == "logical":
            logical = draw(st.sampled_from(Logical))
            column = logical_column(name, logical)
            cells = draw(st.lists(st.none() | _LOGICAL[logical], min_size=rows, max_size=rows))
            values = pa.array(cells, column.arrow)
        elif kind == "typed":
            data_type = draw(st.sampled_from(TYPES))
            values, column = draw(columns(data_type, rows)), column_of_arrow(name, data_type)
        else:
            values = pa.array(draw(st.lists(st.none() | hard_texts, min_size=rows, max_size=rows)), pa.string())
            column = column_of_arrow(name, values.type)
        found.append(values)
        described.append(column)
    return pa.table(found, [column.name for column in described]), TableSchema(tuple(described))


def changed(dialect: DelimitedDialect, **hints) -> DelimitedDialect:
    return dataclasses.replace(dialect, **hints)


def same(one: pa.Table, two: pa.Table) -> bool:
    """Say whether tables have the same columns and values; NaN is NaN, and a zero has its sign."""
    return one.schema.equals(two.schema) and repr(one.to_pylist()) == repr(two.to_pylist())
