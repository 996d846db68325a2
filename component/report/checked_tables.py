"""What is known of a data folder before a run, as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from component.mapping.model import Level
from component.report.amounts import counted, size_text
from component.report.checked import (
    LEVELS,
    CheckedColumn,
    CheckedDataset,
    CheckedOutput,
    CheckedSource,
    CheckedSpace,
    CheckFinding,
    CheckReport,
)

LEVEL_STYLES: Final = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.NOTE: "dim"}
SHOWN_COLUMNS: Final = 8
"""Columns of a table that people are shown; JSON has all of them."""


def show_check(report: CheckReport, console: Console) -> None:
    """Print the report: what the folder becomes first, so that the findings are what the eye ends on."""
    console.print(Group(*_parts(report)))


def _parts(report: CheckReport) -> Iterator[RenderableType]:
    for table in (
        _sources(report.sources) if report.sources else None,
        _datasets(report.datasets) if report.datasets else None,
        _outputs(report.outputs) if report.outputs else None,
        _space(report.space) if report.space else None,
        _findings(report.findings) if report.findings else None,
    ):
        if table is not None:
            yield table
            yield ""
    yield _verdict(report)


def _verdict(report: CheckReport) -> Text:
    counts = ", ".join(counted(report.count(level), level.value) for level in LEVELS if report.count(level))
    worst = next((level for level in LEVELS if report.count(level)), None)
    if worst is None:
        return Text("Nothing is wrong.", style="bold green")
    return Text(f"{counts}.", style="bold red" if worst is Level.ERROR else "bold")


def _table(*columns: str, numbers: Iterable[str] = ()) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        right = column in numbers
        table.add_column(
            column,
            overflow="fold",
            style=None if number else "cyan",
            justify="right" if right else "left",
            no_wrap=right,
        )
    return table


def _sources(sources: Iterable[CheckedSource]) -> Table:
    table = _table("Source", "What", "Size", "Names", "Columns", numbers={"Size"})
    for source in sources:
        form = counted(source.slices, "slice") if source.sliced else "one file"
        dialect = "" if source.delimiter in {None, ","} else f", delimiter {source.delimiter!r}"
        table.add_row(
            Text(source.name),
            Text(f"{source.kind}, {form}{', gzip' if source.gzip else ''}{dialect}"),
            size_text(source.bytes),
            Text(source.header or "in the file"),
            Text(_columns(source.columns)),
        )
    return table


def _columns(columns: tuple[CheckedColumn, ...]) -> str:
    shown = ", ".join(
        f"{column.name} {column.type}{'' if column.nullable else ' not null'}" if column.type else column.name
        for column in columns[:SHOWN_COLUMNS]
    )
    hidden = len(columns) - SHOWN_COLUMNS
    return f"{shown} and {hidden} more" if hidden > 0 else shown


def _datasets(datasets: Iterable[CheckedDataset]) -> Table:
    table = _table("Dataset", "Of", "Mode", "Partitioned on", "Indices", "Types to infer")
    for dataset in datasets:
        table.add_row(
            Text(dataset.uuid),
            Text(dataset.source),
            dataset.mode,
            Text(", ".join(dataset.partition_on) or "-"),
            Text(", ".join(dataset.secondary_indices) or "-"),
            Text(", ".join(dataset.infers) or "-"),
        )
    return table


def _outputs(outputs: Iterable[CheckedOutput]) -> Table:
    table = _table("Output", "As", "Of", "Destination", "Why")
    for output in outputs:
        table.add_row(
            Text(output.name),
            output.written_as,
            Text(output.dataset),
            Text(output.destination or "-", style="green" if output.destination else ""),
            Text(output.rule or "-"),
        )
    return table


def _space(places: Iterable[CheckedSpace]) -> Table:
    table = _table("Space", "Free", "Estimated need", "Of which", numbers={"Free", "Estimated need"})
    for place in places:
        table.add_row(
            Text(f"{place.name} ({place.path})"), size_text(place.free), size_text(place.needed), Text(place.basis)
        )
    return table


def _findings(findings: Iterable[CheckFinding]) -> Table:
    table = _table("Finding", "Where", "What", "Code")
    for finding in findings:
        said = f"{finding.text.rstrip('.')}. {finding.remedy}".rstrip()
        table.add_row(
            Text(finding.level.value, style=LEVEL_STYLES[finding.level]),
            Text(finding.place),
            Text(said),
            Text(finding.code, style="dim"),
        )
    return table
