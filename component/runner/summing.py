"""What a run did, as the summary that people and machines read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from component import naming
from component.formats.losses import LostCells
from component.mapping.platform.model import Load
from component.report.results.summary import ChangeSummary, DatasetSummary, LossSummary, OutputSummary, RunSummary
from component.runner.datasets import MilledTable, PreparedDataset
from component.runner.destinations import Outcome
from component.runner.home import Home
from component.runner.producing import Produced


def summarize(
    home: Home,
    milled: Sequence[PreparedDataset],
    produced: Sequence[Produced],
    rejected: Mapping[str, int],
    outcome: Outcome,
    *,
    stages: tuple[tuple[str, float], ...],
    seconds: float,
) -> RunSummary:
    """Return the summary of a run; `rejected` has the bytes of each output of rejected rows."""
    datasets = tuple(_dataset(home, one) for one in milled)
    loads = outcome.first_loads()
    outputs = [_output(one, loads) for one in produced]
    outputs += [_rejected(table, rejected, loads) for one in milled for table in one.tables if table.plan.has_rejected]
    return RunSummary(datasets, tuple(outputs), stages, seconds)


def _dataset(home: Home, one: PreparedDataset) -> DatasetSummary:
    files = [file for written in one.settled.fresh for file in written.files]
    return DatasetSummary(
        uuid=one.plan.uuid,
        rows_in=one.records,
        rows=sum(file.rows for file in files),
        rejected=one.rejected,
        partitions=len({file.label.rsplit("/", 1)[0] if "/" in file.label else "" for file in files}),
        files=len(files),
        bytes=sum(file.bytes for file in files),
        indices=tuple(one.prepared.index_values.items()),
        mode=one.plan.mode,
        where=home.where(one.plan.uuid),
        changed=_changed(one),
        losses=tuple(_loss(lost) for table in one.tables for lost in table.result.losses),
    )


def _loss(lost: LostCells) -> LossSummary:
    return LossSummary(lost.loss.column, str(lost.loss.kind), lost.cells, lost.loss.text)


def _changed(one: PreparedDataset) -> ChangeSummary | None:
    """Return what became of old rows and files, for the modes that touch some of them only."""
    if one.plan.mode in {"overwrite", "append"}:
        return None
    settled = one.settled
    fresh = sum(part.rows for part in settled.fresh)
    replaced = settled.rows_gone or 0 if one.plan.mode == "upsert" else 0
    again = sum(bool(old.written.files) for old in settled.rewritten)
    return ChangeSummary(
        files_rewritten=again,
        files_removed=len(settled.plan.removed) - again,
        rows_replaced=replaced,
        rows_added=max(fresh - replaced, 0),
        rows_deleted=0 if one.plan.mode == "upsert" else settled.rows_gone,
    )


def _output(one: Produced, loads: Mapping[str, Load]) -> OutputSummary:
    rows = sum(part.rows for part in one.slices)
    size = sum(part.bytes for part in one.slices)
    losses = tuple(map(_loss, one.losses))
    if one.table is None:
        return OutputSummary(one.output.name, rows, 0, size, f"file {one.output.name}", "out/files", losses)
    load = loads[one.table.name]
    slices = len(one.slices) if one.table.sliced else 0
    return OutputSummary(one.output.name, rows, slices, size, load.destination, str(load.rule), losses)


def _rejected(one: MilledTable, sizes: Mapping[str, int], loads: Mapping[str, Load]) -> OutputSummary:
    name = one.plan.name + naming.REJECTED_SUFFIX
    load = loads[name]
    return OutputSummary(name, one.result.rejected, 1, sizes[name], load.destination, str(load.rule))
