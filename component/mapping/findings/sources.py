"""What is odd about the files and directories in out/tables (reference keboola 4.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from component.findings import Finding
from component.folder.out_listing import OutSource
from component.mapping.findings.texts import finding
from component.mapping.platform.model import FirstLine, Load
from component.naming import FILE_LIMIT, MANIFEST_SUFFIX, SLICE_LIMIT, SLICES_LIMIT, SLICES_TOTAL_LIMIT

_MB: Final = 1000 * 1000
_GB: Final = 1000 * _MB


def source_findings(source: OutSource) -> Iterator[Finding]:
    """Yield what is odd about one source, whatever becomes of it."""
    if source.name.lower().endswith(MANIFEST_SUFFIX):
        yield finding("finding.manifest_case", source.name)
    if source.sliced:
        yield from _slice_findings(source)
    elif source.size > FILE_LIMIT:
        yield finding("finding.file_size", source.name, size=_gigabytes(source.size), limit=FILE_LIMIT // _GB)


def load_findings(load: Load, source: OutSource) -> Iterator[Finding]:
    """Yield what is odd about one source once it is known how it is loaded."""
    if source.size:
        return
    if source.sliced and not source.slices:
        yield finding("finding.no_slices", source.name)
    elif not source.sliced and load.header is FirstLine.HEADER:
        yield finding("finding.empty_file", source.name)


def _slice_findings(source: OutSource) -> Iterator[Finding]:
    name = source.name
    for part in source.slices:
        if part.name.endswith(MANIFEST_SUFFIX):
            yield finding("finding.slice_manifest", name, name=part.name)
    large = [part for part in source.slices if part.size > SLICE_LIMIT]
    if large:
        largest = max(large, key=lambda part: part.size).name
        yield finding("finding.slice_size", name, count=len(large), name=largest, limit=SLICE_LIMIT // _MB)
    if len(source.slices) > SLICES_LIMIT:
        yield finding("finding.slice_count", name, count=len(source.slices), limit=SLICES_LIMIT)
    if source.size > SLICES_TOTAL_LIMIT:
        yield finding("finding.slices_total", name, size=_gigabytes(source.size), limit=SLICES_TOTAL_LIMIT // _GB)


def _gigabytes(size: int) -> str:
    return f"{size / _GB:.1f}"
