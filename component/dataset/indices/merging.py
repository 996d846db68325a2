"""Merging what many writers found for an index: in passes over ranges of values, so that memory is that of a pass.

A run is sorted by value and is read batch by batch; what is held between passes is its bytes as they came, the first
and last value of each batch, and all labels once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component.dataset.files.fragment import Fragment, encode_fragment, in_order, labels_of

_SAMPLES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Merged:
    """Distinct values in order; of value `n` the labels at `places[offsets[n]:offsets[n + 1]]` of all labels."""

    values: pa.Array
    offsets: Any
    places: Any


class Merge:
    """The fragments of one index, encoded or not; `labels` are all of theirs, each once."""

    def __init__(self, data_type: pa.DataType, fragments: Sequence[Fragment | bytes | pa.Buffer]) -> None:
        self._type = data_type
        files = [pa.ipc.open_file(_encoded(one)) for one in fragments]
        labels = [labels_of(file.schema) for file in files]
        everything = pa.array([label for some in labels for label in some], pa.string()).dictionary_encode()
        self.labels = everything.dictionary
        ends = np.cumsum([0, *map(len, labels)])
        codes = everything.indices.to_numpy()
        self._runs = [_Run(file, codes[a:b]) for file, (a, b) in zip(files, pairwise(ends), strict=True)]

    def passes(self, pairs_per_pass: int) -> Iterator[Merged]:
        """Yield the values in order, in passes of about so many pairs."""
        for low, high in self._ranges(pairs_per_pass):
            parts = [part for run in self._runs for part in run.between(low, high)]
            values = pa.concat_arrays([pa.array([], self._type), *(values for values, _ in parts)])
            places = np.concatenate([np.empty(0, np.int32), *(places for _, places in parts)])
            del parts
            yield _united(values, places)

    def _ranges(self, pairs_per_pass: int) -> Iterator[tuple[Any, Any]]:
        """Yield half-open ranges of values (None: open) of about so many pairs each, by a sample of all values."""
        passes = -(-sum(run.pairs for run in self._runs) // pairs_per_pass)
        bounds: list[Any] = []
        if passes > 1:
            step = max(1, pairs_per_pass // _SAMPLES)
            sample = pa.concat_arrays([picked for run in self._runs for picked in run.sample(step)])
            sample = sample.take(pc.sort_indices(sample))
            bounds = [sample[len(sample) * number // passes] for number in range(1, passes)]
        yield from pairwise([None, *bounds, None])


def _encoded(fragment: Fragment | bytes | pa.Buffer) -> bytes | pa.Buffer:
    return encode_fragment(fragment) if isinstance(fragment, Fragment) else fragment


class _Run:
    """One encoded fragment; `codes` say for each of its labels which of all labels it is."""

    def __init__(self, file: pa.ipc.RecordBatchFileReader, codes: Any) -> None:
        self._file, self._codes = file, codes
        self.pairs = 0
        self._batches: list[int] = []
        firsts, lasts = [], []
        for number in range(file.num_record_batches):
            values = file.get_batch(number).column(0)
            if len(values):
                self._batches.append(number)
                self.pairs += len(values)
                firsts.append(values.take(pa.array([0])))  # a slice would hold all values
                lasts.append(values.take(pa.array([len(values) - 1])))
        self._firsts = pa.chunked_array(firsts, file.schema.field(0).type)
        self._lasts = pa.chunked_array(lasts, file.schema.field(0).type)

    def sample(self, step: int) -> Iterator[pa.Array]:
        """Yield some of the values, evenly from all."""
        for number in self._batches:
            values = self._file.get_batch(number).column(0)
            yield values.take(pa.array(np.arange(0, len(values), step)))

    def between(self, low: Any, high: Any) -> Iterator[tuple[pa.Array, Any]]:
        """Yield values from `low` on and below `high` (None: open), and for each the number of its label."""
        for number in np.flatnonzero(self._overlap(low, high)):
            batch = self._file.get_batch(self._batches[number])
            values = batch.column(0)
            start = _count_below(values, low) if low is not None else 0
            stop = _count_below(values, high) if high is not None else len(values)
            if start < stop:
                yield values.slice(start, stop - start), self._codes[batch.column(1).to_numpy()[start:stop]]

    def _overlap(self, low: Any, high: Any) -> Any:
        found = np.ones(len(self._firsts), bool)
        if low is not None:
            found &= pc.greater_equal(self._lasts, low).to_numpy()
        if high is not None:
            found &= pc.less(self._firsts, high).to_numpy()
        return found


def _count_below(values: pa.Array, bound: Any) -> int:
    """Return how many of sorted values are below a bound."""
    return int(pc.sum(pc.less(values, bound)).as_py() or 0)


def _united(values: pa.Array, places: Any) -> Merged:
    """Return the values, each once, with their labels, each once."""
    pairs = in_order(values, places)
    kept, starts = ~pairs.twice, np.flatnonzero(~pairs.repeated)
    before = np.concatenate([[0], np.cumsum(kept)])
    distinct = pairs.values if len(starts) == len(values) else pairs.values.take(pa.array(starts))
    return Merged(distinct, np.append(before[starts], before[-1]), pairs.places[kept])
