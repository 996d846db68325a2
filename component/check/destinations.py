"""Where the outputs of a run will land: predicted as a run does before it starts anything."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from component.check.finding import note, of_error, warning
from component.config.environment import Environment
from component.config.model import Config
from component.errors import RetryError, UserError
from component.folder.layout import DataFolder
from component.folder.state import read_state, remembered_commits
from component.mapping.model import RefusedError, Resolution
from component.outputs.manifest import family_for
from component.plan.model import OutputPlan, Plan
from component.report.checked import CheckedOutput, CheckFinding
from component.report.resolution import why_words
from component.runner.archives import Arrivals
from component.runner.commits import by_commit, plan_commits
from component.runner.destinations import Destinations, OutTable, find_destinations, load_of
from component.runner.home import Home, open_home
from component.runner.shapes import out_table, planned_shape, rejected_table
from component.store.base import Store
from component.store.local import LocalStore

ARCHIVES = "in/files"
Outcome = tuple[tuple[CheckedOutput, ...], tuple[CheckFinding, ...]]


@dataclass(frozen=True, slots=True)
class Job:
    """What a prediction is made from; `store` holds what datasets there are, and is None where nobody can open it."""

    folder: DataFolder
    config: Config
    environment: Environment
    plan: Plan
    store: Store | None


def check_destinations(
    folder: DataFolder, config: Config, environment: Environment, plan: Plan, *, files_readable: bool = True
) -> Outcome:
    """Return the outputs of a plan with their destinations, and what stands against datasets and outputs.

    `files_readable` False: a manifest in in/files is broken, so nobody knows which archives of datasets there are.
    """
    with tempfile.TemporaryDirectory(prefix="tablemill-check-") as scratch:
        faults: list[CheckFinding] = []
        store: Store | None = None
        place = "parameters.store" if plan.store_url else ARCHIVES
        try:
            if plan.store_url or files_readable:
                home = open_home(plan, config, folder, _remembered(folder), Path(scratch))
                faults += _of_arrivals(home.arrivals, place)
                store = _restored(home, plan)
        except (UserError, RetryError) as failed:
            faults.append(of_error(failed, place))
        job = Job(folder, config, environment, plan, store)
        outputs, found = _predict(job)
        return outputs, (*faults, *_commit_faults(job), *found)


def _remembered(folder: DataFolder) -> Mapping[str, str]:
    try:
        return remembered_commits(read_state(folder.in_state))
    except UserError:  # said of the state itself
        return {}


def _of_arrivals(arrivals: Arrivals, place: str) -> Iterator[CheckFinding]:
    yield from (of_error(refusal, place) for refusal in arrivals.refusals)
    yield from (warning("archive.warning", ARCHIVES, text) for text in arrivals.warnings)
    yield from (note("archive.older", ARCHIVES, text) for text in arrivals.notes)


def _restored(home: Home, plan: Plan) -> Store | None:
    """Unpack archives only where the run depends on what is in them; None where it would refuse them."""
    made = {dataset.uuid for dataset in plan.datasets}
    depends = any(output.dataset not in made for output in plan.outputs)
    depends = depends or any(dataset.mode != "overwrite" for dataset in plan.datasets)
    if home.arrivals.refusals:
        return None
    if home.archives and depends:
        home.restore()
    return home.store


def _commit_faults(job: Job) -> Iterator[CheckFinding]:
    """Yield what stands against a dataset: one that is there with another schema or other partition keys."""
    if job.store is None:
        return
    stored = [dataset.stored_uuids for dataset in job.config.parameters.datasets]
    configured = {uuid: f"parameters.datasets[{number}]" for number, uuids in enumerate(stored) for uuid in uuids}
    for tables in by_commit(job.plan.datasets):
        try:
            plan_commits(job.store, tables)
        except (UserError, RetryError) as failed:
            place = configured.get(tables[0].uuid, "parameters")
            yield of_error(failed, place)


def _predict(job: Job) -> Outcome:
    try:
        destinations = find_destinations(job.config, job.environment, job.plan)
    except UserError as failed:
        return tuple(map(_unknown, job.plan.outputs)), (of_error(failed, "storage.output"),)
    tables, faults = _tables(job, destinations)
    if faults:
        return tuple(map(_unknown, job.plan.outputs)), tuple(faults)
    try:
        resolution = destinations.resolve(job.folder, tables)
    except RefusedError as refused:
        place = f"out/tables/{refused.error.source}" if refused.error.source else "out/tables"
        return tuple(map(_unknown, job.plan.outputs)), (of_error(refused, place),)
    except UserError as failed:
        return tuple(map(_unknown, job.plan.outputs)), (of_error(failed, "out/tables"),)
    return tuple(_known(output, resolution) for output in job.plan.outputs), tuple(_findings(resolution))


def _tables(job: Job, destinations: Destinations) -> tuple[list[OutTable], list[CheckFinding]]:
    """Return the output tables as they will be; those of a dataset in a store that nobody can open are left out."""
    family = family_for(destinations.settings.data_types, job.config.parameters.manifest_family)
    made = {dataset.uuid for dataset in job.plan.datasets}
    tables = [rejected_table(dataset, destinations, family) for dataset in job.plan.datasets if dataset.has_rejected]
    faults: list[CheckFinding] = []
    for number, output in enumerate(job.plan.outputs):
        if output.written_as != "table" or (job.store is None and output.dataset not in made):
            continue
        store = job.store or LocalStore(Path(tempfile.gettempdir()))  # not asked about a dataset of this run
        try:
            table = out_table(output, planned_shape(output, job.plan.datasets, store), destinations, family)
            tables.append(table)
            place = f"parameters.outputs[{number}].data_types"
            faults += [warning("output.types", place, text) for text in table.warnings]
        except (UserError, RetryError) as failed:
            faults.append(of_error(failed, f"parameters.outputs[{number}]"))
    return tables, faults


def _findings(resolution: Resolution) -> Iterator[CheckFinding]:
    for line in resolution.log:
        yield warning("mapping.warning", "out/tables", line.removeprefix("warning: "))
    for one in resolution.findings:
        yield CheckFinding(one.level, one.code, f"out/tables/{one.source}" if one.source else "out/tables", one.text)


def _known(output: OutputPlan, resolution: Resolution) -> CheckedOutput:
    if output.name not in {load.source for load in resolution.loads} or output.written_as != "table":
        return _unknown(output)
    load = load_of(resolution, output.name)
    return CheckedOutput(output.name, "table", output.dataset, load.destination, why_words(load))


def _unknown(output: OutputPlan) -> CheckedOutput:
    return CheckedOutput(output.name, output.written_as, output.dataset)
