"""How large a dataset is, and what its columns hold: told by facts and footers, without reading rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.files.bounds import UNKNOWN, Bounds, bounds_of
from component.dataset.files.comparable import comparable, family
from component.dataset.files.csv_file import open_data
from component.dataset.files.footer import open_footer
from component.dataset.files.pruning import column_places
from component.dataset.format.facts import FileFacts, data_keys, known_facts
from component.dataset.format.header import Header
from component.dataset.reading.reader import Dataset, FileScan, open_dataset, plan_scan
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class PartitionStatistics:
    """One partition: its values by key, and how many files, rows and bytes it has."""

    values: Mapping[str, Any]
    files: int
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """One column: its type, how many nulls it has, and its smallest and largest value, NaN left out.

    None is for what is not known, and for the smallest and largest of no values. Writers other than ours may have cut
    long texts: then they are bounds.
    """

    name: str
    type: str
    nulls: int | None
    minimum: Any
    maximum: Any


@dataclass(frozen=True, slots=True)
class Statistics:
    """A dataset in numbers; `columns` is None where no footers were read for them."""

    files: int
    rows: int
    bytes: int
    partitions: tuple[PartitionStatistics, ...]
    columns: tuple[ColumnStatistics, ...] | None


def statistics(dataset: Dataset, *, columns: bool = True) -> Statistics:
    """Return the numbers of a dataset; reads all footers, or without `columns` those of files without facts.

    UserError `store.missing` for a file that is not there.
    """
    scans = plan_scan(dataset)
    facts = known_facts(dataset.store, dataset.header).by_file()
    found = {name: _Column() for name in dataset.columns} if columns else {}
    folders: dict[str, list[tuple[FileScan, int, int]]] = {}
    for scan, rows, size in _counted(dataset, scans, facts, found):
        folders.setdefault(scan.label.rpartition("/")[0], []).append((scan, rows, size))
    partitions = tuple(
        PartitionStatistics(
            dict(files[0][0].partition_values), len(files), sum(one[1] for one in files), sum(one[2] for one in files)
        )
        for files in folders.values()
    )
    described = tuple(one.described(dataset.schema.field(name)) for name, one in found.items())
    return Statistics(
        len(scans),
        sum(one.rows for one in partitions),
        sum(one.bytes for one in partitions),
        partitions,
        described if columns else None,
    )


def rows_fewer(store: Store, before: Header, after: Header) -> int:
    """Return how many rows a state has less than one before it, in all tables; reads footers of files without facts."""
    old, new = (set(data_keys(header.partitions)) for header in (before, after))
    return _rows_of(store, before, old - new) - _rows_of(store, after, new - old)


def _rows_of(store: Store, header: Header, keys: Collection[str]) -> int:
    facts, start = known_facts(store, header).by_file(), len(header.uuid) + 1
    rows = 0
    for key in keys:
        known = facts.get(key[start:])
        if known is not None:
            rows += known.rows
            continue
        schema = open_dataset(store, header.uuid, table=key.split("/", 2)[1]).schema
        with open_data(store, key, schema) as file:
            rows += open_footer(file).metadata.num_rows
    return rows


def _counted(
    dataset: Dataset, scans: tuple[FileScan, ...], facts: Mapping[str, FileFacts], columns: Mapping[str, _Column]
) -> Iterator[tuple[FileScan, int, int]]:
    """Yield each file with its rows and bytes, and note what its footer says of columns."""
    start, listed = len(dataset.header.uuid) + 1, dict[str, int]()
    for scan in scans:
        known = facts.get(scan.key[start:])
        if known is not None and not columns:
            yield scan, known.rows, known.bytes
            continue
        if known is None and not listed:
            prefix = f"{dataset.header.uuid}/{dataset.table}/"
            listed = {stat.key: stat.size for stat in dataset.store.list(prefix)}
        with open_data(dataset.store, scan.key, dataset.schema) as file:
            parquet = open_footer(file)
            _note(dataset.schema, scan, parquet, columns)
        yield scan, parquet.metadata.num_rows, known.bytes if known is not None else listed.get(scan.key, 0)


def _note(schema: pa.Schema, scan: FileScan, parquet: pq.ParquetFile, columns: Mapping[str, _Column]) -> None:
    stored, rows = parquet.schema_arrow, parquet.metadata.num_rows
    places = column_places(stored, list(columns))
    for name, column in columns.items():
        place, data_type = places[name], schema.field(name).type
        if name in scan.partition_values:
            value = comparable(pa.scalar(scan.partition_values[name], data_type))
            column.add(Bounds(rows, 0, value, value))
        elif place is None:
            column.add(Bounds(rows, rows, None, None))
        elif pa.types.is_nested(data_type):
            column.add(UNKNOWN)
        else:
            for number in range(parquet.num_row_groups):
                group = parquet.metadata.row_group(number)
                column.add(bounds_of(group.column(place), group.num_rows, stored.field(name).type, data_type))


@dataclass(slots=True)
class _Column:
    """What is known of a column so far; `known` as long as every part of it has bounds."""

    nulls: int | None = 0
    known: bool = True
    lows: list[Any] = field(default_factory=list)
    highs: list[Any] = field(default_factory=list)

    def add(self, bounds: Bounds) -> None:
        """Add some of its rows."""
        self.nulls = None if self.nulls is None or bounds.nulls is None else self.nulls + bounds.nulls
        if bounds.low is not None:
            self.lows = [min([*self.lows, bounds.low])]
            self.highs = [max([*self.highs, bounds.high])]
        elif bounds.rows and not bounds.all_null:
            self.known = False

    def described(self, column: pa.Field) -> ColumnStatistics:
        """Return what was found."""
        low, high = (_value(ends[0], column.type) if self.known and ends else None for ends in (self.lows, self.highs))
        return ColumnStatistics(column.name, str(column.type), self.nulls, low, high)


def _value(found: Any, data_type: pa.DataType) -> Any:
    """Return what a comparable stands for; as text where Python has no such date."""
    kind = family(data_type)
    if kind == "text":
        return found.decode(errors="replace")
    if kind in {"date", "timestamp"}:
        number = pa.scalar(found, pa.int32() if kind == "date" else pa.int64())
        moment = number.cast(pa.date32() if kind == "date" else pa.timestamp("us"))
        try:
            return moment.as_py()
        except (ValueError, OverflowError):
            return moment.cast(pa.string()).as_py()
    return float(found) if kind == "float" else found
