"""Datasets beside their peers: plateau on its own shape of data, DuckDB over the same files, delta-rs for changes.

Every step runs in a process of its own; its clock starts when libraries are loaded and inputs are read. Rounds are
interleaved by contender, medians are printed, and what a step found must be the same for all.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PLATEAU = os.environ.get("TABLEMILL_PLATEAU_PYTHON", str(HERE.parent.parent / ".venv-plateau/bin/python"))
CONTENDERS = {
    "tablemill": (sys.executable, "mill.py"),
    "plateau": (PLATEAU, "plat.py"),
    "duckdb": (sys.executable, "duck.py"),
    "delta-rs": (sys.executable, "delta.py"),
}
STEPS = {
    "write": ("tablemill", "plateau", "delta-rs"),
    "read": ("tablemill", "plateau", "duckdb"),
    "read_pandas": ("tablemill", "plateau"),
    "lookup": ("tablemill", "plateau", "duckdb", "delta-rs"),
    "range_lookup": ("tablemill", "plateau", "duckdb"),
    "append": ("tablemill", "plateau", "delta-rs"),
    "upsert": ("tablemill", "delta-rs"),
}
MEANING = {
    "write": "write all rows; the datasets with an index on the unique id",
    "read": "read all rows (plateau to a frame of pandas, the others to Arrow)",
    "read_pandas": "read all rows to a frame of pandas",
    "lookup": "one row by its unique id",
    "range_lookup": "54 rows by two columns that are neither index nor partition key",
    "append": "append 1,000 rows",
    "upsert": "upsert 1,000 rows, half of them new, by the unique id",
}
DISTINCT_STEPS = ("write_fragments", "build", "look_up_cold", "look_up")
LARGE = (
    *("make", "open", "plan", "plan_by_key", "plan_by_index", "plan_by_a_wide_range", "append"),
    *(f"{step}_{kind}" for kind in ("numbers", "texts") for step in DISTINCT_STEPS),
)

Figures = dict[str, float]


def run_step(python: str, script: str, step: str, folder: Path) -> Figures:
    """Run one step and return its figures; a failure of it is an error."""
    command = [python, "-W", "ignore", str(HERE / script), step, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(rows: int, rounds: int, scratch: str | None) -> list[str]:
    """Run all steps of all contenders and return a table of medians; ratios are the contender's figure by ours."""
    figures: dict[tuple[str, str], list[Figures]] = {}
    for number in range(rounds):
        folder = Path(tempfile.mkdtemp(prefix="bench-", dir=scratch))
        try:
            subprocess.run([sys.executable, str(HERE / "rows.py"), str(folder), str(rows)], check=True, cwd=HERE)
            for step, names in STEPS.items():
                found = {}
                for name in names:
                    one = run_step(*CONTENDERS[name], step, folder)
                    figures.setdefault((step, name), []).append(one)
                    found[name] = one["found"]
                    print(f"round {number + 1}, {step}, {name}: {_figures(one)}", flush=True)
                if step not in {"append", "write"} and len(set(map(str, found.values()))) > 1:
                    raise AssertionError(f"{step} found {found}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return _table(figures)


def _figures(one: Figures) -> str:
    return f"{one['wall']:.3f} s, {one['cpu']:.3f} CPU s ({one['process_cpu']:.2f} in all), {one['peak_mb']:.0f} MB"


def _table(figures: dict[tuple[str, str], list[Figures]]) -> list[str]:
    medians = {
        pair: {key: statistics.median(one[key] for one in many) for key in ("wall", "cpu", "process_cpu", "peak_mb")}
        for pair, many in figures.items()
    }
    lines = [
        "| step | contender | wall s | CPU s | CPU s, whole | peak MB | wall ratio | CPU ratio | memory ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (step, name), theirs in medians.items():
        ours = medians[step, "tablemill"]
        times = " | ".join(f"{theirs[key] / ours[key]:.2f}" for key in ("wall", "cpu", "peak_mb"))
        lines.append(
            f"| {step} | {name} | {theirs['wall']:.3f} | {theirs['cpu']:.3f} | {theirs['process_cpu']:.2f}"
            f" | {theirs['peak_mb']:.0f} | {times} |"
        )
    return [*lines, "", *(f"- {step}: {text}" for step, text in MEANING.items())]


def measure_large(scratch: str | None) -> list[str]:
    """Run the steps of `large.py` once each, and return a table."""
    lines = ["| step | wall s | CPU s | peak MB |", "|---|---|---|---|"]
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=scratch))
    try:
        for step in LARGE:
            one = run_step(sys.executable, "large.py", step, folder)
            print(f"{step}: {_figures(one)}", flush=True)
            lines.append(f"| {step} | {one['wall']:.3f} | {one['cpu']:.3f} | {one['peak_mb']:.0f} |")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return lines
