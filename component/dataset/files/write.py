"""Rows to data files: cut by partition keys, hold within a budget, write whole files under new names.

A writer holds the rows of its split per partition and writes each partition's file at the end. When what it holds
passes the budget, the largest partitions are written early (roll) until half of it is free, so memory is bounded by the
budget and not by the split, and each row is copied once more at most. When a split holds more partitions than it may
write directly, it stops: its rows are shuffled by key first.
"""

from __future__ import annotations

import contextlib
import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component import naming
from component.dataset.files.data_file import encode_rows
from component.dataset.files.encoding import Encodings, choose_encodings, hold_words, join_rows
from component.dataset.files.fragment import encode_fragment, fragment_of_files
from component.dataset.format.buckets import BUCKET, bucket_numbers
from component.dataset.format.facts import FileFacts, facts_of
from component.dataset.format.keys import data_key, partition_label
from component.dataset.format.layout import Layout
from component.dataset.format.values import value_text
from component.errors import Place, TablemillError, UserError
from component.store.base import Store
from component.store.uncommitted import discard

PartitionValues = tuple[str, ...]
"""The partition values of a row, as text, in the order of the partition keys."""

_LARGEST_CODE: Final = 65536
"""Numbers of combinations below this are sorted by counting; larger ones are made dense first."""
ROW_NUMBER: Final = "__index_level_0__"
"""Column of files that would have none, since a file without columns has no rows; plateau's name for such a column."""

PUTS_AT_ONCE: Final = 8
"""Threads that put files into the store at the same time."""
_PUT_BYTES: Final = 32 * naming.MIB
_TOGETHER: Final = 32
"""Small objects that are put with one call, and the bytes of them."""
_TOGETHER_BYTES: Final = naming.MIB


class TooManyPartitionsError(Exception):
    """The rows hold more partitions than may be written directly."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One data file that is in the store and in no header yet."""

    label: str
    key: str
    facts: FileFacts

    @property
    def rows(self) -> int:
        """Rows of the file."""
        return self.facts.rows

    @property
    def bytes(self) -> int:
        """Bytes of the file."""
        return self.facts.bytes


@dataclass(frozen=True, slots=True)
class Written:
    """What one writer left in the store: files, and per indexed column the fragment of its index as bytes.

    `noted` are facts of files that were there before and had none, by key.
    """

    files: tuple[WrittenFile, ...] = ()
    fragments: Mapping[str, bytes] = field(default_factory=dict)
    noted: Mapping[str, FileFacts] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Rows in all files."""
        return sum(file.rows for file in self.files)


def facts_of_files(written: Iterable[Written]) -> dict[str, FileFacts]:
    """Return the facts of data files by their keys."""
    facts: dict[str, FileFacts] = {}
    for part in written:
        facts |= part.noted
        facts |= {file.key: file.facts for file in part.files}
    return facts


def cut_by_keys(
    rows: pa.Table, partition_on: tuple[str, ...], *, known: bool = False
) -> Iterator[tuple[PartitionValues, pa.Table]]:
    """Cut rows by their partition values, the rows of each in their order, without the partition columns.

    UserError `row.null_partition` for a null or NaN in a partition column, `cell.type` for a text with NUL. `known`:
    the values are those of a dataset that is there, where other clients may have made partitions of them.
    """
    if not partition_on:
        yield (), rows
        return
    keys = [_encode(rows, name) for name in partition_on]
    for name, key in zip(partition_on, keys, strict=True):
        if not known:
            _check_values(name, key.values)
    codes = _codes(keys)
    counts = np.bincount(codes)
    rest = rows.drop_columns(list(partition_on))
    if np.count_nonzero(counts) == 1:
        yield _texts(keys, 0), rest
        return
    order = np.argsort(codes.astype(_smallest(len(counts))), kind="stable")
    ends = np.cumsum(counts)
    ordered = pc.take(rest, pa.array(order), boundscheck=False)
    for stop, count in zip(ends[counts > 0], counts[counts > 0], strict=True):
        yield _texts(keys, order[stop - count]), ordered.slice(stop - count, count)


@dataclass(frozen=True, slots=True)
class _Key:
    """A partition column: the distinct values, and for each row the position of its value among them."""

    positions: Any
    values: list[Any]


def _encode(rows: pa.Table, name: str) -> _Key:
    encoded = rows[name].combine_chunks().dictionary_encode()
    if encoded.null_count:
        raise UserError(
            "row.null_partition",
            f"A partition column is null in {encoded.null_count:,} of {rows.num_rows:,} rows",
            place=Place(column=name),
            remedy="Fill the column or leave such rows out: Kartothek has no partition for null.",
        )
    try:
        values = encoded.dictionary.to_pylist()
    except (ValueError, OverflowError) as error:
        raise UserError(
            "cell.type", f"A partition value is out of the range of years: {error}", place=Place(column=name)
        ) from error
    return _Key(encoded.indices.to_numpy().astype(np.int64), values)


def _check_values(name: str, values: Sequence[Any]) -> None:
    """Refuse values that would be partitions which clients lose: NaN equals nothing, and NUL ends a path."""
    if any(isinstance(value, float) and math.isnan(value) for value in values):
        raise UserError(
            "row.null_partition",
            "A partition column is NaN in some row",
            place=Place(column=name),
            remedy="Fill the column or leave such rows out: no question would find a partition of NaN.",
        )
    bad = next((value for value in values if isinstance(value, str) and "\0" in value), None)
    if bad is not None:
        raise UserError(
            "cell.type",
            "A partition value holds the character NUL",
            place=Place(column=name, value=repr(bad)),
            remedy="Remove it from the values, or partition by another column.",
        )


def _codes(keys: list[_Key]) -> Any:
    """Return a number for each combination of values, at most a few times as large as there are rows."""
    codes, bound = keys[0].positions, len(keys[0].values)
    for key in keys[1:]:
        codes, bound = codes * len(key.values) + key.positions, bound * len(key.values)
        if bound > _LARGEST_CODE:
            distinct, codes = np.unique(codes, return_inverse=True)
            bound = len(distinct)
    return codes


def _smallest(count: int) -> Any:
    """Return the type in which sorting is a counting sort where it can be."""
    return np.uint8 if count <= 256 else np.uint16 if count <= 65536 else np.int64


def _texts(keys: list[_Key], row: int) -> PartitionValues:
    return tuple(value_text(key.values[key.positions[row]]) for key in keys)


@dataclass(slots=True)
class _Held:
    """The rows of one partition that are not written yet."""

    tables: list[pa.Table] = field(default_factory=list)
    bytes: int = 0

    def own(self) -> None:
        """Hold a copy of the rows and nothing else."""
        joined = join_rows(self.tables)
        rows = joined.take(pa.array(np.arange(joined.num_rows))) if len(self.tables) == 1 else joined.combine_chunks()
        self.tables, self.bytes = [rows], rows.get_total_buffer_size()


class PartitionWriter:
    """Writes the rows of one split; `stems` gives a new file stem at each call.

    Use `add` for each batch, then `finish`, in a `with` block: when it fails, what was written is discarded. `known`:
    the rows are those of a dataset that is there, whatever the values of its partitions.
    """

    def __init__(
        self,
        store: Store,
        layout: Layout,
        stems: Callable[[], str],
        *,
        most_partitions: int | None = None,
        buffer_bytes: int = naming.BUFFER_BYTES,
        known: bool = False,
    ) -> None:
        self._store = store
        self._known = known
        self._layout = layout
        self._stems = stems
        self._most_partitions = most_partitions
        self._buffer_bytes = buffer_bytes
        self._held: dict[PartitionValues, _Held] = {}
        self._seen: set[PartitionValues] = set()
        self._files: list[WrittenFile] = []
        self._encodings: Encodings | None = None
        self._puts = _Puts(store)
        self._values: dict[str, list[tuple[str, Any]]] = {name: [] for name in layout.secondary_indices}

    def add(self, rows: pa.Table) -> None:
        """Take rows in the layout's schema. Raises TooManyPartitionsError before anything of these rows is written."""
        if set(rows.column_names) <= set(self._layout.partition_on):
            rows = rows.append_column(ROW_NUMBER, pa.array(np.arange(rows.num_rows)))
        for values, part in cut_by_keys(self._with_words(rows), self._layout.file_keys, known=self._known):
            held = self._held.setdefault(values, _Held())
            held.tables.append(part)
            held.bytes += part.get_total_buffer_size() if len(rows) == len(part) else part.nbytes
            self._seen.add(values)
        if self._most_partitions is not None and len(self._seen) > self._most_partitions:
            raise TooManyPartitionsError
        if self._held_bytes() > self._buffer_bytes:
            self._roll()

    def _with_words(self, rows: pa.Table) -> pa.Table:
        """Hold what repeats itself as dictionaries, but for columns that are looked into here."""
        layout = self._layout
        if self._encodings is None:
            self._encodings = choose_encodings(rows.drop_columns(list(layout.partition_on)))
        seen = {*layout.secondary_indices, *layout.sort_by}
        held = hold_words(rows, [name for name in self._encodings.words if name not in seen])
        return held if layout.buckets is None else held.append_column(BUCKET, bucket_numbers(rows, layout.buckets))

    def _held_bytes(self) -> int:
        return sum(held.bytes for held in self._held.values())

    def _roll(self) -> None:
        """Write the largest partitions held; later rows of theirs go to files of other names.

        What stays is copied, since it would keep the batches that it was cut from in memory.
        """
        stems, left = defaultdict[PartitionValues, str](self._stems), self._held_bytes()
        for values in sorted(self._held, key=lambda values: self._held[values].bytes, reverse=True):
            if left <= self._buffer_bytes // 2:
                break
            left -= self._held[values].bytes
            self._write(values, stems[self._bucket(values)])
        for held in self._held.values():
            held.own()

    def finish(self) -> Written:
        """Write what is held and say what was written."""
        stems = defaultdict[PartitionValues, str](self._stems)
        for values in list(self._held):
            self._write(values, stems[self._bucket(values)])
        self._puts.wait()
        fragments = {
            name: encode_fragment(fragment_of_files(columns, self._layout.index_type(name))).to_pybytes()
            for name, columns in self._values.items()
        }
        return Written(tuple(self._files), fragments)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        if error is None:
            return
        with contextlib.suppress(TablemillError):
            self._puts.wait()
        discard(self._store, (file.key for file in self._files))
        self._files.clear()
        self._held.clear()

    def _bucket(self, values: PartitionValues) -> PartitionValues:
        """Return what of the values of a file is not in its path: files of one partition have different stems."""
        return values[len(self._layout.partition_on) :]

    def _write(self, values: PartitionValues, stem: str) -> None:
        rows = join_rows(self._held.pop(values).tables)
        if self._layout.sort_by:
            rows = rows.sort_by([(name, "ascending") for name in self._layout.sort_by])
        label = partition_label(tuple(zip(self._layout.partition_on, values, strict=False)), stem)
        data = encode_rows(rows, self._encodings)
        key = data_key(self._layout.uuid, self._layout.table, label)
        self._files.append(WrittenFile(label, key, facts_of(data, rows.num_rows)))
        self._puts.put(key, data)
        for name, columns in self._values.items():
            columns.append((label, pc.unique(rows[name])))


class _Puts:
    """Puts objects in the background, several at once: a store that forces each to disk forces them together.

    Small objects are gathered and put with one call. The bytes that wait are bounded; an error comes up at the next
    put, or at `wait`. One object alone, all that most writers have, is put by `wait` itself: handing it to a thread
    would take longer.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pool = ThreadPoolExecutor(PUTS_AT_ONCE, "put")
        self._waiting: deque[tuple[Future[None], int]] = deque()
        self._bytes = 0
        self._gathered: list[tuple[str, pa.Buffer]] = []
        self._gathered_bytes = 0

    def put(self, key: str, data: pa.Buffer) -> None:
        """Put an object; waits while the objects before it that are not put yet hold more than the bound."""
        if self._gathered and (len(self._gathered) == _TOGETHER or self._gathered_bytes + data.size > _TOGETHER_BYTES):
            self._submit(self._gathered)
            self._gathered, self._gathered_bytes = [], 0
        self._gathered.append((key, data))
        self._gathered_bytes += data.size

    def _submit(self, objects: Sequence[tuple[str, pa.Buffer]]) -> None:
        adds = sum(data.size for _, data in objects)
        while self._waiting and (self._waiting[0][0].done() or self._bytes + adds > _PUT_BYTES):
            put, size = self._waiting.popleft()
            self._bytes -= size
            put.result()
        self._bytes += adds
        self._waiting.append((self._pool.submit(self._store.put_all, objects), adds))

    def wait(self) -> None:
        """Wait until every put has ended; then raise what one of them raised."""
        last, self._gathered, self._gathered_bytes = self._gathered, [], 0
        if len(last) == 1 and not self._waiting:
            self._store.put(*last[0])
            return
        each = -(-len(last) // PUTS_AT_ONCE)  # what is left is shared by all threads
        for start in range(0, len(last), each or 1):
            self._submit(last[start : start + each])
        puts = [put for put, _ in self._waiting]
        self._waiting.clear()
        self._bytes = 0
        wait(puts)
        for put in puts:
            put.result()
