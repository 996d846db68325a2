"""out/result.json: variables that the job returns to who started it (reference keboola 1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from component.config.exact import Exact, Scalar
from component.config.fields import ByName
from component.folder.json_file import write_json


class Result(Exact):
    """Result of a job: the platform ignores a file with other keys, or with variables that are no plain values."""

    variables: ByName[Scalar | None] = Field(default_factory=dict)
    """Variables by name; null is a value here."""


def result_of(variables: Mapping[str, Scalar | None]) -> Result:
    """Return the variables in their order."""
    return Result(variables=dict(variables))


def write_result(path: Path, result: Result) -> None:
    """Write the variables whole or not at all; UserError `output.unwritable` or `store.full`."""
    write_json(path, {"variables": dict(result.variables)})
