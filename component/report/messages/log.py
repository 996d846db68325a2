"""The log of one run: masked and cut before anything goes anywhere.

Nothing goes to stderr: the platform turns it into a red event even after a run that went well (reference keboola 1.5),
so warnings and errors go where everything else goes, marked by a word.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Self

from component.errors import Told
from component.report.messages.record import LogServerError, message_record
from component.report.words.masking import Masking

if TYPE_CHECKING:
    from rich.console import Console


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
        """Hide further secrets from now on: of the configuration, of the environment, of staging manifests."""
        known = self._masking.secrets
        if added := {secret for secret in secrets if secret} - known:
            self._masking = Masking(known | added)

    @property
    def secrets(self) -> frozenset[str]:
        """What is hidden."""
        return self._masking.secrets

    def mask(self, text: str) -> str:
        """Return a text as it may be shown: control characters written out, secrets hidden."""
        return self._masking(text)

    def mask_json(self, value: Any) -> Any:
        """Return a JSON value whose texts may be shown; what is not text stays, so that it is JSON still."""
        return self._masking.json(value)

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
        data = self.mask_json(text.data) if isinstance(text, Told) else None
        record = message_record(level, self.mask(text), self.mask(details) if details else "", data)
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


def silent_log(secrets: Iterable[str] = ()) -> Log:
    """Open a log that says nothing but still masks: a synchronous action owns stdout (reference keboola 1.7)."""
    return Log(None, secrets=secrets)
