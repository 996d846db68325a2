"""What one writer found for an index: pairs of a value and the label of a partition that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

BATCH_PAIRS: Final = 65_536
_BY_VALUE: Final = [("v", "ascending"), ("p", "ascending")]


@dataclass(frozen=True, slots=True)
class Fragment:
    """Pairs of a value and the position of its label in `labels`; sorted by value, each pair once, no nulls."""

    values: pa.Array
    positions: pa.Array
    labels: tuple[str, ...]


def fragment_of_files(columns: Sequence[tuple[str, Any]], data_type: pa.DataType) -> Fragment:
    """Return the fragment for files given as (label, column of the file). Nulls are not indexed; NaN neither."""
    values, places = [pa.array([], data_type)], [np.empty(0, np.int32)]
    for position, (_, column) in enumerate(columns):
        unique = _indexed(pc.unique(column).cast(data_type))
        values.append(unique)
        places.append(np.full(len(unique), position, np.int32))
    labels = tuple(label for label, _ in columns)
    return _fragment(pa.concat_arrays(values), np.concatenate(places), labels)


def _fragment(values: pa.Array, places: Any, labels: tuple[str, ...]) -> Fragment:
    pairs = in_order(values, places)
    kept = ~pairs.twice
    if kept.all():
        return Fragment(pairs.values, pa.array(pairs.places), labels)
    return Fragment(pairs.values.filter(pa.array(kept)), pa.array(pairs.places[kept]), labels)


def _indexed(unique: pa.Array) -> pa.Array:
    """Return the distinct values that an index has: no null, no NaN, one zero."""
    values = unique.drop_null()
    if not pa.types.is_floating(values.type):
        return values
    return pc.unique(pc.add(values.filter(pc.invert(pc.is_nan(values))), 0.0))


def fragment_of_index(table: pa.Table, column: str, live: Iterable[str], data_type: pa.DataType) -> Fragment:
    """Return the fragment of an index as read: labels not live are dropped, values united, nulls and NaN left out."""
    labels = pa.array(sorted(live), pa.string())
    lists = table["partition"].combine_chunks()
    values = table[column].cast(data_type).combine_chunks().take(pc.list_parent_indices(lists))
    positions = pc.index_in(pc.list_flatten(lists).cast(pa.string()), value_set=labels)
    known = pc.and_(pc.is_valid(positions), pc.is_valid(values))
    if pa.types.is_floating(data_type):
        known = pc.and_(known, pc.invert(pc.is_nan(values)))
        values = pc.add(values, 0.0)
    used, places = np.unique(positions.filter(known).to_numpy(), return_inverse=True)
    names = tuple(labels.take(pa.array(used)).to_pylist())
    return _fragment(values.filter(known), places.astype(np.int32), names)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs in the order of values, then of places; `repeated` says which values, `twice` which pairs, came before."""

    values: pa.Array
    places: Any
    repeated: Any
    twice: Any


def in_order(values: pa.Array, places: Any) -> Pairs:
    """Return pairs in order. Where all values differ, as of a unique column, places are not compared."""
    order = _order(values)
    ordered = values.take(pa.array(order))
    repeated = _repeated(ordered)
    if not repeated.any():
        return Pairs(ordered, places[order], repeated, repeated)
    table = pa.table([values, pa.array(places)], names=["v", "p"])
    order = pc.sort_indices(table, sort_keys=_BY_VALUE).to_numpy()
    ordered, places = values.take(pa.array(order)), places[order]
    twice = repeated.copy()
    twice[1:] &= places[1:] == places[:-1]
    return Pairs(ordered, places, repeated, twice)


def _order(values: pa.Array) -> Any:
    """Return the order of values without nulls, equal ones in theirs; numpy merges runs that are sorted already."""
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return np.argsort(values.to_numpy(), kind="stable")
    if pa.types.is_date32(values.type) or pa.types.is_timestamp(values.type):
        return np.argsort(values.view(f"int{values.type.bit_width}").to_numpy(), kind="stable")
    return pc.sort_indices(values).to_numpy()


def _repeated(ordered: pa.Array) -> Any:
    repeated = np.zeros(len(ordered), bool)
    if len(ordered):
        repeated[1:] = pc.equal(ordered.slice(1), ordered.slice(0, len(ordered) - 1)).to_numpy(zero_copy_only=False)
    return repeated


def encode_fragment(fragment: Fragment) -> pa.Buffer:
    """Return a fragment as bytes that travel in a commit message; its batches can be read one by one."""
    table = pa.table([fragment.values, fragment.positions], names=["value", "position"])
    table = table.replace_schema_metadata({"labels": "\n".join(fragment.labels)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table, max_chunksize=BATCH_PAIRS)
    return sink.getvalue()


def decode_fragment(data: pa.Buffer | bytes) -> Fragment:
    """Return the fragment in these bytes."""
    file = pa.ipc.open_file(data)
    table = file.read_all()
    return Fragment(table["value"].combine_chunks(), table["position"].combine_chunks(), labels_of(file.schema))


def labels_of(schema: pa.Schema) -> tuple[str, ...]:
    """Return the labels of an encoded fragment, which its schema carries."""
    labels = (schema.metadata or {}).get(b"labels", b"").decode()
    return tuple(labels.split("\n")) if labels else ()
