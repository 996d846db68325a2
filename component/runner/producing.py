"""From datasets to staged outputs: what each output reads, how it is cut, its files, and its manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from component import naming
from component.dataset.predicates import bind_predicates
from component.dataset.reader import Dataset, FileScan, open_dataset, plan_scan
from component.errors import Place, UserError
from component.outputs.manifest import Family, file_manifest, table_manifest
from component.outputs.rejected import write_rejected
from component.outputs.slices import group_scans, slice_name
from component.outputs.stage import Stage
from component.plan.model import DatasetPlan, Limits, OutputPlan
from component.runner.destinations import Destinations, OutTable
from component.runner.milling import MilledDataset, layout_of
from component.spark.engine import Engine
from component.spark.rejects import REJECTED_SCHEMA
from component.spark.slices import SliceTask, WrittenSlice, write_slice
from component.store.base import Store
from component.tables.types import Column, column_of_arrow

REJECTED_COLUMNS = tuple(column_of_arrow(field.name, field.type) for field in REJECTED_SCHEMA)


@dataclass(frozen=True, slots=True)
class OutputShape:
    """What an output table looks like: columns in order, and the primary key."""

    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]


def planned_shape(output: OutputPlan, plans: Sequence[DatasetPlan], store: Store) -> OutputShape:
    """Return the shape before the run: of a dataset made in it by its plan, of another by what is in the store.

    UserError `dataset.missing`, `column.missing` and `dataset.predicate`.
    """
    made = next((plan for plan in plans if plan.uuid == output.dataset), None)
    if made is None:
        return shape_of(output, open_dataset(store, output.dataset))
    if output.predicates is not None and not made.infer:
        bind_predicates(output.predicates, layout_of(made).stored_schema)
    columns = tuple(made.schema.column(name) for name in output.columns or made.schema.names)
    return OutputShape(columns, _key(output, columns, made.schema.primary_key))


def shape_of(output: OutputPlan, dataset: Dataset) -> OutputShape:
    """Return the shape of an output of a dataset; UserError `column.missing` and `column.type`."""
    names = output.columns or dataset.columns
    for name in names:
        if name not in dataset.schema.names:
            raise UserError(
                "column.missing",
                "A column of an output is not in the dataset",
                place=Place(table=output.name, column=name),
                remedy=f"The columns are {', '.join(dataset.columns)}.",
            )
    columns = tuple(column_of_arrow(name, dataset.schema.field(name).type) for name in names)
    return OutputShape(columns, _key(output, columns, tuple(dataset.header.extras.get("primary_key", ()))))


def _key(output: OutputPlan, columns: Sequence[Column], known: Sequence[str]) -> tuple[str, ...]:
    """Return the configured key, or the known one if the output has all its columns."""
    if output.primary_key is not None:
        return output.primary_key
    names = {column.name for column in columns}
    return tuple(known) if names.issuperset(known) else ()


def out_table(output: OutputPlan, shape: OutputShape, destinations: Destinations, family: Family) -> OutTable:
    """Return the table as it will be in out/tables."""
    manifest = table_manifest(
        shape.columns,
        family=family,
        destination=output.destination or destinations.default(output.name),
        primary_key=shape.primary_key,
        incremental=output.incremental,
        has_header=not output.sliced,
    )
    return OutTable(output.name, output.sliced, manifest)


def rejected_table(plan: DatasetPlan, destinations: Destinations, family: Family) -> OutTable:
    """Return the table of the rejected rows of a dataset."""
    name = plan.uuid + naming.REJECTED_SUFFIX
    manifest = table_manifest(
        REJECTED_COLUMNS,
        family=family,
        destination=destinations.default(name),
        primary_key=(),
        incremental=False,
        has_header=False,
    )
    return OutTable(name, sliced=True, manifest=manifest)


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
            header=not sliced,
            gzip=gzip,
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
            stage.manifest(stage.file(one.output.name), file_manifest(one.output.tags))


def stage_rejected(milled: Sequence[MilledDataset], tables: Mapping[str, OutTable], stage: Stage) -> None:
    """Write the rejected rows of each dataset that collects them."""
    for one in milled:
        if one.plan.reject:
            table = tables[one.plan.uuid]
            folder = stage.table(table.name, sliced=True)
            write_rejected(one.result.counts, folder / slice_name(0, gzip=False))
            stage.manifest(folder, table.manifest)
