"""`suggestPartitioning`: counts from the input or the dataset, and what they say to partition on and index.

Counts are exact where all rows fit into the sample, for partition columns (the header has their values) and for
indexed columns (the index has theirs); otherwise they are estimated, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from component.actions.counting import ColumnTally, Counted, Tally, united
from component.actions.evidence import Subject, find_dataset, find_source, find_subject, nothing_known
from component.actions.messages import markdown_table, message
from component.actions.partitioning import Advice, ColumnFacts, Suggestion, TableFacts, suggest
from component.actions.request import Request, objects_at
from component.actions.sampling import open_parquet, sample_dataset, sample_source
from component.dataset.files.data_file import encode_rows
from component.dataset.format.values import check_partition_type
from component.dataset.reading.reader import Dataset
from component.errors import UserError
from component.plan.model import Source
from component.tables.types import TypeName


def suggest_partitioning(request: Request) -> dict[str, Any]:
    """Return what to partition on and index: from the input where the folder has it, else from the dataset.

    UserError `dataset.missing` when there is neither.
    """
    subject = find_subject(request)
    asked_for = _asked_for(request, subject)
    source = find_source(request, subject)
    if source is not None:
        return _answer(facts_of_source(source, subject, asked_for), f"the input {source.file_name!r}")
    dataset = find_dataset(subject)
    if dataset is None:
        raise nothing_known(subject)
    return _answer(facts_of_dataset(dataset, asked_for), f"the dataset {subject.uuid!r} in the store")


def _asked_for(request: Request, subject: Subject) -> frozenset[str]:
    """Return the columns that the outputs of a dataset have predicates on."""
    found: set[str] = set()
    for output in objects_at(request.parameters, "outputs"):
        if output.get("dataset") == subject.uuid:
            conditions = [one for conjunction in _list(output.get("predicates")) for one in _list(conjunction)]
            found.update(one[0] for one in map(_list, conditions) if one and isinstance(one[0], str))
    return frozenset(found)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def facts_of_source(source: Source, subject: Subject, asked_for: Collection[str]) -> TableFacts:
    """Count the values of an input; its columns have the types of the configuration, else of the manifest."""
    takers, extent = sample_source(source, Tally)
    tally = united(takers)
    given = {column.name: TypeName(column.type) for column in subject.source.columns if column.type}
    keys = subject.source.primary_key or source.schema.primary_key
    columns = []
    for column in source.schema.columns:
        type_name = given.get(column.name, column.type)
        counted = tally.columns.get(column.name, ColumnTally()).counted(extent)
        columns.append(
            ColumnFacts(
                column.name,
                type_name.value,
                counted.values,
                exact=counted.exact,
                has_nulls=counted.has_nulls,
                partitionable=type_name not in {TypeName.BOOLEAN, TypeName.NUMERIC},
                fraction=type_name in {TypeName.FLOAT, TypeName.NUMERIC},
                asked_for=column.name in asked_for,
                is_key=tuple(keys) == (column.name,),
            )
        )
    size = _encoded_size(tally.first, extent.rows_there)
    return TableFacts(extent.rows_there, size, tuple(columns), extent.whole, extent.left_out)


def _encoded_size(some: Sequence[pa.Table], there: int) -> int:
    """Estimate what rows take as Parquet, by encoding some of them."""
    held = sum(rows.num_rows for rows in some)
    return encode_rows(pa.concat_tables(some)).size * there // held if held else 0


def facts_of_dataset(dataset: Dataset, asked_for: Collection[str]) -> TableFacts:
    """Count the values of a dataset: exactly where header and indices have them, else in a sample of its files."""
    tally = Tally()
    extent = sample_dataset(dataset, tally)
    known = {**_partition_values(dataset), **_index_values(dataset)}
    keys = tuple(dataset.header.extras.get("primary_key", ()))
    columns = []
    for name in dataset.columns:
        data_type = dataset.schema.field(name).type
        counted = tally.columns.get(name, ColumnTally()).counted(extent)
        if name in known:
            counted = Counted(known[name], exact=True, has_nulls=counted.has_nulls)
        columns.append(
            ColumnFacts(
                name,
                str(data_type),
                counted.values,
                exact=counted.exact,
                has_nulls=counted.has_nulls,
                partitionable=_is_partitionable(name, data_type),
                fraction=pa.types.is_floating(data_type) or pa.types.is_decimal(data_type),
                asked_for=name in asked_for,
                is_key=keys == (name,),
                partitions=name in dataset.header.partition_keys,
            )
        )
    size = sum(stat.size for stat in dataset.store.list(f"{dataset.header.uuid}/{dataset.table}/"))
    return TableFacts(extent.rows_there, size, tuple(columns), extent.whole)


def _partition_values(dataset: Dataset) -> Mapping[str, int]:
    keys = [files[dataset.table] for files in dataset.header.partitions.values() if dataset.table in files]
    values = [dataset.partition_values(key) for key in keys]
    return {name: len({one[name] for one in values}) for name in dataset.header.partition_keys}


def _index_values(dataset: Dataset) -> Mapping[str, int]:
    """Return how many values each index has; an index file says it in its footer."""
    found = {}
    for column, index in dataset.header.indices.items():
        if isinstance(index, Mapping):
            found[column] = len(index)
            continue
        with dataset.store.open(index) as file:
            found[column] = open_parquet(file, index).metadata.num_rows
    return found


def _is_partitionable(name: str, data_type: pa.DataType) -> bool:
    try:
        check_partition_type(name, data_type, table="")
    except UserError:
        return False
    return True


def _answer(table: TableFacts, what: str) -> dict[str, Any]:
    found = suggest(table)
    seen = "all of its rows" if table.exact else "a sample of its rows, so counts that are not exact have an ≈"
    rows = [[one.column.name, one.column.type, _count(one.column), one.use, one.reason] for one in found.advice]
    counted = f"{'' if table.exact else '≈ '}{table.rows:,} {'row' if table.rows == 1 else 'rows'}"
    left_out = f" Rows that do not fit are left out: {table.left_out:,}." if table.left_out else ""
    text = [
        f"{what[0].upper()}{what[1:]}: {counted}; counted in {seen}.{left_out}",
        *_lines(found),
        markdown_table(["column", "type", "values", "use", "why"], rows),
    ]
    return message(
        "\n\n".join(text),
        exact=table.exact,
        rows=table.rows,
        partition_on=list(found.partition_on),
        secondary_indices=list(found.secondary_indices),
        columns=[_column(one) for one in found.advice],
    )


def _count(column: ColumnFacts) -> str:
    return f"{'' if column.exact else '≈ '}{column.values:,}"


def _column(advice: Advice) -> dict[str, Any]:
    column = advice.column
    counts = {"name": column.name, "values": column.values, "exact": column.exact}
    return {**counts, "use": advice.use, "reason": advice.reason}


def _lines(found: Suggestion) -> list[str]:
    columns = [
        ("Partition on", found.partition_on, "No partitioning: the table is too small, or no column divides it well."),
        ("Index", found.secondary_indices, "No index: no column would spare most of the files."),
    ]
    return [
        f"**{title}** {', '.join(f'`{name}`' for name in names)}." if names else otherwise
        for title, names, otherwise in columns
    ]
