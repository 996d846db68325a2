"""What a pandas function of a Workbench module may return, understood (reference workbench 6, "ProcessResult")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from component.workbench.frames.pandas_frames import empty_frame, frame_fault, from_frame, is_frame, to_frame
from component.workbench.render.messages import (
    TRUNCATED_OUTPUT,
    Message,
    QuickFix,
    RenderError,
    message_of,
    plain_message,
    quick_fix_of,
)
from component.workbench.render.rendered import Rendered
from component.workbench.rules.limits import WORKBENCH_2021, TableSizes, within_limits
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import WorkbenchColumn
from component.workbench.tables.table import WorkbenchTable

_KEYS: Final = {"dataframe", "errors", "error", "quick_fixes", "json", "column_formats"}


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """A frame, what its columns are, errors (warnings, if the frame has columns), and a JSON object."""

    dataframe: Any
    columns: tuple[WorkbenchColumn, ...] = ()
    errors: tuple[RenderError, ...] = ()
    json: Mapping[str, Any] = field(default_factory=dict)


def coerce(value: Any, fallback: Iterable[WorkbenchColumn] = (), limits: TableSizes = WORKBENCH_2021) -> ProcessResult:
    """Return what a function returned as a result.

    It may return nothing; a text, or a list of errors; (id, arguments[, source]); a frame; (frame or None, error);
    (frame or None, error, json); a dict with some of dataframe, errors, json, column_formats, and the older error and
    quick_fixes. An error is a text, (id, arguments[, source]), a message, or a dict with message and quickFixes.
    Columns without format of their own have that of the column of the same name and type in `fallback`, else the
    default. UserError `workbench.frame` for anything else and for a frame that breaks a rule, `workbench.metadata` for
    an error that has not the form of one.
    """
    if isinstance(value, ProcessResult):
        return _result(value.dataframe, value.errors, value.json, {}, value.columns, limits)
    if value is None:
        return ProcessResult(empty_frame())
    if is_frame(value):
        return _result(value, (), {}, {}, fallback, limits)
    if isinstance(value, str | list) or _is_message(value):
        return ProcessResult(empty_frame(), errors=_errors(value))
    if isinstance(value, dict):
        return _of_dict(value, fallback, limits)
    if isinstance(value, tuple) and len(value) in (2, 3):
        frame, errors, *more = value
        return _result(frame, _errors(errors), more[0] if more else {}, {}, fallback, limits)
    raise frame_fault(f"a value of type {type(value).__name__} was returned")


def _of_dict(value: Mapping[str, Any], fallback: Iterable[WorkbenchColumn], limits: TableSizes) -> ProcessResult:
    if "message" in value and "quickFixes" in value:
        return ProcessResult(empty_frame(), errors=(_error(value),))
    if value.keys() - _KEYS:
        raise frame_fault(f"a dict was returned with the keys {sorted(map(str, value))}")
    errors = _errors(value.get("errors"))
    if value.get("error"):
        fixes = tuple(_quick_fix(one) for one in value.get("quick_fixes", ()))
        errors += (replace(_error(value["error"]), quick_fixes=fixes),)
    elif value.get("quick_fixes"):
        raise frame_fault("quick fixes were returned without an error")
    formats = value.get("column_formats") or {}
    return _result(value.get("dataframe"), errors, value.get("json"), formats, fallback, limits)


def _result(
    frame: Any,
    errors: tuple[RenderError, ...],
    json: Any,
    formats: Mapping[str, str],
    fallback: Iterable[WorkbenchColumn],
    limits: TableSizes,
) -> ProcessResult:
    whole = empty_frame() if frame is None else frame
    if not is_frame(whole):
        raise frame_fault(f"a value of type {type(whole).__name__} was returned where a frame should be")
    if json is not None and not isinstance(json, dict):
        raise frame_fault(f"a value of type {type(json).__name__} was returned where a JSON object should be")
    columns = from_frame(whole, formats, fallback, limits).columns
    return ProcessResult(whole, columns, errors, json or {})


def _is_message(value: Any) -> bool:
    is_pair = isinstance(value, tuple) and len(value) in (2, 3)
    return is_pair and isinstance(value[0], str) and isinstance(value[1], dict)


def _errors(value: Any) -> tuple[RenderError, ...]:
    if value is None or value == "":
        return ()
    return tuple(_error(one) for one in value) if isinstance(value, list) else (_error(value),)


def _error(value: Any) -> RenderError:
    if isinstance(value, RenderError):
        return value
    if isinstance(value, dict) and "message" in value and value.keys() <= {"message", "quickFixes"}:
        fixes = value.get("quickFixes", ())
        return RenderError(_message(value["message"]), tuple(_quick_fix(one) for one in fixes))
    return RenderError(_message(value))


def _message(value: Any) -> Message:
    if isinstance(value, Message):
        return value
    if isinstance(value, str) and value:
        return plain_message(value)
    if _is_message(value):
        keys = ("id", "arguments", "source")
        document = dict(zip(keys, value, strict=False))
        return message_of({key: one for key, one in document.items() if key != "source" or one is not None})
    if isinstance(value, dict):
        return message_of(value)
    raise frame_fault(f"a value of type {type(value).__name__} was returned where an error should be")


def _quick_fix(value: Any) -> QuickFix:
    """Return a quick fix: its JSON form, or the older (text, "prependModule", module, parameters) and its dict."""
    if isinstance(value, dict) and "buttonText" in value:
        return quick_fix_of({**value, "buttonText": _message(value["buttonText"]).document})
    if isinstance(value, dict):
        parts = [value.get("text"), value.get("action"), *value.get("args", ())]
    else:
        parts = list(value) if isinstance(value, list | tuple) else []
    if len(parts) != 4 or parts[1] not in ("prependModule", "prependStep") or not isinstance(parts[3], dict):
        raise frame_fault("a quick fix is not one that prepends a module")
    return QuickFix(_message(parts[0]), str(parts[2]), parts[3])


def rendered(
    result: ProcessResult, limits: TableSizes = WORKBENCH_2021, reading: ReadingMode = ReadingMode.LENIENT
) -> Rendered:
    """Return a result with its frame as a table within limits, cut with a warning for each (lenient).

    UserError `workbench.limit` (strict), `workbench.frame`.
    """
    formats = {column.name: column.format or str(column.unit) for column in result.columns if _has_format(column)}
    table = from_frame(result.dataframe, formats, (), limits)
    whole = table.rows.num_rows
    table, messages = within_limits(table, limits, reading)
    said = [_as_workbench(message, whole, table) for message in messages]
    return Rendered(table, (*result.errors, *(RenderError(message) for message in said)), result.json)


def _has_format(column: WorkbenchColumn) -> bool:
    return column.format is not None or column.unit is not None


def _as_workbench(message: Message, whole: int, table: WorkbenchTable) -> Message:
    """Return the message that Workbench's own frames have for rows that were left out; others as they are."""
    if message.id != "warning.skipped_rows":
        return message
    return Message(TRUNCATED_OUTPUT, {"old_number": whole, "new_number": table.rows.num_rows})


def process_result(given: Rendered, reading: ReadingMode = ReadingMode.STRICT) -> ProcessResult:
    """Return a result with its table as a frame; UserError `workbench.loss` as `to_frame`."""
    return ProcessResult(to_frame(given.table, reading), given.table.columns, given.errors, given.json)
