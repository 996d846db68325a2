"""JSON records gathered column by column, within limits; and what was left out (reference workbench 5, "JSON")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from component.workbench.column_names import clean_name
from component.workbench.limits import cut_text
from component.workbench.parse.json_values import UNWRITTEN, JsonObject, Number, compact
from component.workbench.parse.options import FileLimits


@dataclass(slots=True)
class LeftOut:
    """What was left out. Names have the row, from 0, in which they came first."""

    rows: int = 0
    stopped: bool = False
    no_objects: list[tuple[int, str]] = field(default_factory=list)
    columns: dict[str, int] = field(default_factory=dict)
    invalid_names: dict[str, int] = field(default_factory=dict)
    duplicates: dict[str, int] = field(default_factory=dict)
    cut_names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Gathered:
    """Columns of values; each has at most as many as there are rows."""

    limits: FileLimits
    rows: int = 0
    columns: dict[str, list[Any]] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)
    _bytes: int = 0

    def add(self, record: Any) -> None:
        """Take a record; nothing more once the limit of bytes is reached."""
        left_out, most = self.left_out, self.limits.table.rows
        if left_out.stopped:
            return
        if not isinstance(record, JsonObject):
            left_out.no_objects.append((self.rows + left_out.rows + len(left_out.no_objects), compact(record)[:1000]))
        elif most is not None and self.rows >= most:
            left_out.rows += 1
        elif self._take(record):
            self.rows += 1

    def _take(self, record: JsonObject) -> bool:
        """Take the values of a record; return whether it is a row, which one that breaks off at once is not."""
        seen: set[str] = set()
        is_row = record.pairs[-1][1] is not UNWRITTEN if record.pairs else True
        for key, value in record.pairs:
            found = self._column(key)
            if found is None:
                continue
            name, column = found
            if name in seen:
                self.left_out.duplicates.setdefault(name, self.rows)
                continue
            seen.add(name)
            if value is UNWRITTEN or not self._within_bytes(value):
                return is_row and any(len(one) > self.rows for one in self.columns.values())
            column.extend([None] * (self.rows - len(column)))
            column.append(value)
            is_row = True
        return is_row

    def _within_bytes(self, value: Any) -> bool:
        most = self.limits.text_bytes
        if most is not None and value is not None:
            size, cell = _size(value), self.limits.table.cell_bytes
            self._bytes += size if cell is None else min(size, cell)
            self.left_out.stopped = self._bytes > most
        return not self.left_out.stopped

    def _column(self, key: str) -> tuple[str, list[Any]] | None:
        """Return name and column of a key; None for one that cannot be a name, or is beyond the limit."""
        limits = self.limits.table
        name = key if limits.name_bytes is None else cut_text(key, limits.name_bytes)
        column = self.columns.get(name)
        if column is not None:
            return name, column
        if not name or clean_name(name, None).name != name:
            self.left_out.invalid_names.setdefault(name, self.rows)
            return None
        if limits.columns is not None and len(self.columns) >= limits.columns:
            self.left_out.columns.setdefault(name, self.rows)
            return None
        if name != key:
            self.left_out.cut_names.append(name)
        self.columns[name] = column = []
        return name, column

    def filled(self) -> Iterable[tuple[str, list[Any]]]:
        """Yield each column with as many values as there are rows."""
        for name, values in self.columns.items():
            yield name, values + [None] * (self.rows - len(values))


def _size(value: Any) -> int:
    if isinstance(value, Number):
        return len(value.text)
    return len((value if isinstance(value, str) else compact(value)).encode())
