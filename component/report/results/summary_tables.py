"""The summary of a run as tables for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from component.report.results.summary import DatasetSummary, OutputSummary, RunSummary, change_text, indices_text
from component.report.words.amounts import size_text, time_text
from component.report.words.tables import table


def tables_of(summary: RunSummary) -> Group:
    """Return what there is to show, in order: datasets, outputs, seconds."""
    tables: list[RenderableType] = []
    if summary.datasets:
        tables += [_datasets(summary.datasets), *map(_dataset_notes, summary.datasets), ""]
    if summary.outputs:
        tables += [_outputs(summary.outputs), ""]
    return Group(*tables, _seconds(summary))


def _datasets(datasets: tuple[DatasetSummary, ...]) -> Table:
    columns = ("Dataset", "Rows in", "Rows", "Rejected", "Partitions", "Files", "Size")
    shown = table(*columns, numbers=columns[1:])
    for dataset in datasets:
        shown.add_row(
            Text(dataset.uuid),
            f"{dataset.rows_in:,}",
            f"{dataset.rows:,}",
            Text(f"{dataset.rejected:,}", style="yellow" if dataset.rejected else ""),
            f"{dataset.partitions:,}",
            f"{dataset.files:,}",
            size_text(dataset.bytes),
        )
    return shown


def _dataset_notes(dataset: DatasetSummary) -> Text:
    return Text.assemble(
        (dataset.uuid, "cyan"),
        f": {dataset.mode}, ",
        f"{change_text(dataset.changed)}; " if dataset.changed else "",
        f"indices: {indices_text(dataset.indices)}, in {dataset.where}",
        overflow="fold",
    )


def _outputs(outputs: tuple[OutputSummary, ...]) -> Table:
    shown = table("Output", "Rows", "Slices", "Size", "Destination", "Why", numbers=("Rows", "Slices", "Size"))
    for output in outputs:
        shown.add_row(
            Text(output.name),
            f"{output.rows:,}",
            f"{output.slices:,}" if output.slices else "-",
            size_text(output.bytes),
            Text(output.destination, style="green"),
            Text(output.rule),
        )
    return shown


def _seconds(summary: RunSummary) -> Table:
    shown = table("Stage", "Time", numbers=("Time",))
    for name, seconds in summary.stages:
        shown.add_row(Text(name), time_text(seconds))
    shown.add_row(Text("all", style="bold"), Text(time_text(summary.seconds), style="bold"))
    return shown
