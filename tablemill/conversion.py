"""One table from any format to any other, as `tablemill convert` does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from component.convert.words import From, FromWord, To, ToWord

if TYPE_CHECKING:
    from component.report.messages.log import Log
    from component.report.messages.progress import Progress
    from component.report.results.summary import RunSummary


def convert(
    source: str,
    target: str,
    *,
    source_kind: FromWord | None = None,
    target_kind: ToWord | None = None,
    overwrite: bool = False,
    table: Mapping[str, Any] | None = None,
    dataset: Mapping[str, Any] | None = None,
    output: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    log: Log | None = None,
    progress: Progress | None = None,
) -> RunSummary:
    """Convert one table, on Spark, and say what was done; what the two are is told by content and name.

    `table`, `dataset`, `output` and `parameters` are said in the words of a configuration (docs/convert.md). `log` and
    `progress` are those of the command; by default nothing is said meanwhile. Errors are those of a run;
    `output.exists` and CommitRefusedError when the target is there and `overwrite` is not said.
    """
    from component.convert.places import source_of, target_of

    found = source_of(source, From(source_kind) if source_kind else None)
    wanted = target_of(target, To(target_kind) if target_kind else None)

    from component import clock
    from component.convert.configuration import Options
    from component.convert.convert import convert as carry_out
    from component.report.messages.log import silent_log
    from component.report.messages.progress import SilentProgress
    from component.spark.engine import Engine

    return carry_out(
        found,
        wanted,
        Options(table or {}, dataset or {}, output or {}, parameters or {}),
        log or silent_log(),
        progress or SilentProgress(clock.monotonic),
        overwrite=overwrite,
        start=Engine,
    )
