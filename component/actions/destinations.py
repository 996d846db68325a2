"""`resolveDestinations`: where each output of the configuration will land, and which rule decides it.

The outputs are predicted from the configuration and the input mapping alone, then the same rules are applied as before
a run. What only rows can tell (columns that nobody has named) has no part in a destination.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from component import naming
from component.actions.evidence import mapped_tables
from component.actions.messages import MessageType, markdown_table, message
from component.actions.parameters import whole_config
from component.actions.request import Request, mapping_at
from component.actions.sampling import LIMITS
from component.config.model import Config
from component.errors import UserError
from component.folder.layout import DataFolder
from component.folder.out_listing import FileListing, OutFile, OutListing, OutManifest, OutSlice, OutSource
from component.mapping.job import JobResolution, OutputMapping, resolve_job
from component.mapping.model import Level, Settings
from component.outputs.manifest import family_for
from component.plan.build import default_datasets
from component.plan.model import DatasetPlan, Plan, Source, SourceSlice
from component.plan.sources import bare_name, find_sources
from component.report.resolution import ResolutionReport, render_resolution_json, why_words
from component.runner.destinations import Destinations, find_destinations
from component.tables.types import Column, TableSchema

UNKNOWN = "column"
"""Stands for the columns of an output where nobody has named any."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """One output as it will be: its name in out/, and what its manifest will say of destination and columns."""

    name: str
    written_as: str
    sliced: bool = True
    destination: str | None = None
    primary_key: tuple[str, ...] = ()
    incremental: bool = False
    columns: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def resolve_destinations(request: Request) -> dict[str, Any]:
    """Return where each output would land; what the platform would refuse is an answer, not a failure.

    The errors of `parse_config` for a configuration that no run would take, `source.missing` when nothing is there.
    """
    config = whole_config(request)
    sources = _sources(request)
    outputs = list(predict(config, sources))
    if not outputs:
        raise UserError(
            "source.missing",
            "There is nothing to resolve: no output is configured, and no table is in the input mapping",
            remedy="Map an input to the component, or configure an output.",
        )
    destinations = _destinations(config, request, sources)
    tables = _tables(outputs, destinations, family_for(request.environment.data_type_support))
    files = _files(outputs)
    output = OutputMapping.read(mapping_at(request.document, "storage", "output"))
    job = resolve_job(tables, files, output, destinations.settings)
    return _answer(job, tables, files)


def _sources(request: Request) -> tuple[Source, ...]:
    """Return the inputs: those in the folder, else those of the input mapping, whose columns may not be known."""
    found, _ = find_sources(DataFolder(request.environment.data_dir))
    return found or tuple(_mapped_sources(request))


def _mapped_sources(request: Request) -> Iterator[Source]:
    for table in mapped_tables(request):
        source, columns = table.get("source"), table.get("columns")
        name = table.get("destination") or source
        if isinstance(name, str):
            names = [one for one in columns if isinstance(one, str)] if isinstance(columns, list) else []
            schema = TableSchema(tuple(Column(one) for one in names))
            table_id = source if isinstance(source, str) else None
            slices: tuple[SourceSlice, ...] = ()
            yield Source(name, bare_name(name), (name, bare_name(name)), "csv", slices, schema, table_id=table_id)


def predict(config: Config, sources: Sequence[Source]) -> Iterator[Predicted]:
    """Yield every output of a run, in the order of the configuration: outputs, rejected rows, archives."""
    parameters = config.parameters
    uuids = [uuid for dataset in parameters.datasets for uuid in dataset.stored_uuids]
    if not parameters.datasets and not parameters.outputs:
        plans = default_datasets(sources, parameters.on_same_name)
        uuids = [plan.uuid for plan in plans]
        yield from (_default_output(plan) for plan in plans)
    for output in parameters.outputs:
        yield Predicted(
            output.output_name,
            output.written_as,
            sliced=output.slices,
            destination=output.destination,
            primary_key=output.primary_key or (),
            incremental=output.incremental,
            columns=output.columns or (),
            tags=output.tags,
        )
    for dataset in parameters.datasets:
        if "reject" in {dataset.on_bad_row, dataset.on_duplicate_key}:
            yield from (Predicted(name + naming.REJECTED_SUFFIX, "table") for name in dataset.table_names)
    if parameters.store is None:
        for uuid in uuids:
            tags = (naming.ARCHIVE_TAG, f"{naming.ARCHIVE_TAG}:{uuid}")
            yield Predicted(uuid + naming.ARCHIVE_SUFFIX, "file", sliced=False, tags=tags)


def _default_output(plan: DatasetPlan) -> Predicted:
    return Predicted(plan.uuid, "table", primary_key=plan.schema.primary_key, columns=plan.schema.names)


def _destinations(config: Config, request: Request, sources: Sequence[Source]) -> Destinations:
    """Return how the run would find destinations; the tables that it reads matter where one could be overwritten."""
    read = tuple(DatasetPlan(source.own_name, naming.DEFAULT_TABLE, source, source.schema) for source in sources)
    plan = Plan(read, (), None, LIMITS)
    found = find_destinations(config, request.environment, plan)
    settings: Settings = replace(found.settings, run_id=request.environment.run_id)
    return replace(found, settings=settings)


def _tables(outputs: Sequence[Predicted], destinations: Destinations, family: str) -> OutListing:
    tables = [one for one in outputs if one.written_as == "table"]
    sources = [OutSource(one.name, one.sliced, 1, (OutSlice("part", 1),) if one.sliced else ()) for one in tables]
    manifests = [OutManifest(one.name + naming.MANIFEST_SUFFIX, _manifest(one, destinations, family)) for one in tables]
    return OutListing("/data", tuple(sources), tuple(manifests))


def _manifest(table: Predicted, destinations: Destinations, family: str) -> bytes:
    """Return what decides in the manifest of a table: the run adds types, which decide nothing."""
    columns = table.columns or tuple(dict.fromkeys([*table.primary_key, UNKNOWN]))
    content: dict[str, Any] = {"destination": table.destination or destinations.default(table.name)}
    content["incremental"] = table.incremental
    if family == "schema":
        content["schema"] = [
            {"name": name, "data_type": {"base": {"type": "STRING"}}, "primary_key": name in table.primary_key}
            for name in columns
        ]
        content |= {} if table.sliced else {"has_header": True}
    else:
        content["primary_key"] = list(table.primary_key)
        content |= {"columns": list(columns)} if table.sliced else {}
    return json.dumps(content).encode()


def _files(outputs: Sequence[Predicted]) -> FileListing:
    files = [one for one in outputs if one.written_as == "file"]
    manifests = [
        OutManifest(one.name + naming.MANIFEST_SUFFIX, json.dumps({"tags": list(one.tags)}).encode()) for one in files
    ]
    return FileListing("/data", tuple(OutFile(one.name, 1) for one in files), tuple(manifests))


def _answer(job: JobResolution, tables: OutListing, files: FileListing) -> dict[str, Any]:
    rows = [[load.source, load.destination, why_words(load)] for load in job.loads]
    rows += [[upload.source, "file", ", ".join(upload.tags)] for upload in job.uploads]
    parts = [f"**The platform would refuse this:** {job.error.text}"] if job.error else []
    parts += [markdown_table(["output", "lands in", "decided by"], rows)] if rows else []
    parts += [f"- {finding.level.value}: {finding.text}" for finding in job.findings]
    report = render_resolution_json(ResolutionReport(job, tables, files))
    return message("\n\n".join(parts), _kind(job), resolution=report)


def _kind(job: JobResolution) -> MessageType:
    if job.error is not None:
        return "error"
    worst = any(finding.level in {Level.ERROR, Level.WARNING} for finding in job.findings)
    return "warning" if worst else "info"
