"""Spark, started in the background and ended fast; runs tasks on it and reports on them while they run."""

from __future__ import annotations

import contextlib
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, SparkContext

from component.errors import BugError, RetryError, TablemillError
from component.spark.batches import batches
from component.spark.java import find_java
from component.spark.jvm import Jvm, JvmSettings, class_archive_path
from component.spark.tasks import Collected, Failed, Gather, Runner, Scatter
from component.spark.workers import cores, fitting_master, kept_bytes, memory_limit

Task = TypeVar("Task")
Result = TypeVar("Result")
Reported = TypeVar("Reported")
_DEFAULTS: Final = {
    "spark.app.name": "tablemill",
    "spark.ui.enabled": "false",
    "spark.python.worker.reuse": "true",
    "spark.python.daemon.module": "component.spark.daemon",
    "spark.task.maxFailures": "1",
    "spark.hadoop.fs.defaultFS": "file:///",
}
_LOCAL: Final = {"spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1"}
_END_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.05
_STOP_SECONDS: Final = 30.0


class Engine:
    """A Spark application. The JVM starts when the engine is made; `context` waits for it.

    Where a container's memory is limited, the master "local[*]" means as many workers as fit, one at least.

    Close it, or use it as a context manager: the JVM ends, and nothing stays on disk.
    """

    def __init__(self, master: str, conf: Mapping[str, str], *, class_archive: Path | None = None) -> None:
        limit = memory_limit()
        master = fitting_master(master, limit, cores())
        self._local = master.startswith("local")
        java = find_java()
        recorded = class_archive_path(java)
        self.scratch = Path(tempfile.mkdtemp(prefix="tablemill-spark-"))
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
            worker_keeps=kept_bytes(limit),
        )
        self._context: SparkContext | None = None
        self._recording = class_archive is not None
        try:
            self._jvm = Jvm(self._settings)
        except BaseException:
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise

    @property
    def context(self) -> SparkContext:
        """The Spark context; waits for the JVM the first time. RetryError `spark.failed` when it does not come."""
        if self._context is None:
            try:
                self._context = self._connect()
            except Py4JJavaError as error:
                raise self._jvm.did_not_start(str(error.java_exception.toString())) from error
            except (Py4JError, OSError) as error:
                raise self._jvm.did_not_start(self._jvm.output.read_text(errors="replace")) from error
            self._context.pythonExec = sys.executable
        return self._context

    def _connect(self) -> SparkContext:
        gateway = self._jvm.gateway()
        conf = SparkConf(loadDefaults=False, _jvm=gateway.jvm)
        for key, value in self._settings.conf.items():
            conf.set(key, value)
        with _keep_interrupt():
            context = SparkContext(conf=conf, gateway=gateway)
        _silence_accumulators(context)
        return context

    @property
    def parallelism(self) -> int:
        """Tasks that run at the same time; RetryError `spark.failed` when Spark is gone."""
        with self._talking() as context:
            return context.defaultParallelism

    @contextlib.contextmanager
    def _talking(self) -> Iterator[SparkContext]:
        """Give the context to a block that asks the JVM for something; RetryError `spark.failed` when it is gone."""
        context = self.context
        try:
            yield context
        except (Py4JError, OSError) as error:
            raise self._spark_error(error) from error

    def run(
        self,
        function: Callable[[Task], Result | Failed],
        tasks: Sequence[Task],
        *,
        sizes: Sequence[int] = (),
        on_done: Callable[[int, Result], None] | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> list[Result]:
        """Run a function on each task, and return the results in the order of the tasks.

        `sizes` are the bytes that each task reads: small ones share a task of Spark's. Without, each has its own.

        `on_done` is called with each task's number and result as it comes, from the calling thread, and `on_wait` many
        times a second while tasks run; what they raise cancels what still runs. So does the first error on purpose,
        which is raised; anything else a task raises is RetryError or BugError `spark.failed`.
        """
        if not tasks:
            return []
        lists = self._lists(tasks, sizes)
        with self._talking() as context:
            reported = context.accumulator([], Collected())
            rdd = context.parallelize(lists, len(lists)).mapPartitions(Runner(function, reported))
        try:
            self._wait(_Job(rdd.count), reported, on_done, on_wait=on_wait)
        except _TaskFailedError as failed:
            raise failed.error from None
        results = dict(reported.value)
        return [results[number] for number in range(len(tasks))]

    def _lists(self, tasks: Sequence[Task], sizes: Sequence[int]) -> list[list[tuple[int, Task]]]:
        """Return tasks with their numbers, those that share a task of Spark's in one list."""
        together = batches(sizes, self.parallelism) if sizes else [range(at, at + 1) for at in range(len(tasks))]
        return [[(number, tasks[number]) for number in batch] for batch in together]

    def shuffle(
        self,
        scatter: Callable[[Task], Iterable[tuple[int, bytes] | Reported]],
        tasks: Sequence[Task],
        buckets: int,
        gather: Callable[[Iterable[bytes]], Result],
        *,
        sizes: Sequence[int] = (),
        on_done: Callable[[int, Reported | Result], None] | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> tuple[list[Reported], list[Result]]:
        """Scatter tasks into numbered buckets through Spark's shuffle, and gather each bucket.

        `scatter` yields (bucket, bytes) pairs and one value of its own; these values come back in the order of the
        tasks, then what `gather` made of each bucket that is not empty. `sizes` and errors as in `run`.
        """
        lists = self._lists(tasks, sizes)
        with self._talking() as context:
            reported = context.accumulator([], Collected())
            gathered = context.accumulator([], Collected())
            rdd = context.parallelize(lists, len(lists)).mapPartitions(Scatter(scatter, reported))
            moved = rdd.partitionBy(buckets, int).mapPartitionsWithIndex(Gather(gather, gathered))
        try:
            self._wait(_Job(moved.count), reported, on_done, gathered, on_wait=on_wait)
        except _TaskFailedError as failed:
            raise failed.error from None
        first = dict(reported.value)
        made = [value for _, value in sorted(gathered.value, key=_number)]
        return [first[number] for number in range(len(tasks))], made

    def _wait(
        self,
        job: _Job,
        reported: Any,
        on_done: Callable[[int, Any], None] | None,
        *more: Any,
        on_wait: Callable[[], None] | None,
    ) -> None:
        """Follow a job until it ends; whatever ends the waiting, no task of it runs any more."""
        accumulators = (reported, *more)
        try:
            self._follow(job, accumulators, on_done, on_wait)
        except BaseException as error:
            self._stop(job)
            if isinstance(error, _TaskFailedError):
                raise _first([entry for accumulator in accumulators for entry in accumulator.value]) from None
            raise

    def _follow(
        self,
        job: _Job,
        accumulators: Sequence[Any],
        on_done: Callable[[int, Any], None] | None,
        on_wait: Callable[[], None] | None,
    ) -> None:
        """Report what the tasks say, which comes by the accumulators."""
        seen = [0] * len(accumulators)
        while True:
            ended = not job.running
            news: list[tuple[int, Any]] = []
            for at, accumulator in enumerate(accumulators):
                fresh = list(accumulator.value)[seen[at] :]
                seen[at] += len(fresh)
                news += fresh
            if any(isinstance(value, Failed) for _, value in news):
                raise _first(news)
            for number, value in news:
                if on_done is not None:
                    on_done(number, value)
            if ended:
                break
            if on_wait is not None:
                on_wait()
            job.join(_POLL_SECONDS)
        if job.error is not None:
            raise self._spark_error(job.error)

    def _stop(self, job: _Job) -> None:
        """Cancel a job and wait until its tasks have ended: what they still wrote after that, nobody would delete.

        Spark itself kills the worker of a cancelled task that goes on for more than a few seconds.
        """
        with contextlib.suppress(Py4JError, OSError):  # there is no Spark any more, so there are no tasks
            self.context.cancelAllJobs()
            job.join()
            deadline = time.monotonic() + _STOP_SECONDS
            while self._running_tasks() and time.monotonic() < deadline:
                time.sleep(_POLL_SECONDS)

    def _running_tasks(self) -> int:
        """Ask the scheduler itself: Spark's public status tracker is late by a tenth of a second."""
        scheduler = self.context._jsc.sc().taskScheduler()  # noqa: SLF001 - pyspark has no other way to it
        by_executor = scheduler.runningTasksByExecutors().values().iterator()
        total = 0
        while by_executor.hasNext():
            total += int(by_executor.next())
        return total

    def _spark_error(self, error: BaseException) -> TablemillError:
        text = str(error)
        killed = any(mark in text for mark in ("Python worker exited unexpectedly", "OutOfMemoryError"))
        if killed or self._jvm.ends_within(_END_SECONDS):
            return RetryError(
                "spark.failed",
                f"{'A worker' if killed else 'Spark'} was killed, probably for want of memory",
                remedy="Give more memory, or lower limits.split_bytes and limits.buffer_bytes.",
            )
        return BugError("spark.failed", f"A Spark job failed: {text}")

    def close(self) -> None:
        """End Spark. Locally the JVM is killed: its goodbye takes a second, and there is nothing to save."""
        context, self._context = self._context, None
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

    def join(self, seconds: float | None = None) -> None:
        self._thread.join(seconds)


class _TaskFailedError(Exception):
    """A task ended with an error on purpose."""

    def __init__(self, number: int, error: TablemillError) -> None:
        super().__init__(number, error)
        self.number = number
        self.error = error


def _first(reported: Sequence[tuple[int, Any]]) -> _TaskFailedError:
    """Return the error of the first task among those that failed, so that the same input says the same."""
    number, failed = min((entry for entry in reported if isinstance(entry[1], Failed)), key=_number)
    return _TaskFailedError(number, failed.error)


@contextlib.contextmanager
def _keep_interrupt() -> Iterator[None]:
    """Keep what an interrupt does: pyspark's own handler speaks to a JVM that may be busy or gone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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
