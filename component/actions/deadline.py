"""A deadline of our own: the platform kills an action after 30 seconds without saying why (reference keboola 1.7)."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from component.errors import RetryError

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
