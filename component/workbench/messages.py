"""Warnings and errors as data: an id, arguments, where the text comes from (reference workbench 6).

Their JSON forms are Workbench's own, so that `warnings.json` can be read by what reads those. `message_texts` has the
English texts.
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
