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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from component import clock, identity
from component.config.environment import Environment
from component.config.model import Config
from component.config.secrets import secret_values, secrets_in
from component.dataset.commits.fit import index_doubts
from component.dataset.commits.latest import on_latest
from component.errors import CommitRefusedError, TablemillError, UserError, in_one
from component.folder.layout import DataFolder
from component.folder.state import read_state, remembered_commits
from component.folder.tables import orphaned_manifests, staged_secrets
from component.formats.losses import LostCells
from component.outputs.stage import Stage
from component.plan.asked import asked_of
from component.plan.build import build_plan, nothing_to_do
from component.plan.model import Plan, Source
from component.plan.sources import find_sources
from component.plan.splits import splits_of
from component.report.messages.log import Log
from component.report.messages.progress import Progress
from component.report.results.summary import RunSummary
from component.runner.commits import NOTHING_REMEMBERED, plan_commits, with_stored_types
from component.runner.datasets import MilledDataset, PlannedDataset, PreparedDataset, SettledDataset, TableSource
from component.runner.destinations import Destinations, Outcome, find_destinations
from component.runner.documents import stage_documents
from component.runner.home import Home, open_home
from component.runner.milling import (
    find_types,
    mended_rows,
    mill_datasets,
    plan_datasets,
    prepare_dataset,
    settle_dataset,
    settle_dataset_again,
)
from component.runner.predict import planned_uploads, predict
from component.runner.producing import Produced, output_source, produce, stage_manifests, stage_rejected
from component.runner.publishing import publish_run
from component.runner.shapes import loss_text, rejected_table
from component.runner.summing import summarize
from component.spark.engine import Engine
from component.spark.executor import SparkExecutor
from component.store.base import Store
from component.store.uncommitted import Uncommitted, discard

if TYPE_CHECKING:
    from component.dataset.commits.garbage import Retention

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
StartEngine = Callable[[str, Mapping[str, str]], contextlib.AbstractContextManager[Engine]]
"""Starts Spark, from the master's URL and Spark's settings."""


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
        return Run(folder, config, environment, log, progress, engine, scratch, started).run()


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="tablemill-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run made, published."""

    datasets: list[PreparedDataset]
    outputs: list[Produced]
    rejected: Mapping[str, int]
    """Bytes of each output of rejected rows."""
    outcome: Outcome


class Run:
    """One run, from its folder and configuration to its summary; `run` has the steps in their order.

    The attributes below hold what the first steps find out and all later ones share; the datasets themselves go from
    step to step (`component/runner/datasets.py`).
    """

    state: Mapping[str, Any]
    """What the last run left."""
    plan: Plan
    home: Home
    """Where the datasets live."""
    destinations: Destinations
    uncommitted: Uncommitted
    """What this run has put into the store of its datasets and no header names yet."""

    def __init__(
        self,
        folder: DataFolder,
        config: Config,
        environment: Environment,
        log: Log,
        progress: Progress,
        engine: Engine,
        scratch: Path,
        started: float,
    ) -> None:
        self.folder, self.config, self.environment = folder, config, environment
        self.log, self.progress, self.engine = log, progress, engine
        self.scratch, self.started = scratch, started
        self._warned: set[str] = set()
        self._damaged: list[UserError] = []

    def run(self) -> RunSummary:
        """Plan while Spark starts, mill, then publish; an append that loses the race is settled and published again."""
        self._make_plan(*self._find_sources())
        self._open_home()
        self._predict()
        with self.uncommitted:
            with self._naming_damaged():
                milled = self._mill(self._plan_datasets())
            settled = self._settle(milled)
            finished = on_latest(settled, self._produce_and_publish, self._settle_again)
        self._tidy_up(finished)
        return self._summarize(finished)

    def _find_sources(self) -> tuple[Sequence[Source], Sequence[str]]:
        parameters, asked = self.config.parameters, asked_of(self.config, self.scratch, self.log.info)
        unconfigured = self.folder.loose and not parameters.datasets and not parameters.outputs
        return find_sources(self.folder, asked, damaged=self._damaged if unconfigured else None)

    @contextlib.contextmanager
    def _naming_damaged(self) -> Iterator[None]:
        """Name what is wrong with the rows of sound files and the files that cannot be read in one error.

        So that nobody has to mend the files of a folder one run at a time.
        """
        try:
            yield
        except UserError as error:
            if not self._damaged:
                raise
            raise in_one([*self._damaged, error]) from error
        if self._damaged:
            raise in_one(self._damaged)

    def _make_plan(self, sources: Sequence[Source], warnings: Sequence[str]) -> None:
        self.plan = build_plan(self.config, sources, (*orphaned_manifests(self.folder), *warnings))
        for warning in self.plan.warnings:
            self.log.warning(warning)
        for note in self.plan.notes:
            self.log.info(note)
        if not self.plan.datasets and not self.plan.outputs:
            if self._damaged:
                raise in_one(self._damaged)
            raise nothing_to_do(lying=self.folder.loose)

    def _open_home(self) -> None:
        """Open the store of the datasets, and restore the archives that came."""
        self.state = read_state(self.folder.in_state)
        self.log.hide(secrets_in(self.state))
        self.home = open_home(self.plan, self.config, self.folder, self._remembered, self.scratch)
        self.uncommitted = Uncommitted(self.home.store)
        for text in self.home.arrivals.notes:
            self.log.info(text)
        for text in self.home.arrivals.warnings:
            self.log.warning(text)
        self.home.restore()

    @property
    def _remembered(self) -> Mapping[str, str]:
        return remembered_commits(self.state)

    def _predict(self) -> None:
        """Refuse, before any work, what the targets or the platform would refuse in the end."""
        if any(output.url is not None for output in self.plan.outputs):
            from component.runner.records_outputs import check_records_targets  # noqa: PLC0415 - most are in out/

            check_records_targets(self.plan.outputs)
        self.destinations = find_destinations(self.folder, self.config, self.environment)
        prediction = predict(self.folder, self.plan, self.destinations, self.home.store)
        predicted = prediction.made().accepted()
        self._warn(finding.sentence for finding in predicted.warnings)

    def _plan_datasets(self) -> list[PlannedDataset]:
        """Find out types, and plan the commits; the splits are found while Spark starts.

        Commits are planned twice: before Spark starts, so that what a dataset does not take is refused at once, and
        again with the types that were inferred.
        """
        store, limits = self.home.store, self.plan.limits
        tables = with_stored_types(store, self.plan.datasets)
        with _splitting() as pool:
            cores = _cores(self.config.parameters.spark.master)
            sources = [
                TableSource(table, pool.submit(splits_of, table.source, limits, cores, counted=bool(table.infer)))
                for table in tables
            ]
            plan_commits(store, tables)
            self.progress.stage("start")
            _ = self.engine.context
            sources = find_types(self.engine, sources, self.log.info, self.progress)
            planned = plan_datasets(store, sources, self._remembered if self.home.archives else NOTHING_REMEMBERED)
            commits = [one.commit for one in planned]
            for doubt in index_doubts(layout for commit in commits if not commit.appends for layout in commit.layouts):
                if doubt not in self.plan.warnings:  # types that were inferred are known by now only
                    self.log.warning(doubt)
            for source in sources:
                source.splits.result()
        return planned

    def _mill(self, planned: Sequence[PlannedDataset]) -> list[MilledDataset]:
        milled = mill_datasets(
            self.engine,
            self.uncommitted,
            planned,
            limits=self.plan.limits,
            scratch=self.scratch,
            progress=self.progress,
            warn=self.log.warning,
        )
        for text in mended_rows(milled):
            self.log.warning(text)
        return milled

    def _settle(self, milled: Sequence[MilledDataset]) -> list[SettledDataset]:
        """Let new rows meet those that are there."""
        self.progress.stage("index")
        executor = SparkExecutor(self.engine)
        settled = [settle_dataset(self.uncommitted, executor, one) for one in milled]
        self._warn(text for one in settled for text in one.settled.warnings)
        return settled

    def _settle_again(self, lost: Sequence[SettledDataset], refused: CommitRefusedError) -> list[SettledDataset]:
        """Settle on the state that won the race; only appends may."""
        if any(one.settled.plan.mode != "append" for one in lost):
            raise refused
        executor = SparkExecutor(self.engine)
        settled = [settle_dataset_again(self.uncommitted, executor, one) for one in lost]
        self._warn(text for one in settled for text in one.settled.warnings)
        return settled

    def _produce_and_publish(self, settled: Sequence[SettledDataset]) -> Finished:
        """Stage the outputs of the state that the commits will make, then publish headers and outputs together."""
        with self.uncommitted, contextlib.ExitStack() as staged:
            datasets = [prepare_dataset(self.uncommitted, one) for one in settled]
            stage = Stage(self.folder, replaces=self.environment.run_id is None)
            staged.callback(stage.discard)
            outputs = self._produce(datasets, stage, staged)
            rejected, outcome = self._stage_tables(datasets, outputs, stage)
            self.progress.stage("publish")
            for warning in stage_documents(self.config.parameters, self.state, datasets, outputs, stage):
                self.log.warning(warning)
            publish_run(self.home, datasets, stage, outputs)
            self.uncommitted.keep()
            staged.pop_all()
        return Finished(datasets, outputs, rejected, outcome)

    def _produce(
        self, datasets: Sequence[PreparedDataset], stage: Stage, staged: contextlib.ExitStack
    ) -> list[Produced]:
        """Write the files of all outputs; what lies outside of out/ is discarded with what is `staged`."""
        self.progress.stage("outputs")
        made = {one.plan.uuid: one for one in datasets}
        scratch = self.scratch / identity.new_hex()
        sources = []
        for number, output in enumerate(self.plan.outputs):
            source = output_source(number, output, made.get(output.dataset), self.home.store, scratch)
            if source.directory is not None:
                staged.callback(source.directory.discard)
            sources.append(source)
        return produce(self.engine, sources, stage, self.plan.limits, self.destinations)

    def _stage_tables(
        self, datasets: Sequence[PreparedDataset], outputs: Sequence[Produced], stage: Stage
    ) -> tuple[dict[str, int], Outcome]:
        """Stage manifests and rejected rows; return the bytes of these, and where tables will land."""
        plans = [table.plan for one in datasets for table in one.tables]
        rejected = {plan.name: rejected_table(plan, self.destinations) for plan in plans if plan.has_rejected}
        stage_manifests(outputs, stage)
        sizes = stage_rejected(datasets, rejected, stage)
        tables = [*(one.table for one in outputs if one.table is not None), *rejected.values()]
        outcome = self.destinations.outcome(self.folder, tables, planned_uploads(self.plan, self.destinations))
        self._warn(finding.sentence for finding in outcome.accepted().warnings)
        return sizes, outcome

    def _tidy_up(self, finished: Finished) -> None:
        """Delete what was needed until the commit; the run is done, so what fails is a warning.

        An archive holds only what the live state names, so there is nothing to collect.
        """
        store = self.home.store
        for one in finished.datasets:
            discard(store, one.settled.temporary)
            if one.plan.keep is not None and not self.home.archives:
                for warning in _collect(store, one.plan.uuid, one.plan.keep):
                    self.log.warning(warning)
        _tell_of_losses(self.log, finished)

    def _summarize(self, finished: Finished) -> RunSummary:
        self.progress.finish()
        return summarize(
            self.home,
            finished.datasets,
            finished.outputs,
            finished.rejected,
            finished.outcome,
            stages=self.progress.stages,
            seconds=clock.monotonic() - self.started,
        )

    def _warn(self, texts: Iterable[str]) -> None:
        """Log warnings, each once: what was predicted is not said again of what came true."""
        for text in texts:
            if text not in self._warned:
                self._warned.add(text)
                self.log.warning(text)


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


def _tell_of_losses(log: Log, finished: Finished) -> None:
    """Say what was lost while inputs were read and outputs written, once for each column."""
    for table in (table for one in finished.datasets for table in one.tables):
        for lost in table.result.losses:
            _tell(log, lost, loss_text("Input", table.plan.source.file_name, lost.loss.column, lost.text))
    for made in finished.outputs:
        for lost in made.losses:
            _tell(log, lost, loss_text("Output", made.output.name, lost.loss.column, lost.text))


def _tell(log: Log, lost: LostCells, text: str) -> None:
    say = log.warning if lost.loss.changes_values else log.info
    say(text)


def _collect(store: Store, uuid: str, keep: Retention) -> list[str]:
    """Delete what is older than the least age of a collection, and named by no state that is kept."""
    from component.dataset.commits.garbage import collect, find_garbage  # noqa: PLC0415 - most runs keep everything

    try:
        collect(store, find_garbage(store, uuid, retention=keep))
    except TablemillError as error:
        return [f"The garbage of the dataset {uuid!r} was not collected, the next run tries again: {error}"]
    return []
