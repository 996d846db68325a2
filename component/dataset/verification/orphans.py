"""Data files that no state names, taken into a dataset: of a commit that was overwritten, or of a killed writer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from component import naming
from component.dataset.changes.change import Base
from component.dataset.files.data_file import read_rows
from component.dataset.files.fragment import encode_fragment, fragment_of_files
from component.dataset.files.write import Written, WrittenFile
from component.dataset.format.facts import facts_of
from component.dataset.format.keys import label_of_key
from component.dataset.format.layout import Layout
from component.errors import TablemillError
from component.store.base import Store


def adoptable(store: Store, base: Base, orphans: Sequence[str]) -> Iterator[Written]:
    """Yield the data files among objects that no state names, as if they had just been written.

    Only files of the dataset's one table that can be read whole, have its columns and types, and a path that says their
    partition. Files that another state named once, and that a collection did not get to, are among them.
    """
    if base.others:
        return
    layout, folder = base.layout, f"{base.dataset.header.uuid}/{base.dataset.table}/"
    for key in orphans:
        if key.startswith(folder) and key.endswith(naming.PARQUET_SUFFIX):
            found = _written(store, base, layout, key)
            if found is not None:
                yield found


def _written(store: Store, base: Base, layout: Layout, key: str) -> Written | None:
    dataset, label = base.dataset, label_of_key(key)
    if label in dataset.header.partitions:
        return None
    try:
        data = store.get(key)
        values = dataset.partition_values(key)
        rows = read_rows(pa.BufferReader(data), dataset.schema, dataset.schema.names, values)
    except TablemillError:
        return None
    fragments = {
        name: encode_fragment(fragment_of_files([(label, pc.unique(rows[name]))], layout.index_type(name))).to_pybytes()
        for name in layout.secondary_indices
    }
    return Written((WrittenFile(label, key, facts_of(data, rows.num_rows)),), fragments)
