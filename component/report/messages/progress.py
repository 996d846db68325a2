"""Progress of one run: what stage it is in, how far, how fast; and the seconds of each stage for the summary."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from component.report.messages.log import Log
from component.report.words.amounts import counted, size_text, time_text

Clock = Callable[[], float]
"""Seconds that only grow, such as `time.monotonic`."""

LINE_SECONDS: Final = 5.0
STILL_SECONDS: Final = 30.0
"""Between log lines while nothing moves: enough to see that the run lives, without a page of equal lines."""
LEAST_SHARE: Final = 0.02
"""Of a stage, before its time left is told: the first split of many also pays for the start of the workers."""


class Progress(Protocol):
    """What the runner tells while it works.

    A stage begins with `stage` and ends with the next one or with `finish`. `advance` may come from any thread; what
    comes after `finish` is ignored. `finish` may be called again; it must be called when the run fails, too.
    """

    def stage(self, name: str, total_splits: int | None = None, total_bytes: int | None = None) -> None:
        """Begin a stage; totals are those of its input, as far as they are known.

        Named again without totals, the current stage goes on.
        """

    def advance(self, splits: int = 0, rows: int = 0, byte_count: int = 0) -> None:
        """Add what has been done in the current stage; bytes are those that were read."""

    def finish(self) -> None:
        """End the last stage and leave a clean screen."""

    @property
    def stages(self) -> tuple[tuple[str, float], ...]:
        """The stages that have ended, in order, with their seconds."""


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage as it is at one moment."""

    name: str
    total_splits: int | None = None
    total_bytes: int | None = None
    splits: int = 0
    rows: int = 0
    byte_count: int = 0
    seconds: float = 0.0

    @property
    def share(self) -> float | None:
        """The part that is done, 0 to 1: by bytes if their total is known, else by splits; None if neither is."""
        if self.total_bytes:
            return min(1.0, self.byte_count / self.total_bytes)
        if self.total_splits:
            return min(1.0, self.splits / self.total_splits)
        return None

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest takes at the speed so far; None while too little is done to tell."""
        return self.seconds * (1 - self.share) / self.share if self.share and self.share >= LEAST_SHARE else None

    @property
    def splits_text(self) -> str:
        """`3 of 40 splits`, `3 splits`, or nothing where a stage has none."""
        if self.total_splits is not None:
            return f"{self.splits:,} of {counted(self.total_splits, 'split')}"
        return counted(self.splits, "split") if self.splits else ""

    @property
    def rows_text(self) -> str:
        """`1,234 rows`, or nothing."""
        return counted(self.rows, "row") if self.rows else ""

    @property
    def speed_text(self) -> str:
        """Megabytes read per second, `85.1 MB/s`, or nothing."""
        return f"{self.byte_count / self.seconds / 1e6:,.1f} MB/s" if self.byte_count and self.seconds else ""

    @property
    def left_text(self) -> str:
        """The time left if it can be told, else the time so far."""
        left = self.seconds_left
        return f"{time_text(self.seconds)} so far" if left is None else f"{time_text(left)} left"


def moving_line(view: StageView) -> str:
    """Return the log line of a stage that goes on."""
    return f"{view.name}: {_listed(view.splits_text, view.rows_text, view.speed_text, view.left_text)}"


def ended_line(view: StageView) -> str:
    """Return the log line of a stage that has ended."""
    splits = counted(view.splits, "split") if view.splits else ""
    size = size_text(view.byte_count) if view.byte_count else ""
    done = _listed(splits, view.rows_text, size)
    speed = f" ({view.speed_text})" if view.speed_text else ""
    return f"{view.name}: {done}{' in ' if done else ''}{time_text(view.seconds)}{speed}"


def _listed(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


class SilentProgress:
    """Shows nothing and measures everything; what shows something builds on it.

    The methods for successors are called without a lock held, so that they may print.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._current: StageView | None = None
        self._began_at = 0.0
        self._stages: list[tuple[str, float]] = []

    def stage(self, name: str, total_splits: int | None = None, total_bytes: int | None = None) -> None:
        """End the current stage, if any, and begin another; the same one, without totals, goes on."""
        with self._lock:
            if self._current is not None and (total_splits, total_bytes) == (None, None) and self._current.name == name:
                return
        self._turn(StageView(name, total_splits, total_bytes))
        self._on_begin()

    def advance(self, splits: int = 0, rows: int = 0, byte_count: int = 0) -> None:
        """Add to the current stage."""
        with self._lock:
            if self._current is None:
                return
            done = self._current
            self._current = replace(
                done, splits=done.splits + splits, rows=done.rows + rows, byte_count=done.byte_count + byte_count
            )
        self._on_advance()

    def finish(self) -> None:
        """End the current stage, if any."""
        self._turn(None)
        self._on_finish()

    @property
    def stages(self) -> tuple[tuple[str, float], ...]:
        """The stages that have ended, in order, with their seconds."""
        with self._lock:
            return tuple(self._stages)

    def view(self) -> StageView | None:
        """Return the current stage as it is now."""
        with self._lock:
            return self._view()

    def _view(self) -> StageView | None:
        return self._current and replace(self._current, seconds=max(0.0, self._clock() - self._began_at))

    def _turn(self, following: StageView | None) -> None:
        with self._lock:
            ended = self._view()
            if ended is not None:
                self._stages.append((ended.name, ended.seconds))
            self._current, self._began_at = following, self._clock()
        if ended is not None:
            self._on_end(ended)

    def _on_begin(self) -> None:
        """Show that a stage has begun."""

    def _on_advance(self) -> None:
        """Show that the current stage has moved."""

    def _on_end(self, ended: StageView) -> None:
        """Show that a stage has ended."""

    def _on_finish(self) -> None:
        """Stop showing: no stage follows."""


class LineProgress(SilentProgress):
    """Logs a line every `interval` seconds while a stage moves, and one at its end.

    While nothing moves a line comes every `STILL_SECONDS`. `tick` must be called now and then: `start_ticking` has a
    thread do it until `finish`.
    """

    def __init__(self, log: Log, clock: Clock, interval: float = LINE_SECONDS) -> None:
        super().__init__(clock)
        self._log = log
        self._interval = interval
        self._said_at = clock()
        self._moved = False
        self._finished = threading.Event()

    def tick(self) -> None:
        """Log a line if it is time for one."""
        with self._lock:
            view, now = self._view(), self._clock()
            wait = self._interval if self._moved else max(self._interval, STILL_SECONDS)
            if view is None or now - self._said_at < wait:
                return
            self._said_at, self._moved = now, False
        self._log.info(moving_line(view))

    def start_ticking(self) -> None:
        """Tick from a thread of its own, so that lines come while the run waits."""
        threading.Thread(target=self._tick_on, name="progress", daemon=True).start()

    def _tick_on(self) -> None:
        while not self._finished.wait(self._interval):
            self.tick()

    def _on_begin(self) -> None:
        with self._lock:
            self._said_at, self._moved = self._clock(), False

    def _on_advance(self) -> None:
        with self._lock:
            self._moved = True
        self.tick()

    def _on_end(self, ended: StageView) -> None:
        self._log.info(ended_line(ended))

    def _on_finish(self) -> None:
        self._finished.set()
