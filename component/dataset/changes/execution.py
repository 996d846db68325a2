"""Where the tasks of a change run: in this process, or wherever an executor takes them.

A task is a small value that pickles and names what it reads and writes; what it returns is small too. So it is the same
whether it runs here or on a worker, and rows never travel between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Final, Protocol, Self, TypeVar

from component import naming

Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(Protocol):
    """Runs a function on tasks. `bytes` is what the tasks read from the store, to choose a place by."""

    def run(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], *, files: int = 0, size: int = 0
    ) -> list[Result]:
        """Return the results in the order of the tasks; raise the first error, when no task runs any more.

        `files` and `size` (bytes) say how much the tasks read, for who chooses where they run.
        """


class InProcess:
    """Runs tasks one after the other, here: the memory is that of one task."""

    def run(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], *, files: int = 0, size: int = 0
    ) -> list[Result]:
        """Run the tasks in their order."""
        del files, size
        return [function(task) for task in tasks]


HERE: Final = InProcess()


def is_large(files: int, size: int) -> bool:
    """Say whether a change is worth a start of Spark (docs/dataset-operations.md has the figures)."""
    return files > naming.SPARK_REWRITE_FILES and size > naming.SPARK_REWRITE_BYTES


class WhenLarge:
    """Runs small changes here, and large ones on an executor that is started when the first one comes.

    Use it as a context manager: what it started ends with it.
    """

    def __init__(self, start: Callable[[], AbstractContextManager[Executor]]) -> None:
        self._start = start
        self._started: Executor | None = None
        self._stack = ExitStack()

    @property
    def started(self) -> bool:
        """Whether there was a large change."""
        return self._started is not None

    def run(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], *, files: int = 0, size: int = 0
    ) -> list[Result]:
        """Run the tasks on one or the other."""
        if len(tasks) < 2 or not is_large(files, size):
            return HERE.run(function, tasks)
        if self._started is None:
            self._started = self._stack.enter_context(self._start())
        return self._started.run(function, tasks, files=files, size=size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
