"""Where outputs would land, as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from component.findings import Finding, Level
from component.folder.out_listing import OutSource
from component.mapping.jobs.job import JobPart, JobResolution
from component.mapping.platform.file_model import FileUpload
from component.mapping.platform.model import Load
from component.report.results.resolution import (
    ResolutionReport,
    disagreement_words,
    first_line,
    form_words,
    not_reached,
    option_words,
    rule_words,
    source_words,
    upload_words,
    verdict_words,
    why_words,
)
from component.report.words.amounts import size_text
from component.report.words.masking import printable
from component.report.words.tables import LEVEL_STYLES, table

MOST_ROWS: Final = 200
"""Tables above which a line for each is easier to search, and made in a fifth of the time."""


def show_resolution(report: ResolutionReport, console: Console) -> None:
    """Print what there is to say, in the order in which a reader asks: where, why, what is wrong."""
    job = report.job
    unreached = not_reached(job)
    console.print(f"{printable(source_words(report))}\n", soft_wrap=True, markup=False, highlight=False)
    if job.tables.loads:
        sources = {source.name: source for source in report.tables.sources}
        _show(console, "Tables", _loads(job.tables.loads, sources), dim=JobPart.TABLES in unreached)
    if job.files.uploads:
        _show(console, "Files", _uploads(report, job.files.uploads), dim=JobPart.FILES in unreached)
    if job.table_files:
        _show(console, "Tables as files", _uploads(report, job.table_files), dim=JobPart.TABLES in unreached)
    differences = (Text(printable(disagreement_words(one)), style="magenta") for one in report.disagreements)
    verdict = Text(verdict_words(job), style=_verdict_style(job))
    # messages are not folded, so that they can be copied, and found by who greps
    console.print(Text("\n").join([*_messages(job), *differences, verdict]), soft_wrap=True)


def _verdict_style(job: JobResolution) -> str:
    if job.error is not None:
        return "bold red"
    return "bold yellow" if any(finding.level is Level.ERROR for finding in job.findings) else "bold green"


def _show(console: Console, title: str, content: Table | Text, *, dim: bool) -> None:
    console.print(Text(f"{title}{' (the job stops before these)' if dim else ''}", style="dim" if dim else "bold"))
    console.print(content, soft_wrap=isinstance(content, Text))
    console.print()


def _messages(job: JobResolution) -> Iterator[Text]:
    for line in job.log:
        yield Text(printable(line), style="yellow")
    for swallowed in job.swallowed:
        yield Text(f"ignored, the job has failed: {printable(swallowed.text)} [{swallowed.code}]", style="dim")
    if job.error is not None:
        yield Text(f"refused: {printable(job.error.text)} [{job.error.code}]", style="bold red")
        yield Text(f"         {printable(job.error.remedy)}", style="red")
    for finding in job.findings:
        yield _finding(finding)


def _loads(loads: Sequence[Load], sources: Mapping[str, OutSource]) -> Table | Text:
    if len(loads) > MOST_ROWS:
        return Text("\n").join(_load_line(load, sources.get(load.source)) for load in loads)
    shown = table("Source", "What", "Destination", "Why", "First line", "Options")
    for load in loads:
        shown.add_row(
            _text(load.source),
            form_words(sources.get(load.source)),
            _text(load.destination, "green"),
            _text(why_words(load)),
            first_line(load),
            _text("\n".join(option_words(load))),
        )
    return shown


def _load_line(load: Load, source: OutSource | None) -> Text:
    parts = [
        f"{load.source} ({form_words(source)}) to {load.destination} by {why_words(load)}",
        f"first line: {first_line(load)}",
        *option_words(load),
    ]
    return Text(printable("; ".join(parts)))


def _uploads(report: ResolutionReport, uploads: Sequence[FileUpload]) -> Table:
    shown = table("File", "Size", "Tags", "Why", "Options")
    for upload, size in report.sized(uploads):
        over = ", over manifest" if upload.overrode else ""
        shown.add_row(
            _text(upload.source),
            size_text(size),
            _text(", ".join(upload.tags)),
            f"{rule_words(upload.rule)}{over}",
            ", ".join(upload_words(upload)),
        )
    return shown


def _finding(finding: Finding) -> Text:
    return Text(
        f"{finding.level.value}: {printable(finding.sentence)} [{finding.code}]",
        style=LEVEL_STYLES[finding.level],
    )


def _text(text: str, style: str = "") -> Text:
    return Text(printable(text), style=style)
