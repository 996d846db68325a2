"""What the configuration makes of the sources: datasets and outputs, with every fault of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from component.check.finding import note, of_error, warning
from component.check.sources import FoundSources, checked_column
from component.config.model import Config, DatasetConfig, TableConfig
from component.config.parameters import SameNameWord
from component.errors import UserError
from component.findings import Finding
from component.plan.build import build_plan, plan_dataset, plan_output
from component.plan.model import DatasetPlan, Plan
from component.plan.tables import made_by
from component.report.results.checked import CheckedDataset

DATASETS = "parameters.datasets"
OUTPUTS = "parameters.outputs"


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """The plan, None where there can be none; `datasets` are those that can be planned."""

    plan: Plan | None
    datasets: tuple[CheckedDataset, ...] = ()
    findings: tuple[Finding, ...] = ()


def check_plan(config: Config, found: FoundSources) -> CheckedPlan:
    """Plan each dataset and each output by itself, then all of them together as a run does."""
    findings: list[Finding] = []
    planned: list[DatasetPlan] = []
    for number, dataset in enumerate(config.parameters.datasets):
        if _is_broken(dataset, found):
            continue  # what is wrong with it is said of the source
        made, faults = _plan_dataset(dataset, found, f"{DATASETS}[{number}]", config.parameters.on_same_name)
        findings += faults
        planned += () if faults else made
    findings += _output_faults(config, planned)
    if findings or any(_is_broken(dataset, found) for dataset in config.parameters.datasets):
        return CheckedPlan(None, tuple(map(_checked, planned)), tuple(findings))
    try:
        plan = build_plan(config, found.sources)
    except UserError as failed:
        return CheckedPlan(None, tuple(map(_checked, planned)), (of_error(failed, "parameters"),))
    doubts = tuple(warning("config.warning", DATASETS, text) for text in plan.warnings)
    notes = tuple(note("source.chosen", "in/files", text) for text in plan.notes)
    return CheckedPlan(plan, tuple(map(_checked, plan.datasets)), (*doubts, *notes))


def _is_broken(config: DatasetConfig, found: FoundSources) -> bool:
    return any(table.source in found.broken for table in config.named_tables)


def _plan_dataset(
    config: DatasetConfig, found: FoundSources, place: str, on_same_name: SameNameWord
) -> tuple[tuple[DatasetPlan, ...], list[Finding]]:
    """Plan a dataset; where a column is at fault, go on without it to find what else there is."""
    faults: list[Finding] = []
    while True:
        try:
            return plan_dataset(config, found.sources, on_same_name), faults
        except UserError as failed:
            faults.append(of_error(failed, place))
            column = failed.place.column
        less = _without(config, column) if column is not None else config
        if less == config:
            return (), faults
        config = less


def _without(config: DatasetConfig, column: str) -> DatasetConfig:
    """Return a dataset that does not speak of a column."""

    def others(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name != column)

    def changed(table: TableConfig) -> TableConfig:
        columns = tuple(one for one in table.columns if one.name != column)
        key = None if table.primary_key is None else others(table.primary_key)
        return table.model_copy(update={"columns": columns, "primary_key": key})

    return config.model_copy(
        update={
            "tables": tuple(map(changed, config.named_tables)),
            "partition_on": others(config.partition_on),
            "secondary_indices": others(config.secondary_indices),
            "sort_partitions_by": others(config.sort_partitions_by),
            **_without_bucket(config, column),
        }
    )


def _without_bucket(config: DatasetConfig, column: str) -> dict[str, object]:
    by = tuple(name for name in config.bucket_by if name != column)
    return {"bucket_by": by, "num_buckets": config.num_buckets if by else None}


def _output_faults(config: Config, planned: Sequence[DatasetPlan]) -> list[Finding]:
    faults = []
    made = made_by(planned)
    for number, output in enumerate(config.parameters.outputs):
        try:
            plan_output(output, made)
        except UserError as failed:
            faults.append(of_error(failed, f"{OUTPUTS}[{number}]"))
    return faults


def _checked(plan: DatasetPlan) -> CheckedDataset:
    inferred = frozenset(plan.infer)
    return CheckedDataset(
        uuid=plan.name,
        source=plan.source.file_name,
        mode=plan.mode,
        columns=tuple(checked_column(column, known=column.name not in inferred) for column in plan.schema.columns),
        partition_on=plan.partition_on,
        secondary_indices=plan.secondary_indices,
        infers=plan.infer,
    )
