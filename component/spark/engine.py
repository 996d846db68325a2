"""Spark, started in the background and ended fast; runs tasks on it and reports on them while they run."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final, Generic, Self, TypeVar

from pyspark import SparkConf, SparkContext
from pyspark.accumulators import AccumulatorParam

from component.errors import BugError, RetryError, TablemillError
from component.spark.java import find_java
from component.spark.jvm import Jvm, JvmSettings, class_archive_path

Task = TypeVar("Task")
Result = TypeVar("Result")
Said = TypeVar("Said")
_DEFAULTS: Final = {
    "spark.app.name": "tablemill",
    "spark.ui.enabled": "false",
    "spark.python.worker.reuse": "true",
    "spark.python.daemon.module": "component.spark.daemon",
    "spark.task.maxFailures": "1",
    "spark.hadoop.fs.defaultFS": "file:///",
}
_LOCAL: Final = {"spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1"}
_POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Failed:
    """An error on purpose that a task ended with: it travels as a value, so no stack trace is made of it."""

    error: TablemillError


class _Collected(AccumulatorParam[list[Any]]):
    """An accumulator of a list: what tasks say, in the order in which they end."""

    def zero(self, value: list[Any]) -> list[Any]:
        del value
        return []

    def addInPlace(self, value1: list[Any], value2: list[Any]) -> list[Any]:  # noqa: N802 - the name is pyspark's
        value1.extend(value2)
        return value1


class Engine:
    """A Spark application. The JVM starts when the engine is made; `context` waits for it.

    Close it, or use it as a context manager: the JVM ends, and nothing stays on disk.
    """

    def __init__(self, master: str, conf: Mapping[str, str], *, class_archive: Path | None = None) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="tablemill-spark-"))
        self._local = master.startswith("local")
        java = find_java()
        recorded = class_archive_path(java)
        self._settings = JvmSettings(
            java=java,
            scratch=self.scratch,
            conf={
                **_DEFAULTS,
                **(_LOCAL if self._local else {}),
                "spark.local.dir": str(self.scratch),
                "spark.master": master,
                **conf,
            },
            class_archive=class_archive or (recorded if recorded.exists() else None),
            record_classes=class_archive is not None,
        )
        self._jvm = Jvm(self._settings)
        self._context: SparkContext | None = None
        self._recording = class_archive is not None

    @property
    def context(self) -> SparkContext:
        """The Spark context; waits for the JVM the first time. RetryError `spark.failed` when it does not come."""
        if self._context is None:
            gateway = self._jvm.gateway()
            conf = SparkConf(loadDefaults=False, _jvm=gateway.jvm)
            for key, value in self._settings.conf.items():
                conf.set(key, value)
            self._context = SparkContext(conf=conf, gateway=gateway)
            self._context.pythonExec = sys.executable
        return self._context

    @property
    def parallelism(self) -> int:
        """Tasks that run at the same time."""
        return self.context.defaultParallelism

    def run(
        self,
        function: Callable[[Task], Result | Failed],
        tasks: Sequence[Task],
        *,
        on_done: Callable[[Result], None] | None = None,
        explain: Callable[[int, TablemillError], TablemillError] | None = None,
    ) -> list[Result]:
        """Run a function on each task, one Spark task each, and return the results in the order of the tasks.

        `on_done` is called with each result as it comes, from the calling thread. The first error on purpose cancels
        what still runs and is raised, made clearer by `explain` from the task's number; anything else a task raises is
        RetryError or BugError `spark.failed`.
        """
        if not tasks:
            return []
        context = self.context
        said = context.accumulator([], _Collected())
        numbered = list(enumerate(tasks))
        rdd = context.parallelize(numbered, len(numbered)).mapPartitions(_Runner(function, said))
        try:
            self._wait(_Job(rdd.count), said, on_done)
        except _TaskFailedError as failed:
            raise (explain or _as_it_is)(failed.number, failed.error) from None
        results = dict(said.value)
        return [results[number] for number in range(len(tasks))]

    def shuffle(
        self,
        scatter: Callable[[Task], Iterable[tuple[int, bytes] | Said]],
        tasks: Sequence[Task],
        buckets: int,
        gather: Callable[[Iterable[bytes]], Result],
        *,
        on_done: Callable[[Said | Result], None] | None = None,
    ) -> tuple[list[Said], list[Result]]:
        """Scatter tasks into numbered buckets through Spark's shuffle, and gather each bucket.

        `scatter` yields (bucket, bytes) pairs and one value of its own; these values come back in the order of the
        tasks, then what `gather` made of each bucket that is not empty. Errors as in `run`.
        """
        said = self.context.accumulator([], _Collected())
        gathered = self.context.accumulator([], _Collected())
        rdd = self.context.parallelize(list(enumerate(tasks)), len(tasks)).mapPartitions(_Scatter(scatter, said))
        moved = rdd.partitionBy(buckets, int).mapPartitionsWithIndex(_Gather(gather, gathered))
        try:
            self._wait(_Job(moved.count), said, on_done, gathered)
        except _TaskFailedError as failed:
            raise failed.error from None
        first = dict(said.value)
        made = [value for _, value in sorted(gathered.value, key=_number)]
        return [first[number] for number in range(len(tasks))], made

    def _wait(self, job: _Job, said: Any, on_done: Callable[[Any], None] | None, *more: Any) -> None:
        """Follow a job until it ends; what its tasks say comes by the accumulators."""
        accumulators = (said, *more)
        seen = [0] * len(accumulators)
        while True:
            ended = not job.running
            news: list[tuple[int, Any]] = []
            for at, accumulator in enumerate(accumulators):
                fresh = list(accumulator.value)[seen[at] :]
                seen[at] += len(fresh)
                news += fresh
            failures = [value.error for _, value in news if isinstance(value, Failed)]
            if failures:
                self.context.cancelAllJobs()
                job.join()
                raise _first([entry for accumulator in accumulators for entry in accumulator.value])
            for _, value in news:
                if on_done is not None:
                    on_done(value)
            if ended:
                break
            time.sleep(_POLL_SECONDS)
        if job.error is not None:
            raise _spark_error(job.error)

    def close(self) -> None:
        """End Spark. Locally the JVM is killed: its goodbye takes a second, and there is nothing to save."""
        context, self._context = self._context, None
        if context is not None:
            _silence_accumulators(context)
        if context is not None and (self._recording or not self._local):
            context.stop()
        if self._recording:
            assert self._jvm.process.stdin is not None  # noqa: S101 - it is opened as a pipe
            self._jvm.process.stdin.close()
            self._jvm.process.wait(60)
        _forget(context)
        self._jvm.kill()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _silence_accumulators(context: SparkContext) -> None:
    """Keep pyspark's accumulator server from printing a stack trace when the JVM that it listens to ends."""
    server: Any = context._accumulatorServer  # noqa: SLF001 - pyspark gives no other way to it
    server.handle_error = lambda *_: None


def _forget(context: SparkContext | None) -> None:
    """Let pyspark forget the context and its JVM, so that the next engine of this process can start another.

    pyspark keeps them in private class variables and has no other way to start a second JVM.
    """
    if context is not None:
        gateway = SparkContext._gateway  # noqa: SLF001
        if gateway is not None:
            gateway.shutdown()
    SparkContext._active_spark_context = None  # noqa: SLF001
    SparkContext._gateway = None  # noqa: SLF001
    SparkContext._jvm = None  # noqa: SLF001


class _Runner(Generic[Task, Result]):
    """What runs on a worker: applies the function and says the result by the accumulator."""

    def __init__(self, function: Callable[[Task], Result | Failed], said: Any) -> None:
        self.function = function
        self.said = said

    def __call__(self, numbered: Any) -> Any:
        for number, task in numbered:
            try:
                value: Any = self.function(task)
            except TablemillError as error:
                value = Failed(error)
            self.said.add([(number, value)])
            yield number


class _Scatter(Generic[Task]):
    """What runs on a worker before a shuffle."""

    def __init__(self, function: Callable[[Task], Iterable[Any]], said: Any) -> None:
        self.function = function
        self.said = said

    def __call__(self, numbered: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, bytes]]:
        for number, task in numbered:
            try:
                for item in self.function(task):
                    if isinstance(item, tuple):
                        yield item
                    else:
                        self.said.add([(number, item)])
            except TablemillError as error:
                self.said.add([(number, Failed(error))])


class _Gather(Generic[Result]):
    """What runs on a worker after a shuffle."""

    def __init__(self, function: Callable[[Iterable[bytes]], Result], said: Any) -> None:
        self.function = function
        self.said = said

    def __call__(self, bucket: int, pairs: Iterable[tuple[int, bytes]]) -> Iterator[int]:
        parts = iter(pairs)
        first = next(parts, None)
        if first is None:
            return
        try:
            value: Any = self.function(data for _, data in chain([first], parts))
        except TablemillError as error:
            value = Failed(error)
        self.said.add([(bucket, value)])
        yield bucket


def _number(entry: tuple[int, Any]) -> int:
    return entry[0]


class _Job:
    """A Spark action on a thread of its own, so that the caller can watch it."""

    def __init__(self, action: Callable[[], Any]) -> None:
        self.error: BaseException | None = None
        self.value: Any = None
        self._action = action
        self._thread = threading.Thread(target=self._work, name="spark-job", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self.value = self._action()
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self.error = error

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def join(self) -> None:
        self._thread.join()


class _TaskFailedError(Exception):
    """A task ended with an error on purpose."""

    def __init__(self, number: int, error: TablemillError) -> None:
        super().__init__(number, error)
        self.number = number
        self.error = error


def _as_it_is(number: int, error: TablemillError) -> TablemillError:
    del number
    return error


def _first(said: Sequence[tuple[int, Any]]) -> _TaskFailedError:
    """Return the error of the first task among those that failed, so that the same input says the same."""
    number, failed = min((entry for entry in said if isinstance(entry[1], Failed)), key=_number)
    return _TaskFailedError(number, failed.error)


def _spark_error(error: BaseException) -> TablemillError:
    text = str(error)
    if "Python worker exited unexpectedly" in text or "OutOfMemoryError" in text:
        return RetryError(
            "spark.failed",
            "A worker was killed, probably for want of memory",
            remedy="Give more memory, or lower limits.",
        )
    return BugError("spark.failed", f"A Spark job failed: {text}")
