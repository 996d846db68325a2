"""Column types in the platform's words: a base type, and for a backend what the base type would get wrong there.

The table of docs/outputs.md is this module; a test compares them.
"""

from __future__ import annotations

from typing import Final

from component.tables.logical import Logical, logical_of
from component.tables.types import Column, TypeName, numeric_length

BASE: Final = "base"
SNOWFLAKE: Final = "snowflake"
BIGQUERY: Final = "bigquery"
BIGQUERY_WHOLE_DIGITS: Final = 29
BIGQUERY_SCALE: Final = 9
"""Most digits before and behind the point of BigQuery's NUMERIC; BIGNUMERIC has 38 and 38."""


def native_types(column: Column) -> dict[str, dict[str, str]]:
    """Return the types of a column by backend, `base` first.

    Timestamps have no zone, which the base type leaves to the backend; those that came with one leave with it. A
    numeric always says its length, since without one Snowflake would round to whole numbers.
    """
    if logical_of(column) is Logical.ZONED:
        return {BASE: {"type": "TIMESTAMP"}, SNOWFLAKE: {"type": "TIMESTAMP_TZ"}, BIGQUERY: {"type": "TIMESTAMP"}}
    types = {BASE: _base(column)}
    if column.type is TypeName.TIMESTAMP:
        types[SNOWFLAKE] = {"type": "TIMESTAMP_NTZ"}
        types[BIGQUERY] = {"type": "DATETIME"}
    elif column.type is TypeName.NUMERIC and not _fits_bigquery_numeric(column):
        types[BIGQUERY] = {"type": "BIGNUMERIC", "length": types[BASE]["length"]}
    return types


def _base(column: Column) -> dict[str, str]:
    word = {"type": column.type.value.upper()}
    if column.type is TypeName.NUMERIC:
        precision, scale = numeric_length(column)
        return word | {"length": f"{precision},{scale}"}
    # Backends refuse a length of other types, such as the 11 of MySQL's int(11).
    has_length = column.type is TypeName.STRING and column.length
    return word | {"length": column.length} if has_length and column.length else word


def _fits_bigquery_numeric(column: Column) -> bool:
    precision, scale = numeric_length(column)
    return scale <= BIGQUERY_SCALE and precision - scale <= BIGQUERY_WHOLE_DIGITS
