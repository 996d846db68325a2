"""Disk space: what a run writes, by estimate, against what is free where it writes it.

The estimates are rough, and meant to be: Parquet with zstd takes about a third of the text it was made of, text that
comes as gzip is about four times as large unpacked, and gzip of our output takes about a third of its text again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component.check.finding import error, warning
from component.errors import UserError
from component.findings import Finding
from component.folder.layout import DataFolder
from component.plan.model import DatasetPlan, Plan, Source
from component.report.results.checked import CheckedSpace
from component.report.words.amounts import size_text
from component.store.local import LocalStore
from component.store.open import open_store

GZIP_FACTOR: Final = 4.0
PARQUET_FACTOR: Final = 1 / 3
OUTPUT_GZIP_FACTOR: Final = 1 / 3
FAR_TOO_LITTLE: Final = 4
"""An estimate is an estimate: only a place with less than a quarter of it is sure to be too small."""


@dataclass(frozen=True, slots=True)
class Need:
    """An estimate of what a run writes to one place."""

    name: str
    path: Path
    bytes: int
    basis: str


def check_space(folder: DataFolder, plan: Plan) -> tuple[tuple[CheckedSpace, ...], tuple[Finding, ...]]:
    """Return each place that a run writes to, and findings for those that are too small.

    Places on one file system share what is free, so their needs are added up.
    """
    needs = [need for need in _needs(folder, plan) if need.bytes]
    spaces = []
    findings: list[Finding] = []
    devices: dict[int, list[Need]] = {}
    for need in needs:
        where = _existing(need.path)
        spaces.append(CheckedSpace(need.name, str(need.path), shutil.disk_usage(where).free, need.bytes, need.basis))
        devices.setdefault(where.stat().st_dev, []).append(need)
    for together in devices.values():
        findings += _finding(together)
    return tuple(spaces), tuple(findings)


def _finding(needs: Sequence[Need]) -> Iterator[Finding]:
    needed, free = sum(need.bytes for need in needs), shutil.disk_usage(_existing(needs[0].path)).free
    if needed <= free:
        return
    names = ", ".join(need.name for need in needs)
    text = f"About {size_text(needed)} will be written to {names}, and {size_text(free)} are free there"
    remedy = "Make room, or give the run another disk."
    if free * FAR_TOO_LITTLE < needed:
        yield error("space.none", names, text, remedy)
    else:
        yield warning("space.short", names, text, remedy)


def _needs(folder: DataFolder, plan: Plan) -> Iterator[Need]:
    data = round(sum(text_bytes(dataset.source) * PARQUET_FACTOR for dataset in plan.datasets))
    scratch = Path(tempfile.gettempdir())
    if plan.store_url is None:
        yield Need("scratch", scratch, data, "datasets, before they are packed")
    else:
        root = _store_root(plan.store_url)
        if root is not None:
            yield Need("store", root, data, "datasets")
    outputs = sum(_output_bytes(plan).values()) + (data if plan.store_url is None else 0)
    what = "output tables and files" + (", and datasets as archives" if plan.store_url is None else "")
    yield Need("out", folder.out, outputs, what)


def text_bytes(source: Source) -> int:
    """Return about how many bytes the rows of a source are as text."""
    if source.kind in {"parquet", "avro"}:
        return round(source.size / PARQUET_FACTOR)
    return round(sum(part.size * (GZIP_FACTOR if part.gzip else 1) for part in source.slices))


def _output_bytes(plan: Plan) -> Mapping[int, int]:
    """Return the size of each output of a dataset of this run; how much of another there is, only reading tells."""
    made: dict[tuple[str, str | None], DatasetPlan] = {(one.uuid, one.table): one for one in plan.datasets}
    sizes = {}
    for number, output in enumerate(plan.outputs):
        dataset = made.get((output.dataset, output.table))
        if dataset is not None:
            factor = PARQUET_FACTOR if output.format == "parquet" else 1.0
            packed = output.compression == "gzip" and output.written_as == "table" and output.sliced
            sizes[number] = round(text_bytes(dataset.source) * (OUTPUT_GZIP_FACTOR if packed else factor))
    return sizes


def _store_root(url: str) -> Path | None:
    """Return where a store in a directory is, None for any other."""
    try:
        store = open_store(url)
    except UserError:  # said where the store is opened
        return None
    return store.root if isinstance(store, LocalStore) else None


def _existing(path: Path) -> Path:
    """Return the nearest folder that is there already: the file system is the same."""
    for folder in (path, *path.parents):
        if os.access(folder, os.F_OK):
            return folder
    return Path("/")
