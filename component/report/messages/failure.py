"""A failed run in one sentence: what, where, what to do. Never a stack trace; that goes to the log."""

from __future__ import annotations

import re
import textwrap
import traceback
from typing import Final
from uuid import uuid4

from component.errors import BugError, TablemillError
from component.report.messages.log import Log

FAILURE_LIMIT: Final = 4000
"""Most characters of an error that the platform shows (reference keboola 1.5)."""

_FRAME: Final = re.compile(r'\s*(at [\w.$<>/]+\(.*\)|\.\.\. \d+ more|File ".*", line \d+.*|Traceback \(.*)')


def render_failure(error: BaseException, width: int | None, *, log: Log) -> str:
    """Return what the user reads: at most 4000 characters, secrets hidden, folded to `width` columns unless None.

    An error that the user or another try can mend says its own sentence. Any other is a fault of ours: the text gives
    an id, under which the log has the details.
    """
    sentence = _known(error, log) if _is_expected(error) else _fault(error, log)
    short = _middle_cut(sentence)
    if width is None:
        return short
    return textwrap.fill(short, max(width, 20), break_long_words=False, break_on_hyphens=False)


def _is_expected(error: BaseException) -> bool:
    return isinstance(error, TablemillError) and not isinstance(error, BugError)


def _known(error: BaseException, log: Log) -> str:
    if error.__cause__ is not None:
        log.debug("Behind the failure:", details=_traceback(error))
    if isinstance(error, TablemillError):
        error = TablemillError(error.code, _without_frames(error.text), place=error.place, remedy=error.remedy)
    return re.sub(r"\s*\n\s*", " ", log.mask(str(error)))


def _fault(error: BaseException, log: Log) -> str:
    exception_id = f"tablemill-{uuid4().hex[:12]}"
    headline = f"Fault {exception_id}: {type(error).__name__}"
    log.error(headline, details=_traceback(error))
    return (
        "Tablemill stopped because of a fault of its own, not of your data or configuration"
        f" (exception id {exception_id}). The log has the details under this id: please report them."
    )


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _without_frames(text: str) -> str:
    """Drop the lines of a Java or Python stack trace from a text that came from below."""
    return "\n".join(line for line in text.splitlines() if not _FRAME.match(line))


def _middle_cut(text: str) -> str:
    """Cut as the platform does, in the middle: the place and the remedy are at the end."""
    if len(text) <= FAILURE_LIMIT:
        return text
    head = FAILURE_LIMIT // 2
    return f"{text[:head]} … {text[head + 3 - FAILURE_LIMIT :]}"
