"""Delimited text to rows of cells: the machine of Workbench, which never fails (reference workbench 5, "CSV machine").

A quote opens only at the beginning of a cell; two of them inside of one are one; text after a closing quote is appended
and counted; the end of the text closes a cell; LF, CR and CRLF end a record; records without a character are none.
"""

from __future__ import annotations

import csv
import io
import re
import sys
import threading
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import Final

Row = list[str]
_FIELD_LIMIT: Final = threading.Lock()


@dataclass(slots=True)
class Records:
    """Rows, and what was repaired: cells with text after a closing quote, and a cell that nothing closed."""

    rows: list[Row]
    repaired: list[tuple[int, int]] = field(default_factory=list)
    closed_by_end: bool = False


def read_records(text: str, delimiter: str) -> Records:
    """Return the records of a text. `repaired` has row and column of each repaired cell, from 1.

    Python's csv module reads what needs no repair; what it refuses is read cell by cell.
    """
    try:
        return Records(_read_flawless(text, delimiter))
    except csv.Error:
        return read_carefully(text, delimiter)


def _read_flawless(text: str, delimiter: str) -> list[Row]:
    with _FIELD_LIMIT:  # the limit is one for the whole process
        before = csv.field_size_limit(sys.maxsize)
        try:
            lines = io.StringIO(text, newline="")
            return [row for row in csv.reader(lines, delimiter=delimiter, strict=True) if row]
        finally:
            csv.field_size_limit(before)


def read_carefully(text: str, delimiter: str) -> Records:
    """Return what `read_records` does, cell by cell."""
    records = Records([])
    cell = _cell(delimiter)
    row: Row = []
    at, end = 0, len(text)
    while at < end:
        if not row and text[at] in "\r\n":
            at += 1
            continue
        found = cell.match(text, at)
        if found is None:
            raise AssertionError  # pragma: no cover - the pattern matches the empty cell
        row.append(_take(found, records, len(row), end))
        at = found.end()
        if at < end and text[at] == delimiter:
            at += 1
            if at == end:
                row.append("")
            elif text[at] not in "\r\n":
                continue
            else:
                row.append("")
        at += 2 if text.startswith("\r\n", at) else 1
        records.rows.append(row)
        row = []
    return records


def _take(found: re.Match[str], records: Records, column: int, end: int) -> str:
    quoted, closed, after, plain = found.groups()
    if quoted is None:
        return str(plain)
    if closed is None and found.end() == end:
        records.closed_by_end = True
    if after:
        records.repaired.append((len(records.rows) + 1, column + 1))
    return quoted.replace('""', '"') + (after or "")


@cache
def _cell(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a cell: what is between quotes, the closing quote, what is after it; or a bare text."""
    other = rf"[^{re.escape(delimiter)}\r\n]"
    return re.compile(rf'"([^"]*(?:""[^"]*)*)(?:(")({other}*))?|({other}*)')


def columns_of(rows: list[Row]) -> list[list[str | None]]:
    """Return the columns of rows; a cell that a row does not have is None."""
    return [list(column) for column in zip_longest(*rows)]
