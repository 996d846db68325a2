"""How one comes by a dataset: it is opened or created, or found in a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from component import naming
from tablemill.cube import Cube
from tablemill.dataset import Dataset, OnDuplicateKey, Verified
from tablemill.place import Spark, executor_of
from tablemill.reading import State

if TYPE_CHECKING:
    from component.dataset.format.layout import Compatibility
    from component.dataset.reading.listing import Listed


def open(  # noqa: A001 - `tablemill.open` is what one calls it
    address: str, *, as_of: State | None = None, table: str | None = None, spark: Spark = None
) -> Dataset:
    """Open a dataset, as it is or `as_of` a commit or a time; `table` is by default the first.

    Changes of rows or columns of a dataset of several tables are made in the table that is named here. `spark` is for
    large changes. UserError `store.url`, `dataset.missing`, `dataset.history`.
    """
    found = Dataset(address, as_of=as_of, table=table, spark=spark)
    found.load()
    return found


def create(
    address: str,
    rows: Any,
    *,
    partition_on: Sequence[str] = (),
    secondary_indices: Sequence[str] = (),
    sort_by: Sequence[str] = (),
    primary_key: Sequence[str] = (),
    bucket_by: Sequence[str] = (),
    num_buckets: int | None = None,
    metadata: Mapping[str, Any] | None = None,
    storage_format: Literal["json", "msgpack.zstd"] = "json",
    table: str = naming.DEFAULT_TABLE,
    compatibility: Compatibility = "plateau",
    overwrite: bool = False,
    on_duplicate_key: OnDuplicateKey = "warn",
    spark: Spark = None,
) -> Dataset:
    """Write rows as a new dataset, or in the place of one that is there if it may `overwrite`; one commit.

    `sort_by`, `bucket_by` and `num_buckets` are those of FileLayout. `compatibility` names the client whose demands are
    met where plateau and kartothek differ. CommitRefusedError when it is there. UserError `column.missing` and
    `column.type` for columns that options name, `row.null_partition`, `source.format` for what holds no rows, and with
    `on_duplicate_key="fail"` `row.null_key` and `row.duplicate_key`, which are else warnings.
    """
    from component.dataset.changes.arrow_rows import given_rows
    from component.dataset.changes.writing import FileLayout, NewDataset, make_dataset
    from component.dataset.format.address import open_address

    where = open_address(address)
    new = NewDataset(
        tuple(partition_on),
        tuple(secondary_indices),
        tuple(primary_key),
        FileLayout(tuple(sort_by), tuple(bucket_by), num_buckets),
        metadata or {},
        storage_format,
        table,
        compatibility,
        on_duplicate_key,
    )
    with executor_of(spark) as executor:
        given = given_rows(rows, where.uuid)
        make_dataset(where.store, where.uuid, given, new, replaces=overwrite, executor=executor)
    return open(address, spark=spark)


def repair(
    address: str,
    *,
    orphans: Literal["leave", "adopt", "remove"] = "leave",
    damaged: Literal["leave", "drop"] = "leave",
    state: str | None = None,
    rebuild_header: bool = False,
) -> Verified:
    """Mend a dataset, also one that cannot be opened: `Dataset(address).verify(repair=True)` with these options."""
    return Dataset(address).verify(
        repair=True, orphans=orphans, damaged=damaged, state=state, rebuild_header=rebuild_header
    )


def datasets(store: str) -> list[str]:
    """Return the uuids of the datasets in a store, sorted; UserError `store.url`, `store.missing`."""
    from component.dataset.format.address import dataset_uuids, open_existing

    return dataset_uuids(open_existing(store))


@dataclass(frozen=True, slots=True)
class Listing:
    """What is in a store: its datasets, sorted by uuid, and the cubes that some of them make up."""

    datasets: tuple[Listed, ...]
    cubes: tuple[Cube, ...]


def listing(store: str) -> Listing:
    """List the datasets of a store with their rows and bytes, and its cubes.

    A dataset that cannot be read is listed with the reason. UserError `store.url`, `store.missing`.
    """
    from component.dataset.format.address import dataset_uuids, open_existing
    from component.dataset.reading.cube import cubes
    from component.dataset.reading.listing import list_datasets

    opened = open_existing(store)
    uuids = dataset_uuids(opened)
    joined = cubes(opened, uuids)
    return Listing(tuple(list_datasets(opened, uuids, joined)), tuple(map(Cube, joined)))
