"""What a replay has to say: the result of one run done again, and of several; as values and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from component.findings import Finding
from component.report.words.findings import finding_json


class Status(StrEnum):
    """How a replay ended.

    - `equal`: all is well, and the outputs are the expected ones.
    - `passed`: all is well; nothing was expected, so nothing was compared.
    - `different`: the run is well and its outputs are not the expected ones.
    - `failed`: the run did not end as expected, or the platform would refuse what it left.
    - `refused`: it was not run, since something it needs is not there or not safe.
    """

    EQUAL = "equal"
    PASSED = "passed"
    DIFFERENT = "different"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Row:
    """One row that differs: `side` is `expected` or `actual`; `number` counts data rows of its slice from 1."""

    side: str
    slice: str
    number: int
    cells: tuple[tuple[str, str | None], ...]
    changed: tuple[str, ...] = ()
    """Names of the cells that differ from the row of the other side that is most like it; none if there is no such."""


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """One way in which outputs are not the expected ones: where, of what kind, and the first rows where rows differ."""

    place: str
    kind: str
    text: str
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Landing:
    """Where one output would land on the platform."""

    source: str
    destination: str
    rule: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """One run that was done again. Texts are masked already."""

    name: str
    status: Status
    seconds: float = 0.0
    exit_code: int | None = None
    message: str = ""
    remarks: tuple[Finding, ...] = ()
    differences: tuple[OutputDifference, ...] = ()
    landings: tuple[Landing, ...] = ()
    compared: tuple[str, ...] = ()
    stdout: str = ""
    stderr: str = ""

    @property
    def is_well(self) -> bool:
        """Whether nothing stands against it."""
        return self.status in {Status.EQUAL, Status.PASSED}


@dataclass(frozen=True, slots=True)
class Replay:
    """All runs of one call."""

    runs: tuple[Replayed, ...]

    @property
    def exit_code(self) -> int:
        """0 when nothing stands against any run, else 1."""
        return 0 if self.runs and all(run.is_well for run in self.runs) else 1


def render_json(replay: Replay) -> dict[str, Any]:
    """Return a replay as JSON values."""
    return {"exit_code": replay.exit_code, "runs": [_run(run) for run in replay.runs]}


def _run(run: Replayed) -> dict[str, Any]:
    return {
        "name": run.name,
        "status": run.status.value,
        "seconds": round(run.seconds, 3),
        "exit_code": run.exit_code,
        "message": run.message,
        "remarks": [finding_json(one) for one in run.remarks],
        "differences": [_difference(one) for one in run.differences],
        "landings": [{"source": one.source, "destination": one.destination, "rule": one.rule} for one in run.landings],
        "compared": list(run.compared),
        "stdout": run.stdout,
        "stderr": run.stderr,
    }


def _difference(one: OutputDifference) -> dict[str, Any]:
    rows = [
        {
            "side": row.side,
            "slice": row.slice,
            "row": row.number,
            "cells": dict(row.cells),
            "changed": list(row.changed),
        }
        for row in one.rows
    ]
    return {"place": one.place, "kind": one.kind, "text": one.text, "rows": rows}
