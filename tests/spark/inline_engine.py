"""The engine's contract in this process: what the job decides is tested without starting Spark for each example."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from component.spark.engine import Engine


class InlineEngine(Engine):
    """Runs tasks one after the other, here."""

    def __init__(self) -> None:
        self.tasks_run = 0
        self.scratch = Path(tempfile.gettempdir())

    @property
    def parallelism(self) -> int:
        return 2

    def run(
        self,
        function: Callable[[Any], Any],
        tasks: Sequence[Any],
        *,
        sizes: Sequence[int] = (),
        on_done: Callable[[int, Any], None] | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> list[Any]:
        assert len(sizes) in {0, len(tasks)}
        results = []
        for number, task in enumerate(tasks):
            results.append(function(task))
            self.tasks_run += 1
            if on_wait is not None:
                on_wait()
            if on_done is not None:
                on_done(number, results[-1])
        return results

    def shuffle(
        self,
        scatter: Callable[[Any], Iterable[Any]],
        tasks: Sequence[Any],
        buckets: int,
        gather: Callable[[Iterable[bytes]], Any],
        *,
        sizes: Sequence[int] = (),
        on_done: Callable[[int, Any], None] | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> tuple[list[Any], list[Any]]:
        assert len(sizes) in {0, len(tasks)}
        said, parts = [], [[] for _ in range(buckets)]
        for number, task in enumerate(tasks):
            for item in scatter(task):
                if isinstance(item, tuple):
                    parts[item[0]].append(item[1])
                else:
                    said.append(item)
                    if on_wait is not None:
                        on_wait()
                    if on_done is not None:
                        on_done(number, item)
        return said, [gather(iter(part)) for part in parts if part]
