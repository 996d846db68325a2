"""A run that is told to stop ends by an exception, so that everything is tidied up; when it is too late it goes on."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Final

DEADLINE: Final = signal.SIGUSR1
"""Sent to ourselves; SIGALRM, of which a process has one, may be in use by who runs us."""
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, DEADLINE)
"""Ctrl-C, `docker stop`, a terminal that closes, and our own deadline."""


class Interrupted(KeyboardInterrupt):
    """A signal asked the run to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def exit_code(self) -> int:
        """The exit code by the convention of shells; 1 for a deadline, since the user can move it."""
        return 1 if self.number == DEADLINE else 128 + self.number

    def __str__(self) -> str:
        if self.number == DEADLINE:
            return "The run was not done within parameters.limits.deadline_seconds; nothing was changed. Allow more."
        return f"Stopped by {signal.Signals(self.number).name}; nothing was changed."


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let the first of `SIGNALS` raise Interrupted in the block; further ones do not disturb the tidying up.

    A signal that whoever started us had ignored (`nohup`, a shell's background job) stays ignored, except our own
    deadline's. Outside of the main thread signals stay as they are.
    """
    if not _in_main_thread():
        yield
        return
    before = {one: signal.getsignal(one) or signal.SIG_DFL for one in SIGNALS}
    taken = [one for one, handler in before.items() if one == DEADLINE or handler is not signal.SIG_IGN]
    for one in taken:
        signal.signal(one, _interrupt)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@contextlib.contextmanager
def deadline(seconds: int | None) -> Iterator[None]:
    """Let the block, inside of an `interruptible` one, be interrupted after some seconds; None waits for ever."""
    if seconds is None or not _in_main_thread():
        yield
        return
    ours = threading.get_ident()
    bounded = min(seconds, threading.TIMEOUT_MAX)  # a thread can wait for 292 years
    timer = threading.Timer(bounded, lambda: signal.pthread_kill(ours, DEADLINE))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def ignore_interrupts() -> None:
    """From here to the end of `interruptible` the run can no longer be stopped."""
    if _in_main_thread():
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _interrupt(number: int, frame: FrameType | None) -> None:
    del frame
    ignore_interrupts()
    raise Interrupted(number)
