"""Predicates in disjunctive normal form: `[[(column, op, value), …AND], …OR]` (reference kartothek 4).

Nulls follow SQL: a comparison with null is not true, so such rows are left out; `is null` and `is not null` ask for
them, with null for a value. `like` takes a text that ends in `%` and finds what begins with the rest. NaN follows IEEE
754: it equals nothing, itself included, and the two zeros are equal. Values are read as the column's type, so a date
may be given as text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place, UserError

OPERATORS: Final = ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is null", "is not null", "like")
OF_NULLS: Final = ("is null", "is not null")


class NumberText(str):
    """A number as it was typed, without quotes: exact for every type of number, and not a text."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison; `value` is an Arrow scalar of the column's type, or an Arrow array for `in` and `not in`.

    Of a column that has no values yet (Arrow's null type) it is a null scalar, and the comparison is never true. For
    `like` it is the text that values begin with.
    """

    column: str
    operator: str
    value: Any

    def mask(self, column: pa.ChunkedArray) -> pa.ChunkedArray | pa.BooleanScalar:
        """Return where the comparison is true of a column of the value's type; null or false where that is null."""
        if self.operator in OF_NULLS:
            return pc.is_null(column) if self.operator == "is null" else pc.is_valid(column)
        if pa.types.is_null(self.value.type):
            return pa.scalar(False)
        if self.operator == "in":
            return pc.and_(pc.is_valid(column), pc.is_in(column, value_set=self.value))
        if self.operator == "not in":
            return pc.and_not(pc.is_valid(column), pc.is_in(column, value_set=self.value))
        if self.operator == "like":
            return pc.starts_with(column, self.value.as_py())
        return _KERNELS[self.operator](column, self.value)

    def test(self) -> Callable[[Any], bool]:
        """Return how to tell whether the comparison is true of one value (of a partition key, which is never null)."""
        if self.operator in OF_NULLS:
            return lambda _: self.operator == "is not null"
        if pa.types.is_null(self.value.type):
            return lambda _: False
        if self.operator in {"in", "not in"}:
            values, wanted = frozenset(self.value.to_pylist()), self.operator == "in"
            return lambda value: (value in values) is wanted
        asked = self.value.as_py()
        if self.operator == "like":
            return lambda value: value.startswith(asked)
        compare = _COMPARE[self.operator]
        return lambda value: compare(value, asked)

    @property
    def indexable(self) -> bool:
        """Whether an index can answer: it names neither nulls nor NaN, and most of it would be read for `!=`."""
        return self.operator not in {"!=", "not in", *OF_NULLS} and not pa.types.is_null(self.value.type)


_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
_KERNELS: Final = {
    "==": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}

Conjunction = tuple[Condition, ...]
Predicates = tuple[Conjunction, ...]
"""Rows are kept for which all conditions of any conjunction are true. No conjunction is empty."""


def bind_predicates(predicates: Sequence[Sequence[Sequence[Any]]], schema: pa.Schema) -> Predicates:
    """Return predicates with values of the columns' types.

    UserError `column.missing` for a column that is not there; `dataset.predicate` for an unknown operator, an empty
    list, null, or a value that does not fit the column.
    """
    if not predicates or not all(predicates):
        raise UserError(
            "dataset.predicate",
            "A predicate list is empty",
            remedy="Leave predicates out to keep all rows, or give at least one condition.",
        )
    return tuple(tuple(_bind(condition, schema) for condition in conjunction) for conjunction in predicates)


def _bind(condition: Sequence[Any], schema: pa.Schema) -> Condition:
    if len(condition) != 3:
        raise UserError(
            "dataset.predicate", f"{list(condition)!r} is not a condition", remedy="Give [column, operator, value]."
        )
    column, operator, value = condition
    if column not in schema.names:
        raise UserError(
            "column.missing",
            "A predicate names a column that is not in the dataset",
            place=Place(column=str(column)),
            remedy=f"The columns are {', '.join(schema.names)}.",
        )
    if operator not in OPERATORS:
        raise UserError(
            "dataset.predicate", f"{operator!r} is no operator", remedy=f"Use one of {', '.join(OPERATORS)}."
        )
    return Condition(column, operator, _bind_value(column, operator, value, schema.field(column).type))


def _bind_value(column: str, operator: str, value: Any, data_type: pa.DataType) -> Any:
    if operator in OF_NULLS:
        if value is not None:
            raise _misfit(column, value, "null")
        return pa.scalar(None, data_type)
    if pa.types.is_null(data_type):
        return pa.scalar(None)
    if pa.types.is_nested(data_type):
        raise UserError(
            "dataset.predicate",
            f"Values of type {data_type} cannot be compared",
            place=Place(column=column),
            remedy="Use another column.",
        )
    if operator == "like":
        return pa.scalar(_prefix(column, value, data_type), data_type)
    if operator not in {"in", "not in"}:
        return pa.scalar(_value(column, value, data_type), data_type)
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise _misfit(column, value, f"list of {data_type}, as [1, 2] or ['a', 'b']")
    return pa.array(_as_set([_value(column, each, data_type) for each in value]), data_type)


def _prefix(column: str, value: Any, data_type: pa.DataType) -> str:
    """Return what the values of a `like` begin with."""
    if not pa.types.is_string(data_type):
        raise _misfit(column, value, f"for another operator: `like` is for text, not for {data_type}")
    if not isinstance(value, str) or not value.endswith("%") or "%" in value[:-1] or "_" in value:
        raise _misfit(column, value, "text with one % at its end and no _: `like` finds beginnings only")
    return value[:-1]


def _as_set(values: Sequence[Any]) -> list[Any]:
    """Return the values so that a look-up by bits finds what `==` finds: no NaN, and both zeros for one."""
    kept = [value for value in values if value == value]  # noqa: PLR0124 - NaN is what differs from itself
    zeros = [0.0, -0.0] if any(isinstance(value, float) and value == 0 for value in kept) else []
    return kept + zeros


def _value(column: str, value: Any, data_type: pa.DataType) -> Any:
    """Return the value as one of the type; exact, so 1.5 is no integer, True no number, and a day no moment."""
    is_number = pa.types.is_integer(data_type) or pa.types.is_floating(data_type) or pa.types.is_decimal(data_type)
    if value is None:
        raise UserError(
            "dataset.predicate",
            "A predicate compares with null, which is true of no row",
            place=Place(column=column),
            remedy="Ask `is null` or `is not null`.",
        )
    if (isinstance(value, bool) and is_number) or (isinstance(value, NumberText) and not is_number):
        raise _misfit(column, value, _in_words(data_type))
    text_like = pa.types.is_string(data_type) or pa.types.is_boolean(data_type)
    try:
        if isinstance(value, str) and not text_like:
            return pa.scalar(value).cast(data_type).as_py()
        if pa.types.is_decimal(data_type):
            return pa.scalar(str(value)).cast(data_type).as_py()
        found = pa.scalar(value, data_type).as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise _misfit(column, value, _in_words(data_type)) from error
    if found != value and value == value:  # noqa: PLR0124 - NaN is what differs from itself
        raise _misfit(column, value, _in_words(data_type))
    return found


def _in_words(data_type: pa.DataType) -> str:
    """Return a type with how a value of it is typed, where that is not plain."""
    if pa.types.is_string(data_type):
        return f'{data_type}, a number or a word of JSON in quotes: "7"'
    if pa.types.is_boolean(data_type):
        return f"{data_type}, true or false"
    if pa.types.is_date(data_type):
        return f"{data_type}, as 2024-01-31"
    if pa.types.is_timestamp(data_type):
        return f"{data_type}, as 2024-01-31T12:30:00{'Z' if data_type.tz else ', without a zone'}"
    if pa.types.is_decimal(data_type):
        return f"{data_type}, with at most {data_type.scale} digits after the point"
    return str(data_type)


def _misfit(column: str, value: Any, wanted: str) -> UserError:
    return UserError(
        "dataset.predicate",
        f"The value {value!r} of a predicate does not fit its column",
        place=Place(column=column),
        remedy=f"Give a value of type {wanted}.",
    )


def mask_of(predicates: Predicates, rows: pa.Table) -> pa.ChunkedArray:
    """Return which rows of a table predicates, of which there is at least one, are true of: true or false, never null.

    The columns that are asked about are in the table, in the types that the predicates were bound to.
    """
    conjunctions = (
        reduce(pc.and_kleene, (condition.mask(rows[condition.column]) for condition in conjunction))
        for conjunction in predicates
    )
    found = pc.fill_null(reduce(pc.or_kleene, conjunctions), False)
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([pa.repeat(found, rows.num_rows)])


def columns_of(predicates: Predicates) -> frozenset[str]:
    """Return the names of the columns that predicates ask about."""
    return frozenset(condition.column for conjunction in predicates for condition in conjunction)
