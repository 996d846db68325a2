"""The rules that a Workbench table must follow, as data, and the errors for tables that break them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from component.errors import Place, UserError

_REMEDY: Final = "Correct the program that wrote it."
_LOSS_REMEDY: Final = "Correct the values, or set reading to lenient."


class TableRule(StrEnum):
    """What is broken, by the name that Workbench's own kernel has for it where it has one (reference workbench 1.3).

    Those from `WrongColumnCount` to `TableShouldBeNone` are of the agreement between a table and its metadata (2019).
    """

    INVALID_ARROW_FILE = "InvalidArrowFile"
    TABLE_SCHEMA_HAS_METADATA = "TableSchemaHasMetadata"
    TABLE_HAS_TOO_MANY_RECORD_BATCHES = "TableHasTooManyRecordBatches"
    DUPLICATE_COLUMN_NAME = "DuplicateColumnName"
    FIELD_METADATA_NOT_ALLOWED = "FieldMetadataNotAllowed"
    WRONG_COLUMN_TYPE = "WrongColumnType"
    TIMESTAMP_TIMEZONE_NOT_ALLOWED = "TimestampTimezoneNotAllowed"
    TIMESTAMP_UNIT_NOT_ALLOWED = "TimestampUnitNotAllowed"
    DATE_VALUE_HAS_WRONG_UNIT = "DateValueHasWrongUnit"
    DATE_OUT_OF_RANGE = "DateOutOfRange"
    INVALID_NUMBER_FORMAT = "InvalidNumberFormat"
    INVALID_DATE_UNIT = "InvalidDateUnit"
    FORMATS_UNKNOWN = "FormatsUnknown"
    WRONG_COLUMN_COUNT = "WrongColumnCount"
    WRONG_ROW_COUNT = "WrongRowCount"
    WRONG_COLUMN_NAME = "WrongColumnName"
    TABLE_SHOULD_BE_NONE = "TableShouldBeNone"


def invalid(rule: TableRule, text: str, *, column: str | None = None, remedy: str = _REMEDY) -> UserError:
    """Return the error `workbench.invalid` for a broken rule; its text begins with the rule's name."""
    return UserError("workbench.invalid", f"{rule}: {text}", place=Place(column=column), remedy=remedy)


def loss(text: str, *, column: str | None = None) -> UserError:
    """Return the error `workbench.loss`: values that would have to be changed, which `reading: strict` refuses."""
    return UserError("workbench.loss", text, place=Place(column=column), remedy=_LOSS_REMEDY)
