# ruff: noqa: DTZ001, DTZ901 - the timestamps of tables have no time zone
"""Tables of all seven types with extreme values, in every way a manifest tells types."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from decimal import Decimal
from itertools import cycle, islice
from typing import Any, Final

from tests.folders.nasty_layout import INPUT_BUCKET, Cell, Layout, NastyTable

Known = tuple[str, Any]
"""A text and the value that it must become."""

LARGEST: Final = "99999999999999999999999999999.999999999"
STRINGS: Final = tuple(
    (text, text)
    for text in ("NULL", "null", "NA", "N/A", "nan", "None", "\\N", "0001", " spaced ", "true", "2013-01-01", "-")
)
INTEGERS: Final[tuple[Known, ...]] = (
    ("-9223372036854775808", -(2**63)),
    ("9223372036854775807", 2**63 - 1),
    ("0", 0),
    ("-1", -1),
    ("007", 7),
    ("9007199254740993", 2**53 + 1),
)
NUMERICS: Final[tuple[Known, ...]] = (
    (LARGEST, Decimal(LARGEST)),
    (f"-{LARGEST}", Decimal(f"-{LARGEST}")),
    ("0.000000001", Decimal("0.000000001")),
    ("-0.1", Decimal("-0.1")),
    ("100", Decimal(100)),
    ("0", Decimal(0)),
)
FLOATS: Final[tuple[Known, ...]] = (
    ("inf", math.inf),
    ("-inf", -math.inf),
    ("nan", math.nan),
    ("5e-324", 5e-324),
    ("2.225073858507201e-308", 2.225073858507201e-308),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    ("-0.0", -0.0),
    ("0", 0.0),
    ("0.1", 0.1),
    ("1e23", 1e23),
)
BOOLEANS: Final[tuple[Known, ...]] = (("true", True), ("false", False), ("1", True), ("0", False), ("TRUE", True))
DATES: Final[tuple[Known, ...]] = (
    ("0001-01-01", dt.date.min),
    ("9999-12-31", dt.date.max),
    ("1969-12-31", dt.date(1969, 12, 31)),
    ("2000-02-29", dt.date(2000, 2, 29)),
    ("1582-10-10", dt.date(1582, 10, 10)),
)
TIMESTAMPS: Final[tuple[Known, ...]] = (
    ("0001-01-01 00:00:00", dt.datetime.min),
    ("9999-12-31 23:59:59.999999", dt.datetime.max),
    ("1969-12-31 23:59:59.999999", dt.datetime(1969, 12, 31, 23, 59, 59, 999999)),
    ("1970-01-01 00:00:00", dt.datetime(1970, 1, 1)),
    ("2013-03-10 02:30:00", dt.datetime(2013, 3, 10, 2, 30)),
    ("2000-02-29T12:34:56", dt.datetime(2000, 2, 29, 12, 34, 56)),
)

TYPED: Final[dict[str, tuple[str, str, str | None, tuple[Known, ...]]]] = {
    "a_string": ("STRING", "VARCHAR", "255", STRINGS),
    "an_integer": ("INTEGER", "NUMBER", "38,0", INTEGERS),
    "a_numeric": ("NUMERIC", "NUMBER", "38,9", NUMERICS),
    "a_float": ("FLOAT", "FLOAT", None, FLOATS),
    "a_boolean": ("BOOLEAN", "BOOLEAN", None, BOOLEANS),
    "a_date": ("DATE", "DATE", None, DATES),
    "a_timestamp": ("TIMESTAMP", "TIMESTAMP_NTZ", None, TIMESTAMPS),
}
"""Column, base type, backend type, length, and what its cells hold."""

COLUMNS: Final = tuple(TYPED)
TYPES: Final = tuple(base.lower() for base, _, _, _ in TYPED.values())


def typed_tables() -> Iterator[NastyTable]:
    """Yield the same extreme rows behind a schema manifest and a legacy one, and exported with everything enclosed."""
    cells, values = _rows()
    base = {"columns": list(COLUMNS), "primary_key": [], "metadata": []}
    schema = {"id": f"{INPUT_BUCKET}.typed", **base, "column_metadata": [], "schema": _schema()}
    legacy = {"id": f"{INPUT_BUCKET}.legacy", **base, "column_metadata": _column_metadata()}
    why = "all types, extreme values, nulls"
    yield NastyTable("typed-schema.csv", why, COLUMNS, cells, values, TYPES, schema)
    yield NastyTable("typed-legacy.csv", why, COLUMNS, cells, values, TYPES, legacy)
    enclosed = tuple(tuple(cell or "" for cell in row) for row in cells)
    exported = tuple(("" if row[0] is None else row[0], *row[1:]) for row in values)
    layout = Layout(enclose_all=True)
    why = 'exported with every cell enclosed: "" is null, but for strings'
    yield NastyTable("typed-enclosed.csv", why, COLUMNS, enclosed, exported, TYPES, schema, layout)
    integers = (("1", 1), (None, None), ("", None), ("-2", -2), (None, None))
    of_metadata = {"an_integer": _column_metadata()["an_integer"]}
    yield NastyTable(
        "one-integer-column.csv",
        'empty lines and "" are nulls',
        ("an_integer",),
        tuple((cell,) for cell, _ in integers),
        tuple((value,) for _, value in integers),
        ("integer",),
        {"id": f"{INPUT_BUCKET}.one", "columns": ["an_integer"], "metadata": [], "column_metadata": of_metadata},
    )


def _rows() -> tuple[tuple[tuple[Cell, ...], ...], tuple[tuple[Any, ...], ...]]:
    """Return cells and values: every text of every type, rows of nulls (bare, enclosed), rows with one value."""
    length = max(len(known) for _, _, _, known in TYPED.values())
    columns = [list(islice(cycle(known), length)) for _, _, _, known in TYPED.values()]
    rows: list[list[tuple[Cell, Any]]] = [list(row) for row in zip(*columns, strict=True)]
    rows.append([(None, None) for _ in COLUMNS])
    rows.append([("", "" if type_name == "string" else None) for type_name in TYPES])
    rows.extend([known if at == kept else (None, None) for at, known in enumerate(rows[0])] for kept in range(7))
    cells = tuple(tuple(cell for cell, _ in row) for row in rows)
    return cells, tuple(tuple(value for _, value in row) for row in rows)


def _schema() -> list[dict[str, Any]]:
    entries = []
    for name, (base, backend, length, _) in TYPED.items():
        of_backend = {"type": backend, "length": length} if length else {"type": backend}
        entries.append({"name": name, "data_type": {"base": {"type": base}, "snowflake": of_backend}, "nullable": True})
    return entries


def _column_metadata() -> dict[str, list[dict[str, str]]]:
    found = {}
    for name, (base, backend, length, _) in TYPED.items():
        pairs = {"type": backend, "basetype": base, "nullable": "1", **({"length": length} if length else {})}
        found[name] = [{"key": f"KBC.datatype.{key}", "value": value} for key, value in pairs.items()]
    return found
