"""From the name of an action to its answer; only what that action needs is imported.

It has a deadline of our own: the platform kills an action after 30 seconds without saying why (reference keboola 1.7).
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from component.actions.messages import escaped
from component.actions.request import Request
from component.config.secrets import secrets_in
from component.errors import RetryError, UserError
from component.folder.layout import DataFolder
from component.folder.staged import staged_secrets
from component.report.messages.lines import write_text
from component.report.messages.log import Log

SECONDS: Final = 25.0
"""Leaves the platform time to start the container and to collect what it says."""


@contextmanager
def deadline(seconds: float = SECONDS, expire: Callable[[float], object] | None = None) -> Iterator[None]:
    """Call `expire` when the block takes longer; by default the process ends with exit code 1 and one sentence.

    A thread, and not a signal, because a call that waits for a store may not return to Python to be interrupted.
    """
    timer = threading.Timer(seconds, expire or _end, [seconds])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end(seconds: float) -> None:
    error = RetryError(
        "action.deadline",
        f"The action was not done after {seconds:g} seconds",
        remedy="Try again; if the store is slow from here, run the configuration instead.",
    )
    sys.stderr.write(f"{error}\n")
    sys.stderr.flush()
    os._exit(RetryError.exit_code)


OWN_FRAME: Final = re.compile(r'File "[^"]*?(component/[\w/]+\.py)", line (\d+)')
MOST_FRAMES: Final = 6


@dataclass(frozen=True, slots=True)
class Action:
    """One registered action: where its function is, and what it answers."""

    module: str
    function: str
    answers: str

    def load(self) -> Callable[[Request], Any]:
        """Import the function."""
        found: Callable[[Request], Any] = getattr(import_module(f"component.actions.{self.module}"), self.function)
        return found


ACTIONS: Final[Mapping[str, Action]] = {
    "testConnection": Action("connection", "check_connection", "Whether the store can be reached and written to."),
    "listDatasets": Action("listing", "list_datasets", "The datasets in the store and in the configuration."),
    "listColumns": Action("listing", "list_columns", "The columns of a dataset or of an input."),
    "previewTable": Action("preview", "preview_table", "The first rows of a dataset or of an input table."),
    "resolveDestinations": Action("destinations", "resolve_destinations", "Where each output will land, and why."),
    "suggestPartitioning": Action("suggesting", "suggest_partitioning", "What to partition on and index, and why."),
}
"""Every action by its name; component_config/actions.md is made from this."""


def answer(request: Request, log: Log) -> str:
    """Return the one JSON document that answers a request, on one line, secrets hidden.

    UserError `config.value` for an action that is not known; else the errors of the action.
    """
    folder = DataFolder(request.environment.data_dir)
    log.hide({*secrets_in(request.document), *request.environment.secrets, *staged_secrets(folder)})
    log.hide(map(escaped, log.secrets))
    action = ACTIONS.get(request.action)
    if action is None:
        raise UserError(
            "config.value",
            f"The action {request.action!r} is not known",
            remedy=f"Set action to run, or to one of {', '.join(ACTIONS)}.",
        )
    with deadline():
        found = action.load()(request)
        return json.dumps(log.mask_json(found), ensure_ascii=False, allow_nan=False)


def quiet_log() -> Log:
    """Return the log of an action: stdout is the answer's, so only a fault of ours is told, on stderr."""
    return Log(FaultHandler(logging.ERROR))


class FaultHandler(logging.Handler):
    """Writes a fault to stderr as one line: what it is, and where in our code, innermost first, for those who mend it.

    A stack trace is for nobody who presses a button of a form (reference keboola 8.4).
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record that is an error."""
        if record.levelno >= self.level:
            frames = [f"{file}:{line}" for file, line in OWN_FRAME.findall(record.exc_text or "")]
            where = f" at {', '.join(frames[::-1][:MOST_FRAMES])}" if frames else ""
            write_text(sys.stderr, f"{record.getMessage()}{where}\n")
