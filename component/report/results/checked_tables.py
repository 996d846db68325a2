"""What is known of a data folder before a run, as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from component.findings import LEVELS, Finding, Level
from component.report.results.checked import (
    CheckedColumn,
    CheckedDataset,
    CheckedOutput,
    CheckedSource,
    CheckedSpace,
    CheckReport,
)
from component.report.words.amounts import counted, size_text
from component.report.words.tables import LEVEL_STYLES, table

SHOWN_COLUMNS: Final = 8
"""Columns of a table that people are shown; JSON has all of them."""
SHOWN_ROWS: Final = 500
"""Sources, datasets and outputs each that people are shown; JSON has all of them, and every finding is shown."""


def show_check(report: CheckReport, console: Console) -> None:
    """Print the report: what the folder becomes first, so that the findings are what the eye ends on."""
    console.print(Group(*_parts(report)))


def _parts(report: CheckReport) -> Iterator[RenderableType]:
    for found, part, noun in (
        (report.sources, _sources(report.sources[:SHOWN_ROWS]), "source"),
        (report.datasets, _datasets(report.datasets[:SHOWN_ROWS]), "dataset"),
        (report.outputs, _outputs(report.outputs[:SHOWN_ROWS]), "output"),
        (report.space, _space(report.space), ""),
        (report.findings, _findings(report.findings), ""),
    ):
        if found:
            yield part
            if noun and len(found) > SHOWN_ROWS:
                yield Text(f"and {counted(len(found) - SHOWN_ROWS, f'more {noun}')}; --format json lists them all")
            yield ""
    yield _verdict(report)


def _verdict(report: CheckReport) -> Text:
    counts = ", ".join(counted(report.count(level), level.value) for level in LEVELS if report.count(level))
    worst = next((level for level in LEVELS if report.count(level)), None)
    if worst is None:
        return Text("Nothing is wrong.", style="bold green")
    return Text(f"{counts}.", style="bold red" if worst is Level.ERROR else "bold")


def _sources(sources: Iterable[CheckedSource]) -> Table:
    shown = table("Source", "What", "Size", "Names", "Columns", numbers={"Size"})
    for source in sources:
        form = counted(source.slices, "slice") if source.sliced else "one file"
        dialect = "" if source.delimiter in {None, ","} else f", delimiter {source.delimiter!r}"
        shown.add_row(
            Text(source.name),
            Text(f"{source.kind}, {form}{', gzip' if source.gzip else ''}{dialect}"),
            size_text(source.bytes),
            Text(source.header or "in the file"),
            Text(_columns(source.columns)),
        )
    return shown


def _columns(columns: tuple[CheckedColumn, ...]) -> str:
    shown = ", ".join(
        f"{column.name} {column.type}{'' if column.nullable else ' not null'}" if column.type else column.name
        for column in columns[:SHOWN_COLUMNS]
    )
    hidden = len(columns) - SHOWN_COLUMNS
    return f"{shown} and {hidden} more" if hidden > 0 else shown


def _datasets(datasets: Iterable[CheckedDataset]) -> Table:
    shown = table("Dataset", "Of", "Mode", "Partitioned on", "Indices", "Types to infer")
    for dataset in datasets:
        shown.add_row(
            Text(dataset.uuid),
            Text(dataset.source),
            dataset.mode,
            Text(", ".join(dataset.partition_on) or "-"),
            Text(", ".join(dataset.secondary_indices) or "-"),
            Text(", ".join(dataset.infers) or "-"),
        )
    return shown


def _outputs(outputs: Iterable[CheckedOutput]) -> Table:
    shown = table("Output", "As", "Of", "Destination", "Why")
    for output in outputs:
        shown.add_row(
            Text(output.name),
            output.written_as,
            Text(output.dataset),
            Text(output.destination or "-", style="green" if output.destination else ""),
            Text(output.rule or "-"),
        )
    return shown


def _space(places: Iterable[CheckedSpace]) -> Table:
    shown = table("Space", "Free", "Estimated need", "Of which", numbers={"Free", "Estimated need"})
    for place in places:
        shown.add_row(
            Text(f"{place.name} ({place.path})"), size_text(place.free), size_text(place.needed), Text(place.basis)
        )
    return shown


def _findings(findings: Iterable[Finding]) -> Table:
    shown = table("Finding", "Where", "What", "Code")
    for finding in findings:
        shown.add_row(
            Text(finding.level.value, style=LEVEL_STYLES[finding.level]),
            Text(finding.place),
            Text(finding.sentence),
            Text(finding.code, style="dim"),
        )
    return shown
