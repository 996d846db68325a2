"""Records directories beside their peers: a million rows of ten columns, read and written in four dialects.

Each contender is a process of its own on one core; its clock starts when libraries are loaded and, for writing, rows
are there. Rounds are interleaved, medians printed. Then whole conversions, and the memory that 50 million rows take.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from measure import Measured, measure
from records import large
from records.rows import DIALECTS, directory

HERE = Path(__file__).parent
CLIENT = os.environ.get("TABLEMILL_RECORDS_PYTHON", str(HERE.parent.parent / ".venv-records/bin/python"))
QUOTED_ONLY = {"duckdb", "spark"}
"""They know no escape outside of quotes, which bluelabs has."""
CONTENDERS = {
    "read": ("tablemill", "pandas", "records-mover", "duckdb", "spark"),
    "write": ("tablemill", "pandas", "records-mover", "duckdb"),
}

Figures = dict[str, float]


def run_one(step: str, name: str, dialect: str, rows: int, scratch: str | None) -> Figures:
    """Run one contender in a process of its own."""
    python = CLIENT if name == "records-mover" else sys.executable
    given = [str(directory(dialect, rows))] if step == "read" else [dialect, str(rows)]
    environment = {**os.environ, **({"BENCH_SCRATCH": scratch} if scratch else {})}
    measured = measure([python, "-W", "ignore", str(HERE / f"{step}.py"), name, *given], environment)
    figures: Figures = json.loads(measured.output.strip().splitlines()[-1])
    return {**figures, "peak": measured.peak_mb}


def compare(rows: int, rounds: int, scratch: str | None) -> Iterator[str]:
    """Yield a table of medians; ratios are the contender's figure by ours."""
    yield "| step | dialect | contender | wall s | CPU s | peak MB | wall ratio | CPU ratio |"
    yield "|---|---|---|---|---|---|---|---|"
    for step, names in CONTENDERS.items():
        for dialect, (_, hints) in DIALECTS.items():
            there = [name for name in names if hints["quoting"] or name not in QUOTED_ONLY]
            found: dict[str, list[Figures]] = {name: [] for name in there}
            for _ in range(rounds):
                for name in there:
                    found[name].append(run_one(step, name, dialect, rows, scratch))
            yield from _lines(step, dialect, found)


def _lines(step: str, dialect: str, found: dict[str, list[Figures]]) -> Iterator[str]:
    ours = _medians(found["tablemill"])
    for name, figures in found.items():
        one = _medians(figures)
        ratios = f"{one['wall'] / ours['wall']:.1f} | {one['cpu'] / ours['cpu']:.1f}"
        yield f"| {step} | {dialect} | {name} | {one['wall']:.2f} | {one['cpu']:.2f} | {one['peak']:.0f} | {ratios} |"


def _medians(figures: list[Figures]) -> Figures:
    return {key: statistics.median(one[key] for one in figures) for key in ("wall", "cpu", "peak")}


RUNS = (("bluelabs-gzip", ["--variant", "csv", "--hint", "dateformat=YYYY-MM-DD"]), ("csv", ["--variant", "bluelabs"]))
ISO = ("--hint", "datetimeformat=YYYY-MM-DD HH24:MI:SS", "--hint", "datetimeformattz=YYYY-MM-DD HH24:MI:SSOF")


def compare_runs(rows: int, rounds: int, scratch: str | None) -> Iterator[str]:
    """Yield a table of whole conversions between dialects, the start of everything included, beside the client's."""
    yield "| from | to | contender | wall s | CPU s | peak MB |"
    yield "|---|---|---|---|---|---|"
    for dialect, options in RUNS:
        source = directory(dialect, rows)
        program = str(Path(sys.executable).with_name("tablemill"))
        commands = {
            "tablemill": [program, "convert", f"{source}/", "{target}/", *options, *ISO],
            "records-mover": [CLIENT, "-W", "ignore", str(HERE / "move.py"), str(source), "{target}", options[1]],
        }
        found: dict[str, list[Measured]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                found[name].append(_convert(command, scratch))
        for name, measured in found.items():
            wall, cpu, peak = (
                statistics.median(getattr(m, key) for m in measured) for key in ("wall", "cpu", "peak_mb")
            )
            yield f"| {dialect} | {options[1]} | {name} | {wall:.1f} | {cpu:.1f} | {peak:.0f} |"


def _convert(command: list[str], scratch: str | None) -> Measured:
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=scratch))
    try:
        return measure([part.replace("{target}", str(folder / "target")) for part in command])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def suites(rows: int, rounds: int, scratch: str | None) -> Iterator[tuple[str, list[str]]]:
    """Yield title and table of each part."""
    subprocess.run([CLIENT, "-c", "import records_mover"], check=True, capture_output=True)
    yield f"records, {rows:,} rows, medians of {rounds}", list(compare(rows, rounds, scratch))
    yield f"records, whole conversions of {rows:,} rows", list(compare_runs(rows, rounds, scratch))
    yield "records, memory of 50,000,000 rows", list(large.compare(50_000_000, scratch))
