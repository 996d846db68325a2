"""Doubts about the first line of a table: whether it is a header, and has the columns that it should."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, Final

from component.file_types import GZIP
from component.findings import Finding
from component.folder.out_listing import HEAD_BYTES, OutSource
from component.mapping.findings.ids import columns_of
from component.mapping.findings.texts import finding
from component.mapping.platform.model import FirstLine, Load
from component.mapping.platform.webalize import webalized_name
from component.naming import DELIMITER, ENCLOSURE, UTF8_BOM

_DELIMITERS: Final = (",", ";", "\t", "|")


def header_findings(load: Load, source: OutSource) -> Iterator[Finding]:
    """Yield what the first line of a source tells, as far as its first bytes are known and are plain text."""
    if source.head.startswith(UTF8_BOM):
        yield finding("finding.bom", source.name)
    delimiter = load.options.get("delimiter", DELIMITER)
    enclosure = load.options.get("enclosure", ENCLOSURE)
    cells = _first_record(source.head.removeprefix(UTF8_BOM), delimiter, enclosure)
    if not cells:
        return
    columns = columns_of(load)
    if load.header is FirstLine.HEADLESS and columns:
        yield from _row_findings(source.name, cells, columns)
    elif columns and load.options.get("has_header") and not _same(cells, columns):
        yield finding("finding.row_as_header", source.name)
    elif not columns:
        yield from _name_findings(source.name, cells, delimiter)


def _row_findings(source: str, cells: list[str], columns: list[str]) -> Iterator[Finding]:
    if _same(cells, columns):
        yield finding("finding.header_as_row", source)
    elif len(cells) != len(columns):
        yield finding("finding.column_count", source, cells=len(cells), columns=len(columns))


def _name_findings(source: str, cells: list[str], delimiter: str) -> Iterator[Finding]:
    seen: set[str] = set()
    for cell in cells:
        if cell.lower() in seen:
            yield finding("finding.header_repeated", source, column=cell)
        seen.add(cell.lower())
    if len(cells) == 1:
        other = next((one for one in _DELIMITERS if one != delimiter and one in cells[0]), None)
        if other is not None:
            yield finding("finding.delimiter", source, delimiter=repr(delimiter), other=repr(other))


def _same(cells: list[str], columns: list[str]) -> bool:
    return [webalized_name(cell).lower() for cell in cells] == [webalized_name(column).lower() for column in columns]


def _first_record(head: bytes, delimiter: Any, enclosure: Any) -> list[str]:
    if not (_is_character(delimiter) and _is_character(enclosure)) or head.startswith(GZIP.magic):
        return []
    line, ended, _ = head.partition(b"\n")
    if not ended and len(head) >= HEAD_BYTES - len(UTF8_BOM):
        return []  # longer than what was read
    try:
        # a record over several lines is no header that anybody writes
        return next(csv.reader([line.decode().rstrip("\r")], delimiter=delimiter, quotechar=enclosure, strict=True), [])
    except (UnicodeDecodeError, csv.Error, ValueError):
        return []


def _is_character(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 1 and value not in "\r\n\0 "
