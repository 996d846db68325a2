"""A data folder as the question that the resolver answers: its outputs, its output mapping, and facts of the job."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from component.config.environment import Environment
from component.config.json_text import JsonFaultError, Step, describe, json_path, read_document_file, read_json
from component.config.load import parse_text
from component.config.notation import notation_of
from component.errors import UserError
from component.folder.layout import DataFolder
from component.folder.out_listing import FileListing, OutListing, list_files, list_outputs
from component.mapping.jobs.disagreement import Comparison, compare
from component.mapping.jobs.job import OutputMapping
from component.mapping.platform.model import Settings
from component.mapping.platform.settings import JobFacts, job_settings, tables_read
from component.naming import CONFIG_YAML_FILE


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
        settings=job_settings(facts, environment, image, tables_read(folder, inputs)),
    )


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
