"""What a job is like, for the rules: from what a caller says, the environment and the configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from component.config.environment import Environment
from component.config.json_text import read_document_file
from component.errors import UserError
from component.folder.layout import DataFolder, entries
from component.mapping.platform.model import DataTypes, Feature, MappingLayer, Settings
from component.naming import MANIFEST_SUFFIX


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What the caller says of the job; where it says nothing (None), environment and configuration do.

    `default_bucket` is a bucket id, `default_bucket_stage` the stage (`in` or `out`) of a component that is registered
    with a default bucket. `branch_id` is that of a development branch whose tables live in prefixed buckets; the
    environment is not asked for it, since KBC_BRANCHID is set on the main branch too (reference keboola 1.4).
    """

    default_bucket: str | None = None
    default_bucket_stage: str | None = None
    component_id: str | None = None
    config_id: str | None = None
    branch_id: str | None = None
    failed_job: bool = False
    data_types: DataTypes | None = None
    features: frozenset[str] = frozenset()
    mapping_layer: MappingLayer = MappingLayer.NORMALIZED
    table_files_only: bool = False


NO_FACTS = JobFacts()


def job_settings(
    facts: JobFacts, environment: Environment, image_parameters: Mapping[str, Any], input_tables: Iterable[str]
) -> Settings:
    """Return what the rules must know of the job besides `storage.output`.

    UserError `config.missing_key` for a default bucket that is named after a component nobody names.
    """
    features, data_types = _types(facts, environment)
    component_id = facts.component_id or environment.component_id
    return Settings(
        bucket=facts.default_bucket,
        branch=facts.branch_id,
        data_types=data_types,
        failed_job=facts.failed_job,
        features=features,
        mapping_layer=facts.mapping_layer,
        component_id=component_id,
        config_id=facts.config_id or environment.config_id,
        config_row_id=environment.config_row_id,
        run_id=environment.run_id,
        default_bucket_stage=_bucket_stage(facts, component_id, image_parameters),
        table_files_only=facts.table_files_only,
        input_tables=frozenset(input_tables),
    )


def _types(facts: JobFacts, environment: Environment) -> tuple[frozenset[str], DataTypes]:
    """Return the project's features and the component's data types, which only native types give a meaning."""
    features = {*facts.features, *environment.feature_gates}
    support = facts.data_types
    # the variable is there on projects with native types only; types that somebody asks for are the component's
    if environment.data_type_support is not None:
        features.add(Feature.NATIVE_TYPES.value)
    if support is None and Feature.NATIVE_TYPES in features:
        support = DataTypes(environment.data_type_support or DataTypes.NONE)
    return frozenset(features), support or DataTypes.NONE


def _bucket_stage(facts: JobFacts, component_id: str | None, image_parameters: Mapping[str, Any]) -> str | None:
    """Return the stage of the component's default bucket: as told, else as its image parameters have it for the runner.

    Outside the platform a folder may have such parameters and nobody who gives an id; then it goes without the bucket.
    """
    if facts.default_bucket_stage is not None and component_id is None:
        raise UserError(
            "config.missing_key",
            "The default bucket of a component has its id in its name, and no id is given",
            remedy="Add --component-id, or set KBC_COMPONENTID.",
        )
    if facts.default_bucket_stage is None and image_parameters.get("default_bucket") is True and component_id:
        return str(image_parameters.get("default_bucket_stage") or "in")
    return facts.default_bucket_stage


def tables_read(folder: DataFolder, inputs: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of the tables that the job reads, by `storage.input` and by the manifests in in/tables."""
    mapped = inputs.get("tables")
    for entry in mapped if isinstance(mapped, list) else ():
        source = entry.get("source") if isinstance(entry, dict) else None
        if isinstance(source, str):
            yield source
    with suppress(UserError):  # that the folder cannot be read is no matter of the outputs
        manifests = [path for path in entries(folder.in_tables) if path.name.endswith(MANIFEST_SUFFIX)]
        yield from filter(None, map(_table_id, manifests))


def _table_id(manifest: Path) -> str | None:
    """Return the id in an input manifest; what is wrong with it is no matter of the outputs."""
    try:
        value = json.loads(read_document_file(manifest))
    except (OSError, ValueError, RecursionError):
        return None
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str) else None
