"""Statistics of the columns of a records directory, from the rows as they are written (reference records 1.1).

Each file gives its own; together they are those of the directory, whatever the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from component.records.schema_models import Constraints, Field, FieldType
from component.tables.types import is_text

Number = int | float | Decimal


@dataclass(frozen=True, slots=True)
class FieldStatistics:
    """What was seen of one column: rows, nulls, the longest text, the least and the greatest number.

    None is nothing seen.
    """

    rows: int = 0
    max_chars: int | None = None
    max_bytes: int | None = None
    min: Number | None = None
    max: Number | None = None
    nulls: int = 0

    @classmethod
    def of(cls, values: Any) -> FieldStatistics:
        """Return the statistics of an array; of floats, only finite ones are numbers."""
        if is_text(values.type):
            chars, length = pc.max(pc.utf8_length(values)).as_py(), pc.max(pc.binary_length(values)).as_py()
            return cls(len(values), chars, length, nulls=values.null_count)
        if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or _is_decimal(values.type)):
            return cls(len(values), nulls=values.null_count)
        finite = values.filter(pc.is_finite(values)) if pa.types.is_floating(values.type) else values
        ends = pc.min_max(finite).as_py()
        return cls(len(values), None, None, ends["min"], ends["max"], values.null_count)

    def merge(self, other: FieldStatistics) -> FieldStatistics:
        """Return the statistics of the rows of both."""
        return FieldStatistics(
            self.rows + other.rows,
            _pick(max, self.max_chars, other.max_chars),
            _pick(max, self.max_bytes, other.max_bytes),
            _pick(min, self.min, other.min),
            _pick(max, self.max, other.max),
            self.nulls + other.nulls,
        )


def statistics_of(table: pa.Table) -> tuple[FieldStatistics, ...]:
    """Return the statistics of the columns of a table, in their order."""
    return tuple(FieldStatistics.of(column) for column in table.columns)


def merged(parts: Sequence[Sequence[FieldStatistics]], columns: int) -> tuple[FieldStatistics, ...]:
    """Return the statistics of all files together; of no file, those of no rows."""
    total = [FieldStatistics()] * columns
    for part in parts:
        total = [one.merge(other) for one, other in zip(total, part, strict=True)]
    return tuple(total)


def with_statistics(field: Field, seen: FieldStatistics) -> Field:
    """Return a field with what was seen of its values; a constraint that they do not keep is widened or goes.

    Only strings and numbers have statistics: the published JSON Schema refuses them elsewhere.
    """
    kept = replace(field, constraints=_widened(field, seen))
    rows = {"rows_sampled": seen.rows, "total_rows": seen.rows}
    if field.type is FieldType.STRING:
        lengths = {"max_length_bytes": seen.max_bytes, "max_length_chars": seen.max_chars}
        known = {name: value for name, value in lengths.items() if value is not None}
        return replace(kept, statistics={**rows, **known})
    if field.type in {FieldType.INTEGER, FieldType.DECIMAL}:
        ends = {"min": seen.min, "max": seen.max}
        texts = {name: _text(value) for name, value in ends.items() if value is not None}
        return replace(kept, statistics={**rows, **texts})
    return replace(kept, statistics=None)


def _widened(field: Field, seen: FieldStatistics) -> Constraints:
    """Return constraints that the values keep: rows may have come from elsewhere since these were stated."""
    found = replace(field.constraints, required=field.constraints.required and not seen.nulls)
    if field.type is FieldType.STRING:
        most_bytes, most_chars = found.max_length_bytes, found.max_length_chars
        return replace(
            found,
            max_length_bytes=None if _is_over(seen.max_bytes, most_bytes) else most_bytes,
            max_length_chars=None if _is_over(seen.max_chars, most_chars) else most_chars,
        )
    if field.type is FieldType.INTEGER and seen.min is not None:
        is_outside = _is_over(found.min, seen.min) or _is_over(seen.max, found.max)
        return replace(found, min=None, max=None) if is_outside else found
    return found


def _is_over(one: Number | None, other: Number | None) -> bool:
    return one is not None and other is not None and one > other


def _pick(which: Any, one: Any, other: Any) -> Any:
    known = [value for value in (one, other) if value is not None]
    return which(known) if known else None


def _is_decimal(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_decimal(data_type))


def _text(value: Number) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else repr(value)
