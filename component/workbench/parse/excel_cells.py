"""The cells of the first sheet of a workbook: openpyxl reads XLSX, xlrd the XLS of before.

No maintained library renders number formats, so the commonest are rendered here: whole numbers, decimals, thousands,
percent and plain dates. All other cells are shown in full: a number as the shortest text that reads back, a moment as
ISO 8601.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from component.file_types import XLS
from component.naming import MIB

"""First bytes of an XLS file."""
_DAY: Final = 86400
MOST_CELLS: Final = 6_000_000
"""Cells of a sheet; they take about 800 MB."""
MOST_UNPACKED: Final = 512 * MIB
"""Bytes of the parts of a workbook, unpacked."""


class TooLargeError(Exception):
    """A workbook would fill the memory."""


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell: a text, a number, true or false, a moment, or None; and the format that shows it."""

    value: str | float | bool | dt.datetime | None = None
    format: str = "General"

    @property
    def text(self) -> str | None:
        """The cell as a sheet shows it."""
        return formatted(self.value, self.format)


EMPTY: Final = SheetCell()


def sheet_rows(data: bytes) -> Iterator[list[SheetCell]]:
    """Yield the rows of the first sheet. Raises whatever the libraries raise for a file that is no workbook.

    TooLargeError for more than `MOST_CELLS` cells or `MOST_UNPACKED` bytes.
    """
    cells = 0
    for row in _rows_of_xls(data) if data.startswith(XLS.magic) else _rows_of_xlsx(data):
        cells += len(row)
        if cells > MOST_CELLS:
            raise TooLargeError(f"its first sheet has more than {MOST_CELLS:,} cells")
        yield row


def _rows_of_xlsx(data: bytes) -> Iterator[list[SheetCell]]:
    import openpyxl  # noqa: PLC0415 - loaded for Excel only

    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise ValueError("it is no ZIP")
    _hold_size(data)
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    try:
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # what the file says of them may be millions of cells that are not there
        for row in sheet.iter_rows():
            yield [_cell(cell.value, cell.number_format or "General") for cell in row]
    finally:
        book.close()


def _hold_size(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > MOST_UNPACKED:
        raise TooLargeError(f"its parts have {size:,} bytes unpacked, and at most {MOST_UNPACKED:,} are read")


def _cell(value: Any, number_format: str) -> SheetCell:
    if value is None or value == "":
        return EMPTY
    if isinstance(value, dt.time):
        return SheetCell(value.isoformat())
    if isinstance(value, dt.timedelta):
        value = value.total_seconds() / _DAY
    elif isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        value = dt.datetime.combine(value, dt.time())
    known = isinstance(value, bool | str | dt.datetime)
    return SheetCell(value if known else float(value), number_format)


def _rows_of_xls(data: bytes) -> Iterator[list[SheetCell]]:
    import xlrd  # noqa: PLC0415 - loaded for Excel only

    with xlrd.open_workbook(file_contents=data, formatting_info=True, logfile=io.StringIO()) as book:
        sheet = book.sheet_by_index(0)
        for number in range(sheet.nrows):
            yield [_xls_cell(book, cell) for cell in sheet.row(number)]


def _xls_cell(book: Any, cell: Any) -> SheetCell:
    import xlrd  # noqa: PLC0415 - loaded for Excel only

    shown = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
    if cell.ctype == xlrd.XL_CELL_TEXT:
        return _cell(cell.value, shown)
    if cell.ctype == xlrd.XL_CELL_NUMBER:
        return SheetCell(float(cell.value), shown)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return SheetCell(bool(cell.value), shown)
    if cell.ctype == xlrd.XL_CELL_DATE:
        return SheetCell(xlrd.xldate_as_datetime(cell.value, book.datemode), shown)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return SheetCell(str(xlrd.error_text_from_code.get(cell.value, "#ERR")))
    return EMPTY


_NUMBER: Final = re.compile(r"(#,##)?0(\.(?P<decimals>0+))?(?P<percent>%?)")
_LITERAL: Final = re.compile(r"\"[^\"]*\"|\\.|\[[^\]]*\]|[_*].")
_DIGITS: Final = 15
"""Significant digits that a sheet shows of a number."""


def formatted(value: str | float | bool | dt.datetime | None, number_format: str) -> str | None:
    """Return a cell's text; None for an empty cell."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return _moment(value)
    return _number(value, number_format)


def _moment(value: dt.datetime) -> str:
    whole_day = value.time() == dt.time()
    return value.date().isoformat() if whole_day else value.isoformat(sep=" ")


def _number(value: float, number_format: str) -> str:
    plain = _LITERAL.sub("", number_format.split(";", maxsplit=1)[0]).strip()
    found = _NUMBER.fullmatch(plain)
    if found is None:
        return shortest(value)
    decimals, percent = len(found["decimals"] or ""), found["percent"]
    scaled = value * 100 if percent else value
    return f"{scaled:{',' if found[1] else ''}.{decimals}f}{percent}"


def shortest(value: float) -> str:
    """Return a number with the digits that a sheet shows, whole numbers without fraction."""
    return f"{value:.{_DIGITS}g}"
