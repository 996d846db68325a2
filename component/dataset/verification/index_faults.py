"""Whether an index is exactly what the data says: every value, every label, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from isal.isal_zlib import crc32

from component.dataset.files.fragment import Fragment, fragment_of_files, fragment_of_index
from component.dataset.format.facts import FileFacts
from component.dataset.format.seal import is_sealed
from component.dataset.indices.lookup import read_embedded, read_index
from component.dataset.verification.faults import Fault
from component.dataset.verification.file_faults import REBUILD
from component.errors import TablemillError, UserError
from component.store.base import Store

DROP = "drop the labels"


class IndexCheck:
    """What indices are compared with: the labels of the state, and the facts of its files.

    `notices` are indices that another client put again, which it does under the same key where nothing changed.
    """

    def __init__(self, store: Store, uuid: str, labels: Mapping[str, Any], facts: Mapping[str, FileFacts]) -> None:
        self._store, self._uuid, self._labels, self._facts = store, uuid, labels, facts
        self.notices: list[Fault] = []

    def faults(
        self, column: str, index: Any, data_type: pa.DataType, found: Sequence[tuple[str, Any]]
    ) -> Iterator[Fault]:
        """Yield what is wrong with the index on a column; `found` are the column's values in each file, by label."""
        key = index if isinstance(index, str) else None
        try:
            data = self._store.get(key) if key is not None else None
            table = (
                read_embedded(index, column, data_type) if data is None else read_index(pa.BufferReader(data), column)
            )
            held = fragment_of_index(table, column, self._labels, data_type)
        except (TablemillError, pa.ArrowException) as error:
            text = f"The index cannot be read: {error.text if isinstance(error, UserError) else error}"
            yield Fault("verify.index", text, key, column=column, mend=REBUILD)
            return
        texts = _differences(table, column, held, fragment_of_files(found, data_type), tuple(self._labels))
        wrong = [Fault("verify.index", text, key, column=column, mend=REBUILD) for text in texts]
        unknown = _unknown(table, self._labels)
        if unknown:
            text = f"The index names {len(unknown)} partitions that are not there, as {unknown[0]!r}"
            wrong.insert(0, Fault("verify.index", text, key, column=column, mend=DROP))
        if key is not None and data is not None and self._is_other(key, data):
            if wrong or is_sealed(data):
                text = "The bytes of the index are not those that were written"
                yield Fault("verify.checksum", text, key, column=column, mend=REBUILD)
            else:
                text = "Another client has put the index again, or it lost its checksum; what it says is right"
                self.notices.append(Fault("verify.rewritten", text, key, column=column))
        yield from wrong

    def _is_other(self, key: str, data: bytes) -> bool:
        facts = self._facts.get(key[len(self._uuid) + 1 :])
        return facts is not None and crc32(data) != facts.check


def _unknown(table: pa.Table, labels: Mapping[str, Any]) -> list[str]:
    named = pc.unique(pc.list_flatten(table["partition"].combine_chunks()).cast(pa.string())).to_pylist()
    return [label for label in named if label not in labels]


def _differences(table: pa.Table, column: str, held: Fragment, exact: Fragment, labels: Sequence[str]) -> Iterator[str]:
    nulls = table[column].null_count
    if nulls:
        yield f"The index has {nulls} nulls, which the original clients cannot read"
    values = table[column].drop_null()
    if len(pc.unique(values)) != len(values):
        yield "A value stands more than once in the index, and the original clients see one of them"
    ours, theirs = _pairs(exact, labels), _pairs(held, labels)
    lost, extra = _without(ours, theirs), _without(theirs, ours)
    if lost.num_rows:
        value, label = lost["value"][0].as_py(), labels[lost["label"][0].as_py()]
        yield f"The index lacks {lost.num_rows} entries, so rows cannot be found: {value!r} of partition {label!r}"
    if extra.num_rows:
        yield f"The index has {extra.num_rows} entries more than the data, which costs reading"


def _pairs(fragment: Fragment, labels: Sequence[str]) -> pa.Table:
    """Return the pairs of a fragment with the positions of their labels among `labels`."""
    place = {label: number for number, label in enumerate(labels)}
    places = pa.array([place[label] for label in fragment.labels], pa.int32())
    return pa.table({"value": fragment.values, "label": places.take(fragment.positions)})


def _without(left: pa.Table, right: pa.Table) -> pa.Table:
    """Return the pairs of the first that the second has not, least first."""
    rest = left.join(right, keys=["value", "label"], join_type="left anti", use_threads=False)
    return rest.sort_by([("value", "ascending"), ("label", "ascending")])
