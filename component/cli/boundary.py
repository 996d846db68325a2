"""Where a command ends: every exception becomes an exit code and one sentence on stderr.

Exit codes: 0 done, 1 the user or a retry can help, 2 a fault of ours (reference keboola 1.5); 128 and more say by
which signal a run was stopped, as shells do.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any, Final

from component.errors import SeveralError, TablemillError
from component.report.messages.failure import render_failure
from component.report.messages.lines import write_text
from component.report.messages.log import Log
from component.runner.interrupts import Interrupted

FAULT: Final = 2


def fail(error: BaseException, log: Log) -> int:
    """Say what went wrong, once, and return the exit code."""
    width = log.screen.width if log.screen is not None else None
    write_text(sys.stderr, f"{sentence(error, log, width)}\n")
    return exit_code(error)


def exit_code(error: BaseException) -> int:
    """Return the exit code that an error ends the process with."""
    return error.exit_code if isinstance(error, TablemillError | Interrupted) else FAULT


def sentence(error: BaseException, log: Log, width: int | None = None) -> str:
    """Return what the user reads, folded to `width` columns unless None; the details of a fault of ours are logged."""
    return str(error) if isinstance(error, Interrupted) else render_failure(error, width, log=log)


def error_code(error: BaseException) -> str:
    """Return the stable code of an error; `interrupted` for a run that was stopped."""
    if isinstance(error, Interrupted):
        return "interrupted"
    return error.code if isinstance(error, TablemillError) else "internal"


def each_error(error: BaseException) -> dict[str, Any]:
    """Return the errors that one stands for, as JSON; nothing for one that stands for itself."""
    if not isinstance(error, SeveralError):
        return {}
    places = ({name: value for name, value in asdict(one.place).items() if value is not None} for one in error.errors)
    each = zip(error.errors, places, strict=True)
    return {
        "errors": [{"code": one.code, "text": one.text, "place": place, "remedy": one.remedy} for one, place in each]
    }
