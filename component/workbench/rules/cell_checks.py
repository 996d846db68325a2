"""What must hold of the names and values of an Arrow file before they are used (reference workbench 1.3, 1.4)."""

from __future__ import annotations

import re
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from component.workbench.tables.columns import shown
from component.workbench.tables.date_unit import DateUnit, misfits, outside_calendar
from component.workbench.tables.dictionaries import INDEX_TYPES
from component.workbench.tables.faults import TableRule, invalid

CONTROLS: Final = re.compile("[\x00-\x1f]")
_AT_ONCE: Final = 1 << 17
"""Values looked at together: what a check needs besides the values themselves stays small."""


def check_name(name: str, most: int | None) -> None:
    """Hold that a column name is no empty text, has no character below U+0020, and at most `most` bytes.

    UserError `workbench.invalid` (InvalidArrowFile).
    """
    if not name:
        raise invalid(TableRule.INVALID_ARROW_FILE, "a column has an empty name")
    if CONTROLS.search(name):
        raise invalid(TableRule.INVALID_ARROW_FILE, f"the column name {name!r} has control characters")
    size = len(name.encode())
    if most is not None and size > most:
        raise invalid(TableRule.INVALID_ARROW_FILE, f"a column name has {size} bytes, more than {most}", column=name)


def check_values(name: str, values: pa.Array) -> None:
    """Hold that values are sound, floats finite, and a dictionary has text only, each once, none null, none unused.

    Offsets, lengths, null counts and UTF-8 are looked at in full, in place. UserError `workbench.invalid`
    (InvalidArrowFile).
    """
    try:
        values.validate(full=True)
    except pa.ArrowException as error:
        raise invalid(TableRule.INVALID_ARROW_FILE, str(error).splitlines()[0], column=shown(name)) from error
    if pa.types.is_dictionary(values.type):
        _check_dictionary(name, values)
    elif pa.types.is_floating(values.type):
        _check_finite(name, values)


def _check_finite(name: str, values: pa.Array) -> None:
    for part in parts_of(values):
        if not pc.all(pc.is_finite(part), min_count=0).as_py():
            raise invalid(TableRule.INVALID_ARROW_FILE, "a number is NaN or infinite", column=shown(name))


def _check_dictionary(name: str, values: pa.DictionaryArray) -> None:
    if values.type.index_type not in INDEX_TYPES:
        text = f"a dictionary has indices of {values.type.index_type}; they must be int8, int16 or int32"
        raise invalid(TableRule.INVALID_ARROW_FILE, text, column=shown(name))
    words = values.dictionary
    if words.null_count:
        raise invalid(TableRule.INVALID_ARROW_FILE, "a dictionary has a null among its entries", column=shown(name))
    if pc.count_distinct(words).as_py() != len(words):
        raise invalid(TableRule.INVALID_ARROW_FILE, "a dictionary has an entry twice", column=shown(name))
    if pc.count_distinct(values.indices, mode="only_valid").as_py() != len(words):
        raise invalid(TableRule.INVALID_ARROW_FILE, "a dictionary has an entry that no row uses", column=shown(name))


def check_dates(name: str, dates: pa.Array, unit: DateUnit) -> None:
    """Hold that dates lie in the years 1 to 9999, and are first days of their unit.

    UserError `workbench.invalid` (DateOutOfRange, DateValueHasWrongUnit).
    """
    for part in parts_of(dates):
        if pc.any(outside_calendar(part)).as_py():
            raise invalid(TableRule.DATE_OUT_OF_RANGE, "a date lies outside of the years 1 to 9999", column=shown(name))
        wrong = misfits(part, unit)
        if pc.any(wrong).as_py():
            first = part.filter(wrong)[0]
            raise invalid(
                TableRule.DATE_VALUE_HAS_WRONG_UNIT, f"{first} is not the first day of a {unit}", column=shown(name)
            )


def parts_of(values: pa.Array) -> list[pa.Array]:
    """Return slices of bounded length that make up the values, without copying them."""
    return [values.slice(start, _AT_ONCE) for start in range(0, len(values), _AT_ONCE)]
