"""What is known of a data folder before a run: values for tables and for machines."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from component.findings import LEVELS, Finding, Level
from component.report.words.findings import finding_json
from component.report.words.masking import OURS


@dataclass(frozen=True, slots=True)
class CheckedColumn:
    """One column; `type` is None where the run finds it out."""

    name: str
    type: str | None = field(metadata=OURS)
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """What an input becomes. `header` says where the column names are; sizes in bytes."""

    name: str
    kind: str = field(metadata=OURS)
    sliced: bool
    slices: int
    bytes: int
    gzip: bool
    delimiter: str | None = field(metadata=OURS)
    enclosure: str | None = field(metadata=OURS)
    header: str | None = field(metadata=OURS)
    table_id: str | None
    primary_key: tuple[str, ...]
    columns: tuple[CheckedColumn, ...]


@dataclass(frozen=True, slots=True)
class CheckedDataset:
    """A dataset that the configuration makes."""

    uuid: str
    source: str
    mode: str = field(metadata=OURS)
    columns: tuple[CheckedColumn, ...]
    partition_on: tuple[str, ...]
    secondary_indices: tuple[str, ...]
    infers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedOutput:
    """An output that the configuration makes; `destination` is None for files, and where it is not known."""

    name: str
    written_as: str = field(metadata=OURS)
    dataset: str
    destination: str | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedSpace:
    """A place that is written to: bytes that are free, and an estimate of the bytes that the run needs there."""

    name: str = field(metadata=OURS)
    path: str
    free: int
    needed: int
    basis: str = field(metadata=OURS)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Everything about a folder; `findings` are sorted, the worst first."""

    folder: str
    findings: tuple[Finding, ...] = ()
    sources: tuple[CheckedSource, ...] = ()
    datasets: tuple[CheckedDataset, ...] = ()
    outputs: tuple[CheckedOutput, ...] = ()
    space: tuple[CheckedSpace, ...] = ()

    def count(self, level: Level) -> int:
        """Return how many findings have a level."""
        return sum(finding.level is level for finding in self.findings)


def render_check_json(report: CheckReport) -> dict[str, Any]:
    """Return the report as JSON values; the keys are the fields' names, sizes in bytes."""
    return {
        "folder": report.folder,
        "levels": {level.value: report.count(level) for level in LEVELS},
        "findings": [finding_json(finding) for finding in report.findings],
        "sources": [asdict(source) for source in report.sources],
        "datasets": [asdict(dataset) for dataset in report.datasets],
        "outputs": [asdict(output) for output in report.outputs],
        "space": [asdict(space) for space in report.space],
    }
