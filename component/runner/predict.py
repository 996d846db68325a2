"""What a run will leave in out/, and what the platform will make of it, before anything is read or written.

The one prediction that a run, `check`, `resolve` and the action resolveDestinations share. Nothing here needs Spark.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from component import naming
from component.config.environment import Environment
from component.config.model import Config, DatasetConfig, InputTableMapping, TableConfig
from component.errors import TablemillError
from component.folder.layout import DataFolder
from component.folder.state import read_state, remembered_commits
from component.mapping.platform.settings import NO_FACTS, JobFacts
from component.outputs.manifest import file_manifest
from component.plan.asked import asked_of
from component.plan.build import build_plan
from component.plan.model import OutputPlan, Plan, Source
from component.plan.options import table_options
from component.plan.sources import bare_name, find_sources
from component.plan.tables import made_by
from component.runner.commits import by_commit
from component.runner.destinations import Destinations, Outcome, OutTable, Upload, find_destinations
from component.runner.home import archive_manifest, open_home
from component.runner.shapes import UNKNOWN, out_table, planned_losses, planned_shape, rejected_table
from component.store.base import Store
from component.tables.types import Column, TableSchema


@dataclass(frozen=True, slots=True)
class Prediction:
    """The outputs as they will be, and what the platform makes of them.

    `faults` are the outputs that cannot be made, by their number in the plan, and why; then there is no outcome.
    """

    destinations: Destinations
    tables: tuple[OutTable, ...]
    uploads: tuple[Upload, ...]
    outcome: Outcome | None
    faults: tuple[tuple[int, TablemillError], ...] = ()

    def made(self) -> Outcome:
        """Return the outcome; raises the first fault where there is one."""
        if self.outcome is None:
            raise self.faults[0][1]
        return self.outcome


def predict(folder: DataFolder, plan: Plan, destinations: Destinations, store: Store | None) -> Prediction:
    """Return the outputs of a plan beside what lies in out/ already; the errors of `list_outputs`.

    `store` has the datasets that the run does not make; where it is None, nothing is known of those but what the
    configuration says.
    """
    tables: list[OutTable] = []
    faults: list[tuple[int, TablemillError]] = []
    made = made_by(plan.datasets)
    for number, output in enumerate(plan.outputs):
        try:
            if output.written_as == "table":
                shape = planned_shape(output, made.get(output.dataset, ()), store)
                tables.append(out_table(output, shape, destinations))
            elif store is not None:
                planned_losses(output, made.get(output.dataset, ()), store)  # refuses what the format cannot write
        except TablemillError as fault:
            faults.append((number, fault))
    tables += [rejected_table(dataset, destinations) for dataset in plan.datasets if dataset.has_rejected]
    uploads = tuple(planned_uploads(plan, destinations))
    outcome = None if faults else destinations.outcome(folder, tables, uploads)
    return Prediction(destinations, tuple(tables), uploads, outcome, tuple(faults))


def planned_uploads(plan: Plan, destinations: Destinations) -> Iterator[Upload]:
    """Yield the files that a run leaves in out/files: outputs that are files, and archives of datasets."""
    for output in plan.outputs:
        if output.written_as == "file" and output.url is None:
            manifest = file_manifest(output.tags, output.file_options)
            yield from (Upload(name, manifest) for name in file_names(output))
    if plan.store_url is None:
        for tables in by_commit(plan.datasets):
            uuid = tables[0].uuid
            manifest = archive_manifest(uuid, permanent=destinations.permanent_archives)
            yield Upload(uuid + naming.ARCHIVE_SUFFIX, manifest)


def file_names(output: OutputPlan) -> tuple[str, ...]:
    """Return the names of the files in out/files of an output that is a file: one, or an Arrow file and its sidecar."""
    if output.format == "workbench":
        from component.workbench.files.arrow_file import sidecar_of  # noqa: PLC0415 - only Workbench's files have one

        return output.name, sidecar_of(Path(output.name)).name
    return (output.name,)


# --- from a folder alone ---


def foresee(
    folder: DataFolder, config: Config, environment: Environment, facts: JobFacts = NO_FACTS
) -> Prediction | None:
    """Return what a run of a folder will leave in out/, from its configuration and its inputs; None for nothing to do.

    A folder without inputs, as the platform gives to an action, is predicted from the input mapping. UserError for
    all that a run would refuse before it reads rows.
    """
    with tempfile.TemporaryDirectory(prefix="tablemill-predict-") as scratch:
        sources, _ = find_sources(folder, asked_of(config, Path(scratch)))
        seen = bool(sources)
        plan = build_plan(config, sources if seen else tuple(assumed_sources(config)))
        if not plan.datasets and not plan.outputs:
            return None
        store = _opened(folder, config, plan, Path(scratch)) if seen else None
        return predict(folder, plan, find_destinations(folder, config, environment, facts), store)


def reads_the_past(plan: Plan) -> bool:
    """Say whether a run depends on what datasets hold already: else their archives need not be unpacked to predict."""
    made = {dataset.uuid for dataset in plan.datasets}
    kept = any(dataset.mode != "overwrite" for dataset in plan.datasets)
    return kept or any(output.dataset not in made for output in plan.outputs)


def _opened(folder: DataFolder, config: Config, plan: Plan, scratch: Path) -> Store:
    """Open the store as a run does. UserError for archives that a run would refuse."""
    home = open_home(plan, config, folder, remembered_commits(read_state(folder.in_state)), scratch)
    if reads_the_past(plan) or home.arrivals.refusals:
        home.restore()
    return home.store


def assumed_sources(config: Config) -> Iterator[Source]:
    """Yield the inputs as the configuration has them: those of the input mapping, and what datasets name beside them.

    Their columns are those that the input mapping selects, else those that datasets and outputs name, and one more.
    """
    taken: set[str] = set()
    for mapped in config.storage.input.tables:
        name = mapped.destination or mapped.source
        if name:
            named = _named_by(config, {name, bare_name(name)})
            source = _assumed(name, mapped.columns or named, mapped)
            taken.update(source.names)
            yield source
    for dataset in config.parameters.datasets:
        for table in dataset.named_tables:
            if table.source not in taken:
                taken.add(table.source)
                yield _assumed(table.source, _named_by(config, {table.source}), None)


def _assumed(name: str, columns: Sequence[str], mapped: InputTableMapping | None) -> Source:
    schema = TableSchema(tuple(Column(one) for one in dict.fromkeys(columns)))
    table_id = mapped.source if mapped else None
    names = (name, bare_name(name))
    return Source(name, bare_name(name), names, "csv", (), schema, table_id=table_id, assumed=True)


def _named_by(config: Config, source: set[str]) -> tuple[str, ...]:
    """Return the columns that datasets of a source and their outputs name, and one that stands for the others."""
    names: list[str] = []
    for dataset in config.parameters.datasets:
        for table in dataset.named_tables:
            if table.source in source:
                names += [*_columns_of(dataset, table), *_read_by_outputs(config, dataset)]
    return (*names, UNKNOWN)


def _columns_of(dataset: DatasetConfig, table: TableConfig) -> Iterator[str]:
    yield from (column.name for column in table.columns)
    for names in (
        table.primary_key or (),
        dataset.partition_on,
        dataset.secondary_indices,
        dataset.sort_partitions_by,
        dataset.bucket_by,
        dataset.key,
    ):
        yield from names


def _read_by_outputs(config: Config, dataset: DatasetConfig) -> Iterator[str]:
    for output in config.parameters.outputs:
        if output.dataset == dataset.uuid:
            yield from (*(output.columns or ()), *(output.primary_key or ()))
            yield from (name for name, _ in table_options(output).named_columns)
            yield from (name for conjunction in output.predicates or () for name, *_ in conjunction)
