"""Configuration and sources to a plan: every name checked, every type decided, before anything starts."""

from __future__ import annotations

import datetime as dt
import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from component import naming
from component.config.model import Config, DatasetConfig, LimitsConfig, OutputConfig, TableConfig
from component.config.parameters import ColumnConfig, SameNameWord
from component.dataset.commits.fit import index_doubts
from component.dataset.format.buckets import buckets_within
from component.dataset.format.keys import check_partition_keys
from component.dataset.format.layout import Layout
from component.dataset.format.values import check_partition_type
from component.errors import Place, UserError
from component.mapping.platform.ascii_fold import ascii_fold
from component.plan.choosing import choose, grouped, sources_called
from component.plan.model import DatasetPlan, Limits, OutputPlan, Plan, Source
from component.plan.options import file_options, table_options
from component.plan.output_formats import fetched_from, records_plan, workbench_sizes
from component.plan.tables import Made, check_tables, find_made, made_by
from component.tables.logical import LOGICAL, Logical, logical_of
from component.tables.marks import with_marks
from component.tables.types import Column, NullRule, TableSchema, TypeName, arrow_type

if TYPE_CHECKING:
    from component.dataset.commits.garbage import Retention

_NOT_IN_UUID = re.compile(r"[^a-zA-Z0-9+\-_]+")
_TABLE_ID = re.compile(r"(?:in|out)\.[^.]+\.([^.]+)")


def nothing_to_do(*, lying: bool) -> UserError:
    """Return the error of a run that would do nothing; `lying`: in a folder without in/."""
    if lying:
        text = "There is nothing to do: no file in the folder is a table, and no output is configured"
        remedy = "Put CSV, Parquet, Avro, Arrow, JSON or Excel files there, or map an input to the component."
    else:
        text = "There is nothing to do: no table in in/tables, no readable file in in/files, and no output configured"
        remedy = "Map an input to the component, or put tables into in/tables or files into in/files."
    return UserError("source.missing", text, remedy=remedy)


def build_plan(config: Config, sources: Sequence[Source], warnings: Sequence[str] = ()) -> Plan:
    """Return the plan; with nothing configured every source becomes a dataset and comes back as an output.

    UserError `source.missing`, `column.missing`, `column.type`, `config.value`, `config.duplicate_output`.
    """
    parameters = config.parameters
    datasets = tuple(
        plan for dataset in parameters.datasets for plan in plan_dataset(dataset, sources, parameters.on_same_name)
    )
    if not datasets and not parameters.outputs:
        datasets = default_datasets(sources, parameters.on_same_name)
        outputs = tuple(map(_default_output, datasets))
        warnings = (*warnings, *(_file_doubt(dataset) for dataset in datasets if _formless(dataset)))
    else:
        made = made_by(datasets)
        outputs = tuple(plan_output(output, made) for output in parameters.outputs)
    url = parameters.store.url if parameters.store else None
    _check_names(outputs, datasets, archives=url is None)
    doubts = index_doubts(_layout(plan) for plan in datasets)
    return Plan(datasets, outputs, url, plan_limits(parameters.limits), (*warnings, *doubts))


def _layout(plan: DatasetPlan) -> Layout:
    """Return what of a layout is known before a run: columns whose types it infers are texts."""
    indices = tuple(name for name in plan.secondary_indices if name not in plan.infer)
    return Layout(plan.uuid, plan.schema.arrow, plan.partition_on, indices, compatibility=plan.compatibility)


def plan_limits(limits: LimitsConfig) -> Limits:
    """Return the limits as the plan holds them."""
    return Limits(**limits.model_dump(exclude={"deadline_seconds"}))


# --- datasets ---


def default_datasets(sources: Sequence[Source], on_same_name: SameNameWord = "refuse") -> tuple[DatasetPlan, ...]:
    """Return a dataset for each source, named after it, unpartitioned, typed by its manifest or else by its cells.

    Files of one name are one source; UserError as `choose`.
    """
    taken: set[str] = set()
    plans = []
    for name, group in grouped(sources):
        source = choose(name, group, on_same_name)
        uuid = _free_name(dataset_name(source), taken)
        taken.add(uuid)
        plans.append(DatasetPlan(uuid, "table", source, source.schema, infer=_to_infer(source)))
    return tuple(plans)


def _default_output(dataset: DatasetPlan) -> OutputPlan:
    """Return the output of a dataset that nobody configured: slices for the platform, for a person one CSV file.

    What no table can hold, a list for one, comes back as a Parquet file.
    """
    if _formless(dataset):
        name = f"{dataset.uuid}.parquet"
        return OutputPlan(name, dataset.uuid, dataset.table, written_as="file", format="parquet")
    if dataset.source.lying:
        return OutputPlan(f"{dataset.uuid}.csv", dataset.uuid, dataset.table, sliced=False)
    return OutputPlan(dataset.uuid, dataset.uuid, dataset.table)


def _formless(dataset: DatasetPlan) -> list[Column]:
    """Return the columns whose type has no form in a table."""
    return [column for column in dataset.schema.columns if column.type is TypeName.OTHER]


def _file_doubt(dataset: DatasetPlan) -> str:
    columns = ", ".join(f"{column.name!r} ({column.arrow})" for column in _formless(dataset))
    return f"{dataset.source.file_name!r} comes back as a Parquet file: a table cannot hold its columns {columns}."


def dataset_name(source: Source) -> str:
    """Return the name of a source as a dataset's: of a table id its last part, in ASCII, other characters as `_`."""
    found = _TABLE_ID.fullmatch(source.own_name)
    return _NOT_IN_UUID.sub("_", ascii_fold(found[1] if found else source.own_name)).strip("_") or "table"


def _free_name(name: str, taken: Iterable[str]) -> str:
    names = set(taken)
    numbered = (f"{name}-{number}" for number in range(2, len(names) + 3))
    return name if name not in names else next(other for other in numbered if other not in names)


def plan_dataset(
    config: DatasetConfig, sources: Sequence[Source], on_same_name: SameNameWord = "refuse"
) -> tuple[DatasetPlan, ...]:
    """Return the plans of the tables of one configured dataset.

    Every table has the partition columns; columns that are indexed or sorted by are in one of them at least.
    """
    config = _as_used(config)
    found = [(table, find_source(table, sources, config.uuid, on_same_name)) for table in config.named_tables]
    schemas = [decide_types(source, table) for table, source in found]
    known = {name for schema in schemas for name in schema.names}
    for names, what in [
        (config.secondary_indices, "secondary_indices"),
        (config.sort_partitions_by, "sort_partitions_by"),
        (config.bucket_by, "bucket_by"),
    ]:
        for name in names:
            if name not in known:
                _check_column(name, schemas[0].names, found[0][1].file_name, what)
    plans = tuple(
        _plan_table(config, table, source, schema) for (table, source), schema in zip(found, schemas, strict=True)
    )
    check_tables(plans)
    return plans


def _plan_table(config: DatasetConfig, table: TableConfig, source: Source, schema: TableSchema) -> DatasetPlan:
    for name in config.partition_on:
        _check_column(name, schema.names, source.file_name, "partition_on")
    for name in table.primary_key or ():
        _check_column(name, schema.names, source.file_name, "primary_key")
    for name in config.key:
        _check_column(name, schema.names, source.file_name, "key")
    if config.partition_on and set(config.partition_on) == set(schema.names):
        raise UserError(
            "config.value",
            "partition_on names every column, so nothing is left to store in the data files",
            place=Place(table=source.file_name),
            remedy="Leave a column out of partition_on.",
        )
    faults = (part.not_encoded for part in source.slices if part.not_encoded is not None)
    if config.on_bad_row == "fail" and (fault := next(faults, None)):
        raise fault
    infer = _to_infer(source, table)
    for name in config.partition_on:
        if name not in infer:
            check_partition_type(name, arrow_type(schema.column(name)), table=source.file_name)
    if config.mode == "overwrite":  # other modes take a dataset as another client may have made it
        check_partition_keys(config.partition_on, config.uuid)
    several, own = len(config.tables) > 1, set(schema.names)
    splits = several and config.compatibility == "plateau"
    return DatasetPlan(
        uuid=naming.TABLE_UUID.format(uuid=config.uuid, table=table.name) if splits else config.uuid,
        table=naming.DEFAULT_TABLE if splits else table.name,
        source=source,
        schema=schema,
        partition_on=config.partition_on,
        secondary_indices=tuple(name for name in config.secondary_indices if name in own),
        sort_by=tuple(name for name in _sortable(config) if name in own),
        buckets=buckets_within(config.bucket_by, config.num_buckets, own),
        mode=config.mode,
        scope=config.delete_scope,
        key=config.key,
        keep=_retention(config),
        metadata=config.metadata,
        storage_format=config.metadata_storage_format,
        reject=config.on_bad_row == "reject",
        infer=infer,
        compatibility=config.compatibility,
        named=(config.uuid, table.name) if several else None,
        marks=table.marks,
        on_duplicate_key=config.on_duplicate_key,
    )


def _as_used(config: DatasetConfig) -> DatasetConfig:
    """Return the configuration without what mode delete has no use for: its rows are keys, which are not kept."""
    if config.mode != "delete":
        return config
    return config.model_copy(
        update={
            "partition_on": (),
            "secondary_indices": (),
            "sort_partitions_by": (),
            "bucket_by": (),
            "num_buckets": None,
        }
    )


def _retention(config: DatasetConfig) -> Retention | None:
    if config.keep is None:
        return None
    from component.dataset.commits.garbage import Retention  # noqa: PLC0415 - only where garbage is collected

    return Retention(config.keep.commits, dt.timedelta(days=config.keep.days))


def _sortable(config: DatasetConfig) -> tuple[str, ...]:
    """Partition columns are the same in every row of a file, so sorting by them is left out."""
    return tuple(name for name in config.sort_partitions_by if name not in config.partition_on)


def find_source(
    table: TableConfig, sources: Sequence[Source], uuid: str, on_same_name: SameNameWord = "refuse"
) -> Source:
    """Return the source that a table names; UserError `source.missing` says which there are, else as `choose`."""
    if found := sources_called(table.source, sources):
        source = choose(table.source, found, on_same_name)
        if table.format not in {"auto", "file", source.kind}:
            raise UserError(
                "source.format",
                f"The source is configured as {table.format} and is {source.kind}",
                place=Place(table=source.file_name),
                remedy="Set format to auto.",
            )
        return source
    there = ", ".join(sorted(source.names[0] for source in sources)) or "none"
    near = _nearest(table.source, [name for source in sources for name in source.names])
    hint = f" Did you mean {near!r}?" if near else ""
    raise UserError(
        "source.missing",
        f"The source {table.source!r} of dataset {uuid!r} is not in the data folder",
        remedy=f"Name one of these: {there}.{hint}",
    )


def _nearest(word: str, words: Sequence[str]) -> str | None:
    return next(iter(difflib.get_close_matches(word, words, n=1)), None)


def _check_column(name: str, columns: Sequence[str], table: str, what: str) -> None:
    if name in columns:
        return
    near = _nearest(name, columns)
    hint = f"Did you mean {near!r}? " if near else ""
    raise UserError(
        "column.missing",
        f"A column in {what} is not in the table",
        place=Place(table=table, column=name),
        remedy=f"{hint}The columns are {', '.join(columns)}.",
    )


# --- types ---


def decide_types(source: Source, table: TableConfig) -> TableSchema:
    """Return the schema of a source: facts of the configuration win over those of the manifest, column by column."""
    given = {column.name: column for column in table.columns}
    for name in given:
        _check_column(name, source.schema.names, source.file_name, "columns")
    columns = tuple(_decide(column, given.get(column.name)) for column in source.schema.columns)
    if table.marks is not None:
        if source.kind != "csv":
            raise UserError(
                "config.value",
                f"decimal and thousands say how text is written, and the source is {source.kind}",
                place=Place(table=source.file_name),
                remedy='Leave out "decimal" and "thousands".',
            )
        columns = tuple(with_marks(column, *table.marks) for column in columns)
    key = source.schema.primary_key if table.primary_key is None else table.primary_key
    schema = TableSchema(columns, key)
    for column in columns:
        if column.stored is None:
            arrow_type(column)
    return schema


def _decide(column: Column, given: ColumnConfig | None) -> Column:
    if given is not None:
        if given.type and logical_of(column) is Logical.ZONED:
            column = replace(column.with_attribute(LOGICAL, None), null_rule=None)
        type_name = TypeName(given.type) if given.type else column.type
        same = type_name is column.type
        column = replace(
            column,
            type=type_name,
            length=given.length if given.length is not None else column.length if same else None,
            nullable=column.nullable if given.nullable is None else given.nullable,
            formats=given.formats or (column.formats if same else ()),
            null_rule=NullRule(given.nulls) if given.nulls else column.null_rule,
            stored=column.stored if same and given.length is None else None,
        )
    if column.type is TypeName.STRING and not column.nullable and column.null_rule is None:
        return replace(column, null_rule=NullRule.NEVER)
    return column


def _to_infer(source: Source, table: TableConfig | None = None) -> tuple[str, ...]:
    """Return the columns whose type is to be found out: none that a manifest or the configuration gives one.

    Where nobody says whether to, types of text are found out if it comes without a manifest.
    """
    asked = table.infer_types if table is not None else None
    if not (source.infer_types if asked is None else asked):
        return ()
    given = {column.name for column in table.columns if column.type} if table is not None else set()
    return tuple(name for name in source.schema.names if name not in source.typed and name not in given)


# --- outputs ---


def plan_output(config: OutputConfig, datasets: Made) -> OutputPlan:
    """Return the plan of one output; table and columns are checked here where the dataset is made in this run."""
    made = find_made(datasets, config.dataset, config.table)
    if made is not None and made.mode != "delete":  # its rows are of the dataset that is there, not of this source
        _check_output_columns(config, made)
    return OutputPlan(
        name=config.output_name,
        dataset=config.dataset if made is None else made.uuid,
        table=config.table if made is None or made.mode == "delete" else made.table,
        written_as=config.written_as,
        format=config.format,
        predicates=config.predicates,
        columns=config.columns or None,
        destination=config.destination,
        primary_key=config.primary_key,
        incremental=config.incremental,
        sliced=config.slices,
        compression=config.compression,
        tags=config.tags,
        options=table_options(config),
        file_options=file_options(config),
        records=records_plan(config),
        workbench=workbench_sizes(config),
        fetched_from=fetched_from(config),
    )


def _check_names(outputs: Sequence[OutputPlan], datasets: Sequence[DatasetPlan], *, archives: bool) -> None:
    """Refuse outputs with the name of something that the run writes by itself."""
    tables = {
        dataset.name + naming.REJECTED_SUFFIX: "the rejected rows" for dataset in datasets if dataset.has_rejected
    }
    files = {dataset.uuid + naming.ARCHIVE_SUFFIX: "the archive" for dataset in datasets if archives}
    for output in outputs:
        what = (tables if output.written_as == "table" else files).get(output.name.removesuffix(".csv"))
        if what is not None:
            raise UserError(
                "config.duplicate_output",
                f"An output and {what} of a dataset have the same name {output.name!r}",
                remedy='Give the output another "name".',
            )


def _check_output_columns(config: OutputConfig, made: DatasetPlan) -> None:
    for name in config.columns or ():
        _check_column(name, made.schema.names, made.uuid, "columns of an output")
    for name in config.primary_key or ():
        _check_column(name, config.columns or made.schema.names, made.uuid, "primary_key of an output")
    for conjunction in config.predicates or ():
        for name, *_ in conjunction:
            _check_column(name, made.schema.names, made.uuid, "predicates")
