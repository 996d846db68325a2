"""How timestamps are shown: the shortest of Workbench's styles, `2010-01-01` to `2010-01-01T03:04:05.006Z`.

Workbench has two styles (reference workbench 1.2). This is the one of its render framework; the other, of its text
exports, keeps `T00Z` at midnight.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

_CUTS: Final = (
    (r"T00:00:00\.0{9}$", ""),
    (r":00\.0{9}$", "Z"),
    (r"\.0{9}$", "Z"),
    (r"(\.\d{3})0{6}$", r"\1Z"),
    (r"(\.\d{6})0{3}$", r"\1Z"),
    (r"(\.\d{9})$", r"\1Z"),
)


def render_timestamps(moments: pa.Array) -> pa.Array:
    """Return timestamps (nanoseconds, UTC) as texts with as few parts as say everything; nulls stay null.

    Midnight is the date alone; then minutes, seconds, and a fraction of 3, 6 or 9 digits, with `Z`.
    """
    texts = pc.strftime(moments, format="%Y-%m-%dT%H:%M:%S")
    for pattern, replacement in _CUTS:
        texts = pc.replace_substring_regex(texts, pattern, replacement)
    return texts
