"""From datasets to staged outputs: what each output reads, how it is cut, its files, and its manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from component.dataset.files.data_file import narrow_schema
from component.dataset.reading.reader import Dataset, FileScan, plan_scan
from component.formats.losses import LostCells, lost_cells
from component.outputs.file_formats import writing_of
from component.outputs.manifest import file_manifest
from component.outputs.rejected import write_rejected
from component.outputs.slices import group_scans, slice_name
from component.outputs.stage import Stage
from component.plan.model import Limits, OutputPlan
from component.runner.datasets import MilledDataset, PreparedDataset
from component.runner.destinations import Destinations, OutTable
from component.runner.predict import file_names
from component.runner.shapes import NOTHING_KNOWN, open_output, out_table, shape_of
from component.spark.engine import Engine
from component.spark.jobs.slices import SliceTask, WrittenSlice, write_slice
from component.store.base import Store
from component.tables.types import Column

if TYPE_CHECKING:
    from component.runner.records_outputs import RecordsOutput


def dataset_of(output: OutputPlan, made: PreparedDataset | None, store: Store) -> Dataset:
    """Return the dataset that an output reads; one that is `made` as this run leaves it, unseen by others."""
    if made is None:
        return open_output(output, store)
    layouts = made.prepared.plan.layouts
    layout = next((one for one in layouts if one.table == output.table), layouts[0])
    return Dataset(store, made.prepared.header, layout.table, layout.stored_schema)


def known_columns(output: OutputPlan, made: PreparedDataset | None) -> Mapping[str, Column]:
    """Return the columns of the source that all rows of an output come from; none where rows may be of others too."""
    if made is None or made.plan.mode != "overwrite":
        return NOTHING_KNOWN
    plans = [table.plan for table in made.tables]
    plan = next((one for one in plans if one.table == output.table), plans[0])
    return {column.name: column for column in plan.schema.columns}


@dataclass(frozen=True, slots=True)
class OutputSource:
    """What an output is made from: its plan, and the dataset that it reads, as this run leaves it.

    `number` tells its tasks from those of others. `known` are the columns of the source that all its rows come from
    (`known_columns`); `directory` is the records directory that it becomes, if it is one.
    """

    number: int
    output: OutputPlan
    dataset: Dataset
    known: Mapping[str, Column] = field(default_factory=dict)
    directory: RecordsOutput | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the output."""
        return tuple(self.output.columns or self.dataset.columns)


@dataclass(frozen=True, slots=True)
class Produced:
    """One output that is staged: its source, its files, and the manifest entry if it is a table."""

    source: OutputSource
    slices: tuple[WrittenSlice, ...]
    table: OutTable | None

    @property
    def output(self) -> OutputPlan:
        """Its plan."""
        return self.source.output

    @property
    def losses(self) -> tuple[LostCells, ...]:
        """What its files do not carry of the rows."""
        return lost_cells(loss for one in self.slices for loss in one.losses)

    def publish(self) -> None:
        """Make what lies outside of out/ visible."""
        if self.source.directory is not None:
            self.source.directory.publish(self.slices, self.source.dataset, self.source.columns)


def output_source(
    number: int,
    output: OutputPlan,
    made: PreparedDataset | None,
    store: Store,
    scratch: Path,
) -> OutputSource:
    """Return the source of an output, of a dataset that is `made` in this run or of one that is there.

    What a records directory has put outside of out/ is the caller's to discard.
    """
    dataset = dataset_of(output, made, store)
    known = known_columns(output, made)
    if output.records is None:
        return OutputSource(number, output, dataset, known)
    from component.runner.records_outputs import open_records_output  # noqa: PLC0415 - as the condition says

    directory = open_records_output(number, output, output.records, scratch, known)
    return OutputSource(number, output, dataset, known, directory)


def produce(
    engine: Engine, sources: Sequence[OutputSource], stage: Stage, limits: Limits, destinations: Destinations
) -> list[Produced]:
    """Write the files of all outputs in one job, and return the outputs, tables with their manifest entries."""
    cores = engine.parallelism
    tasks = [task for source in sources for task in _tasks(source, stage, limits, cores)]
    written: dict[int, list[WrittenSlice]] = {}
    for one in engine.run(write_slice, tasks, sizes=[task.bytes for task in tasks]):
        written.setdefault(one.output, []).append(one)
    produced = [_produced(source, written.get(source.number, ()), destinations) for source in sources]
    for made in produced:
        source = made.source
        if source.directory is not None:
            source.directory.finish(made.slices, source.dataset, source.columns, stage.file(made.output.name))
    return produced


def _produced(source: OutputSource, written: Iterable[WrittenSlice], destinations: Destinations) -> Produced:
    output, table = source.output, None
    if output.written_as == "table":
        table = out_table(output, shape_of(output, source.dataset, source.known), destinations)
    return Produced(source, tuple(sorted(written, key=lambda one: one.order)), table)


def _tasks(source: OutputSource, stage: Stage, limits: Limits, cores: int) -> list[SliceTask]:
    tasks = slice_tasks(source.number, source.output, source.dataset, stage, limits, cores)
    if source.directory is None:
        return _narrowed(tasks, source.known)
    sizes = _sizes(source.dataset)
    return source.directory.tasks(tasks, [sizes.get(scan.key, 0) for scan in tasks[0].scans], cores)


def _narrowed(tasks: list[SliceTask], known: Mapping[str, Column]) -> list[SliceTask]:
    """Return tasks that write numbers as narrow as the source has them; a dataset says 64 bits of each."""
    if not known or not tasks:
        return tasks
    schema = tasks[0].schema
    narrow = narrow_schema(schema, [pa.schema([(name, column.arrow) for name, column in known.items()])])
    return tasks if narrow.equals(schema) else [replace(task, narrow=narrow) for task in tasks]


def slice_tasks(
    number: int, output: OutputPlan, dataset: Dataset, stage: Stage, limits: Limits, cores: int
) -> list[SliceTask]:
    """Return the tasks that write one output."""
    scans = plan_scan(dataset, output.predicates)
    columns = tuple(output.columns or dataset.columns)
    is_table = output.written_as == "table"
    sliced = is_table and output.sliced
    gzip = output.compression == "gzip" if sliced else output.name.endswith(".gz")
    target = stage.table(output.name, sliced=sliced) if is_table else stage.file(output.name)
    groups: tuple[tuple[FileScan, ...], ...] = (scans,)
    sizes = _sizes(dataset)
    if sliced:
        groups = group_scans(
            scans,
            [sizes.get(scan.key, 0) for scan in scans],
            slice_bytes=limits.slice_bytes,
            max_slices=limits.max_slices,
            cores=cores,
        )
    return [
        SliceTask(
            output=number,
            order=order,
            store=dataset.store,
            schema=dataset.schema,
            scans=group,
            columns=columns,
            target=target / slice_name(order, gzip=gzip) if sliced else target,
            writing=writing_of(output, gzip=gzip),
            attributes=dataset.attributes,
            bytes=sum(sizes.get(scan.key, 0) for scan in group),
        )
        for order, group in enumerate(groups)
    ]


def _sizes(dataset: Dataset) -> Mapping[str, int]:
    prefix = f"{dataset.header.uuid}/{dataset.table}/"
    return {stat.key: stat.size for stat in dataset.store.list(prefix)}


def stage_manifests(produced: Sequence[Produced], stage: Stage) -> None:
    """Write the manifest of each output beside it."""
    for one in produced:
        if one.table is not None:
            stage.manifest(stage.table(one.table.name, sliced=False), one.table.manifest)
        elif one.output.url is None:
            for name in file_names(one.output):
                stage.manifest(stage.file(name), file_manifest(one.output.tags, one.output.file_options))


def stage_rejected(milled: Sequence[MilledDataset], tables: Mapping[str, OutTable], stage: Stage) -> dict[str, int]:
    """Write the rejected rows of each table that collects them; return the bytes of each output."""
    sizes: dict[str, int] = {}
    for one in milled:
        for milled_table in one.tables:
            if milled_table.plan.has_rejected:
                table = tables[milled_table.plan.name]
                folder = stage.table(table.name, sliced=True)
                target = folder / slice_name(0, gzip=False)
                write_rejected(milled_table.result.counts, target)
                sizes[table.name] = target.stat().st_size
                stage.manifest(folder, table.manifest)
    return sizes
