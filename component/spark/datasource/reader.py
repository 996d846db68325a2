"""The reader of the Spark data source: filters to the indices, files to splits, rows as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from component import naming
from component.dataset.files.predicates import bind_predicates
from component.dataset.reading.reader import Dataset, FileScan, open_dataset, plan_scan, read_scan
from component.errors import Place, UserError
from component.spark.datasource.filters import RawCondition, take_filters
from component.spark.datasource.options import SourceOptions
from component.spark.datasource.types import same_type, spark_schema
from component.store.base import Store

OPEN_BYTES: Final = 4 * naming.MIB
"""What opening a file counts as, beside its size: a split of many small files would take long."""
FEW_FILES: Final = 32
"""So many files are a split each, and their sizes need not be asked for."""


def open_source(options: SourceOptions) -> Dataset:
    """Open the dataset that the options name; errors as `open_dataset`."""
    return open_dataset(options.address.store, options.address.uuid, table=options.table, as_of=options.as_of)


def read_schema(options: SourceOptions) -> StructType:
    """Return the schema of a read: the columns asked for, or all in the order of the source.

    UserError `column.missing` and `column.type`, and as `open_dataset` and `bind_predicates`.
    """
    dataset = open_source(options)
    names = dataset.columns if options.columns is None else options.columns
    if options.predicates is not None:
        bind_predicates(options.predicates, dataset.schema)
    return spark_schema(pa.schema([_field(dataset, name) for name in names]))


def _field(dataset: Dataset, name: str) -> pa.Field:
    if name not in dataset.schema.names:
        raise UserError(
            "column.missing",
            "The dataset has no such column",
            place=Place(table=dataset.header.uuid, column=name),
            remedy=f"The columns are {', '.join(dataset.columns)}.",
        )
    return dataset.schema.field(name)


@dataclass(frozen=True, slots=True)
class RowsReader:
    """What a task needs to read files: the dataset's schema, and the rows' as Spark wants them."""

    store: Store
    schema: pa.Schema
    rows: pa.Schema

    def read(self, scans: Sequence[FileScan]) -> Iterator[pa.RecordBatch]:
        """Yield the rows file by file, in batches of some megabytes; memory is that of one file."""
        for scan in scans:
            table = read_scan(self.store, self.schema, scan, self.rows.names).cast(self.rows)
            if table.num_rows:
                most = max(1, naming.BLOCK_BYTES * table.num_rows // max(1, table.nbytes))
                yield from table.combine_chunks().to_batches(max_chunksize=most)


class KartothekReader(DataSourceReader):
    """Plans on the driver, by the state that the dataset has then, and reads in tasks.

    UserError `column.missing` and `dataset.schema` when Spark asks for other columns or types than the dataset has;
    others as `open_dataset` and `bind_predicates`.
    """

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        self._options = options
        self._dataset = open_source(options)
        self._conditions: tuple[RawCondition, ...] = ()
        _check_columns(self._dataset, schema)
        self._reader = RowsReader(options.address.store, self._dataset.schema, to_arrow_schema(schema, timezone="UTC"))

    def __getstate__(self) -> dict[str, Any]:
        """Carry to the tasks what they need: the header of a large dataset stays on the driver."""
        return {"_reader": self._reader}

    def partitions(self) -> Sequence[InputPartition]:
        """Return the splits: files that may hold rows that are asked for, several small ones in each."""
        scans = plan_scan(self._dataset, self._predicates())
        sizes = self._sizes() if len(scans) > FEW_FILES else {}
        groups = group_scans(scans, sizes, self._options.split_bytes) if sizes else [(scan,) for scan in scans]
        return [InputPartition(group) for group in groups] or [InputPartition(())]

    def _predicates(self) -> list[list[RawCondition]] | None:
        asked: list[list[Any]] = self._options.predicates if self._options.predicates is not None else [[]]
        joined = [[*conjunction, *self._conditions] for conjunction in asked]
        return None if joined == [[]] else joined

    def _sizes(self) -> dict[str, int]:
        store, uuid = self._options.address.store, self._options.address.uuid
        return {stat.key: stat.size for stat in store.list(f"{uuid}/{self._dataset.table}/")}

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one split."""
        return self._reader.read(partition.value)


class FilteringReader(KartothekReader):
    """A reader that also takes Spark's filters, which then asks them no more."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - the name is pyspark's
        """Take the filters that predicates express exactly; return the others."""
        taken = take_filters(filters, self._dataset.schema)
        self._conditions = taken.conditions
        return taken.left


def group_scans(scans: Sequence[FileScan], sizes: dict[str, int], split_bytes: int) -> Iterator[tuple[FileScan, ...]]:
    """Yield scans in their order, as many together as stay within the size, each counted with its opening."""
    group: list[FileScan] = []
    total = 0
    for scan in scans:
        size = sizes.get(scan.key, 0) + OPEN_BYTES
        if group and total + size > split_bytes:
            yield tuple(group)
            group, total = [], 0
        group.append(scan)
        total += size
    if group:
        yield tuple(group)


def _check_columns(dataset: Dataset, schema: StructType) -> None:
    there = spark_schema(pa.schema([_field(dataset, field.name) for field in schema.fields]))
    for wanted, found in zip(schema.fields, there.fields, strict=True):
        if not same_type(wanted.dataType, found.dataType):
            raise UserError(
                "dataset.schema",
                f"The column is asked for as {wanted.dataType.simpleString()}"
                f" and is {found.dataType.simpleString()} in the dataset",
                place=Place(table=dataset.header.uuid, column=wanted.name),
                remedy="Load the dataset again, or give no schema.",
            )
