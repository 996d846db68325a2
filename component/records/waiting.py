"""Waiting for a file that its writer has announced, with an end to it (reference records 8)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from component import clock

T = TypeVar("T")
LONGEST_PAUSE: Final = 5.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds: `seconds` altogether, `pause` after the first look, then twice as long each time.

    0 seconds is one look. `sleep` is the seam for tests.
    """

    seconds: float = 0.0
    pause: float = 0.05
    sleep: Callable[[float], None] = time.sleep


NO_PATIENCE: Final = Patience()
"""One look."""
OF_BUCKETS: Final = Patience(60.0)
"""For places where files may appear later than their writer says, when nothing else is asked for."""


def wait_for(look: Callable[[], T], patience: Patience) -> T:
    """Return what `look` finds, None when it has found nothing by the end."""
    end = clock.monotonic() + patience.seconds
    pause = patience.pause
    while (found := look()) is None and (left := end - clock.monotonic()) > 0:
        patience.sleep(min(pause, left, LONGEST_PAUSE))
        pause *= 2
    return found
