"""From datasets to staged outputs: what each output reads, how it is cut, its files, and its manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

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
from component.runner.destinations import OutTable
from component.runner.milling import MilledDataset
from component.runner.predict import file_names
from component.runner.records_outputs import RecordsOutput, open_records_output
from component.runner.shapes import NOTHING_KNOWN, open_output
from component.spark.engine import Engine
from component.spark.jobs.slices import SliceTask, WrittenSlice, write_slice
from component.store.base import Store
from component.tables.types import Column


def dataset_of(output: OutputPlan, milled: Mapping[str, MilledDataset], store: Store) -> Dataset:
    """Return the dataset that an output reads: as this run leaves it, though nobody else sees that yet.

    `milled` are the datasets of this run by their UUIDs.
    """
    made = milled.get(output.dataset)
    if made is None:
        return open_output(output, store)
    layouts, tables = made.prepared.plan.layouts, [table.plan.table for table in made.tables]
    layout = layouts[tables.index(output.table)] if output.table in tables else layouts[0]
    return Dataset(store, made.prepared.header, layout.table, layout.stored_schema)


def known_columns(output: OutputPlan, milled: Mapping[str, MilledDataset]) -> Mapping[str, Column]:
    """Return the columns of the source that all rows of an output come from; none where rows may be of others too."""
    made = milled.get(output.dataset)
    if made is None or made.plan.mode != "overwrite":
        return NOTHING_KNOWN
    plans = [table.plan for table in made.tables]
    plan = next((one for one in plans if one.table == output.table), plans[0])
    return {column.name: column for column in plan.schema.columns}


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """The files of one output, and the records directory that they are of, if it is one."""

    output: OutputPlan
    dataset: Dataset
    slices: tuple[WrittenSlice, ...]
    records: RecordsOutput | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the output."""
        return tuple(self.output.columns or self.dataset.columns)

    def publish(self) -> None:
        """Make what lies outside of out/ visible."""
        if self.records is not None:
            self.records.publish(self.slices, self.dataset, self.columns)

    def withdraw(self) -> None:
        """Remove what lies outside of out/."""
        if self.records is not None:
            self.records.withdraw()


@dataclass(frozen=True, slots=True)
class Produced:
    """One output that is staged: its files, and the manifest entry if it is a table."""

    files: OutputFiles
    table: OutTable | None

    @property
    def output(self) -> OutputPlan:
        """Its plan."""
        return self.files.output

    @property
    def losses(self) -> tuple[LostCells, ...]:
        """What its files do not carry of the rows."""
        return lost_cells(loss for one in self.slices for loss in one.losses)

    @property
    def slices(self) -> tuple[WrittenSlice, ...]:
        """What was written."""
        return self.files.slices


def produce(
    engine: Engine,
    outputs: Sequence[OutputPlan],
    datasets: Sequence[Dataset],
    stage: Stage,
    limits: Limits,
    scratch: Path,
    known: Sequence[Mapping[str, Column]] = (),
) -> list[OutputFiles]:
    """Write the files of all outputs in one job; return what was written, output by output.

    `known` are the columns that each output's rows come from (`known_columns`).
    """
    directories = [
        open_records_output(number, output, scratch, known[number] if known else NOTHING_KNOWN)
        for number, output in enumerate(outputs)
    ]
    try:
        cores = engine.parallelism
        tasks = [
            task
            for number, (output, dataset) in enumerate(zip(outputs, datasets, strict=True))
            for task in _tasks(
                slice_tasks(number, output, dataset, stage, limits, cores),
                dataset,
                cores,
                directories[number],
                known[number] if known else NOTHING_KNOWN,
            )
        ]
        by_output: dict[int, list[WrittenSlice]] = {}
        for one in engine.run(write_slice, tasks, sizes=[task.bytes for task in tasks]):
            by_output.setdefault(one.output, []).append(one)
        found = [
            OutputFiles(
                output,
                dataset,
                tuple(sorted(by_output.get(number, ()), key=lambda one: one.order)),
                directories[number],
            )
            for number, (output, dataset) in enumerate(zip(outputs, datasets, strict=True))
        ]
        for made in found:
            if made.records is not None:
                made.records.finish(made.slices, made.dataset, made.columns, stage.file(made.output.name))
    except BaseException:
        for directory in directories:
            if directory is not None:
                directory.withdraw()
        raise
    return found


def _tasks(
    tasks: list[SliceTask],
    dataset: Dataset,
    cores: int,
    directory: RecordsOutput | None,
    known: Mapping[str, Column],
) -> list[SliceTask]:
    if directory is None:
        return _narrowed(tasks, known)
    sizes = _sizes(dataset)
    return directory.tasks(tasks, [sizes.get(scan.key, 0) for scan in tasks[0].scans], cores)


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
