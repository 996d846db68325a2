"""What the end of a component means to the platform (reference keboola 1.5)."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from component.findings import Finding, Level
from component.replay.process import KILLED, Ended

MESSAGE_LIMIT: Final = 4000
NO_MESSAGE: Final = "No error message."
OUT_OF_MEMORY: Final = "Component terminated. Possibly due to out of memory error"


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """How the platform would take it: `message` is what the user reads of a failure, empty after success."""

    exit_code: int
    message: str = ""
    remarks: tuple[Finding, ...] = ()


def judge(ended: Ended, expected_code: int, timeout: float) -> RunVerdict:
    """Return the verdict; an end other than expected is a remark of level error."""
    message = _message(ended, timeout)
    return RunVerdict(ended.exit_code, message, tuple(_remarks(ended, expected_code, message)))


def _message(ended: Ended, timeout: float) -> str:
    if ended.timed_out:
        return f"Running container exceeded the timeout of {timeout:g} seconds."
    if ended.out_of_memory or ended.exit_code == KILLED:
        return OUT_OF_MEMORY
    if ended.exit_code == 1:
        return _middle_cut(ended.stderr.strip() or ended.stdout.strip() or NO_MESSAGE)
    if ended.exit_code:
        return "Internal Server Error occurred."
    return ""


def _remarks(ended: Ended, expected_code: int, message: str) -> Iterator[Finding]:
    if ended.exit_code != expected_code or ended.timed_out or ended.out_of_memory:
        expected = f"; {expected_code} is expected" if expected_code else ""
        text = f"The component ended with exit code {ended.exit_code} ({_kind(ended)}){expected}."
        yield Finding(Level.ERROR, "replay.exit_code", "", f"{text} {message}".rstrip())
    if ended.exit_code > 1:
        yield from _last_words(ended)
    if ended.exit_code == 0 and ended.stderr.strip():
        text = f"It wrote to stderr, which the platform shows as an error: {_middle_cut(ended.stderr.strip())}"
        yield Finding(Level.WARNING, "replay.stderr", "", text)


def _last_words(ended: Ended) -> Iterator[Finding]:
    """Yield what the user of the platform never sees, and whoever wrote the component must."""
    if ended.stderr.strip():
        yield Finding(Level.NOTE, "replay.stderr", "", f"It wrote to stderr: {_middle_cut(ended.stderr.strip())}")
    elif ended.stdout.strip():
        yield Finding(Level.NOTE, "replay.stdout", "", f"It wrote to stdout: {_middle_cut(ended.stdout.strip())}")


def _kind(ended: Ended) -> str:
    if ended.timed_out:
        return "killed after the time limit"
    if ended.out_of_memory or ended.exit_code == KILLED:
        return "killed, probably for its memory"
    if ended.exit_code - 128 in set(signal.Signals):
        return f"application error, as after {signal.Signals(ended.exit_code - 128).name}"
    return {0: "success", 1: "user error"}.get(ended.exit_code, "application error")


def _middle_cut(text: str) -> str:
    if len(text) <= MESSAGE_LIMIT:
        return text
    half = (MESSAGE_LIMIT - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
