"""The log as plain lines on a stream, and as a list for those who print it themselves."""

from __future__ import annotations

import logging
from typing import Any, TextIO

from component.report.messages.record import DATA, marked


class LineHandler(logging.Handler):
    """Writes a record as plain lines: the message, marked if it is more than information, then its details."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        """Write and flush, so that the platform shows the line now."""
        text = "\n".join(part for part in (marked(record), record.exc_text) if part)
        if not is_utf8(self._stream):
            encoding = self._stream.encoding
            text = text.encode(encoding, "backslashreplace").decode(encoding)
        write_text(self._stream, f"{text}\n")


class KeepingHandler(logging.Handler):
    """Keeps warnings and errors for a document that is printed when the run has ended."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record that is a warning or worse."""
        if record.levelno < self.level:
            return
        details = {"details": record.exc_text} if record.exc_text else {}
        data = getattr(record, DATA, {})
        self.messages.append({"level": record.levelname.lower(), "text": record.getMessage(), **details, **data})


def write_text(stream: TextIO, text: str) -> None:
    """Write and flush; a stream whose reader is gone, or that is closed, is nobody's error."""
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):  # nowhere to say so
        return


def is_utf8(stream: TextIO) -> bool:
    """Tell whether every text can be written to a stream."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").replace("_", "") == "utf8"
