"""Changes of datasets that `dataset.changes.execution` finds too large for one process, as tasks of Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from component.dataset.changes.execution import Executor
from component.spark.engine import Engine

Task = TypeVar("Task")
Result = TypeVar("Result")


class SparkExecutor:
    """Runs each task as one of Spark's, on an engine that is there."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def run(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], *, files: int = 0, size: int = 0
    ) -> list[Result]:
        """Run the tasks; errors as of `Engine.run`."""
        del files, size
        return self._engine.run(function, tasks)


@contextmanager
def start_spark(master: str) -> Iterator[Executor]:
    """Start Spark for the changes to come, and end it after them; errors as of `Engine`."""
    with Engine(master, {}) as engine:
        yield SparkExecutor(engine)
