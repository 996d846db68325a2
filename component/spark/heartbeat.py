"""What tasks have read while they still run: Spark's accumulators say it only when a task ends.

Each task appends a few bytes now and then to one small file of the driver's, which reads what is new. On a cluster
workers do not see that file, and say nothing.
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from component import clock

SECONDS: Final = 0.2
"""Between two heartbeats of a task: a task that ends sooner has none, so small ones cost nothing."""
_BEAT: Final = struct.Struct("<qqq")


@dataclass(slots=True)
class Heart:
    """A task's end: it adds up what is read, and says it when `SECONDS` have gone by; without a path it never does."""

    path: Path | None = None
    number: int = 0
    _rows: int = field(default=0, init=False)
    _bytes: int = field(default=0, init=False)
    _said_at: float | None = field(default=None, init=False)

    def add(self, rows: int, byte_count: int) -> None:
        """Count what was read since the last call."""
        if self.path is None:
            return
        self._rows += rows
        self._bytes += byte_count
        now = clock.monotonic()
        if self._said_at is None:
            self._said_at = now
        elif now - self._said_at >= SECONDS:
            self._say(self.path)
            self._rows, self._bytes, self._said_at = 0, 0, now

    def _say(self, path: Path) -> None:
        try:
            file = os.open(path, os.O_WRONLY | os.O_APPEND)  # never made here: where it is not, nobody reads it
        except OSError:
            self.path = None
            return
        try:
            os.write(file, _BEAT.pack(self.number, self._rows, self._bytes))
        finally:
            os.close(file)


class Heartbeats:
    """The driver's end: tells `on_read` the rows and bytes that tasks say they have read. Use it as a context manager.

    A task that has ended says all that it read in its result; `end` returns what was told of it before, to be left out.
    """

    def __init__(self, folder: Path, on_read: Callable[[int, int], None]) -> None:
        handle, name = tempfile.mkstemp(prefix="heartbeats-", dir=folder)
        self.path: Final = Path(name)
        self._file = os.fdopen(handle, "rb", buffering=0)
        self._on_read = on_read
        self._said: dict[int, tuple[int, int]] = {}
        self._ended: set[int] = set()
        self._rest = b""

    def tell(self) -> None:
        """Tell what is new; tasks that have ended are no longer listened to."""
        data = self._rest + self._file.readall()
        whole = len(data) - len(data) % _BEAT.size
        self._rest = data[whole:]
        for number, rows, byte_count in _BEAT.iter_unpack(data[:whole]):
            if number not in self._ended:
                before = self._said.get(number, (0, 0))
                self._said[number] = (before[0] + rows, before[1] + byte_count)
                self._on_read(rows, byte_count)

    def end(self, number: int) -> tuple[int, int]:
        """Return the rows and bytes that were told of a task, which has ended."""
        self._ended.add(number)
        return self._said.pop(number, (0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)
