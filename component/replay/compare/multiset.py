"""Two multisets of row digests beside each other, on disk, so that memory does not grow with the rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from component.naming import MIB

_BUCKET_BYTES: Final = 16 * MIB
"""Bytes of a table that one bucket holds the digests of: about a million rows."""
_MOST_BUCKETS: Final = 256
KEPT: Final = 4_000_000
"""Most digests of differing rows that are kept to find these rows again: 48 MB."""


class DigestFiles:
    """The digests of one table, in files by their low bits; what was added since the last mark can be dropped."""

    def __init__(self, folder: Path, buckets: int) -> None:
        folder.mkdir()
        self._paths = [folder / str(number) for number in range(buckets)]
        self._files = [path.open("w+b") for path in self._paths]
        self._marks = [0] * buckets
        self.rows = 0
        self._marked_rows = 0

    def add(self, digests: np.ndarray) -> None:
        """Add the digests of some rows."""
        self.rows += len(digests)
        if len(self._files) == 1:
            self._files[0].write(digests.tobytes())
            return
        places = digests % np.uint64(len(self._files))
        for place in np.unique(places):
            self._files[int(place)].write(digests[places == place].tobytes())

    def mark(self) -> None:
        """Keep what was added so far for good."""
        self._marks = [file.tell() for file in self._files]
        self._marked_rows = self.rows

    def drop(self) -> None:
        """Drop what was added since the last mark."""
        self.rows = self._marked_rows
        for file, mark in zip(self._files, self._marks, strict=True):
            file.seek(mark)
            file.truncate()

    def buckets(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the distinct digests of each bucket, sorted, and how often each is there."""
        for file in self._files:
            file.flush()
            file.seek(0)
            yield np.unique(np.fromfile(file, np.uint64), return_counts=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file, path in zip(self._files, self._paths, strict=True):
            file.close()
            os.unlink(path)  # noqa: PTH108 - one of many, by a path that we made


@dataclass(frozen=True, slots=True)
class Unequal:
    """What is more often on one side: how many rows are missing and extra, and their digests.

    `digests` is sorted; `counts` says how often each is missing (positive) or extra (negative). `all_kept`: none had
    to be left out.
    """

    missing: int
    extra: int
    digests: np.ndarray
    counts: np.ndarray

    @property
    def all_kept(self) -> bool:
        """Whether the digests of all such rows are here."""
        return int(np.abs(self.counts).sum()) == self.missing + self.extra


def bucket_count(size: int) -> int:
    """Return how many buckets tables of so many bytes need."""
    return max(1, min(_MOST_BUCKETS, size // _BUCKET_BYTES))


def compare_digests(expected: DigestFiles, actual: DigestFiles) -> Unequal:
    """Return what the two sides do not share."""
    missing = extra = kept = 0
    digests: list[np.ndarray] = [np.zeros(0, np.uint64)]
    counts: list[np.ndarray] = [np.zeros(0, np.int64)]
    for (left, left_counts), (right, right_counts) in zip(expected.buckets(), actual.buckets(), strict=True):
        values, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        sums = np.zeros(len(values), np.int64)
        np.add.at(sums, places[: len(left)], left_counts)
        np.add.at(sums, places[len(left) :], -right_counts)
        missing += int(sums[sums > 0].sum())
        extra -= int(sums[sums < 0].sum())
        unequal = np.flatnonzero(sums)[: KEPT - kept]
        kept += len(unequal)
        digests.append(values[unequal])
        counts.append(sums[unequal])
    all_digests, all_counts = np.concatenate(digests), np.concatenate(counts)
    order = np.argsort(all_digests)
    return Unequal(missing, extra, all_digests[order], all_counts[order])
