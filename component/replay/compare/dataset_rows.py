"""Rows of a dataset in its archive: which files they lie in, and what these are called, says nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from component.dataset.reading.reader import Dataset, open_dataset, plan_scan, read_scan
from component.errors import UserError
from component.replay.compare.cells import text_cells
from component.replay.compare.rows import Batch, Restart
from component.store.archive import restore_archive
from component.store.local import LocalStore
from component.tables.types import Column, column_of_arrow


@dataclass(frozen=True, slots=True)
class DatasetRows:
    """A dataset that is open. `kinds` are the types of its columns, and how it is partitioned and indexed."""

    dataset: Dataset
    names: tuple[str, ...]
    kinds: Mapping[str, str]
    types: Mapping[str, Column]
    size: int
    key: tuple[str, ...] = ()

    def batches(self, restart: Restart) -> Iterator[Batch]:
        """Yield rows, the label of their file as slice; UserError for a damaged file."""
        del restart  # nothing is read twice
        for scan in plan_scan(self.dataset):
            rows = read_scan(self.dataset.store, self.dataset.schema, scan, self.names)
            columns = [text_cells(column.combine_chunks()) for column in rows.itercolumns()]
            yield Batch(scan.label, columns, range(1, rows.num_rows + 1))


@contextmanager
def opened_archive(archive: Path) -> Iterator[DatasetRows]:
    """Restore an archive in a folder for temporary files, and yield the dataset; UserError for one that is not safe."""
    with tempfile.TemporaryDirectory(prefix="tablemill-dataset-", ignore_cleanup_errors=True) as folder:
        store = LocalStore(Path(folder))
        dataset = open_dataset(store, restore_archive(archive, store).uuid)
        fields = {name: dataset.schema.field(name) for name in dataset.columns}
        kinds = {name: str(field.type) for name, field in fields.items()}
        kinds["its partitions"] = ", ".join(dataset.header.partition_keys) or "none"
        kinds["its indices"] = ", ".join(sorted(dataset.header.indices)) or "none"
        types = {name: column for name, field in fields.items() if (column := _column(name, field.type)) is not None}
        yield DatasetRows(dataset, dataset.columns, kinds, types, archive.stat().st_size)


def _column(name: str, kind: object) -> Column | None:
    try:
        return column_of_arrow(name, kind)
    except UserError:
        return None
