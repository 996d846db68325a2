"""What a message of a log is: its form, its limits, and what a handler owes the log."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

NAME: Final = "tablemill"
MESSAGE_LIMIT: Final = 60_000
"""Most characters of one message; the platform cuts there too (reference keboola 1.5)."""
EVENT_BYTES: Final = 64_000
"""Most bytes of one event, message and details together, in UTF-8: the platform's limit is about 64 KB
(reference keboola 1.6)."""
TRIMMED: Final = " [trimmed]"
DATA: Final = "tablemill_data"
"""The attribute of a record that has what its message says as data."""


class LogServerError(Exception):
    """A handler cannot be used any more, and why; its record is not lost but still to be written."""


def message_record(level: int, text: str, details: str, data: Mapping[str, Any] | None = None) -> logging.LogRecord:
    """Return a record within the limits; its details are where `logging` keeps a traceback, `data` where we ask."""
    text, details = share(cut(text), cut(details), EVENT_BYTES)
    record = logging.LogRecord(NAME, level, "", 0, text, None, None)
    record.exc_text = details or None
    setattr(record, DATA, data or {})
    return record


def marked(record: logging.LogRecord) -> str:
    """Return the message of a record, with the level in front unless it is information."""
    message = record.getMessage()
    return message if record.levelno == logging.INFO else f"{record.levelname.lower()}: {message}"


def cut(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Cut a text to `limit` characters, the mark of the cut included."""
    return text if len(text) <= limit else f"{text[: limit - len(TRIMMED)]}{TRIMMED}"


def share(message: str, details: str, room: int) -> tuple[str, str]:
    """Return both texts within `room` bytes of UTF-8: the message has first claim, but to half of it only."""
    spare = max(room // 2, room - _size(details))
    message = _within(message, spare)
    return message, _within(details, room - _size(message))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _within(text: str, room: int) -> str:
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= room:
        return text
    return encoded[: room - len(TRIMMED)].decode("utf-8", "ignore") + TRIMMED
