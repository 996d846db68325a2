"""What a run did, for people and for machines."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from component.report.amounts import counted, size_text, time_text
from component.report.log import Log

NARROW: Final = 80
"""Columns below which tables give way to lines."""
LINES_PER_MESSAGE: Final = 100
"""A summary of a thousand outputs would be cut as one message."""


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """One dataset that was written; `rows`, `partitions`, `files` and `bytes` are what this run added.

    `indices` gives each index column with the number of its distinct values, `where` the store or file it is in.
    """

    uuid: str
    rows_in: int
    rows: int
    rejected: int
    partitions: int
    files: int
    bytes: int
    indices: tuple[tuple[str, int], ...]
    mode: str
    where: str


@dataclass(frozen=True, slots=True)
class OutputSummary:
    """One output; `slices` is 0 for one plain file, `rule` says why it lands at `destination`."""

    name: str
    rows: int
    slices: int
    bytes: int
    destination: str
    rule: str


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run; `stages` are names with seconds, in order, `seconds` is the whole run (stages may leave gaps)."""

    datasets: tuple[DatasetSummary, ...]
    outputs: tuple[OutputSummary, ...]
    stages: tuple[tuple[str, float], ...]
    seconds: float


def show_summary(summary: RunSummary, log: Log) -> None:
    """Show a summary where the log goes: as tables on a terminal, else as messages of compact lines."""
    if log.screen is None:
        lines = _lines(summary)
        for first in range(0, len(lines), LINES_PER_MESSAGE):
            log.info("\n".join(lines[first : first + LINES_PER_MESSAGE]))
        return
    from rich.text import Text  # noqa: PLC0415 # rich costs 40 ms that a log need not pay

    shown, width = _masked(summary, log.mask), log.screen.width
    coloured = render_text(shown, width, colour=log.screen.color_system is not None)
    log.screen.print(Text.from_ansi(coloured), soft_wrap=True)


def render_text(summary: RunSummary, width: int | None, *, colour: bool = False) -> str:
    """Return tables of at most `width` columns, or with None compact lines for a log; no newline at the end.

    Below `NARROW` columns, where tables would be cut to pieces, the lines are folded instead.
    """
    if width is None:
        return "\n".join(_lines(summary))
    if width < NARROW:
        return "\n".join(textwrap.fill(line, max(width, 20), subsequent_indent="  ") for line in _lines(summary))
    from rich.console import Console  # noqa: PLC0415 # as above

    from component.report.summary_tables import tables_of  # noqa: PLC0415

    written = io.StringIO()
    console = Console(
        file=written,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        force_jupyter=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(tables_of(summary))
    return "\n".join(line.rstrip() for line in written.getvalue().rstrip().splitlines())


def render_json(summary: RunSummary) -> dict[str, Any]:
    """Return the summary as JSON values; the keys are the fields' names, sizes in bytes, times in seconds."""
    return {
        "datasets": [
            asdict(dataset) | {"indices": [{"column": column, "values": values} for column, values in dataset.indices]}
            for dataset in summary.datasets
        ],
        "outputs": [asdict(output) for output in summary.outputs],
        "stages": [{"name": name, "seconds": round(seconds, 3)} for name, seconds in summary.stages],
        "seconds": round(summary.seconds, 3),
    }


def indices_text(indices: tuple[tuple[str, int], ...]) -> str:
    """Return `carrier (16 values), dest (105 values)`, or `none`."""
    return ", ".join(f"{column} ({counted(values, 'value')})" for column, values in indices) or "none"


def stages_text(summary: RunSummary) -> str:
    """Return `Start Spark 2.1 s, Mill flights 10.0 s, all 12.4 s`."""
    parts = [*summary.stages, ("all", summary.seconds)]
    return ", ".join(f"{name} {time_text(seconds)}" for name, seconds in parts)


def _masked(summary: RunSummary, mask: Callable[[str], str]) -> RunSummary:
    """Mask before the tables fold: a secret that is cut in two would not be found any more."""
    datasets = (
        replace(
            dataset,
            uuid=mask(dataset.uuid),
            mode=mask(dataset.mode),
            where=mask(dataset.where),
            indices=tuple((mask(column), values) for column, values in dataset.indices),
        )
        for dataset in summary.datasets
    )
    outputs = (
        replace(output, name=mask(output.name), destination=mask(output.destination), rule=mask(output.rule))
        for output in summary.outputs
    )
    stages = tuple((mask(name), seconds) for name, seconds in summary.stages)
    return RunSummary(tuple(datasets), tuple(outputs), stages, summary.seconds)


def _lines(summary: RunSummary) -> list[str]:
    written = f"{counted(len(summary.datasets), 'dataset')}, {counted(len(summary.outputs), 'output')}"
    return [
        f"{written} in {time_text(summary.seconds)}",
        *map(_dataset_line, summary.datasets),
        *map(_output_line, summary.outputs),
        f"seconds: {stages_text(summary)}",
    ]


def _dataset_line(dataset: DatasetSummary) -> str:
    return (
        f"dataset {dataset.uuid} ({dataset.mode}): {counted(dataset.rows_in, 'row')} in, {dataset.rows:,} written,"
        f" {dataset.rejected:,} rejected; {counted(dataset.partitions, 'partition')},"
        f" {counted(dataset.files, 'file')}, {size_text(dataset.bytes)};"
        f" indices: {indices_text(dataset.indices)}; in {dataset.where}"
    )


def _output_line(output: OutputSummary) -> str:
    form = counted(output.slices, "slice") if output.slices else "one file"
    return (
        f"output {output.name}: {counted(output.rows, 'row')}, {form}, {size_text(output.bytes)};"
        f" to {output.destination} ({output.rule})"
    )
