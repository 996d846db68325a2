"""Where outputs will land, known before anything is written: manifests are predicted and the mapping rules applied."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from component import naming
from component.config.environment import Environment
from component.config.model import Config
from component.folder.earlier import earlier_outputs
from component.folder.layout import DataFolder
from component.folder.out_listing import OutListing, OutManifest, OutSource, list_outputs
from component.mapping.bucket import ComponentBucket, default_bucket
from component.mapping.model import DataTypes, Feature, Load, RefusedError, Resolution, Settings
from component.mapping.resolve import resolve
from component.plan.model import Plan


@dataclass(frozen=True, slots=True)
class OutTable:
    """A table as it will be in out/tables: its name there, its manifest, and what to say of it beside."""

    name: str
    sliced: bool
    manifest: Mapping[str, Any]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Destinations:
    """How this run finds destinations: the default bucket in force, and the tables that it reads."""

    settings: Settings
    mapping: Sequence[Mapping[str, Any]]

    def default(self, name: str) -> str:
        """Return the destination of a table that nobody names one for.

        The bare name where a default bucket applies, unless that is a table that the run reads; otherwise the table in
        our own bucket.
        """
        bare = name.removesuffix(".csv").replace(".", "_")
        bucket = self.settings.bucket
        if bucket is None or f"{bucket}.{bare}" in self.settings.input_tables:
            return f"{naming.FALLBACK_BUCKET}.{bare}"
        return bare

    def resolve(self, folder: DataFolder, tables: Iterable[OutTable]) -> Resolution:
        """Apply the rules to the tables, beside what lies in out/tables already.

        RefusedError `mapping.failed` with the platform's own text when it would refuse them.
        """
        resolution = resolve(_listing(folder, list(tables)), self.mapping, self.settings)
        if resolution.error is not None:
            raise RefusedError(resolution.error)
        return resolution


def find_destinations(config: Config, environment: Environment, plan: Plan) -> Destinations:
    """Return how destinations are found, from the configuration and the environment.

    The component's default bucket flag reaches us only as `image_parameters.default_bucket` (and `_stage`); the
    configuration's own default bucket wins over it.
    """
    output = config.storage.output
    component = None
    if config.image_parameters.default_bucket and environment.component_id:
        component = ComponentBucket(environment.component_id, config.image_parameters.default_bucket_stage)
    support = output.data_type_support or environment.data_type_support
    features = set(environment.feature_gates)
    if environment.data_type_support is not None:
        features.add(Feature.NATIVE_TYPES.value)
    settings = Settings(
        bucket=default_bucket(output.default_bucket, component, environment.config_id),
        data_types=DataTypes(support or "none") if Feature.NATIVE_TYPES in features else DataTypes.NONE,
        features=frozenset(features),
        component_id=environment.component_id,
        config_id=environment.config_id,
        config_row_id=environment.config_row_id,
        input_tables=frozenset(d.source.table_id for d in plan.datasets if d.source.table_id),
    )
    return Destinations(settings, output.tables)


def load_of(resolution: Resolution, name: str) -> Load:
    """Return the first load of an output table."""
    return next(load for load in resolution.loads if load.source == name)


def _listing(folder: DataFolder, tables: Sequence[OutTable]) -> OutListing:
    there = list_outputs(folder.out_tables)
    going = {path.name for path in earlier_outputs(folder) if path.parent == folder.out_tables}
    names = {table.name for table in tables} | going
    manifests = {table.name + naming.MANIFEST_SUFFIX for table in tables} | going
    sources = [source for source in there.sources if source.name not in names]
    sources += [OutSource(table.name, table.sliced, size=1) for table in tables]
    kept = [manifest for manifest in there.manifests if manifest.name not in manifests]
    kept += [OutManifest(table.name + naming.MANIFEST_SUFFIX, json.dumps(table.manifest).encode()) for table in tables]
    return OutListing(there.root, tuple(sorted(sources, key=_name)), tuple(sorted(kept, key=_name)))


def _name(entry: OutSource | OutManifest) -> bytes:
    return os.fsencode(entry.name)  # a name on disk may be no UTF-8
