"""Outputs that are records directories: their data files by tasks, then a ZIP in out/files, or a directory at a URL."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path

from component.dataset.reading.reader import Dataset
from component.errors import Place, TablemillError, UserError
from component.folder.layout import writing
from component.outputs.file_formats import writing_of_records
from component.outputs.slices import TEXT_SHARE
from component.plan.model import OutputPlan, RecordsPlan
from component.records.archives import zip_directory
from component.records.file_plan import FILE_BYTES, RowRange, RowShare, plan_files
from component.records.places import Listing, LocalListing, open_listing
from component.records.types import described_by_type
from component.records.writing import WrittenDataFile, check_target, data_file_name, finish_directory, remove
from component.runner.shapes import with_known
from component.spark.jobs.slices import Share, SliceTask, WrittenSlice
from component.tables.types import Column, TableSchema

_READ_FROM = "file:///data/in/files/"
"""Where the next component finds the files of an unpacked ZIP; readers look beside the manifest too."""


def check_records_targets(outputs: Sequence[OutputPlan]) -> None:
    """Hold that directories at URLs are empty before anything is done; UserError `records.target`, `store.url`."""
    urls: set[str] = set()
    for output in outputs:
        if output.url is None:
            continue
        target = open_listing(output.url, os.environ)
        check_target(target)
        if target.url in urls:
            raise UserError(
                "config.value",
                f"Two outputs are written to {target.url}",
                place=Place(table=output.name),
                remedy="Give each a directory of its own.",
            )
        urls.add(target.url)


@dataclass(frozen=True, slots=True)
class RecordsOutput:
    """One records directory while it is written: where its data files go, and where it will be.

    A folder of this machine takes the data files at once: without a manifest nobody takes them for a directory.
    `known` are the columns that all rows come from, if they are of one source; `made` the folders that were made for
    it, the innermost first.
    """

    output: OutputPlan
    plan: RecordsPlan
    folder: Path
    target: Listing | None
    made: tuple[Path, ...] = ()
    known: Mapping[str, Column] = field(default_factory=dict)

    def tasks(self, tasks: Sequence[SliceTask], sizes: Sequence[int], cores: int) -> list[SliceTask]:
        """Return the tasks that write the data files, of one task that would write all of them to one."""
        whole = tasks[0]
        text = 1.0 if self.plan.format.hints is None else TEXT_SHARE
        parts = [RowShare(max(size, 1), int(size * text)) for size in sizes]
        small = sum(part.bytes for part in parts) < FILE_BYTES // 16
        files = plan_files(parts, files=self.plan.files, file_bytes=self.plan.file_bytes, cores=1 if small else cores)
        return [
            replace(
                whole,
                order=file.number - 1,
                scans=tuple(whole.scans[one.part] for one in file.ranges),
                shares=tuple(_share(one, parts) for one in file.ranges),
                target=self.folder / data_file_name(file.number, self.plan.format),
                writing=writing_of_records(self.plan.format),
                statistics=True,
            )
            for file in files
        ]

    def finish(self, slices: Sequence[WrittenSlice], dataset: Dataset, columns: Sequence[str], zipped: Path) -> None:
        """Complete the directory as a ZIP; one at a URL gets its data files, and waits for `publish`."""
        schema = self._schema(dataset, columns)
        files = [WrittenDataFile(one.target.name, one.bytes, one.statistics) for one in slices]
        if self.target is None:
            where = f"{_READ_FROM}{self.output.name.removesuffix('.zip')}/"
            finish_directory(LocalListing(self.folder), self.plan.format, schema, files, base_url=where)
            zip_directory(self.folder, zipped)
        elif not isinstance(self.target, LocalListing):
            for one in slices:
                self.target.upload(one.target.name, one.target)

    def publish(self, slices: Sequence[WrittenSlice], dataset: Dataset, columns: Sequence[str]) -> None:
        """Write what makes the data files at a URL a records directory, its manifest last."""
        if self.target is not None:
            files = [WrittenDataFile(one.target.name, one.bytes, one.statistics) for one in slices]
            finish_directory(self.target, self.plan.format, self._schema(dataset, columns), files)

    def _schema(self, dataset: Dataset, columns: Sequence[str]) -> TableSchema:
        known = with_known(dataset.described(columns), self.known)
        return TableSchema(tuple(described_by_type(one, dataset.schema.field(one.name).type) for one in known))

    def discard(self) -> None:
        """Remove what is at the URL, which was empty before, and the folders that were made for it, where it lets."""
        if self.target is not None:
            with suppress(TablemillError):
                remove(self.target, self.target.names())
        with suppress(OSError):  # somebody else put something there
            for folder in self.made:
                folder.rmdir()


def _share(one: RowRange, parts: Sequence[RowShare]) -> Share:
    return Share(one.start, one.stop, parts[one.part].rows)


def open_records_output(
    number: int, output: OutputPlan, plan: RecordsPlan, scratch: Path, known: Mapping[str, Column]
) -> RecordsOutput:
    """Return a records directory that is to be written."""
    target = None if output.url is None else open_listing(output.url, os.environ)
    folder = target.root if isinstance(target, LocalListing) else scratch / f"records-{number}"
    with writing(folder):
        made = tuple(takewhile(lambda one: not one.exists(), (folder, *folder.parents)))
        folder.mkdir(parents=True, exist_ok=True)
    return RecordsOutput(output, plan, folder, target, made, known)
