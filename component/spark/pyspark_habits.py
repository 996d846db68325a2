"""What pyspark does to the process that it is loaded into, undone."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

from pyspark import SparkContext


@contextlib.contextmanager
def keep_interrupt() -> Iterator[None]:
    """Keep what an interrupt does: pyspark's own handler speaks to a JVM that may be busy or gone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def silence_accumulators(context: SparkContext) -> None:
    """Keep pyspark's accumulator server from printing a stack trace when the JVM that it listens to ends."""
    server: Any = context._accumulatorServer  # noqa: SLF001 - pyspark gives no other way to it
    server.handle_error = lambda *_: None


def forget(context: SparkContext | None) -> None:
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
