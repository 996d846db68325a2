"""Which rows a damaged data file held: as facts, its path and the indices say, since it does not say so itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from component.dataset.format.facts import known_facts
from component.dataset.indices.lookup import read_embedded, read_index
from component.dataset.reading.reader import Dataset
from component.errors import UserError


class LostRows:
    """What is known of the rows of files of one table that are dropped; an index tells of all `tables` together."""

    def __init__(self, dataset: Dataset, tables: Sequence[Dataset]) -> None:
        self._dataset = dataset
        self._facts = known_facts(dataset.store, dataset.header).by_file()
        shared = {name for one in tables if one is not dataset for name in one.schema.names}
        own = (name for name in dataset.header.indices if name in dataset.schema.names and name not in shared)
        self._indices = {name: table for name in own if (table := self._index(name)) is not None}

    def _index(self, column: str) -> pa.Table | None:
        dataset, index = self._dataset, self._dataset.header.indices[column]
        try:
            if not isinstance(index, str):
                return read_embedded(index, column, dataset.schema.field(column).type)
            return read_index(pa.BufferReader(dataset.store.get(index)), column)
        except (UserError, KeyError):
            return None

    def text(self, label: str, key: str | None) -> str:
        """Return how many rows a file held, of which partition, and within which values of the indexed columns."""
        facts = self._facts.get((key or "")[len(self._dataset.header.uuid) + 1 :])
        rows = "rows are lost, and nobody noted how many"
        if facts is not None:
            rows = "1 row is lost" if facts.rows == 1 else f"{facts.rows:,} rows are lost"
        return f"{rows}: {', '.join(self._said(label, key))}".removesuffix(": ")

    def _said(self, label: str, key: str | None) -> Iterator[str]:
        values = self._dataset.partition_values(key) if key is not None else {}
        yield from (f"{name} = {value!r}" for name, value in values.items())
        for name, index in self._indices.items():
            lists = index["partition"].combine_chunks()
            held = pc.equal(pc.list_flatten(lists).cast(pa.string()), label)
            found = index[name].take(pc.list_parent_indices(lists).filter(held))
            if len(found):
                ends = pc.min_max(found)
                yield f"{name} from {ends['min'].as_py()!r} to {ends['max'].as_py()!r}"
