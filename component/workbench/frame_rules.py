"""What a pandas frame must be to be a Workbench table (reference workbench 1.1, 6).

Nothing here imports pandas: a frame is known by what it does, and types by numpy's kinds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from component.errors import Place, TablemillError, UserError
from component.workbench.cell_checks import check_name
from component.workbench.columns import Kind, shown

_NUMBER_KINDS: Final = "iuf"
_WIDEST: Final = 8
_REMEDY: Final = "Change the frame before you return or pass it."


def frame_fault(text: str, column: str | None = None, remedy: str = _REMEDY) -> UserError:
    """Return the error `workbench.frame`."""
    return UserError("workbench.frame", text, place=Place(column=column), remedy=remedy)


def kind_of_dtype(dtype: Any) -> Kind | None:
    """Return the column type of a dtype; None for those that are not allowed.

    Allowed are numpy's integers and floats of up to 64 bits, datetime64[ns] without zone, period[D], object, and
    category; booleans, pandas' own nullable types and other periods are not.
    """
    if str(dtype) == "period[D]":
        return Kind.DATE
    if str(dtype) in ("object", "category"):
        return Kind.TEXT
    if str(dtype) == "datetime64[ns]":
        return Kind.TIMESTAMP
    is_numpy = type(dtype).__module__.startswith("numpy")
    number = is_numpy and dtype.kind in _NUMBER_KINDS and dtype.itemsize <= _WIDEST
    return Kind.NUMBER if number else None


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
