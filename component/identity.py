"""The one seam to random names; tests replace this function here."""

from __future__ import annotations

import uuid


def new_hex() -> str:
    """Return 32 hexadecimal digits that were never used before."""
    return uuid.uuid4().hex
