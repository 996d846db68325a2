"""What a run did, for people and for machines."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from component.report.words.amounts import counted, size_text, time_text


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """What became of old files and rows where a run touched some of them only.

    Files were written again without some rows, or went whole. Rows were replaced by new ones of the same key, or
    deleted; `rows_added` are new rows that replaced none. None: not known, since another client wrote the files.
    """

    files_rewritten: int
    files_removed: int
    rows_replaced: int
    rows_added: int
    rows_deleted: int | None


@dataclass(frozen=True, slots=True)
class LossSummary:
    """Cells of one column that a reader gets otherwise than they were: what kind of loss, and how many."""

    column: str
    kind: str
    cells: int
    text: str


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """One dataset that was written; `rows`, `partitions`, `files` and `bytes` are what this run added.

    `indices` gives each index column with the number of its distinct values, `where` the store or file it is in.
    `losses` are what reading the inputs changed.
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
    changed: ChangeSummary | None = None
    losses: tuple[LossSummary, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputSummary:
    """One output; `slices` is 0 for one plain file, `rule` says why it lands at `destination`."""

    name: str
    rows: int
    slices: int
    bytes: int
    destination: str
    rule: str
    losses: tuple[LossSummary, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run; `stages` are names with seconds, in order, `seconds` is the whole run (stages may leave gaps)."""

    datasets: tuple[DatasetSummary, ...]
    outputs: tuple[OutputSummary, ...]
    stages: tuple[tuple[str, float], ...]
    seconds: float


def render_json(summary: RunSummary) -> dict[str, Any]:
    """Return the summary as JSON values; the keys are the fields' names, sizes in bytes, times in seconds."""
    return {
        "datasets": [
            asdict(dataset)
            | {"indices": [{"column": column, "values": values} for column, values in dataset.indices]}
            | {"losses": [asdict(lost) for lost in dataset.losses]}
            for dataset in summary.datasets
        ],
        "outputs": [
            asdict(output) | {"losses": [asdict(lost) for lost in output.losses]} for output in summary.outputs
        ],
        "stages": [{"name": name, "seconds": round(seconds, 3)} for name, seconds in summary.stages],
        "seconds": round(summary.seconds, 3),
    }


def indices_text(indices: tuple[tuple[str, int], ...]) -> str:
    """Return `carrier (16 values), dest (105 values)`, or `none`."""
    return ", ".join(f"{column} ({counted(values, 'value')})" for column, values in indices) or "none"


def change_text(changed: ChangeSummary) -> str:
    """Return `2 files rewritten, 1 removed; 5 rows replaced, 3 added, 0 deleted`."""
    deleted = "an unknown number" if changed.rows_deleted is None else f"{changed.rows_deleted:,}"
    return (
        f"{counted(changed.files_rewritten, 'file')} rewritten, {changed.files_removed:,} removed;"
        f" {counted(changed.rows_replaced, 'row')} replaced, {changed.rows_added:,} added, {deleted} deleted"
    )


def stages_text(summary: RunSummary) -> str:
    """Return `Start Spark 2.1 s, Mill flights 10.0 s, all 12.4 s`."""
    parts = [*summary.stages, ("all", summary.seconds)]
    return ", ".join(f"{name} {time_text(seconds)}" for name, seconds in parts)


def summary_lines(summary: RunSummary) -> list[str]:
    """Return the summary as compact lines, for a log."""
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
        f"{f' {change_text(dataset.changed)};' if dataset.changed else ''}"
        f" indices: {indices_text(dataset.indices)}; in {dataset.where}"
    )


def _output_line(output: OutputSummary) -> str:
    form = counted(output.slices, "slice") if output.slices else "one file"
    return (
        f"output {output.name}: {counted(output.rows, 'row')}, {form}, {size_text(output.bytes)};"
        f" to {output.destination} ({output.rule})"
    )
