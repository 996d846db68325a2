"""Where changes of large datasets run: in this process, unless a Spark is asked for."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeAlias

from component.dataset.changes.execution import HERE, Executor, WhenLarge

if TYPE_CHECKING:
    from component.spark.engine import Engine

Spark: TypeAlias = "str | Engine | None"
"""None: this process. The URL of a master: a Spark of our own, started when a change is large. Or one that runs."""


def executor_of(spark: Spark) -> AbstractContextManager[Executor]:
    """Return what runs the tasks of a change, for as long as it is needed."""
    if spark is None:
        return nullcontext(HERE)
    from component.spark.executor import SparkExecutor, start_spark

    if isinstance(spark, str):
        return WhenLarge(lambda: start_spark(spark))
    return nullcontext(SparkExecutor(spark))
