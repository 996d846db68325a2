"""Workbench tables as pandas frames, and back. Needs pandas: `pip install tablemill[pandas]`.

pandas is imported where it is used and nowhere else, so that nothing inside depends on it; whether a frame can be a
table (reference workbench 1.1, 6) is checked without it, by what the frame does and by numpy's kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place, TablemillError, UserError
from component.workbench.rules.cell_checks import check_dates, check_name
from component.workbench.rules.limits import UNLIMITED, TableSizes
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import (
    ColumnKind,
    WorkbenchColumn,
    date_column,
    date_unit_of,
    default_column,
    number_column,
    shown,
)
from component.workbench.tables.date_unit import DateUnit
from component.workbench.tables.dictionaries import one_batch
from component.workbench.tables.faults import loss
from component.workbench.tables.table import NO_TABLE, WorkbenchTable

_NUMBER_KINDS: Final = "iuf"
_WIDEST: Final = 8
_REMEDY: Final = "Change the frame before you return or pass it."


def frame_fault(text: str, column: str | None = None, remedy: str = _REMEDY) -> UserError:
    """Return the error `workbench.frame`."""
    return UserError("workbench.frame", text, place=Place(column=column), remedy=remedy)


def kind_of_dtype(dtype: Any) -> ColumnKind | None:
    """Return the column type of a dtype; None for those that are not allowed.

    Allowed are numpy's integers and floats of up to 64 bits, datetime64[ns] without zone, period[D], object, and
    category; booleans, pandas' own nullable types and other periods are not.
    """
    if str(dtype) == "period[D]":
        return ColumnKind.DATE
    if str(dtype) in ("object", "category"):
        return ColumnKind.TEXT
    if str(dtype) == "datetime64[ns]":
        return ColumnKind.TIMESTAMP
    is_numpy = type(dtype).__module__.startswith("numpy")
    number = is_numpy and dtype.kind in _NUMBER_KINDS and dtype.itemsize <= _WIDEST
    return ColumnKind.NUMBER if number else None


def _counts_from_zero(index: Any) -> bool:
    """Say whether the values of an index are 0, 1, 2…, in a RangeIndex or any other."""
    numbers = index.to_numpy()
    return numbers.dtype.kind in "iu" and bool((numbers == np.arange(len(numbers))).all())


def check_frame(frame: Any, name_bytes: int | None) -> None:
    """Hold that a frame follows the rules for names, index and dtypes; values are looked at when they are turned.

    Names are texts, valid and unique as `column_names` would leave them; the index counts from 0. UserError
    `workbench.frame`.
    """
    seen: set[str] = set()
    for name in frame.columns:
        if not isinstance(name, str):
            raise frame_fault(f"a column has the name {name!r}, which is no text")
        try:
            check_name(name, name_bytes)
        except (TablemillError, UnicodeEncodeError) as error:
            raise frame_fault(f"the column name {name!r} is not valid") from error
        if name in seen:
            raise frame_fault("two columns have the same name", name)
        seen.add(name)
    if not _counts_from_zero(frame.index):
        raise frame_fault("the index does not count from 0", remedy="Call reset_index(drop=True) on the frame.")
    for name, dtype in frame.dtypes.items():
        if kind_of_dtype(dtype) is None:
            raise frame_fault(f"a column has the dtype {dtype}, which is not allowed", shown(name))


_NOT_A_TIME: Final = -(2**63)
_EXACT: Final = 2**53
"""The whole numbers that every float64 says exactly lie between this and its negative."""


def is_frame(value: Any) -> bool:
    """Say whether a value is a pandas frame."""
    import pandas as pd  # noqa: PLC0415 - an optional dependency

    return isinstance(value, pd.DataFrame)


def empty_frame() -> Any:
    """Return a frame without columns."""
    import pandas as pd  # noqa: PLC0415 - an optional dependency

    return pd.DataFrame()


def to_frame(table: WorkbenchTable, reading: ReadingMode = ReadingMode.STRICT) -> Any:
    """Return a table as a frame that follows the frame rules.

    Text is `object` (None for null) or `category`, a date `period[D]`, a timestamp `datetime64[ns]`. Numbers keep their
    width, whole ones with nulls become float64, in which nulls are NaN; so do those that float64 cannot say exactly
    when `reading` is lenient, else they are refused: UserError `workbench.loss`. Numbers without nulls are not copied.
    """
    import pandas as pd  # noqa: PLC0415 - an optional dependency

    rows = one_batch(table.rows)
    values = {}
    for column, cells in zip(table.columns, rows.columns, strict=True):
        chunk = cells.chunk(0) if cells.num_chunks else pa.array([], cells.type)
        values[column.name] = _TO_SERIES[column.kind](chunk, column.name, reading)
    return pd.DataFrame(values, index=pd.RangeIndex(rows.num_rows), copy=False)


def _series_of_text(cells: pa.Array, _name: str, _reading: ReadingMode) -> Any:
    import pandas as pd  # noqa: PLC0415 - an optional dependency

    if not pa.types.is_dictionary(cells.type):
        return pd.Series(cells.to_numpy(zero_copy_only=False), dtype=object)
    words = pd.Index(cells.dictionary.to_pylist(), dtype=object)
    codes = pc.fill_null(cells.indices, -1).to_numpy(zero_copy_only=False)
    return pd.Series(pd.Categorical.from_codes(codes, categories=words))


def _series_of_numbers(cells: pa.Array, name: str, reading: ReadingMode) -> Any:
    import pandas as pd  # noqa: PLC0415 - an optional dependency

    if not pa.types.is_integer(cells.type) or not cells.null_count:
        return pd.Series(cells.to_numpy(zero_copy_only=False), copy=False)
    ends = pc.min_max(cells).as_py()
    if (
        reading is ReadingMode.STRICT
        and ends["min"] is not None
        and not -_EXACT <= ends["min"] <= ends["max"] <= _EXACT
    ):
        text = "whole numbers beyond 2**53 with nulls among them would lose digits as float64"
        raise loss(text, column=shown(name))
    return pd.Series(cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _series_of_dates(cells: pa.Array, _name: str, _reading: ReadingMode) -> Any:
    import pandas as pd  # noqa: PLC0415 - an optional dependency

    days = pc.fill_null(cells.cast(pa.int32()).cast(pa.int64()), _NOT_A_TIME).to_numpy(zero_copy_only=False)
    return pd.Series(pd.arrays.PeriodArray(np.array(days), dtype=pd.PeriodDtype("D")))


def _series_of_timestamps(cells: pa.Array, name: str, _reading: ReadingMode) -> Any:
    import pandas as pd  # noqa: PLC0415 - an optional dependency

    counts = cells.cast(pa.int64())
    if pc.any(pc.equal(counts, _NOT_A_TIME)).as_py():
        raise loss("the first of all timestamps is null in pandas", column=shown(name))
    moments = pc.fill_null(counts, _NOT_A_TIME).to_numpy(zero_copy_only=False)
    return pd.Series(moments.view("datetime64[ns]"), copy=False)


_TO_SERIES: Final[dict[ColumnKind, Callable[[pa.Array, str, ReadingMode], Any]]] = {
    ColumnKind.TEXT: _series_of_text,
    ColumnKind.NUMBER: _series_of_numbers,
    ColumnKind.DATE: _series_of_dates,
    ColumnKind.TIMESTAMP: _series_of_timestamps,
}


def from_frame(
    frame: Any,
    formats: Mapping[str, str] | None = None,
    fallback: Iterable[WorkbenchColumn] = (),
    limits: TableSizes = UNLIMITED,
) -> WorkbenchTable:
    """Return a frame as a table.

    A column's format (or unit) is the one in `formats`, else that of the column of the same name and type in
    `fallback`, else the default. `limits` says how long names may be; other sizes are left to `within_limits`.
    UserError `workbench.frame` for a frame that breaks a rule, `workbench.invalid` for a format that is none.
    """
    check_frame(frame, limits.name_bytes)
    if not len(frame.columns):
        return NO_TABLE
    known = {column.name: column for column in fallback}
    columns, values = [], []
    for name in frame.columns:
        kind = kind_of_dtype(frame[name].dtype)
        cells = _cells(frame[name], name)
        columns.append(_column(name, kind or ColumnKind.TEXT, (formats or {}).get(name), known.get(name), cells))
        values.append(cells)
    return WorkbenchTable(tuple(columns), pa.table(values, names=list(frame.columns)))


def _column(
    name: str, kind: ColumnKind, explicit: str | None, fallback: WorkbenchColumn | None, cells: pa.Array
) -> WorkbenchColumn:
    if explicit is not None:
        if kind is ColumnKind.NUMBER:
            return number_column(name, explicit)
        if kind is not ColumnKind.DATE:
            raise frame_fault(f"a format is given for a column of type {kind}", shown(name))
        unit = date_unit_of(explicit, name)
        check_dates(name, cells, unit)
        return date_column(name, unit)
    column = default_column(name, kind) if fallback is None or fallback.kind is not kind else fallback
    return date_column(name) if column.unit is not None and not _fits(name, cells, column.unit) else column


def _fits(name: str, cells: pa.Array, unit: DateUnit) -> bool:
    check_dates(name, cells, DateUnit.DAY)
    try:
        check_dates(name, cells, unit)
    except TablemillError:
        return False
    return True


def _cells(series: Any, name: str) -> pa.Array:
    """Return a column's values in Arrow; UserError `workbench.frame` for values that break a rule."""
    if str(series.dtype) == "category":
        return _coded_text(series, name)
    kind = kind_of_dtype(series.dtype)
    if kind is ColumnKind.TEXT:
        return _text(series, name)
    if kind is ColumnKind.DATE:
        days = series.array.asi8
        try:
            return pa.array(days, pa.int64(), mask=days == _NOT_A_TIME).cast(pa.int32()).cast(pa.date32())
        except pa.ArrowInvalid as error:
            raise frame_fault("a date is too far away", shown(name)) from error
    native = series.to_numpy().astype(series.dtype.newbyteorder("="), copy=False)
    if kind is ColumnKind.NUMBER and native.dtype.kind == "f" and np.isinf(native).any():
        raise frame_fault("a number is infinite", shown(name))
    return pa.array(native, from_pandas=True)


def _text(series: Any, name: str) -> pa.Array:
    null = series.isna().to_numpy()
    texts = series.to_numpy(dtype=object)
    if not all(isinstance(one, str) for one in texts[~null]):
        raise frame_fault("a column of objects has one that is no text", shown(name))
    try:
        return pa.array(np.where(null, None, texts), pa.string())
    except UnicodeEncodeError as error:
        raise frame_fault("a text has half of a surrogate pair", shown(name)) from error


def _coded_text(series: Any, name: str) -> pa.Array:
    words = _text(series.cat.categories.to_series().astype(object), name)
    codes = series.cat.codes.to_numpy()
    if words.null_count or len(np.unique(codes[codes >= 0])) != len(words):
        raise frame_fault("a column has categories that no row uses", shown(name))
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), words)
