"""Cubes of kartothek: datasets `<prefix>++<name>` that share dimensions, joined when read (reference kartothek 4).

One dataset is the seed and says which rows there are; each other one adds columns to them, joined on the dimension and
partition columns that it has. Where a dataset has several rows of one combination of these, the last one counts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from component.dataset.files.predicates import bind_predicates, mask_of
from component.dataset.format.address import dataset_uuids
from component.dataset.reading.reader import Dataset, FileScan, open_dataset, plan_scan, read_scan
from component.errors import Place, UserError
from component.store.base import Store

SEPARATOR: Final = "++"
_IS_SEED, _DIMENSIONS, _PARTITIONS = "ktk_cube_is_seed", "ktk_cube_dimension_columns", "ktk_cube_partition_columns"
_ROW, _OTHER = "row number", "other row number"
Asked = Sequence[Sequence[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class FilesRead:
    """What an answer reads of one dataset: so many of its files."""

    files: int
    read: int


@dataclass(frozen=True, slots=True)
class Cube:
    """A cube as it was when opened: each of its datasets by name, the seed among them. Each is a state of its own."""

    prefix: str
    seed: str
    dimensions: tuple[str, ...]
    partitions: tuple[str, ...]
    datasets: Mapping[str, Dataset]

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that rows are joined on: dimensions and partition columns."""
        return tuple(dict.fromkeys([*self.dimensions, *self.partitions]))

    def schema(self, names: Collection[str] | None = None) -> pa.Schema:
        """Return the columns of some of the datasets joined, in alphabetical order, as kartothek has them.

        UserError `dataset.missing` for a name that the cube does not have, `dataset.format` when two datasets have a
        column that is no dimension.
        """
        fields: dict[str, tuple[str, pa.Field]] = {}
        for name, dataset in self._chosen(names).items():
            for field in dataset.schema:
                if field.name in fields and field.name not in self.keys:
                    raise UserError(
                        "dataset.format",
                        f"The datasets {fields[field.name][0]!r} and {name!r} of the cube both have the column",
                        place=Place(table=self.prefix, column=field.name),
                        remedy="Ask one of them alone: --datasets, or datasets=[…].",
                    )
                fields.setdefault(field.name, (name, field))
        return pa.schema([fields[name][1] for name in sorted(fields)])

    def _chosen(self, names: Collection[str] | None) -> dict[str, Dataset]:
        """Return the datasets that are asked, the seed first, which always is."""
        for name in names or ():
            if name not in self.datasets:
                raise UserError(
                    "dataset.missing",
                    f"The cube {self.prefix!r} has no dataset {name!r}",
                    remedy=f"It has {', '.join(self.datasets)}.",
                )
        wanted = self.datasets if names is None else names
        return {name: self.datasets[name] for name in (self.seed, *sorted(set(wanted) - {self.seed}))}

    def read(
        self,
        columns: Sequence[str] | None = None,
        predicates: Asked | None = None,
        datasets: Collection[str] | None = None,
    ) -> pa.Table:
        """Return the rows of the seed for which predicates are true, with the columns that other datasets add.

        Partition values and indices leave out files of each dataset by itself. The answer is held in memory, ordered by
        the dimensions. UserError `column.missing`, `dataset.predicate`, and as `schema`.
        """
        schema = self.schema(datasets)
        wanted = self._wanted(schema, columns)
        keep = bind_predicates(predicates, schema) if predicates is not None else ()
        needed = _needed(wanted, predicates)
        seed, *others = self._read_of(needed, datasets).values()
        rows = self._rows(seed, needed, predicates)
        for other in others:
            rows = self._joined(rows, self._rows(other, needed, predicates))
        if keep:
            rows = rows.filter(mask_of(keep, rows))
        return rows.sort_by([(name, "ascending") for name in self.keys]).select(wanted)

    def explain(
        self,
        columns: Sequence[str] | None = None,
        predicates: Asked | None = None,
        datasets: Collection[str] | None = None,
    ) -> dict[str, FilesRead]:
        """Return what `read` would read of each dataset: nothing where no column of it is needed. Errors as `read`."""
        schema = self.schema(datasets)
        wanted = self._wanted(schema, columns)
        if predicates is not None:
            bind_predicates(predicates, schema)
        read = self._read_of(_needed(wanted, predicates), datasets)
        return {
            name: FilesRead(
                len(plan_scan(one)), len(list(_scans(one, self._keys_of(one), predicates))) if name in read else 0
            )
            for name, one in self._chosen(datasets).items()
        }

    def _wanted(self, schema: pa.Schema, columns: Sequence[str] | None) -> list[str]:
        for name in columns or ():
            if name not in schema.names:
                raise UserError(
                    "column.missing",
                    "The cube has no such column",
                    place=Place(table=self.prefix, column=name),
                    remedy=f"The columns are {', '.join(schema.names)}.",
                )
        return list(columns) if columns is not None else list(schema.names)

    def _read_of(self, needed: Collection[str], datasets: Collection[str] | None) -> dict[str, Dataset]:
        """Return the datasets that are read, the seed first: those with a needed column that is no key."""
        return {
            name: one
            for name, one in self._chosen(datasets).items()
            if name == self.seed or set(needed) & (set(one.schema.names) - set(self.keys))
        }

    def _keys_of(self, dataset: Dataset) -> list[str]:
        return [name for name in self.keys if name in dataset.schema.names]

    def _rows(self, dataset: Dataset, needed: Collection[str], predicates: Asked | None) -> pa.Table:
        """Return the rows of one dataset that may be asked for, the last of each combination of its key columns."""
        keys = self._keys_of(dataset)
        columns = [*keys, *(name for name in dataset.columns if name in needed and name not in keys)]
        empty = pa.schema([dataset.schema.field(name) for name in columns]).empty_table()
        scans = _scans(dataset, keys, predicates)
        rows = pa.concat_tables([empty, *(read_scan(dataset.store, dataset.schema, one, columns) for one in scans)])
        numbered = rows.select(keys).append_column(_ROW, pa.array(range(rows.num_rows), pa.int64()))
        last = numbered.group_by(keys, use_threads=False).aggregate([(_ROW, "max")])
        return rows.take(last[f"{_ROW}_max"]) if last.num_rows < rows.num_rows else rows

    def _joined(self, rows: pa.Table, other: pa.Table) -> pa.Table:
        """Add the columns of other rows, null where none of them has the key; positions are joined, not the columns."""
        keys = [name for name in self.keys if name in other.column_names]
        left = rows.select(keys).append_column(_ROW, pa.array(range(rows.num_rows), pa.int64()))
        right = other.select(keys).append_column(_OTHER, pa.array(range(other.num_rows), pa.int64()))
        right = right.cast(pa.schema([*(left.schema.field(name) for name in keys), right.schema.field(_OTHER)]))
        met = left.join(right, keys=keys, join_type="left outer", use_threads=False).sort_by(_ROW)
        places = met[_OTHER].combine_chunks()
        for name in (name for name in other.column_names if name not in rows.column_names):
            rows = rows.append_column(other.schema.field(name), other[name].take(places))
        return rows


def _needed(wanted: Sequence[str], predicates: Asked | None) -> set[str]:
    return {*wanted, *(condition[0] for conjunction in predicates or () for condition in conjunction)}


def _scans(dataset: Dataset, keys: Sequence[str], predicates: Asked | None) -> Iterator[FileScan]:
    """Yield the files that may hold rows for predicates on any columns of a cube.

    Rows are asked only what is asked of the key columns: a row that an index on another column finds may have been
    replaced by a later one. So such an index leaves out files only where a folder has one.
    """
    of_keys = _projected(predicates, keys)
    scans = plan_scan(dataset, of_keys)
    more = _projected(predicates, [name for name in dataset.schema.names if name not in dataset.header.partition_keys])
    found = {scan.label for scan in plan_scan(dataset, more)} if more is not None else None
    folders = [label.rpartition("/")[0] for label in dataset.header.partitions]
    single = {folder for folder in folders if folders.count(folder) == 1}
    for scan in scans:
        if found is None or scan.label in found or scan.label.rpartition("/")[0] not in single:
            yield scan


def _projected(predicates: Asked | None, names: Collection[str]) -> list[list[Sequence[Any]]] | None:
    """Return what predicates demand of rows of some columns alone; None where that is nothing.

    A question for null is left out: a row that another dataset lacks is null there, too.
    """
    if predicates is None:
        return None
    found = [[one for one in conjunction if one[0] in names and one[1] != "is null"] for conjunction in predicates]
    return found if found and all(found) else None


def open_cube(store: Store, prefix: str, as_of: dt.datetime | None = None) -> Cube:
    """Open a cube: a listing of the store, then header and schema of each dataset, as it is or as it was at a time.

    UserError `dataset.missing` when there is none of that prefix, `dataset.history` when a dataset of it has no state
    of that time, as those that only kartothek wrote.
    """
    start = prefix.removesuffix(SEPARATOR) + SEPARATOR
    members = {
        uuid.removeprefix(start): open_dataset(store, uuid, as_of=as_of)
        for uuid in dataset_uuids(store)
        if uuid.startswith(start)
    }
    datasets = {name: one for name, one in members.items() if _DIMENSIONS in one.header.metadata}
    seeds = [name for name, one in datasets.items() if one.header.metadata.get(_IS_SEED) is True]
    if len(seeds) != 1:
        what = f"{len(seeds)} seeds" if seeds else "no seed"
        raise UserError(
            "dataset.missing",
            f"There is no cube {start.removesuffix(SEPARATOR)!r} in {store.url}: it has {what}",
            remedy="List what there is with: tablemill dataset ls.",
        )
    metadata = datasets[seeds[0]].header.metadata
    dimensions, partitions = (tuple(map(str, metadata.get(key, ()))) for key in (_DIMENSIONS, _PARTITIONS))
    return Cube(start.removesuffix(SEPARATOR), seeds[0], dimensions, partitions, datasets)


def cubes(store: Store, uuids: Sequence[str]) -> list[Cube]:
    """Return the cubes among the datasets of a store; those whose headers cannot be read are left out."""
    found = []
    for prefix in dict.fromkeys(uuid.partition(SEPARATOR)[0] for uuid in uuids if SEPARATOR in uuid):
        try:
            found.append(open_cube(store, prefix))
        except UserError:
            continue
    return found
