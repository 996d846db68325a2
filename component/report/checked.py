"""What is known of a data folder before a run: values for tables and for machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from component.mapping.model import Level

LEVELS: Final = (Level.ERROR, Level.WARNING, Level.NOTE)
"""The worst first, as they are shown."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing to know.

    `place` is a JSON path of config.json (`parameters.datasets[0].uuid`), a file of the folder (`in/tables/a.csv`), or
    a file and a path in it (`in/state.json: a.b`); `remedy` says what to do, and may be empty.
    """

    level: Level
    code: str
    place: str
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class CheckedColumn:
    """One column; `type` is None where the run finds it out."""

    name: str
    type: str | None
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """What an input becomes. `header` says where the column names are; sizes in bytes."""

    name: str
    kind: str
    sliced: bool
    slices: int
    bytes: int
    gzip: bool
    delimiter: str | None
    enclosure: str | None
    header: str | None
    table_id: str | None
    primary_key: tuple[str, ...]
    columns: tuple[CheckedColumn, ...]


@dataclass(frozen=True, slots=True)
class CheckedDataset:
    """A dataset that the configuration makes."""

    uuid: str
    source: str
    mode: str
    columns: tuple[CheckedColumn, ...]
    partition_on: tuple[str, ...]
    secondary_indices: tuple[str, ...]
    infers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedOutput:
    """An output that the configuration makes; `destination` is None for files, and where it is not known."""

    name: str
    written_as: str
    dataset: str
    destination: str | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedSpace:
    """A place that is written to: bytes that are free, and an estimate of the bytes that the run needs there."""

    name: str
    path: str
    free: int
    needed: int
    basis: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Everything about a folder; `findings` are sorted, the worst first."""

    folder: str
    findings: tuple[CheckFinding, ...] = ()
    sources: tuple[CheckedSource, ...] = ()
    datasets: tuple[CheckedDataset, ...] = ()
    outputs: tuple[CheckedOutput, ...] = ()
    space: tuple[CheckedSpace, ...] = ()

    def count(self, level: Level) -> int:
        """Return how many findings have a level."""
        return sum(finding.level is level for finding in self.findings)


def sorted_findings(findings: list[CheckFinding]) -> tuple[CheckFinding, ...]:
    """Return the findings without repetitions, the worst first, else as they were found."""
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: LEVELS.index(finding.level)))


def masked_report(report: CheckReport, mask: Callable[[str], str]) -> CheckReport:
    """Return the report as it may be shown: every text that came from the folder goes through `mask`.

    Codes and the words of the report's own do not: a secret `1` would make a riddle of them.
    """
    return CheckReport(
        folder=mask(report.folder),
        findings=tuple(
            replace(one, place=mask(one.place), text=mask(one.text), remedy=mask(one.remedy)) for one in report.findings
        ),
        sources=tuple(_masked_source(one, mask) for one in report.sources),
        datasets=tuple(_masked_dataset(one, mask) for one in report.datasets),
        outputs=tuple(
            replace(
                one,
                name=mask(one.name),
                dataset=mask(one.dataset),
                destination=_maybe(one.destination, mask),
                rule=_maybe(one.rule, mask),
            )
            for one in report.outputs
        ),
        space=tuple(replace(one, path=mask(one.path)) for one in report.space),
    )


def _maybe(text: str | None, mask: Callable[[str], str]) -> str | None:
    return None if text is None else mask(text)


def _masked_source(source: CheckedSource, mask: Callable[[str], str]) -> CheckedSource:
    return replace(
        source,
        name=mask(source.name),
        table_id=_maybe(source.table_id, mask),
        primary_key=tuple(map(mask, source.primary_key)),
        columns=_masked_columns(source.columns, mask),
    )


def _masked_dataset(dataset: CheckedDataset, mask: Callable[[str], str]) -> CheckedDataset:
    return replace(
        dataset,
        uuid=mask(dataset.uuid),
        source=mask(dataset.source),
        columns=_masked_columns(dataset.columns, mask),
        partition_on=tuple(map(mask, dataset.partition_on)),
        secondary_indices=tuple(map(mask, dataset.secondary_indices)),
        infers=tuple(map(mask, dataset.infers)),
    )


def _masked_columns(columns: tuple[CheckedColumn, ...], mask: Callable[[str], str]) -> tuple[CheckedColumn, ...]:
    return tuple(replace(column, name=mask(column.name)) for column in columns)


def render_check_json(report: CheckReport) -> dict[str, Any]:
    """Return the report as JSON values; the keys are the fields' names, sizes in bytes."""
    return {
        "folder": report.folder,
        "levels": {level.value: report.count(level) for level in LEVELS},
        "findings": [asdict(finding) | {"level": finding.level.value} for finding in report.findings],
        "sources": [asdict(source) for source in report.sources],
        "datasets": [asdict(dataset) for dataset in report.datasets],
        "outputs": [asdict(output) for output in report.outputs],
        "space": [asdict(space) for space in report.space],
    }
