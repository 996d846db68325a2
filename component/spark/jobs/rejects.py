"""Rejected rows on their way from a worker to the driver: a scratch file for each split that has any."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pyarrow as pa

from component import identity
from component.formats.rows import BadRow

REJECTED_SCHEMA: Final = pa.schema(
    [
        ("slice", pa.string()),
        ("row", pa.int64()),
        ("column", pa.string()),
        ("value", pa.string()),
        ("reason", pa.string()),
        ("record", pa.string()),
    ]
)


class Rejects:
    """The rejected rows of one split, in a scratch file that is there only when there are any."""

    def __init__(self, slice_name: str, scratch: Path | None) -> None:
        self.count = 0
        self._slice = slice_name
        self._path = None if scratch is None else scratch / f"{identity.new_hex()}.rejected.arrow"
        self._writer: pa.RecordBatchStreamWriter | None = None

    def add(self, bad: Iterable[BadRow]) -> None:
        """Write rows, numbered within the split."""
        rows = [
            {
                "slice": self._slice,
                "row": row.row,
                "column": row.column,
                "value": row.value,
                "reason": row.reason,
                "record": row.record,
            }
            for row in bad
        ]
        if not rows or self._path is None:
            return
        if self._writer is None:
            self._writer = pa.ipc.new_stream(self._path, REJECTED_SCHEMA)
        self._writer.write_table(pa.Table.from_pylist(rows, REJECTED_SCHEMA))
        self.count += len(rows)

    def close(self) -> Path | None:
        """Finish the file and return it; None when no row was rejected."""
        if self._writer is None:
            return None
        self._writer.close()
        return self._path

    def drop(self) -> None:
        """Remove the file."""
        path = self.close()
        if path is not None:
            path.unlink()
