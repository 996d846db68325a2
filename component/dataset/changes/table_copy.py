"""One table of a dataset as a dataset of its own: the way from kartothek's several tables to plateau's one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from component import naming
from component.dataset.changes.copying import check_absent
from component.dataset.commits.commit import commit, discard, plan_commit
from component.dataset.files.csv_file import parquet_of
from component.dataset.files.data_file import read_rows
from component.dataset.files.footer import open_footer
from component.dataset.files.fragment import encode_fragment, fragment_of_files
from component.dataset.files.write import Written, WrittenFile
from component.dataset.format.facts import facts_of
from component.dataset.format.keys import check_uuid, data_key, stored_key
from component.dataset.format.layout import Compatibility, Layout
from component.dataset.reading.reader import Dataset, FileScan, open_dataset, plan_scan
from component.errors import CommitUnknownError, TablemillError
from component.store.base import Store

Values = dict[str, list[tuple[str, Any]]]
"""The values of indexed columns, file by file with its label."""


def copy_table(
    store: Store,
    uuid: str,
    table: str,
    target: Store,
    target_uuid: str,
    *,
    compatibility: Compatibility = "plateau",
) -> int:
    """Copy one table of a dataset to a new dataset, with the indices on its columns; return how many files it has.

    Files without rows stay behind. UserError `dataset.missing` when there is no such dataset or table;
    CommitRefusedError when the target exists. On any error but CommitUnknownError nothing of the target is left.
    """
    dataset = open_dataset(store, uuid, table=table)
    check_absent(target, check_uuid(target_uuid))
    schema = pa.schema([dataset.schema.field(name) for name in dataset.columns])
    header = dataset.header
    indices = tuple(name for name in header.indices if name in schema.names)
    attributes = tuple((name, tuple(sorted(known.items()))) for name, known in dataset.attributes.items())
    layout = Layout(
        target_uuid, schema, header.partition_keys, indices, attributes=attributes, compatibility=compatibility
    )
    plan = plan_commit(target, layout, "overwrite", primary_key=dataset.primary_key)
    files: list[WrittenFile] = []
    values: Values = {name: [] for name in indices}
    try:
        files.extend(_copied(dataset, target, layout, values))
        commit(target, plan, [Written(tuple(files), _fragments(layout, values))])
    except CommitUnknownError:
        raise
    except TablemillError:  # and nothing else: an interrupt may come when the header is there already
        discard(target, (file.key for file in files))
        raise
    return len(files)


def _copied(dataset: Dataset, target: Store, layout: Layout, values: Values) -> Iterator[WrittenFile]:
    for scan in plan_scan(dataset):
        data = parquet_of(dataset.store.get(stored_key(scan.key)), scan.key, dataset.schema)
        rows = open_footer(pa.BufferReader(data)).metadata.num_rows
        if not rows:
            continue
        _note(dataset, scan, data, values)
        key = data_key(layout.uuid, naming.DEFAULT_TABLE, scan.label)
        file = WrittenFile(scan.label, key, facts_of(data, rows))
        target.put(key, data)
        yield file


def _note(dataset: Dataset, scan: FileScan, data: bytes | pa.Buffer, values: Values) -> None:
    rows = read_rows(pa.BufferReader(data), dataset.schema, list(values), scan.partition_values)
    for name, found in values.items():
        found.append((scan.label, pc.unique(rows[name])))


def _fragments(layout: Layout, values: Values) -> dict[str, bytes]:
    return {
        name: encode_fragment(fragment_of_files(found, layout.index_type(name))).to_pybytes()
        for name, found in values.items()
    }
