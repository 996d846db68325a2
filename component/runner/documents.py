"""What a run says to the next run and to the platform: state, usage metrics, result variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from component.config.parameters import Parameters
from component.folder.result import result_of
from component.folder.state import DatasetState, next_state, size_warning
from component.folder.usage import usage_of
from component.outputs.stage import Stage
from component.runner.datasets import PreparedDataset
from component.runner.producing import Produced


def stage_documents(
    parameters: Parameters,
    state: Mapping[str, Any],
    milled: Sequence[PreparedDataset],
    produced: Sequence[Produced],
    stage: Stage,
) -> tuple[str, ...]:
    """Write the documents of a run; return warnings.

    Usage only when it is asked for, since the platform may bill by it, and only metrics that are not zero. The result
    goes nowhere but to who started the job.
    """
    totals = run_totals(milled, produced)
    metrics = {name: value for name, value in totals.items() if value}
    if parameters.usage_metrics and metrics:
        stage.usage(usage_of(metrics))
    if parameters.result_variables:
        rejected = sum(table.plan.has_rejected for one in milled for table in one.tables)
        stage.result(result_of({"datasets": len(milled), "outputs": len(produced) + rejected, **totals}))
    left = next_state(state, {one.plan.uuid: _state_of(one) for one in milled})
    stage.state(left)
    warning = size_warning(left)
    return () if warning is None else (warning,)


def run_totals(milled: Sequence[PreparedDataset], produced: Sequence[Produced]) -> dict[str, int]:
    """Return what a run did in numbers; bytes are those on disk, of compressed files too."""
    files = [file for one in milled for written in one.settled.fresh for file in written.files]
    slices = [part for one in produced for part in one.slices]
    return {
        "rows_read": sum(one.records for one in milled),
        "bytes_read": sum(table.plan.source.size for one in milled for table in one.tables),
        "rows_rejected": sum(one.rejected for one in milled),
        "dataset_rows": sum(file.rows for file in files),
        "dataset_bytes": sum(file.bytes for file in files),
        "output_rows": sum(part.rows for part in slices),
        "output_bytes": sum(part.bytes for part in slices),
    }


def _state_of(one: PreparedDataset) -> DatasetState:
    commit = one.prepared.header.extras.get("commit")
    rows = one.records
    return DatasetState(rows=rows) if commit is None else DatasetState(commit=commit, rows=rows)
