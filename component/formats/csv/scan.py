"""Questions about bytes at memory speed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from component.formats.csv.split import Bytes


def is_utf8(data: Bytes) -> bool:
    """Say whether bytes are valid UTF-8."""
    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
