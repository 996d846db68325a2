"""Predicates in disjunctive normal form: `[[(column, op, value), …AND], …OR]` (reference kartothek 4).

Nulls follow SQL: a comparison with null is not true, so such rows are left out. Values are read as the column's type,
so a date may be given as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place, UserError

OPERATORS: Final = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison; `value` is an Arrow scalar of the column's type, or an Arrow array for `in` and `not in`."""

    column: str
    operator: str
    value: Any

    @property
    def expression(self) -> pc.Expression:
        """The comparison as an Arrow expression; null where the column is null."""
        column = pc.field(self.column)
        if self.operator == "in":
            return pc.is_valid(column) & pc.is_in(column, options=pc.SetLookupOptions(self.value))
        if self.operator == "not in":
            return pc.is_valid(column) & ~pc.is_in(column, options=pc.SetLookupOptions(self.value))
        return _COMPARE[self.operator](column, self.value)

    def holds(self, value: Any) -> bool:
        """Say whether the comparison is true of one value (of a partition key)."""
        scalar = pa.scalar(value, self.value.type)
        if self.operator in {"in", "not in"}:
            found = bool(pc.is_in(scalar, value_set=self.value).as_py())
            return found if self.operator == "in" else not found
        return bool(_KERNELS[self.operator](scalar, self.value).as_py())

    @property
    def values(self) -> pa.Array | None:
        """The values that rows must hold one of, for `==` and `in`; None for other operators."""
        if self.operator == "==":
            return pa.array([self.value.as_py()], self.value.type)
        return self.value if self.operator == "in" else None


_COMPARE: Final = {
    "==": lambda column, value: column == value,
    "!=": lambda column, value: column != value,
    "<": lambda column, value: column < value,
    "<=": lambda column, value: column <= value,
    ">": lambda column, value: column > value,
    ">=": lambda column, value: column >= value,
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
"""Rows are kept for which all conditions of any conjunction are true. Never empty, nor is any conjunction."""


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
            "dataset.predicate", f"{list(condition)!r} is no condition", remedy="Give [column, operator, value]."
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
    data_type = schema.field(column).type
    if operator in {"in", "not in"}:
        if not isinstance(value, (list, tuple)):
            raise _misfit(column, value, f"a list of {data_type}")
        return Condition(column, operator, pa.array([_value(column, v, data_type) for v in value], data_type))
    return Condition(column, operator, pa.scalar(_value(column, value, data_type), data_type))


def _value(column: str, value: Any, data_type: pa.DataType) -> Any:
    """Return the value as one of the type; exact, so 1.5 is no integer and True is no number."""
    number = pa.types.is_integer(data_type) or pa.types.is_floating(data_type) or pa.types.is_decimal(data_type)
    if value is None or (isinstance(value, bool) and number):
        raise _misfit(column, value, str(data_type))
    text_like = pa.types.is_string(data_type) or pa.types.is_boolean(data_type)
    try:
        if isinstance(value, str) and not text_like:
            return pa.scalar(value).cast(data_type).as_py()
        if pa.types.is_decimal(data_type):
            return pa.scalar(str(value)).cast(data_type).as_py()
        return pa.scalar(value, data_type).as_py()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _misfit(column, value, str(data_type)) from error


def _misfit(column: str, value: Any, wanted: str) -> UserError:
    return UserError(
        "dataset.predicate",
        f"The value {value!r} of a predicate does not fit its column",
        place=Place(column=column),
        remedy=f"Give a value of type {wanted}.",
    )


def residual(predicates: Predicates, partition_values: Mapping[str, Any]) -> pc.Expression | bool:
    """Return what is left to filter in a file of these partition values: False for no row, True for every row."""
    left: list[pc.Expression] = []
    for conjunction in predicates:
        known = [c for c in conjunction if c.column in partition_values]
        if not all(condition.holds(partition_values[condition.column]) for condition in known):
            continue
        rest = [condition.expression for condition in conjunction if condition.column not in partition_values]
        if not rest:
            return True
        left.append(reduce(lambda a, b: a & b, rest))
    return reduce(lambda a, b: a | b, left) if left else False
