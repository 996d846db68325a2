"""What the engine puts around a function that runs on a worker: it says results, and errors on purpose as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar

from pyspark.accumulators import AccumulatorParam

from component.errors import TablemillError

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Failed:
    """An error on purpose that a task ended with: it travels as a value, so no stack trace is made of it."""

    error: TablemillError


class Collected(AccumulatorParam[list[Any]]):
    """An accumulator of a list: what tasks say, in the order in which they end."""

    def zero(self, value: list[Any]) -> list[Any]:
        """Return the empty list."""
        del value
        return []

    def addInPlace(self, value1: list[Any], value2: list[Any]) -> list[Any]:  # noqa: N802 - the name is pyspark's
        """Append one list to the other."""
        value1.extend(value2)
        return value1


class Runner(Generic[Task, Result]):
    """What runs on a worker: applies the function to lists of tasks and says the results by the accumulator."""

    def __init__(self, function: Callable[[Task], Result | Failed], reported: Any) -> None:
        self.function = function
        self.reported = reported

    def __call__(self, lists: Iterable[list[tuple[int, Task]]]) -> Iterator[int]:
        """Run each task, up to the first that fails; what it yields only counts them."""
        for number, task in chain.from_iterable(lists):
            try:
                value: Any = self.function(task)
            except TablemillError as error:
                value = Failed(error)
            self.reported.add([(number, value)])
            yield number
            if isinstance(value, Failed):
                return


class Scatter(Generic[Task]):
    """What runs on a worker before a shuffle."""

    def __init__(self, function: Callable[[Task], Iterable[Any]], reported: Any) -> None:
        self.function = function
        self.reported = reported

    def __call__(self, lists: Iterable[list[tuple[int, Task]]]) -> Iterator[tuple[int, bytes]]:
        """Yield the pairs of each task to the shuffle."""
        for number, task in chain.from_iterable(lists):
            try:
                for item in self.function(task):
                    if isinstance(item, tuple):
                        yield item
                    else:
                        self.reported.add([(number, item)])
            except TablemillError as error:
                self.reported.add([(number, Failed(error))])


class Gather(Generic[Result]):
    """What runs on a worker after a shuffle."""

    def __init__(self, function: Callable[[Iterable[bytes]], Result], reported: Any) -> None:
        self.function = function
        self.reported = reported

    def __call__(self, bucket: int, pairs: Iterable[tuple[int, bytes]]) -> Iterator[int]:
        """Gather the pairs of one bucket, unless there are none."""
        parts = iter(pairs)
        first = next(parts, None)
        if first is None:
            return
        try:
            value: Any = self.function(data for _, data in chain([first], parts))
        except TablemillError as error:
            value = Failed(error)
        self.reported.add([(bucket, value)])
        yield bucket
