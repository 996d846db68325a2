"""A replay for people: a few lines a run, tables where there are rows, and one line at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from component.findings import Finding
from component.report.results.replayed import Landing, OutputDifference, Replay, Replayed, Row, Status
from component.report.words.amounts import counted, time_text
from component.report.words.tables import LEVEL_STYLES, table

_STYLES: Final = {
    Status.EQUAL: "bold green",
    Status.PASSED: "bold green",
    Status.DIFFERENT: "bold red",
    Status.FAILED: "bold red",
    Status.REFUSED: "bold red",
}
_NULL: Final = Text("null", style="dim italic")


def show_run(run: Replayed, console: Console, *, single: bool) -> None:
    """Print a run: all of a single one, and of one of several what stands against it."""
    console.print(_run(run, whole=single or not run.is_well))


def show_total(replay: Replay, console: Console) -> None:
    """Print the last line, where there were several runs."""
    if len(replay.runs) != 1:
        console.print(_total(replay))


def _run(run: Replayed, *, whole: bool) -> Group:
    seconds = f", {time_text(run.seconds)}" if run.seconds else ""
    code = "" if run.exit_code is None else f", exit code {run.exit_code}"
    head = Text.assemble((run.status.value, _STYLES[run.status]), f"  {run.name}{code}{seconds}", overflow="fold")
    parts: list[RenderableType] = [head]
    if run.status is Status.REFUSED:
        parts.append(_line(Text(run.message, style="red")))
    if whole:
        parts += [_finding(finding) for finding in run.remarks]
        parts += [part for difference in run.differences for part in _difference(difference)]
        parts += list(_landings(run.landings))
        if run.status is Status.EQUAL:
            parts.append(_line(Text(f"{counted(len(run.compared), 'output')} compared.")))
    return Group(*parts)


def _line(text: Text) -> Text:
    text.overflow = "fold"
    return Text.assemble("  ", text)


def _finding(finding: Finding) -> Text:
    level = (f"{finding.level.value} ", LEVEL_STYLES[finding.level])
    place = (f"{finding.place}: " if finding.place else "", "cyan")
    return _line(Text.assemble(level, place, finding.sentence))


def _difference(difference: OutputDifference) -> Iterator[RenderableType]:
    yield _line(Text.assemble(("differs ", "red"), (f"{difference.place}: ", "cyan"), difference.text))
    if difference.rows:
        yield _rows(difference.rows)


def _rows(rows: tuple[Row, ...]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name, _ in row.cells))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("", "Slice", "Row"):
        table.add_column(name, no_wrap=True)
    for name in names:
        table.add_column(Text(name), overflow="fold")
    for row in rows:
        style = "green" if row.side == "expected" else "red"
        cells = dict(row.cells)
        shown = [_cell(cells.get(name, ""), changed=name in row.changed, style=style) for name in names]
        table.add_row(Text(row.side, style=style), Text(row.slice), f"{row.number:,}", *shown)
    return table


def _cell(cell: str | None, *, changed: bool, style: str) -> Text:
    if cell is None:
        return _NULL
    return Text(cell, style=f"bold {style}" if changed else "")


def _landings(landings: tuple[Landing, ...]) -> Iterator[RenderableType]:
    if not landings:
        return
    shown = table("Output", "Destination", "Why")
    for landing in landings:
        shown.add_row(Text(landing.source), Text(landing.destination), Text(landing.rule))
    yield shown


def _total(replay: Replay) -> Text:
    counts = {status: sum(run.status is status for run in replay.runs) for status in Status}
    words = ", ".join(f"{count} {status.value}" for status, count in counts.items() if count)
    return Text(f"{counted(len(replay.runs), 'case')}: {words}")
