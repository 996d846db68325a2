"""What the platform makes of the outputs of a run: the mapping rules applied to all that will lie in out/."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from component import naming
from component.config.environment import Environment
from component.config.model import Config
from component.config.output_options import ManifestFamily
from component.findings import Finding
from component.folder.earlier import earlier_outputs
from component.folder.layout import DataFolder
from component.folder.out_listing import (
    FileListing,
    OutFile,
    OutListing,
    OutManifest,
    OutSlice,
    OutSource,
    list_files,
    list_outputs,
)
from component.mapping.jobs.job import JobResolution, OutputMapping, in_force, resolve_job
from component.mapping.platform.model import DataTypes, Load, RefusedError, Settings
from component.mapping.platform.settings import NO_FACTS, JobFacts, job_settings, tables_read
from component.outputs.manifest import family_for


@dataclass(frozen=True, slots=True)
class OutTable:
    """A table as it will be in out/tables: its name there, its manifest, and what the manifest does not show."""

    name: str
    sliced: bool
    manifest: Mapping[str, Any]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it will be in out/files: its name there, and its manifest."""

    name: str
    manifest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The content of out/ as a run leaves it, and what the platform makes of that.

    `findings` are those about tables that their manifests do not show, whatever the rule set; `job` has them too.
    """

    tables: OutListing
    files: FileListing
    job: JobResolution
    findings: tuple[Finding, ...] = ()

    def accepted(self) -> JobResolution:
        """Return the resolution of outputs that the platform takes; RefusedError `mapping.failed` for others."""
        if self.job.refusal is not None:
            raise RefusedError(self.job.refusal)
        return self.job

    def first_loads(self) -> dict[str, Load]:
        """Return the first load of each output table."""
        return {load.source: load for load in reversed(self.job.loads)}


@dataclass(frozen=True, slots=True)
class Destinations:
    """How the outputs of a run find their destinations: facts of the job, `storage.output`, what follows of both."""

    settings: Settings
    output: OutputMapping
    family: ManifestFamily
    permanent_archives: bool = True

    def default(self, name: str) -> str:
        """Return the destination of a table that nobody names one for.

        The bare name where a default bucket applies, unless that is a table that the run reads; otherwise the table in
        our own bucket.
        """
        bare = name.removesuffix(".csv").replace(".", "_")
        bucket = in_force(self.output, self.settings)[0].bucket
        if bucket is None or f"{bucket}.{bare}" in self.settings.input_tables:
            return f"{naming.FALLBACK_BUCKET}.{bare}"
        return bare

    def outcome(self, folder: DataFolder, tables: Iterable[OutTable], uploads: Iterable[Upload]) -> Outcome:
        """Return what the platform makes of these outputs beside what lies in out/; the errors of `list_outputs`."""
        tables = list(tables)
        earlier = earlier_outputs(folder)  # a run removes those that it does not write again
        going = frozenset(path.name for path in earlier if path.parent == folder.out_tables)
        gone = frozenset(path.name for path in earlier if path.parent == folder.out_files)
        listing = _with_tables(list_outputs(folder.out_tables), tables, going)
        files = _with_uploads(list_files(folder.out_files), list(uploads), gone)
        findings = tuple(finding for table in tables for finding in table.findings)
        job = resolve_job(listing, files, self.output, self.settings).with_findings(findings)
        return Outcome(listing, files, job, findings)


def find_destinations(
    folder: DataFolder, config: Config, environment: Environment, facts: JobFacts = NO_FACTS
) -> Destinations:
    """Return how destinations are found, from the configuration, the environment and what a caller knows beside them.

    The component's default bucket flag reaches us only as `image_parameters.default_bucket` (and `_stage`); the
    configuration's own default bucket wins over it.
    """
    said = config.storage.output
    output = OutputMapping(
        tables=tuple(said.tables),
        files=tuple(said.files),
        default_bucket=said.default_bucket,
        data_types=DataTypes(said.data_type_support) if said.data_type_support else None,
        table_files=said.table_files.model_dump(mode="json") if said.table_files else None,
    )
    image = config.image_parameters
    flags = {"default_bucket": image.default_bucket, "default_bucket_stage": image.default_bucket_stage}
    read = tables_read(folder, {"tables": [{"source": table.source} for table in config.storage.input.tables]})
    settings = job_settings(facts, environment, flags, read)
    types = in_force(output, settings)[0].data_types
    family = family_for(types, config.parameters.manifest_family)
    return Destinations(settings, output, family, config.parameters.archives.is_permanent)


def _with_tables(there: OutListing, tables: Sequence[OutTable], going: frozenset[str]) -> OutListing:
    names = {table.name for table in tables} | going
    manifests = {table.name + naming.MANIFEST_SUFFIX for table in tables} | going
    sources = [source for source in there.sources if source.name not in names]
    sources += [OutSource(table.name, table.sliced, 1, _ONE_SLICE if table.sliced else ()) for table in tables]
    kept = [manifest for manifest in there.manifests if manifest.name not in manifests]
    kept += map(_manifest, tables)
    return OutListing(there.root, _sorted(sources), _sorted(kept))


def _with_uploads(there: FileListing, uploads: Sequence[Upload], going: frozenset[str]) -> FileListing:
    names = {upload.name for upload in uploads} | going
    manifests = {upload.name + naming.MANIFEST_SUFFIX for upload in uploads} | going
    files = [file for file in there.files if file.name not in names]
    files += [OutFile(upload.name, size=1) for upload in uploads]
    kept = [manifest for manifest in there.manifests if manifest.name not in manifests]
    kept += map(_manifest, uploads)
    return FileListing(there.root, _sorted(files), _sorted(kept))


_ONE_SLICE: Final = (OutSlice("part", 1),)
_Entry = TypeVar("_Entry", OutSource, OutManifest, OutFile)


def _manifest(one: OutTable | Upload) -> OutManifest:
    return OutManifest(one.name + naming.MANIFEST_SUFFIX, json.dumps(one.manifest).encode())


def _sorted(found: list[_Entry]) -> tuple[_Entry, ...]:
    return tuple(sorted(found, key=lambda entry: os.fsencode(entry.name)))  # a name on disk may be no UTF-8
