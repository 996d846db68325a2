"""out/usage.json: metrics of a job, which the platform stores, and by which it may bill (reference keboola 1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, RootModel, StrictInt

from component.config.exact import Exact
from component.config.fields import Name
from component.folder.json_file import write_json


class Metric(Exact):
    """One metric; the platform refuses other keys, empty names and values that are no whole numbers."""

    metric: Name
    """Name of the metric."""
    value: Annotated[StrictInt, Field(ge=0)]
    """How many."""


class Usage(RootModel[tuple[Metric, ...]]):
    """Metrics of a job."""

    model_config = ConfigDict(title="Usage")


def usage_of(metrics: Mapping[str, int]) -> Usage:
    """Return the metrics in their order."""
    return Usage(tuple(Metric(metric=name, value=value) for name, value in metrics.items()))


def write_usage(path: Path, usage: Usage) -> None:
    """Write the metrics whole or not at all; UserError `output.unwritable` or `store.full`."""
    write_json(path, [metric.content() for metric in usage.root])
