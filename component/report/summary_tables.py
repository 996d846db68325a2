"""The summary of a run as tables for a terminal."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from component.report.amounts import size_text, time_text
from component.report.summary import DatasetSummary, OutputSummary, RunSummary, change_text, indices_text


def tables_of(summary: RunSummary) -> Group:
    """Return what there is to show, in order: datasets, outputs, seconds."""
    tables: list[RenderableType] = []
    if summary.datasets:
        tables += [_datasets(summary.datasets), *map(_dataset_notes, summary.datasets), ""]
    if summary.outputs:
        tables += [_outputs(summary.outputs), ""]
    return Group(*tables, _seconds(summary))


def _table(title: str, *numbers: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column(title, style="cyan", overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True)
    return table


def _datasets(datasets: tuple[DatasetSummary, ...]) -> Table:
    table = _table("Dataset", "Rows in", "Rows", "Rejected", "Partitions", "Files", "Size")
    for dataset in datasets:
        table.add_row(
            Text(dataset.uuid),
            f"{dataset.rows_in:,}",
            f"{dataset.rows:,}",
            Text(f"{dataset.rejected:,}", style="yellow" if dataset.rejected else ""),
            f"{dataset.partitions:,}",
            f"{dataset.files:,}",
            size_text(dataset.bytes),
        )
    return table


def _dataset_notes(dataset: DatasetSummary) -> Text:
    return Text.assemble(
        (dataset.uuid, "cyan"),
        f": {dataset.mode}, ",
        f"{change_text(dataset.changed)}; " if dataset.changed else "",
        f"indices: {indices_text(dataset.indices)}, in {dataset.where}",
        overflow="fold",
    )


def _outputs(outputs: tuple[OutputSummary, ...]) -> Table:
    table = _table("Output", "Rows", "Slices", "Size")
    table.add_column("Destination", overflow="fold")
    table.add_column("Why", overflow="fold")
    for output in outputs:
        table.add_row(
            Text(output.name),
            f"{output.rows:,}",
            f"{output.slices:,}" if output.slices else "-",
            size_text(output.bytes),
            Text(output.destination, style="green"),
            Text(output.rule),
        )
    return table


def _seconds(summary: RunSummary) -> Table:
    table = _table("Stage", "Time")
    for name, seconds in summary.stages:
        table.add_row(Text(name), time_text(seconds))
    table.add_row(Text("all", style="bold"), Text(time_text(summary.seconds), style="bold"))
    return table
