"""A run that is told to stop ends by an exception, so that everything is tidied up; when it is too late it goes on."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A signal asked the run to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def exit_code(self) -> int:
        """The exit code by the convention of shells."""
        return 128 + self.number

    def __str__(self) -> str:
        return f"Stopped by {signal.Signals(self.number).name}; nothing was changed."


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let the first SIGINT or SIGTERM raise Interrupted in the block; further ones do not disturb the tidying up.

    Outside of the main thread signals stay as they are.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [signal.signal(one, _interrupt) for one in SIGNALS]
    try:
        yield
    finally:
        for one, handler in zip(SIGNALS, before, strict=True):
            signal.signal(one, handler)


def ignore_interrupts() -> None:
    """From here to the end of `interruptible` the run can no longer be stopped."""
    if threading.current_thread() is threading.main_thread():
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del frame
    ignore_interrupts()
    raise Interrupted(number)
