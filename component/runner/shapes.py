"""What output tables will look like, before anything is milled: columns, keys, manifests. Nothing here needs Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import pyarrow as pa

from component import naming
from component.dataset.files.predicates import bind_predicates
from component.dataset.format.header import read_header
from component.dataset.format.schema import normal_type
from component.dataset.reading.reader import Dataset, open_dataset
from component.errors import Place, UserError
from component.findings import warning
from component.formats.losses import Loss
from component.outputs.file_formats import writing_of
from component.outputs.manifest import OutputTable, table_manifest, untold_types
from component.plan.model import DatasetPlan, OutputPlan
from component.runner.commits import layout_of
from component.runner.destinations import Destinations, OutTable
from component.spark.jobs.rejects import REJECTED_SCHEMA
from component.store.base import Store
from component.tables.logical import column_of_values, is_of_records
from component.tables.types import Column, TypeName, column_of_arrow

NOTHING_KNOWN: Final[Mapping[str, Column]] = {}
REJECTED_COLUMNS = tuple(column_of_arrow(field.name, field.type) for field in REJECTED_SCHEMA)


@dataclass(frozen=True, slots=True)
class OutputShape:
    """What an output table looks like: columns in order, and the primary key."""

    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]


UNKNOWN: Final = "column"
"""Stands for the columns of an output that nobody has named and nobody can look up."""


def planned_shape(output: OutputPlan, plans: Sequence[DatasetPlan], store: Store | None) -> OutputShape:
    """Return the shape before the run: of a dataset made in it by its plan, of another by what is in the store.

    `plans` are the tables that the run makes of the output's dataset (`made_by`).

    Where there is nothing to look into (no store, an input that nobody has seen), the shape is what the configuration
    says of it. UserError `dataset.missing`, `column.missing` and `dataset.predicate`.
    """
    made = _read_by(output, plans)
    if made is None or made.mode == "delete":
        return _configured_shape(output) if store is None else shape_of(output, open_output(output, store))
    if output.predicates is not None and not made.infer and not made.source.assumed:
        bind_predicates(output.predicates, layout_of(made).stored_schema)
    columns = made.schema.select(output.columns) if output.columns else made.schema.columns
    for column in columns:
        column_of_values(column.name, column.arrow)  # what has no form in a table is refused before any work
    return OutputShape(columns, _key(output, columns, made.schema.primary_key))


def _read_by(output: OutputPlan, plans: Sequence[DatasetPlan]) -> DatasetPlan | None:
    return next((one for one in plans if one.uuid == output.dataset and output.table in {None, one.table}), None)


def _configured_shape(output: OutputPlan) -> OutputShape:
    key = output.primary_key or ()
    options = [name for name, _ in output.options.named_columns]
    names = output.columns or (*key, *options, UNKNOWN)
    return OutputShape(tuple(Column(name) for name in dict.fromkeys(names)), key)


def planned_losses(output: OutputPlan, plans: Sequence[DatasetPlan], store: Store) -> tuple[Loss, ...]:
    """Return what the files of an output will not carry, as far as types decide it before the run.

    `plans` and UserError as `planned_shape`, but for types: only those that the format cannot write are refused,
    `column.type`.
    """
    made = _read_by(output, plans)
    if made is None or made.mode == "delete":
        dataset = open_output(output, store)
        schema, attributes = dataset.schema, dataset.attributes
    else:
        schema = made.schema.arrow
        if made.mode != "overwrite" or output.records is not None:  # in the types that the dataset says
            schema = pa.schema([(field.name, normal_type(field.type)) for field in schema])
        attributes = {column.name: dict(column.attributes) for column in made.schema.columns}
    known = set(schema.names)
    fields = [schema.field(name) for name in output.columns or schema.names if name in known]
    losses = writing_of(output, gzip=False).losses(pa.schema(fields), attributes)
    return tuple(loss for loss in losses if loss.is_foreseen)


def loss_text(what: Literal["Input", "Output"], name: str, column: str, text: str) -> str:
    """Return what a run and a check say of a loss."""
    return f"{what} {name!r}, column {column!r}: {text}."


def open_output(output: OutputPlan, store: Store) -> Dataset:
    """Open what an output reads of a dataset that this run does not make: its table, or what was made of that alone.

    UserError `dataset.missing`.
    """
    uuid, table = output.dataset, output.table
    try:
        return open_dataset(store, uuid, table=table)
    except UserError as error:
        alone = naming.TABLE_UUID.format(uuid=uuid, table=table)
        if error.code != "dataset.missing" or table is None or read_header(store, alone) is None:
            raise
        return open_dataset(store, alone)


def with_known(columns: Sequence[Column], known: Mapping[str, Column]) -> tuple[Column, ...]:
    """Return columns of a dataset with what is known of them and a dataset does not keep: length of text, no nulls."""
    return tuple(_with_known(column, known.get(column.name)) for column in columns)


def _with_known(column: Column, known: Column | None) -> Column:
    if known is None or known.type is not column.type:
        return column
    length = known.length if column.type is TypeName.STRING else column.length
    return replace(column, length=length, nullable=known.nullable)


def shape_of(output: OutputPlan, dataset: Dataset, known: Mapping[str, Column] = NOTHING_KNOWN) -> OutputShape:
    """Return the shape of an output of a dataset; UserError `column.missing` and `column.type`.

    Of `known` columns it is said whether they are nullable, and of those that came from a records schema the length.
    """
    names = output.columns or dataset.columns
    known_names = set(dataset.schema.names)
    for name in names:
        if name not in known_names:
            raise UserError(
                "column.missing",
                "A column of an output is not in the dataset",
                place=Place(table=output.name, column=name),
                remedy=f"The columns are {', '.join(dataset.columns)}.",
            )
    described = {name: one for name, one in known.items() if is_of_records(one)}
    columns = tuple(_with_nulls(one, known) for one in with_known(dataset.described(names), described))
    return OutputShape(columns, _key(output, columns, dataset.primary_key))


def _with_nulls(column: Column, known: Mapping[str, Column]) -> Column:
    source = known.get(column.name)
    same = source is not None and source.type is column.type
    return replace(column, nullable=source.nullable) if source is not None and same else column


def _key(output: OutputPlan, columns: Sequence[Column], known: Sequence[str]) -> tuple[str, ...]:
    """Return the configured key, or the known one if the output has all its columns."""
    if output.primary_key is not None:
        return output.primary_key
    names = {column.name for column in columns}
    return tuple(known) if names.issuperset(known) else ()


def out_table(output: OutputPlan, shape: OutputShape, destinations: Destinations) -> OutTable:
    """Return the table as it will be in out/tables, its manifest in the family of the output, else in that of the run.

    UserError `column.missing` when an option names a column that the table does not have, `mapping.failed` when a
    column has no name, as the first one that pandas writes.
    """
    names = [column.name for column in shape.columns]
    if "" in names:
        raise UserError(
            "mapping.failed",
            f"Column {names.index('') + 1} of an output has no name, and Storage takes no column without one",
            place=Place(table=output.name),
            remedy='Name it in the header of the source, or leave it out with "columns" of the output.',
        )
    for name, option in output.options.named_columns:
        if name not in names:
            raise UserError(
                "column.missing",
                f"A column in {option} of an output is not in the output",
                place=Place(table=output.name, column=name),
                remedy=f"The columns are {', '.join(names)}.",
            )
    table = OutputTable(
        columns=shape.columns,
        destination=output.destination or destinations.default(output.name),
        primary_key=shape.primary_key,
        incremental=output.incremental,
        header=output.has_header,
        tags=output.tags,
        options=output.options,
    )
    family = output.options.manifest_family or destinations.family
    untold = (f"Output {output.name!r}: {text}" for text in untold_types(table, family))
    findings = tuple(warning("output.types", output.name, text) for text in untold)
    return OutTable(output.name, output.sliced, table_manifest(table, family), findings)


def rejected_table(plan: DatasetPlan, destinations: Destinations) -> OutTable:
    """Return the table of the rejected rows of a table of a dataset."""
    name = plan.name + naming.REJECTED_SUFFIX
    table = OutputTable(REJECTED_COLUMNS, destinations.default(name))
    return OutTable(name, sliced=True, manifest=table_manifest(table, destinations.family))
