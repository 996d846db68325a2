"""The one seam to the clock; tests replace these functions here."""

from __future__ import annotations

import datetime as dt
import time


def utc_now() -> dt.datetime:
    """Return the time now, in UTC."""
    return dt.datetime.now(dt.UTC)


def monotonic() -> float:
    """Return seconds that never go back, for measuring."""
    return time.monotonic()
