"""Records schema v1 as values: fields, their constraints, and what databases and pandas said of them.

Reading is tolerant (reference records 1.1): a part that is not understood is left out with a remark, and kept where it
is a representation. What is written passes the published JSON Schema; what that has no place for goes into a file of
its own, `_representations.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

SCHEMA_JSON: Final = "_schema.json"
VERSION: Final = "bltypes/v1"
SQL: Final = "sql/"
PANDAS: Final = "dataframe/pandas"


class FieldType(StrEnum):
    """The nine types of the spec."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    STRING = "string"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    TIMETZ = "timetz"
    DATETIME = "datetime"
    DATETIMETZ = "datetimetz"


@dataclass(frozen=True, slots=True)
class Constraints:
    """What is known of every value; None is not known."""

    required: bool = False
    unique: bool | None = None
    max_length_bytes: int | None = None
    max_length_chars: int | None = None
    min: int | None = None
    max: int | None = None
    fp_total_bits: int | None = None
    fp_significand_bits: int | None = None
    fixed_precision: int | None = None
    fixed_scale: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object; `required` is always there, since the client cannot do without it."""
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        bounds = {name: str(value) for name in BOUNDS if (value := getattr(self, name)) is not None}
        unique = {} if self.unique is None else {"unique": self.unique}
        known = {name: value for name, value in numbers.items() if value is not None}
        return {"required": self.required, **unique, **known, **bounds}


BOUNDS: Final = ("min", "max")
_LENGTHS: Final = ("max_length_bytes", "max_length_chars")
_DECIMALS: Final = ("fp_total_bits", "fp_significand_bits", "fixed_precision", "fixed_scale")
_NUMBERS: Final = (*_LENGTHS, *_DECIMALS)
OF_TYPE: Final[Mapping[FieldType, tuple[str, ...]]] = {
    FieldType.STRING: _LENGTHS,
    FieldType.INTEGER: BOUNDS,
    FieldType.DECIMAL: _DECIMALS,
}
"""Constraints that a type has beside `required` and `unique`."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column: `index` counts from 1 and is None where the file gives none.

    `statistics` and `representations` are JSON as it was read or is written.
    """

    name: str
    type: FieldType
    index: int | None = None
    constraints: Constraints = Constraints()
    statistics: Mapping[str, Any] | None = None
    representations: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the field as JSON in the client's order of keys, whatever its representations are."""
        found: dict[str, Any] = {"type": str(self.type), "constraints": self.constraints.to_json()}
        if self.statistics is not None:
            found["statistics"] = dict(self.statistics)
        if self.representations:
            found["representations"] = dict(self.representations)
        return found if self.index is None else {**found, "index": self.index}


@dataclass(frozen=True, slots=True)
class RecordsSchema:
    """Fields in the order of the columns, and the representations that they may have."""

    fields: tuple[Field, ...]
    known_representations: Mapping[str, Any] = field(default_factory=dict)


def is_published(representation: Any) -> bool:
    """Say whether a field's representation is one that the published JSON Schema knows."""
    if not isinstance(representation, dict):
        return False
    kind = representation.get("rep_type")
    texts = {key: value for key, value in representation.items() if key != "pd_df_dtype"}
    if not isinstance(kind, str) or not all(isinstance(value, str) for value in texts.values()):
        return False
    if kind.startswith(SQL):
        return {"rep_type", "col_ddl"} <= set(representation) <= {"rep_type", "col_ddl", "col_type", "col_modifiers"}
    needed = {"rep_type", "pd_df_dtype", "pd_df_coltype"}
    return (
        kind == PANDAS
        and needed <= set(representation) <= {*needed, "pd_df_ftype"}
        and isinstance(representation["pd_df_dtype"], dict)
        and representation["pd_df_coltype"] in {"series", "index"}
    )


def is_published_kind(known: Any) -> bool:
    """Say whether an entry of `known_representations` is one that the published JSON Schema and the client take."""
    if not isinstance(known, dict) or not isinstance(known.get("type"), str):
        return False
    if known["type"].startswith(SQL):
        return set(known) <= {"type", "table_ddl"} and isinstance(known.get("table_ddl", ""), str)
    types, others = known.get("pd_df_dtypes"), known.get("pd_df_ftypes", {})
    return (
        known["type"] == PANDAS
        and set(known) <= {"type", "pd_df_dtypes", "pd_df_ftypes"}
        and isinstance(types, dict)  # the client cannot read the entry without it
        and isinstance(others, dict)
        and all(isinstance(value, str) for value in others.values())
    )
