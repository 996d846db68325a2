"""From datasets to staged outputs: what each output reads, how it is cut, its files, and its manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from component.dataset.reader import Dataset, FileScan, open_dataset, plan_scan
from component.outputs.manifest import file_manifest
from component.outputs.rejected import write_rejected
from component.outputs.slices import group_scans, slice_name
from component.outputs.stage import Stage
from component.plan.model import Limits, OutputPlan
from component.runner.destinations import OutTable
from component.runner.milling import MilledDataset
from component.spark.engine import Engine
from component.spark.slices import SliceTask, WrittenSlice, write_slice
from component.store.base import Store


def dataset_of(output: OutputPlan, milled: Sequence[MilledDataset], store: Store) -> Dataset:
    """Return the dataset that an output reads: as this run leaves it, though nobody else sees that yet."""
    made = next((one for one in milled if one.plan.uuid == output.dataset), None)
    if made is None:
        return open_dataset(store, output.dataset)
    header = made.prepared.header
    return Dataset(store, header, header.table, made.prepared.dataset_schema)


@dataclass(frozen=True, slots=True)
class Produced:
    """One output that is staged: its files, and the manifest entry if it is a table."""

    output: OutputPlan
    slices: tuple[WrittenSlice, ...]
    table: OutTable | None


def produce(
    engine: Engine,
    outputs: Sequence[OutputPlan],
    datasets: Sequence[Dataset],
    stage: Stage,
    limits: Limits,
) -> list[tuple[WrittenSlice, ...]]:
    """Write the files of all outputs in one job; return what was written, output by output."""
    tasks = [
        task
        for number, (output, dataset) in enumerate(zip(outputs, datasets, strict=True))
        for task in slice_tasks(number, output, dataset, stage, limits, engine.parallelism)
    ]
    written = engine.run(write_slice, tasks)
    return [
        tuple(sorted((one for one in written if one.output == number), key=lambda one: one.order))
        for number in range(len(outputs))
    ]


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
    if sliced:
        sizes = _sizes(dataset)
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
            format=output.format,
            header=output.has_header,
            gzip=gzip,
            dialect=output.dialect,
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
        else:
            stage.manifest(stage.file(one.output.name), file_manifest(one.output.tags, one.output.file_options))


def stage_rejected(milled: Sequence[MilledDataset], tables: Mapping[str, OutTable], stage: Stage) -> None:
    """Write the rejected rows of each dataset that collects them."""
    for one in milled:
        if one.plan.reject:
            table = tables[one.plan.uuid]
            folder = stage.table(table.name, sliced=True)
            write_rejected(one.result.counts, folder / slice_name(0, gzip=False))
            stage.manifest(folder, table.manifest)
