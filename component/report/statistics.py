"""What `tablemill dataset stats` says: for machines as JSON values, for people as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from component.dataset.reading.statistics import Statistics
from component.report.amounts import counted, size_text
from component.report.datasets import MOST_LISTED
from component.tables.numeric import decimal_text


def describe_statistics(found: Statistics) -> dict[str, Any]:
    """Return a dataset in numbers; values that JSON does not have are text."""
    return {
        "files": found.files,
        "rows": found.rows,
        "bytes": found.bytes,
        "partitions": [
            {"values": _plain(one.values), "files": one.files, "rows": one.rows, "bytes": one.bytes}
            for one in found.partitions
        ],
        "columns": None
        if found.columns is None
        else [
            {"name": one.name, "type": one.type, "nulls": one.nulls}
            | _plain({"minimum": one.minimum, "maximum": one.maximum})
            for one in found.columns
        ],
    }


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain_value(value) for name, value in values.items()}


def _plain_value(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int)):
        return value
    return decimal_text(value) if isinstance(value, Decimal) else str(value)


def statistics_lines(found: Mapping[str, Any]) -> list[str]:
    """Return the same for people: the first partitions, every column, and the sums."""
    total = f"{counted(found['rows'], 'row')}, {counted(found['files'], 'file')}, {size_text(found['bytes'])}"
    partitions = [_partition_text(one) for one in found["partitions"][:MOST_LISTED]]
    more = len(found["partitions"]) - len(partitions)
    columns = [_column_text(one) for one in found["columns"] or ()]
    return [*partitions, *([f"and {more:,} more"] if more else []), *columns, total]


def _partition_text(found: Mapping[str, Any]) -> str:
    values = "/".join(f"{name}={value}" for name, value in found["values"].items()) or "(not partitioned)"
    return f"{values}: {counted(found['rows'], 'row')}, {counted(found['files'], 'file')}, {size_text(found['bytes'])}"


def _column_text(found: Mapping[str, Any]) -> str:
    nulls = "nulls unknown" if found["nulls"] is None else counted(found["nulls"], "null")
    ends: Sequence[Any] = (found["minimum"], found["maximum"])
    values = "" if None in ends else f", {ends[0]} to {ends[1]}"
    return f"{found['name']} {found['type']}: {nulls}{values}"
