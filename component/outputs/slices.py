"""How an output is cut into slices: a pure decision over the sizes of the data files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from component import naming
from component.dataset.reading.reader import FileScan

TEXT_SHARE: Final = 1.3
"""Bytes of gzip text per byte of snappy Parquet, as measured on flights and TPC-H lineitem."""
LEAST_SLICE_BYTES: Final = 8 * 1000 * 1000
MANY_FILES: Final = 1000
"""Data files that take as long to read as `LEAST_SLICE_BYTES`, however small they are."""


def group_scans(
    scans: Sequence[FileScan], sizes: Sequence[int], *, slice_bytes: int, max_slices: int, cores: int
) -> tuple[tuple[FileScan, ...], ...]:
    """Return the data files of each slice, in their order; one slice at least, `max_slices` at most.

    Slices have about `slice_bytes`; a smaller output is still cut so that each core has some to write.
    """
    total = int(sum(sizes) * TEXT_SHARE)
    work = max(total // LEAST_SLICE_BYTES, len(scans) // MANY_FILES)
    wanted = max(-(-total // slice_bytes), min(cores, work), 1)
    count = min(wanted, max_slices, max(1, len(scans)))
    share = sum(sizes) / count if scans else 0
    groups: list[list[FileScan]] = [[] for _ in range(count)]
    before = 0
    for scan, size in zip(scans, sizes, strict=True):
        at = min(count - 1, int((before + size / 2) / share)) if share else 0
        groups[at].append(scan)
        before += size
    filled = [tuple(group) for group in groups if group]
    return tuple(filled) if filled else ((),)


def slice_name(number: int, *, gzip: bool) -> str:
    """Return the name of a slice: stable, zero-padded, with .gz where it is compressed."""
    return naming.SLICE_NAME.format(number=number, suffix=".gz" if gzip else "")
