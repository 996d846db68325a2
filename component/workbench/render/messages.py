"""Warnings and errors as data: an id, arguments, where the text comes from (reference workbench 6).

Their JSON forms are Workbench's own, so that `warnings.json` can be read by what reads those. The English texts of ids
stand below; their words are those of Workbench's catalogues (reference workbench 1.5, 5, 6), and ids that begin with
`tablemill.` are ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from component.errors import UserError

SOURCES: Final = frozenset({None, "module", "cjwmodule", "cjwparse"})
PLAIN_TEXT: Final = "TODO_i18n"
"""Id of a message that is a text already."""


@dataclass(frozen=True, slots=True)
class Message:
    """An I18nMessage. `source` is one of `SOURCES`: the catalogue that has the text of the id."""

    id: str
    arguments: Mapping[str, str | int | float] = field(default_factory=dict)
    source: str | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The JSON form: `{"id", "arguments"[, "source"]}`."""
        plain = {"id": self.id, "arguments": dict(self.arguments)}
        return plain if self.source is None else {**plain, "source": self.source}


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A button that would prepend a step: its text, the step's module, and some of its parameters."""

    button: Message
    module: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        """The JSON form."""
        action = {"type": "prependStep", "moduleSlug": self.module, "partialParams": dict(self.parameters)}
        return {"buttonText": self.button.document, "action": action}


@dataclass(frozen=True, slots=True)
class RenderError:
    """An error where the table has no columns, a warning where it has some."""

    message: Message
    quick_fixes: tuple[QuickFix, ...] = ()

    @property
    def document(self) -> dict[str, Any]:
        """The JSON form: `{"message", "quickFixes"}`."""
        return {"message": self.message.document, "quickFixes": [fix.document for fix in self.quick_fixes]}


@dataclass(frozen=True, slots=True)
class FetchError:
    """An error or warning of fetching."""

    message: Message

    @property
    def document(self) -> dict[str, Any]:
        """The JSON form: `{"message"}`."""
        return {"message": self.message.document}


def plain_message(text: str) -> Message:
    """Return a message that is a text already."""
    return Message(PLAIN_TEXT, {"text": text})


def json_text(document: Any) -> str:
    """Return JSON as Workbench writes it everywhere: no blanks, no escapes beyond JSON's own, no NaN (ValueError)."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def message_of(document: Any) -> Message:
    """Return the message that a JSON form says; UserError `workbench.metadata` when it is none."""
    known = _object(document, {"id", "arguments"}, {"source"})
    arguments = _object(known["arguments"], set(), None)
    plain = all(isinstance(value, str | int | float) and not isinstance(value, bool) for value in arguments.values())
    if not (isinstance(known["id"], str) and plain and known.get("source") in SOURCES):
        raise _no_message(document)
    return Message(known["id"], arguments, known.get("source"))


def render_error_of(document: Any) -> RenderError:
    """Return the error that a JSON form says; UserError `workbench.metadata` when it is none."""
    known = _object(document, {"message"}, {"quickFixes"})
    fixes = known.get("quickFixes", [])
    if not isinstance(fixes, list):
        raise _no_message(document)
    return RenderError(message_of(known["message"]), tuple(quick_fix_of(fix) for fix in fixes))


def fetch_error_of(document: Any) -> FetchError:
    """Return the error that a JSON form says; UserError `workbench.metadata` when it is none."""
    return FetchError(message_of(_object(document, {"message"}, set())["message"]))


def quick_fix_of(document: Any) -> QuickFix:
    """Return the quick fix that a JSON form says; UserError `workbench.metadata` when it is none."""
    known = _object(document, {"buttonText", "action"}, set())
    action = _object(known["action"], {"type", "moduleSlug", "partialParams"}, set())
    parameters = _object(action["partialParams"], set(), None)
    if action["type"] != "prependStep" or not isinstance(action["moduleSlug"], str):
        raise _no_message(document)
    return QuickFix(message_of(known["buttonText"]), action["moduleSlug"], parameters)


def _object(document: Any, needed: set[str], allowed: set[str] | None) -> dict[str, Any]:
    """Return a JSON object that has the keys needed and no others than allowed (None: any)."""
    if not isinstance(document, dict) or needed - document.keys():
        raise _no_message(document)
    if allowed is not None and document.keys() - needed - allowed:
        raise _no_message(document)
    return document


def _no_message(document: Any) -> UserError:
    shown = str(document)[:80]
    return UserError("workbench.metadata", f"This is no message, error or quick fix of Workbench: {shown!r}")


@dataclass(frozen=True, slots=True)
class MessageText:
    """A text for many, and one for a single thing where it differs; `counted` is the argument that decides."""

    many: str
    one: str | None = None
    counted: str | None = None

    def fill(self, arguments: Mapping[str, str | int | float]) -> str:
        """Return the text with the arguments in place; KeyError when one is missing."""
        single = self.counted is not None and self.one is not None and arguments.get(self.counted) == 1
        template = self.one if single and self.one is not None else self.many
        return template.format_map({name: _shown(value) for name, value in arguments.items()})


def _shown(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def text_of(message: Message) -> str:
    """Return the English text; for an id or arguments that nobody has a text for, the id and the arguments."""
    if message.id == PLAIN_TEXT and isinstance(message.arguments.get("text"), str):
        return str(message.arguments["text"])
    text = TEXTS.get(message.id)
    try:
        if text is not None:
            return text.fill(message.arguments)
    except KeyError:
        pass
    return f"{message.id} {json_text(dict(message.arguments))}"


_SEE: Final = "see row {row_number} column {column_number}"
_NAMES: Final = "util.colnames.warnings"
TRUNCATED_OUTPUT: Final = "py.cjwkernel.pandas.types.ProcessResult.truncate_in_place_if_too_big.warning"

TEXTS: Final[Mapping[str, MessageText]] = {
    f"{_NAMES}.ascii_cleaned": MessageText(
        "Removed special characters from {n_columns} column names (see “{first_colname}”)",
        "Removed special characters from column name “{first_colname}”",
        "n_columns",
    ),
    f"{_NAMES}.default": MessageText(
        "Renamed {n_columns} column names because values were empty (see “{first_colname}”)",
        "Renamed column name “{first_colname}” because value was empty",
        "n_columns",
    ),
    f"{_NAMES}.truncated": MessageText(
        "Truncated {n_columns} column names to {n_bytes} bytes each (see “{first_colname}”)",
        "Truncated column name “{first_colname}” to {n_bytes} bytes",
        "n_columns",
    ),
    f"{_NAMES}.numbered": MessageText(
        "Renamed {n_columns} duplicate column names (see “{first_colname}”)",
        "Renamed duplicate column name “{first_colname}”",
        "n_columns",
    ),
    f"{_NAMES}.unicode_fixed": MessageText(
        "Fixed {n_columns} column names with invalid Unicode (see “{first_colname}”)",
        "Fixed Unicode in column name “{first_colname}”",
        "n_columns",
    ),
    "file.unknown_ext": MessageText("Unknown file extension {ext}. Please try a different file."),
    "warning.skipped_rows": MessageText(
        "Skipped {n_rows} rows (after row limit of {max_n_rows})",
        "Skipped one row (after row limit of {max_n_rows})",
        "n_rows",
    ),
    "warning.skipped_columns": MessageText(
        "Skipped {n_columns} columns (after column limit of {max_n_columns})",
        "Skipped one column (after column limit of {max_n_columns})",
        "n_columns",
    ),
    "warning.truncated_values": MessageText(
        f"Truncated {{n_values}} values (value byte limit is {{max_n_bytes}}; {_SEE})",
        f"Truncated one value (value byte limit is {{max_n_bytes}}; {_SEE})",
        "n_values",
    ),
    "csv.repaired_quotes": MessageText(
        f"Repaired {{n_values}} values (misplaced quotation marks; {_SEE})",
        f"Repaired one value (misplaced quotation marks; {_SEE})",
        "n_values",
    ),
    "csv.repaired_eof": MessageText("Repaired last value (missing quotation mark)"),
    "csv.truncated_file": MessageText(
        "Truncated {n_bytes_truncated} bytes from file (maximum is {max_n_bytes} bytes)",
        "Truncated one byte from file (maximum is {max_n_bytes} bytes)",
        "n_bytes_truncated",
    ),
    "text.repaired_encoding": MessageText(
        "Encoding error: byte {byte} is invalid {encoding} at position {position}. We replaced invalid bytes with “�”."
    ),
    "excel.invalid_file": MessageText(
        "This Excel file is invalid. Open it in Microsoft Office and re-save it, then try again."
    ),
    "http.errors.HttpErrorTimeout": MessageText("HTTP request timed out."),
    "http.errors.HttpErrorInvalidUrl": MessageText(
        "Invalid URL. Please supply a valid URL, starting with http:// or https://."
    ),
    "http.errors.HttpErrorTooManyRedirects": MessageText(
        "HTTP server(s) redirected us too many times. Please try a different URL."
    ),
    "http.errors.HttpErrorNotSuccess": MessageText("Error from server: HTTP {status_code} {reason}"),
    "http.errors.HttpErrorGeneric": MessageText("Error during HTTP request: {type}"),
    TRUNCATED_OUTPUT: MessageText("Truncated output from {old_number} rows to {new_number}"),
    "tablemill.numbers_kept_as_text": MessageText(
        "Kept column “{column}” as text: as numbers some of its values would change"
    ),
    "tablemill.padded_rows": MessageText(
        "Filled up {n_rows} rows with empty cells to {n_columns} columns",
        "Filled up one row with empty cells to {n_columns} columns",
        "n_rows",
    ),
    "tablemill.empty_lines": MessageText("Left out {n_lines} empty lines", "Left out one empty line", "n_lines"),
    "tablemill.guessed_encoding": MessageText(
        'The encoding {encoding} is what the bytes look like, no more; say it with "encoding" if letters are wrong'
    ),
    "tablemill.guessed_delimiter": MessageText(
        'The delimiter “{delimiter}” is what the text looks like, no more; say it with "delimiter" if columns are wrong'
    ),
    "tablemill.unused_option": MessageText("{option} was left aside: it says nothing of a file of kind {kind}"),
    "tablemill.nulled_values": MessageText(
        "Left out {n_values} values of column “{column}”: {reason}",
        "Left out one value of column “{column}”: {reason}",
        "n_values",
    ),
    "tablemill.rounded_values": MessageText(
        "Rounded {n_values} values of column “{column}”: {reason}",
        "Rounded one value of column “{column}”: {reason}",
        "n_values",
    ),
    "tablemill.changed_type": MessageText("Column “{column}” was {old} and is now {new}"),
    "tablemill.changed_unit": MessageText("Column “{column}” had dates by {old} and now has them by day: {reason}"),
}
