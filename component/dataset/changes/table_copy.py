"""One table of a dataset as a dataset of its own: the way from kartothek's several tables to plateau's one."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from component import naming
from component.dataset.changes.carrying import Values, fragments_of, note_values
from component.dataset.changes.copying import check_absent
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.files.csv_file import parquet_of
from component.dataset.files.footer import open_footer
from component.dataset.files.write import Written, WrittenFile
from component.dataset.format.facts import facts_of
from component.dataset.format.keys import check_uuid, data_key, stored_key
from component.dataset.format.layout import Compatibility, Layout
from component.dataset.reading.reader import Dataset, open_dataset, plan_scan
from component.store.base import Store
from component.store.uncommitted import Uncommitted


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
    values: Values = {name: [] for name in indices}
    with Uncommitted(target) as uncommitted:
        files = tuple(_copied(dataset, uncommitted, layout, values))
        commit(target, plan, [Written(files, fragments_of(layout, values))], uncommitted)
    return len(files)


def _copied(dataset: Dataset, uncommitted: Uncommitted, layout: Layout, values: Values) -> Iterator[WrittenFile]:
    for scan in plan_scan(dataset):
        data = parquet_of(dataset.store.get(stored_key(scan.key)), scan.key, dataset.schema)
        rows = open_footer(pa.BufferReader(data)).metadata.num_rows
        if not rows:
            continue
        note_values(dataset, scan.label, scan.partition_values, data, values)
        key = data_key(layout.uuid, naming.DEFAULT_TABLE, scan.label)
        file = WrittenFile(scan.label, key, facts_of(data, rows))
        uncommitted.add([key])
        uncommitted.store.put(key, data)
        yield file
