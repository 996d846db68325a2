"""A data folder as the question that the resolver answers: its outputs, its output mapping, and facts of the job."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from component.config.environment import Environment
from component.config.json_text import JsonFaultError, Step, describe, json_path, read_document_file, read_json
from component.config.load import notation_of, parse_text
from component.errors import UserError
from component.folder.layout import DataFolder, entries
from component.folder.out_listing import FileListing, OutListing, list_files, list_outputs
from component.mapping.disagreement import Comparison, compare
from component.mapping.job import OutputMapping
from component.mapping.model import DataTypes, Feature, MappingLayer, Settings
from component.naming import CONFIG_YAML_FILE, MANIFEST_SUFFIX


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


@dataclass(frozen=True, slots=True)
class MappingQuestion:
    """All that the rule sets look at: asked once, answered by each of them."""

    tables: OutListing
    files: FileListing
    output: OutputMapping
    settings: Settings

    def answers(self) -> Comparison:
        """Return what the platform would do by each rule set, and where they disagree."""
        return compare(self.tables, self.files, self.output, self.settings)


def read_config(folder: DataFolder) -> Any:
    """Return the decoded config.json or config.yml, `{}` where there is none.

    UserError `source.missing` without a data folder at all, `config.syntax` for a text that cannot be read.
    """
    if not os.path.isdir(folder.root):  # noqa: PTH112 - a Path raises for what may not be searched
        raise UserError(
            "source.missing", f"There is no data folder {str(folder.root)!r}", remedy="Name another one with --data."
        )
    try:
        if notation_of(folder.root) == "yaml":
            return parse_text(read_document_file(folder.root / CONFIG_YAML_FILE), "yaml")
        return read_json(folder.config)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError("config.syntax", f"The configuration cannot be read: {error.strerror}") from error
    except JsonFaultError as error:
        raise UserError("config.syntax", f"The configuration {error}") from None


def read_question(folder: DataFolder, document: Any, facts: JobFacts, environment: Environment) -> MappingQuestion:
    """Return the question that a folder asks with the decoded config.json, `{}` where there is none.

    Nothing but `storage` and `image_parameters` is looked at: the folder may be another component's. UserError
    `config.type` where these are not what the platform writes, `source.manifest` for a manifest that cannot be read.
    """
    root = _object(document)
    storage = _object(root.get("storage"), "storage")
    output = _object(storage.get("output"), "storage", "output")
    for key in ("tables", "files"):
        _collection(output.get(key), "storage", "output", key)
    inputs = _object(storage.get("input"), "storage", "input")
    image = _object(root.get("image_parameters"), "image_parameters")
    return MappingQuestion(
        tables=list_outputs(folder.out_tables),
        files=list_files(folder.out_files),
        output=OutputMapping.read(output),
        settings=_settings(facts, environment, image, frozenset(_tables_read(folder, inputs))),
    )


def _settings(
    facts: JobFacts, environment: Environment, image_parameters: Mapping[str, Any], input_tables: frozenset[str]
) -> Settings:
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
        input_tables=input_tables,
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


def _tables_read(folder: DataFolder, inputs: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of the tables that the job reads, by its input mapping and by the manifests in in/tables."""
    mapped = inputs.get("tables")
    for entry in mapped if isinstance(mapped, list) else ():
        source = entry.get("source") if isinstance(entry, dict) else None
        if isinstance(source, str):
            yield source
    with suppress(UserError):  # that the folder cannot be read is no matter of the outputs either
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


def _object(value: Any, *steps: Step) -> Mapping[str, Any]:
    found = {} if value is None or value == [] else value
    if isinstance(found, dict):
        return found
    raise _wrong(value, "an object", *steps)


def _collection(value: Any, *steps: Step) -> None:
    if value is not None and not isinstance(value, list | dict):
        raise _wrong(value, "a list", *steps)


def _wrong(value: Any, expected: str, *steps: Step) -> UserError:
    return UserError("config.type", f"{json_path(steps) or 'config.json'} must be {expected}, but is {describe(value)}")
