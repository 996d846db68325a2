"""Write docs/records-types.md: `python scripts/write_records_types.py`. The mapping of types is stated here, once.

A test (tests/records/test_types.py) holds each cell of it.

`FORWARD` says what a field of a records schema becomes; `BACK` says which field the types of others become.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

PAGE: Final = Path(__file__).parent.parent / "docs" / "records-types.md"

_MAX_64: Final = "9223372036854775807"
_MIN_64: Final = "-9223372036854775808"
_MAX_U64: Final = "18446744073709551615"


@dataclass(frozen=True, slots=True)
class Forward:
    """One kind of field, and its type in each family.

    `field` is the JSON of the field without index. `column` is the type in Tablemill, with length and kind. `arrow` is
    the type in Parquet and Avro files of a records directory, `kartothek` the one in a dataset. `keboola` is base type
    and length.
    """

    name: str
    field: Mapping[str, Any]
    column: str
    arrow: str
    spark: str
    kartothek: str
    keboola: str


def _field(kind: str, **constraints: Any) -> dict[str, Any]:
    return {"type": kind, "constraints": {"required": False, **constraints}}


FORWARD: Final = (
    Forward("integer", _field("integer"), "integer", "int64", "bigint", "int64", "INTEGER"),
    Forward(
        "integer within 64 bits",
        _field("integer", min="-128", max="127"),
        *("integer", "int64", "bigint", "int64", "INTEGER"),
    ),
    Forward(
        "integer beyond 64 bits",
        _field("integer", min="0", max=_MAX_U64),
        *("numeric(20,0)", "decimal128(20, 0)", "decimal(20,0)", "decimal128(20, 0)", "NUMERIC(20,0)"),
    ),
    Forward(
        "integer beyond 38 digits",
        _field("integer", min="0", max="1" + "0" * 38),
        *("string", "string", "string", "string", "STRING"),
    ),
    Forward("decimal", _field("decimal"), "float", "double", "double", "double", "FLOAT"),
    Forward(
        "decimal, floating",
        _field("decimal", fp_total_bits=32, fp_significand_bits=23),
        *("float", "double", "double", "double", "FLOAT"),
    ),
    Forward(
        "decimal, fixed",
        _field("decimal", fixed_precision=10, fixed_scale=2),
        *("numeric(10,2)", "decimal128(10, 2)", "decimal(10,2)", "decimal128(10, 2)", "NUMERIC(10,2)"),
    ),
    Forward(
        "decimal, fixed, beyond 38 digits",
        _field("decimal", fixed_precision=76, fixed_scale=38),
        *("string", "string", "string", "string", "STRING"),
    ),
    Forward("string", _field("string"), "string", "string", "string", "string", "STRING"),
    Forward(
        "string of at most n characters",
        _field("string", max_length_chars=20),
        *("string(20)", "string", "string", "string", "STRING(20)"),
    ),
    Forward(
        "string of at most n bytes",
        _field("string", max_length_bytes=20),
        *("string(20)", "string", "string", "string", "STRING(20)"),
    ),
    Forward("boolean", _field("boolean"), "boolean", "bool", "boolean", "bool", "BOOLEAN"),
    Forward("date", _field("date"), "date", "date32[day]", "date", "date32[day]", "DATE"),
    Forward("time", _field("time"), "string, time", "time64[us]", "string", "string", "STRING"),
    Forward("timetz", _field("timetz"), "string, timetz", "string", "string", "string", "STRING"),
    Forward(
        "datetime",
        _field("datetime"),
        *("timestamp", "timestamp[us]", "timestamp_ntz", "timestamp[us]", "TIMESTAMP"),
    ),
    Forward(
        "datetimetz",
        _field("datetimetz"),
        *("timestamp, timestamptz", "timestamp[us, tz=UTC]", "timestamp", "timestamp[us]", "TIMESTAMP"),
    ),
)
_INT_64: Final = _field("integer", min=_MIN_64, max=_MAX_64)
_INT_32: Final = _field("integer", min="-2147483648", max="2147483647")
_INT_16: Final = _field("integer", min="-32768", max="32767")
_INT_8: Final = _field("integer", min="-128", max="127")
_UINT_64: Final = _field("integer", min="0", max=_MAX_U64)
_DOUBLE: Final = _field("decimal", fp_total_bits=64, fp_significand_bits=53)
_SINGLE: Final = _field("decimal", fp_total_bits=32, fp_significand_bits=23)
_HALF: Final = _field("decimal", fp_total_bits=16, fp_significand_bits=11)
_MONEY: Final = _field("decimal", fixed_precision=10, fixed_scale=2)
_STRING: Final = _field("string")

BACK: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "Tablemill": {
        "integer": _INT_64,
        "numeric": _field("decimal", fixed_precision=38, fixed_scale=9),
        "numeric(10,2)": _MONEY,
        "float": _DOUBLE,
        "string": _STRING,
        "string(20)": _field("string", max_length_chars=20),
        "boolean": _field("boolean"),
        "date": _field("date"),
        "timestamp": _field("datetime"),
        "string, time": _field("time"),
        "string, timetz": _field("timetz"),
        "timestamp, timestamptz": _field("datetimetz"),
    },
    "Arrow": {
        "int8": _INT_8,
        "int16": _INT_16,
        "int32": _INT_32,
        "int64": _INT_64,
        "uint8": _field("integer", min="0", max="255"),
        "uint16": _field("integer", min="0", max="65535"),
        "uint32": _field("integer", min="0", max="4294967295"),
        "uint64": _UINT_64,
        "halffloat": _HALF,
        "float": _SINGLE,
        "double": _DOUBLE,
        "decimal128(10, 2)": _MONEY,
        "decimal256(76, 38)": _field("decimal", fixed_precision=76, fixed_scale=38),
        "string": _STRING,
        "large_string": _STRING,
        "dictionary<values=string, indices=int32, ordered=0>": _STRING,
        "null": _STRING,
        "bool": _field("boolean"),
        "date32[day]": _field("date"),
        "date64[ms]": _field("date"),
        "time32[s]": _field("time"),
        "time64[us]": _field("time"),
        "timestamp[us]": _field("datetime"),
        "timestamp[ns]": _field("datetime"),
        "timestamp[us, tz=UTC]": _field("datetimetz"),
        "timestamp[ns, tz=US/Eastern]": _field("datetimetz"),
    },
    "Spark": {
        "tinyint": _INT_8,
        "smallint": _INT_16,
        "int": _INT_32,
        "bigint": _INT_64,
        "float": _SINGLE,
        "double": _DOUBLE,
        "decimal(10,2)": _MONEY,
        "decimal(20,0)": _field("decimal", fixed_precision=20, fixed_scale=0),
        "string": _STRING,
        "varchar(20)": _field("string", max_length_chars=20),
        "char(20)": _field("string", max_length_chars=20),
        "boolean": _field("boolean"),
        "date": _field("date"),
        "time(6)": _field("time"),
        "timestamp_ntz": _field("datetime"),
        "timestamp": _field("datetimetz"),
    },
    "Kartothek": {
        "int64": _INT_64,
        "uint64": _UINT_64,
        "double": _DOUBLE,
        "decimal128(10, 2)": _MONEY,
        "string": _STRING,
        "bool": _field("boolean"),
        "date32[day]": _field("date"),
        "timestamp[us]": _field("datetime"),
        "timestamp[us, tz=UTC]": _field("datetimetz"),
    },
    "Keboola": {
        "INTEGER": _INT_64,
        "NUMERIC": _field("decimal", fixed_precision=38, fixed_scale=9),
        "NUMERIC(10,2)": _MONEY,
        "FLOAT": _DOUBLE,
        "STRING": _STRING,
        "STRING(20)": _field("string", max_length_chars=20),
        "BOOLEAN": _field("boolean"),
        "DATE": _field("date"),
        "TIMESTAMP": _field("datetime"),
    },
}

CELL_FORMATS: Final = ("dumb", "csv", "bluelabs", "vertica", "bigquery", "Parquet", "Avro")
"""The variants of delimited text with their own hints, and the formats that have types."""
_KEPT: Final = ("kept",) * 7
_NOT_IN_CSV: Final = ("kept", "refused", *_KEPT[2:])
_NOT_IN_DUMB: Final = ("refused", *_KEPT[1:])
CELLS: Final[Mapping[str, tuple[str, ...]]] = {
    "null, of any type": _KEPT,
    "the empty string": (*("null",) * 5, "kept", "kept"),
    "text with a comma": _NOT_IN_DUMB,
    "text with a line end": _NOT_IN_DUMB,
    "text with a quote": _KEPT,
    "text with a euro sign": _KEPT,
    "the text `NULL`": _KEPT,
    "NaN": _KEPT,
    "infinity": _KEPT,
    "integer of 64 bits": _KEPT,
    "numeric of 38 digits": _KEPT,
    "number of more digits, as text": _KEPT,
    "numeric(10,2) `1.50`": _KEPT,
    "date in this century": _KEPT,
    "date in the year 1": _NOT_IN_CSV,
    "time in whole seconds": _KEPT,
    "time with a fraction": _KEPT,
    "time with an offset": _KEPT,
    "datetime in whole minutes": _KEPT,
    "datetime in whole seconds": _NOT_IN_CSV,
    "datetime with a fraction": _NOT_IN_CSV,
    "instant (datetimetz) in whole minutes": _KEPT,
    "instant in whole seconds": _NOT_IN_CSV,
}
"""What a cell is after it was written in each format and read back."""
HINTS: Final[tuple[tuple[Mapping[str, Any], str, str], ...]] = (
    ({"quoting": "all"}, "the empty string", "null"),
    ({"escape": None}, "text with a comma", "refused"),
    ({"escape": None}, "text with a line end", "refused"),
    ({"escape": None, "quoting": "minimal", "doublequote": True}, "text with a comma", "kept"),
    ({"field_delimiter": "\t", "escape": None}, "text with a comma", "kept"),
    ({"encoding": "LATIN1"}, "text with a euro sign", "refused"),
    ({"dateformat": "MM/DD/YY"}, "date in this century", "kept"),
    ({"dateformat": "MM/DD/YY"}, "date in the year 1", "refused"),
    ({"timeonlyformat": "HH24:MI"}, "time in whole seconds", "refused"),
    ({"datetimeformat": "YYYY-MM-DD HH24:MI"}, "datetime in whole minutes", "kept"),
    ({"datetimeformat": "YYYY-MM-DD HH24:MI"}, "datetime in whole seconds", "refused"),
    ({"datetimeformat": "YYYY-MM-DD HH12:MI AM"}, "datetime in whole minutes", "kept"),
    ({"datetimeformattz": "YYYY-MM-DD HH24:MI:SS"}, "instant in whole seconds", "kept"),
)
"""What a hint above those of bluelabs makes of a cell."""

FAMILIES: Final = ("column", "arrow", "spark", "kartothek", "keboola")
_HEADS: Final = ("Tablemill", "Arrow", "Spark", "Kartothek", "Keboola")
_INTRODUCTION: Final = """\
# Types of records schemas

This page is written from `scripts/write_records_types.py`; a test holds every cell of it.

## From a records schema

What follows a comma is the kind of the values, carried by the column as its attribute `logical`: a time is kept as text
`HH:MM:SS[.ffffff]`, a datetimetz as a timestamp in UTC. "Arrow" is the type in Parquet and Avro files of a records
directory, "Kartothek" the one in a dataset, "Keboola" base type and length. Integers are not narrowed to the range of
their constraints: a wider type loses nothing, and rows of another source may not keep to them. Numbers of more than 38
digits are text, so that every digit stays; a decimal of which nothing is known is a float, as databases take it.

In out/tables a column says its length, and that it has no nulls (`required`), where all rows of the output come from
one records directory in this run; where rows may have come from elsewhere it says neither.
"""
_ABOUT_CELLS: Final = """\
What a cell is after it was written to a records directory and read back, with the hints of each variant. What a dialect
cannot carry is refused before anything is written (`cell.unwritable`, a format that is none `records.hint`), never
changed. The empty string becomes null, which is counted and said once per column; with `keep_quoted_empty` a reader of
ours has it back where it is quoted. An instant is kept in UTC, and loses the name of its zone but in Parquet.
"""


def page() -> str:
    """Return docs/records-types.md."""
    return "\n".join([_INTRODUCTION, *_forward(), *_back(), *_cells(), ""])


def _forward() -> Iterator[str]:
    yield _row("records", "constraints", *_HEADS)
    yield _row(*["---"] * 7)
    for line in FORWARD:
        yield _row(line.name, _constraints(line.field), *(f"`{getattr(line, family)}`" for family in FAMILIES))


def _back() -> Iterator[str]:
    yield "\n## To a records schema\n"
    yield "A column that came from a records schema keeps its field while its type is the same; else this holds."
    for family, types in BACK.items():
        yield f"\n| {family} | records | constraints |\n|---|---|---|"
        yield from (_row(f"`{text}`", field["type"], _constraints(field)) for text, field in types.items())


def _cells() -> Iterator[str]:
    yield f"\n## What cells become\n\n{_ABOUT_CELLS}"
    yield _row("cell", *CELL_FORMATS)
    yield _row(*["---"] * (len(CELL_FORMATS) + 1))
    yield from (_row(name, *outcomes) for name, outcomes in CELLS.items())
    yield "\nOf hints above those of bluelabs:\n"
    yield _row("hints", "cell", "becomes")
    yield _row(*["---"] * 3)
    for hints, name, becomes in HINTS:
        yield _row(", ".join(f"`{key}` `{json.dumps(value)}`" for key, value in hints.items()), name, becomes)


def _constraints(field: Mapping[str, Any]) -> str:
    known = {key: value for key, value in field["constraints"].items() if key != "required"}
    return ", ".join(f"`{key}` {_short(value)}" for key, value in known.items())


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 20 else f"10^{len(text) - 1}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
