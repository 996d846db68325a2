"""How one comes by a dataset: it is opened or created, or found in a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from component import naming
from component.dataset.changes.arrow_rows import given_rows
from component.dataset.changes.writing import FileLayout, NewDataset, make_dataset
from component.dataset.format.address import dataset_uuids, open_address, open_existing
from component.dataset.format.layout import Compatibility
from component.dataset.reading.reader import open_dataset
from component.dataset.verification.repair import repair as mend
from component.dataset.verification.verify import verify
from tablemill.dataset import Dataset, Verified
from tablemill.place import Spark, executor_of
from tablemill.reading import State, in_utc


def open(  # noqa: A001 - `tablemill.open` is what one calls it
    address: str, *, as_of: State | None = None, table: str | None = None, spark: Spark = None
) -> Dataset:
    """Open a dataset, as it is or `as_of` a commit or a time; `table` is by default the first.

    Changes of rows or columns of a dataset of several tables are made in the table that is named here. `spark` is for
    large changes. UserError `store.url`, `dataset.missing`, `dataset.history`.
    """
    where = open_address(address)
    opened = open_dataset(where.store, where.uuid, table=table, as_of=None if as_of is None else in_utc(as_of))
    return Dataset(where, opened, live=as_of is None, spark=spark, table=table)


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
    on_duplicate_key: Literal["warn", "fail"] = "warn",
    spark: Spark = None,
) -> Dataset:
    """Write rows as a new dataset, or in the place of one that is there if it may `overwrite`; one commit.

    `sort_by`, `bucket_by` and `num_buckets` are those of FileLayout. `compatibility` names the client whose demands are
    met where plateau and kartothek differ. CommitRefusedError when it is there. UserError `column.missing` and
    `column.type` for columns that options name, `row.null_partition`, `source.format` for what holds no rows, and with
    `on_duplicate_key="fail"` `row.null_key` and `row.duplicate_key`, which are else warnings.
    """
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
    """Mend a dataset, also one that cannot be opened: a header that is lost comes back from the copy of its state.

    `state` names the commit to put it back as, where that is not the newest that is kept. `damaged` files are dropped
    only if asked to, and which rows went is said. `rebuild_header` makes a lost header of which no copy is kept from
    the data files, whichever of them were live. UserError `dataset.missing`, `dataset.history` for a state that is not
    kept, and `dataset.format` where the files do not allow a header.
    """
    where = open_address(address)
    _, done = mend(
        where.store, where.uuid, orphans=orphans, damaged=damaged, state=state, rebuild_header=rebuild_header
    )
    return Verified(verify(where.store, where.uuid), done)


def datasets(store: str) -> list[str]:
    """Return the uuids of the datasets in a store, sorted; UserError `store.url`."""
    return dataset_uuids(open_existing(store))
