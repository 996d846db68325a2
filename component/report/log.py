"""The log of one run: to GELF where the platform asks for it, to the terminal, or to stdout.

Nothing goes to stderr: the platform turns it into a red event even after a run that went well (reference keboola 1.5),
so warnings and errors go where everything else goes, marked by a word.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Self, TextIO

from component.report.masking import Masking

if TYPE_CHECKING:
    from rich.console import Console

NAME: Final = "tablemill"
MESSAGE_LIMIT: Final = 60_000
"""Most characters of one message; the platform cuts there too (reference keboola 1.5)."""
TRIMMED: Final = " [trimmed]"


class LogServerError(Exception):
    """A handler cannot be used any more, and why; its record is not lost but still to be written."""


class Log:
    """Messages of one run, masked and cut before they go anywhere.

    No state is shared with other logs or with the loggers of other libraries. `screen` is the terminal that the log
    writes to, None where there is none. A handler that raises LogServerError is replaced by `fallback` for good, which
    is said once. All methods may be called from any thread and none raises for a place that cannot be written to.
    """

    def __init__(
        self,
        handler: logging.Handler | None,
        *,
        fallback: logging.Handler | None = None,
        secrets: Iterable[str] = (),
        debug: bool = False,
        screen: Console | None = None,
    ) -> None:
        self.screen: Final = screen
        self._lock = threading.RLock()
        self._handler = handler
        self._fallback = fallback
        self._masking = Masking(secrets)
        self._lowest = logging.DEBUG if debug else logging.INFO

    def debug(self, text: str, *, details: str = "") -> None:
        """Say what only a developer needs."""
        self._say(logging.DEBUG, text, details)

    def info(self, text: str, *, details: str = "") -> None:
        """Say what happens."""
        self._say(logging.INFO, text, details)

    def warning(self, text: str, *, details: str = "") -> None:
        """Say what the user should look at although the run goes on."""
        self._say(logging.WARNING, text, details)

    def error(self, text: str, *, details: str = "") -> None:
        """Say why the run ends; long `details` are apart from the message where the log can keep them apart."""
        self._say(logging.ERROR, text, details)

    def hide(self, secrets: Iterable[str]) -> None:
        """Hide further secrets from now on; the configuration is read after the log is opened."""
        self._masking = Masking({*self._masking.secrets, *secrets})

    def mask(self, text: str) -> str:
        """Return a text as it may be shown: control characters written out, secrets hidden."""
        return self._masking(text)

    def close(self) -> None:
        """Let go of the connection, if there is one."""
        if self._handler is not None:
            self._handler.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, level: int, text: str, details: str) -> None:
        if level < self._lowest:
            return
        record = logging.LogRecord(NAME, level, "", 0, cut(self.mask(text)), None, None)
        record.exc_text = cut(self.mask(details)) if details else None
        with self._lock:
            self._write(record)

    def _write(self, record: logging.LogRecord) -> None:
        if self._handler is None:
            return
        try:
            self._handler.handle(record)
        except LogServerError as lost:
            self._handler.close()
            self._handler = self._fallback
            self.warning(f"{lost}; messages go to stdout from here.")
            self._write(record)


def open_log(
    *,
    logger_addr: str | None = None,
    logger_port: str | None = None,
    terminal: bool = False,
    secrets: Iterable[str] = (),
    debug: bool = False,
    stream: TextIO | None = None,
) -> Log:
    """Open the log that the environment asks for: `logger_addr` and `logger_port` are KBC_LOGGER_ADDR and _PORT.

    With an address messages go by GELF and nothing is printed, unless the server cannot be reached; else to `stream`
    (stdout), drawn with colours if it is a `terminal`.
    """
    output = stream or sys.stdout
    lines = LineHandler(output)
    if logger_addr:
        # Imported here: http.client and ssl, which pygelf loads, cost 40 ms that a run without GELF need not pay.
        from component.report.gelf import GelfHandler  # noqa: PLC0415

        return Log(GelfHandler(logger_addr, logger_port or ""), fallback=lines, secrets=secrets, debug=debug)
    if terminal and is_utf8(output):
        from component.report.screen import ScreenHandler, open_screen  # noqa: PLC0415 # rich, 40 ms as well

        screen = open_screen(output)
        return Log(ScreenHandler(screen), secrets=secrets, debug=debug, screen=screen)
    return Log(lines, secrets=secrets, debug=debug)


def silent_log(secrets: Iterable[str] = ()) -> Log:
    """Open a log that says nothing but still masks: a synchronous action owns stdout (reference keboola 1.7)."""
    return Log(None, secrets=secrets)


class LineHandler(logging.Handler):
    """Writes a record as plain lines: the message, marked if it is more than information, then its details."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        """Write and flush, so that the platform shows the line now; a closed stream is nobody's error."""
        text = "\n".join(part for part in (marked(record), record.exc_text) if part)
        if not is_utf8(self._stream):
            encoding = self._stream.encoding
            text = text.encode(encoding, "backslashreplace").decode(encoding)
        try:
            self._stream.write(f"{text}\n")
            self._stream.flush()
        except (OSError, ValueError):  # the reader of a pipe is gone, or the stream is closed: nowhere to say so
            return


def marked(record: logging.LogRecord) -> str:
    """Return the message of a record, with the level in front unless it is information."""
    message = record.getMessage()
    return message if record.levelno == logging.INFO else f"{record.levelname.lower()}: {message}"


def cut(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Cut a text to `limit` characters, the mark of the cut included."""
    return text if len(text) <= limit else f"{text[: limit - len(TRIMMED)]}{TRIMMED}"


def is_utf8(stream: TextIO) -> bool:
    """Tell whether every text can be written to a stream."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").replace("_", "") == "utf8"
