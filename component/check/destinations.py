"""Where the outputs of a run will land: predicted as a run does before it starts anything."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from component.check.finding import note, of_error, remedy_of, warning
from component.config.environment import Environment
from component.config.model import Config
from component.errors import RetryError, UserError
from component.findings import Finding, Level
from component.folder.layout import DataFolder
from component.folder.state import read_state, remembered_commits
from component.formats.losses import Loss
from component.mapping.jobs.job import JobPart, JobResolution
from component.mapping.platform.model import Load, MappingError, RefusedError
from component.plan.model import DatasetPlan, OutputPlan, Plan
from component.plan.tables import made_by
from component.report.results.checked import CheckedOutput
from component.report.results.resolution import why_words
from component.runner.archives import Arrivals
from component.runner.commits import by_commit, joining_losses_of, plan_commits
from component.runner.destinations import find_destinations
from component.runner.home import Home, open_home
from component.runner.predict import predict, reads_the_past
from component.runner.shapes import loss_text, planned_losses
from component.store.base import Store
from component.store.local import LocalStore

ARCHIVES = "in/files"
Checked = tuple[tuple[CheckedOutput, ...], tuple[Finding, ...]]


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
) -> Checked:
    """Return the outputs of a plan with their destinations, and what stands against datasets and outputs.

    `files_readable` False: a manifest in in/files is broken, so nobody knows which archives of datasets there are.
    """
    with tempfile.TemporaryDirectory(prefix="tablemill-check-") as scratch:
        faults: list[Finding] = []
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
        return outputs, (*faults, *_commit_faults(job), *found, *_losses(job))


def _remembered(folder: DataFolder) -> Mapping[str, str]:
    try:
        return remembered_commits(read_state(folder.in_state))
    except UserError:  # said of the state itself
        return {}


def _of_arrivals(arrivals: Arrivals, place: str) -> Iterator[Finding]:
    yield from (of_error(refusal, place) for refusal in arrivals.refusals)
    yield from (warning("archive.warning", ARCHIVES, text) for text in arrivals.warnings)
    yield from (note("archive.older", ARCHIVES, text) for text in arrivals.notes)


def _restored(home: Home, plan: Plan) -> Store | None:
    """Unpack archives only where the run depends on what is in them; None where it would refuse them."""
    if home.arrivals.refusals:
        return None
    if home.archives and reads_the_past(plan):
        home.restore()
    return home.store


def _commit_faults(job: Job) -> Iterator[Finding]:
    """Yield what stands against a dataset that is there (schema, partition keys), and what rows lose by joining it."""
    if job.store is None:
        return
    stored = [dataset.stored_uuids for dataset in job.config.parameters.datasets]
    configured = {uuid: f"parameters.datasets[{number}]" for number, uuids in enumerate(stored) for uuid in uuids}
    for tables in by_commit(job.plan.datasets):
        try:
            (commit,) = plan_commits(job.store, tables)
            for dataset, losses in zip(tables, joining_losses_of(commit, tables), strict=True):
                yield from (_source_loss(dataset, loss) for loss in losses)
        except (UserError, RetryError) as failed:
            place = configured.get(tables[0].uuid, "parameters")
            yield of_error(failed, place)


def _predict(job: Job) -> Checked:
    """Predict as a run does; nothing more is said where an output cannot be made at all."""
    destinations = find_destinations(job.folder, job.config, job.environment)
    try:
        prediction = predict(job.folder, job.plan, destinations, job.store)
    except UserError as failed:
        return tuple(map(_unknown, job.plan.outputs)), (of_error(failed, "out"),)
    if prediction.outcome is None:
        faults = tuple(of_error(fault, f"parameters.outputs[{number}]") for number, fault in prediction.faults)
        return tuple(map(_unknown, job.plan.outputs)), faults
    loads = prediction.outcome.first_loads()
    outputs = tuple(_known(output, loads) for output in job.plan.outputs)
    return outputs, tuple(_findings(prediction.outcome.job, job.plan.outputs))


def _source_loss(dataset: DatasetPlan, loss: Loss) -> Finding:
    say = warning if loss.changes_values else note
    name, lying = dataset.source.file_name, dataset.source.lying
    place = name if lying else f"in/{'files' if dataset.source.file is not None else 'tables'}/{name}"
    return say("source.loss", place, loss_text("Input", name, loss.column, loss.text))


def _losses(job: Job) -> Iterator[Finding]:
    """Yield what reading inputs changes, and what the files of outputs will not carry, where types decide it.

    What is refused is said elsewhere.
    """
    for dataset in job.plan.datasets:
        for loss in dict.fromkeys(loss for losses in dataset.losses.values() for loss in losses):
            yield _source_loss(dataset, loss)
    made = made_by(job.plan.datasets)
    for output in job.plan.outputs:
        if job.store is None and output.dataset not in made:
            continue
        store = job.store or LocalStore(Path(tempfile.gettempdir()))  # not asked about a dataset of this run
        with suppress(UserError, RetryError):
            place = f"out/{'tables' if output.written_as == 'table' else 'files'}/{output.name}"
            for loss in planned_losses(output, made.get(output.dataset, ()), store):
                say = warning if loss.changes_values else note
                yield say("output.loss", place, loss_text("Output", output.name, loss.column, loss.text))


def _findings(job: JobResolution, outputs: Sequence[OutputPlan]) -> Iterator[Finding]:
    if job.error is not None:
        yield of_error(RefusedError(job.error), _place_of(job, job.error))
    numbers = {output.name: number for number, output in enumerate(outputs) if output.written_as == "table"}
    for finding in job.warnings:
        if finding.code == "output.types" and finding.place in numbers:
            yield warning("output.types", f"parameters.outputs[{numbers[finding.place]}].data_types", finding.text)
        else:
            yield replace(finding, place=_place_of(job, finding), remedy=remedy_of(finding.code, finding.remedy))
    for finding in job.findings:
        if finding.level is not Level.WARNING:
            yield replace(finding, place=_place_of(job, finding), remedy=remedy_of(finding.code, finding.remedy))


def _place_of(job: JobResolution, told: MappingError | Finding) -> str:
    if told.code == "mapping.no_configuration":
        return "storage.output"
    part = JobPart.FILES if told is job.files.error or told in job.files.findings else JobPart.TABLES
    name = told.source if isinstance(told, MappingError) else told.place
    return f"out/{part}/{name}" if name else f"out/{part}"


def _known(output: OutputPlan, loads: Mapping[str, Load]) -> CheckedOutput:
    load = loads.get(output.name)
    if load is None or output.written_as != "table":
        return _unknown(output)
    return CheckedOutput(output.name, "table", output.dataset, load.destination, why_words(load))


def _unknown(output: OutputPlan) -> CheckedOutput:
    return CheckedOutput(output.name, output.written_as, output.dataset)
