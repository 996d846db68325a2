"""One run: read, plan, execute, commit, write outputs, state. Nothing is visible before everything has succeeded.

After the commit goes what the run needed until then, and what nobody needs any more where that is configured.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from component import clock, identity
from component.config.environment import Environment
from component.config.model import Config
from component.config.secrets import secret_values, secrets_in
from component.dataset.changes.settling import tidy
from component.dataset.commits.fit import index_doubts
from component.dataset.commits.garbage import Retention, collect, find_garbage
from component.dataset.commits.latest import on_latest
from component.errors import CommitRefusedError, CommitUnknownError, TablemillError, UserError
from component.folder.layout import DataFolder
from component.folder.state import read_state, remembered_commits
from component.folder.tables import orphaned_manifests, staged_secrets
from component.formats.losses import LostCells
from component.outputs.stage import Stage
from component.plan.asked import asked_of
from component.plan.build import build_plan
from component.plan.model import Plan
from component.plan.sources import find_sources
from component.plan.splits import splits_of
from component.report.messages.log import Log
from component.report.messages.progress import Progress
from component.report.results.summary import RunSummary
from component.runner.commits import NOTHING_REMEMBERED, plan_commits, with_stored_types
from component.runner.destinations import Destinations, Outcome, find_destinations
from component.runner.documents import stage_documents
from component.runner.home import Home, open_home
from component.runner.milling import (
    MilledDataset,
    Splits,
    abandon,
    find_types,
    mended_rows,
    mill_datasets,
    prepare_again,
    prepare_datasets,
)
from component.runner.predict import planned_uploads, predict
from component.runner.producing import (
    Produced,
    dataset_of,
    known_columns,
    produce,
    stage_manifests,
    stage_rejected,
)
from component.runner.publishing import publish_run
from component.runner.records_outputs import check_records_targets
from component.runner.shapes import loss_text, out_table, rejected_table, shape_of
from component.runner.summing import summarize
from component.spark.engine import Engine
from component.spark.executor import SparkExecutor
from component.store.base import Store

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
StartEngine = Callable[[str, Mapping[str, str]], contextlib.AbstractContextManager[Engine]]
"""Starts Spark, from the master's URL and Spark's settings."""


@dataclass(frozen=True, slots=True)
class Run:
    """What all steps of a run share."""

    folder: DataFolder
    config: Config
    environment: Environment
    log: Log
    progress: Progress
    scratch: Path
    warned: set[str] = field(default_factory=set)

    def warn(self, texts: Iterable[str]) -> None:
        """Log warnings, each once: what was predicted is not said again of what came true."""
        for text in texts:
            if text not in self.warned:
                self.warned.add(text)
                self.log.warning(text)


def run(
    environment: Environment, config: Config, log: Log, progress: Progress, *, start: StartEngine = Engine
) -> RunSummary:
    """Carry out one run of a configuration on the data folder of the environment.

    Raises a TablemillError with out/ and the datasets as they were before.
    """
    started = clock.monotonic()
    progress.stage("plan")
    log.hide(secret_values(config))
    for warning in config.warnings:
        log.warning(warning)
    if config.action != "run":
        raise UserError("config.value", f"The action {config.action!r} is not known", remedy='Set action to "run".')
    folder = DataFolder(environment.data_dir)
    log.hide(staged_secrets(folder))
    folder.create_missing()
    folder.check_writable()
    spark = config.parameters.spark
    with _scratch() as scratch, start(spark.master, spark.conf) as engine:
        this = Run(folder, config, environment, log, progress, scratch)
        return _run(this, engine, started)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="tablemill-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _run(this: Run, engine: Engine, started: float) -> RunSummary:
    """Plan while Spark starts, mill, then publish."""
    sources, warnings = find_sources(this.folder, asked_of(this.config, this.scratch, this.log.info))
    plan = build_plan(this.config, sources, (*orphaned_manifests(this.folder), *warnings))
    for warning in plan.warnings:
        this.log.warning(warning)
    for note in plan.notes:
        this.log.info(note)
    if not plan.datasets and not plan.outputs:
        raise UserError(
            "source.missing",
            "There is nothing to do: no table in in/tables, no readable file in in/files, and no output configured",
            remedy="Map an input to the component.",
        )
    state = read_state(this.folder.in_state)
    this.log.hide(secrets_in(state))
    remembered = remembered_commits(state)
    home = open_home(plan, this.config, this.folder, remembered, this.scratch)
    _tell_of_archives(this.log, home)
    home.restore()
    check_records_targets(plan.outputs)
    destinations = find_destinations(this.folder, this.config, this.environment)
    prediction = predict(this.folder, plan, destinations, home.store)
    predicted = prediction.made().accepted()
    this.warn(finding.sentence for finding in predicted.warnings)
    milled = _mill(this, plan, home, engine, remembered)
    try:
        finished = _finish(this, plan, home, engine, destinations, milled, state)
    except CommitUnknownError:
        raise  # what a header may name is not deleted
    except BaseException:
        abandon(home.store, milled)
        raise
    this.progress.finish()
    return summarize(
        home,
        finished.milled,
        finished.produced,
        finished.rejected,
        finished.outcome,
        stages=this.progress.stages,
        seconds=clock.monotonic() - started,
    )


def _tell_of_archives(log: Log, home: Home) -> None:
    for text in home.arrivals.notes:
        log.info(text)
    for text in home.arrivals.warnings:
        log.warning(text)


def _mill(this: Run, plan: Plan, home: Home, engine: Engine, remembered: Mapping[str, str]) -> list[MilledDataset]:
    """Mill all datasets; the splits are found while Spark starts."""
    planned = with_stored_types(home.store, plan.datasets)
    with _splitting() as pool:
        cores = _cores(this.config.parameters.spark.master)
        splits: list[Future[Splits]] = [
            pool.submit(splits_of, dataset.source, plan.limits, cores, counted=bool(dataset.infer))
            for dataset in planned
        ]
        plan_commits(home.store, planned)
        this.progress.stage("start")
        _ = engine.context
        datasets = find_types(engine, planned, splits, this.log.info, this.progress)
        commits = plan_commits(home.store, datasets, remembered if home.archives else NOTHING_REMEMBERED)
        for doubt in index_doubts(layout for commit in commits if not commit.appends for layout in commit.layouts):
            if doubt not in plan.warnings:  # types that were inferred are known by now only
                this.log.warning(doubt)
        found = [future.result() for future in splits]
    written = mill_datasets(
        engine,
        home.store,
        commits,
        datasets,
        found,
        limits=plan.limits,
        scratch=this.scratch,
        progress=this.progress,
        warn=this.log.warning,
    )
    for text in mended_rows(datasets, written):
        this.log.warning(text)
    this.progress.stage("index")
    prepared = prepare_datasets(home.store, SparkExecutor(engine), commits, written, datasets)
    this.warn(text for one in prepared for text in one.settled.warnings)
    return prepared


@contextlib.contextmanager
def _splitting() -> Iterator[ThreadPoolExecutor]:
    """Give a thread that finds splits; when the run fails meanwhile, nobody waits for those that are left."""
    with ThreadPoolExecutor(1, "splits") as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _cores(master: str) -> int:
    """Return how many tasks run at once, as far as the master's URL says; it decides how small sources are cut."""
    named = master.removeprefix("local[").removesuffix("]")
    return int(named) if _NUMBER.fullmatch(named) else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run made, published."""

    milled: list[MilledDataset]
    produced: list[Produced]
    rejected: Mapping[str, int]
    """Bytes of each output of rejected rows."""
    outcome: Outcome


def _finish(
    this: Run,
    plan: Plan,
    home: Home,
    engine: Engine,
    destinations: Destinations,
    milled: list[MilledDataset],
    state: Mapping[str, Any],
) -> Finished:
    """Stage the outputs of the new state, publish headers and outputs; an append that lost the race starts again."""

    def attempt(milled: list[MilledDataset]) -> Finished:
        stage = Stage(this.folder, replaces=this.environment.run_id is None)
        produced: list[Produced] = []
        try:
            rejected, outcome = _produce(this, plan, home, engine, destinations, milled, stage, produced)
            this.progress.stage("publish")
            for warning in stage_documents(this.config.parameters, state, milled, produced, stage):
                this.log.warning(warning)
            publish_run(home, milled, stage, [one.files for one in produced])
        except BaseException:
            _discard(stage, produced)
            raise
        return Finished(milled, produced, rejected, outcome)

    def again(lost: list[MilledDataset], refused: CommitRefusedError) -> list[MilledDataset]:
        if any(one.prepared.plan.mode != "append" for one in lost):
            raise refused
        milled[:] = prepare_again(home.store, SparkExecutor(engine), lost)
        this.warn(text for one in milled for text in one.settled.warnings)
        return milled

    finished = on_latest(milled, attempt, again)
    for warning in tidy_up(home, finished.milled):
        this.log.warning(warning)
    _tell_of_losses(this.log, finished.milled, finished.produced)
    return finished


def _tell_of_losses(log: Log, milled: Sequence[MilledDataset], produced: Sequence[Produced]) -> None:
    """Say what was lost while inputs were read and outputs written, once for each column."""
    for table in (table for one in milled for table in one.tables):
        for lost in table.result.losses:
            _tell(log, lost, loss_text("Input", table.plan.source.file_name, lost.loss.column, lost.text))
    for made in produced:
        for lost in made.losses:
            _tell(log, lost, loss_text("Output", made.output.name, lost.loss.column, lost.text))


def _tell(log: Log, lost: LostCells, text: str) -> None:
    say = log.warning if lost.loss.changes_values else log.info
    say(text)


def _discard(stage: Stage, produced: Sequence[Produced]) -> None:
    """Remove what is staged, and what lies outside of out/."""
    stage.discard()
    for one in produced:
        one.files.withdraw()


def _produce(
    this: Run,
    plan: Plan,
    home: Home,
    engine: Engine,
    destinations: Destinations,
    milled: Sequence[MilledDataset],
    stage: Stage,
    produced: list[Produced],
) -> tuple[dict[str, int], Outcome]:
    """Stage all outputs, and add them to `produced`; return the bytes of rejected rows, and where outputs land."""
    this.progress.stage("outputs")
    by_uuid = {one.plan.uuid: one for one in milled}
    datasets = [dataset_of(output, by_uuid, home.store) for output in plan.outputs]
    known = [known_columns(output, by_uuid) for output in plan.outputs]
    scratch = this.scratch / identity.new_hex()
    written = produce(engine, plan.outputs, datasets, stage, plan.limits, scratch, known)
    produced += [
        Produced(
            files,
            out_table(output, shape_of(output, dataset, columns), destinations)
            if output.written_as == "table"
            else None,
        )
        for output, dataset, files, columns in zip(plan.outputs, datasets, written, known, strict=True)
    ]
    plans = [table.plan for one in milled for table in one.tables]
    rejected = {plan.name: rejected_table(plan, destinations) for plan in plans if plan.has_rejected}
    stage_manifests(produced, stage)
    sizes = stage_rejected(milled, rejected, stage)
    tables = [*(one.table for one in produced if one.table is not None), *rejected.values()]
    outcome = destinations.outcome(this.folder, tables, planned_uploads(plan, destinations))
    this.warn(finding.sentence for finding in outcome.accepted().warnings)
    return sizes, outcome


def tidy_up(home: Home, milled: Sequence[MilledDataset]) -> tuple[str, ...]:
    """Tidy up after all datasets; the run is done, so what fails is a warning.

    An archive holds only what the live state names, so there is nothing to collect.
    """
    warnings = []
    for one in milled:
        tidy(home.store, one.settled)
        if one.plan.keep is not None and not home.archives:
            warnings += _collect(home.store, one.plan.uuid, one.plan.keep)
    return tuple(warnings)


def _collect(store: Store, uuid: str, keep: Retention) -> list[str]:
    """Delete what is older than the least age of a collection, and named by no state that is kept."""
    try:
        collect(store, find_garbage(store, uuid, retention=keep))
    except TablemillError as error:
        return [f"The garbage of the dataset {uuid!r} was not collected, the next run tries again: {error}"]
    return []
