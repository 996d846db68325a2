"""Rows and bytes of a state, as machines and people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from component.dataset.format.facts import Sums
from component.report.amounts import counted, size_text


def describe_sums(sums: Sums) -> dict[str, Any]:
    """Return rows and bytes of a state; `unknown_files` are not among them."""
    rows = dict(sums.rows)
    return {
        "rows": sum(rows.values()),
        "rows_by_table": rows,
        "bytes": sums.bytes,
        "unknown_files": sums.unknown,
    }


def sums_text(found: Mapping[str, Any]) -> str:
    """Return rows and bytes for people."""
    unknown = found["unknown_files"]
    text = f"{counted(found['rows'], 'row')}, {size_text(found['bytes'])}"
    return f"{text}, and {counted(unknown, 'file')} of which it is not known" if unknown else text
