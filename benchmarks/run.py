"""Compare Tablemill with its peers on TPC-H lineitem: the same CSV to the same typed, partitioned Parquet, in one run.

    python benchmarks/run.py                                  all, at scale 1 and 10 (about an hour)
    python benchmarks/run.py --scale 10 --contenders tablemill duckdb polars --record

Rounds are interleaved, so that the machine's mood meets all alike; medians and their ratios are printed, and with
--record they go to RESULTS.md. At scale 10 Spark and plateau, which take many minutes, run once.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import lineitem
from measure import Measured, measure

HERE = Path(__file__).parent
ROOT = HERE.parent
PEERS = {
    "tablemill": None,
    "duckdb": [sys.executable, str(HERE / "contenders/duck.py")],
    "polars": [sys.executable, str(HERE / "contenders/pola.py")],
    "spark": [sys.executable, str(HERE / "contenders/spark.py")],
    "plateau": [
        os.environ.get("TABLEMILL_PLATEAU_PYTHON", str(ROOT / ".venv-plateau/bin/python")),
        str(HERE / "contenders/plat.py"),
    ],
}

SLOW = {"spark", "plateau"}


def run_once(name: str, scale: int, folder: Path) -> Measured:
    """Run one contender into a fresh folder and check its result."""
    target = folder / name
    if name == "tablemill":
        data = lineitem.data_folder(scale, folder / "data", target)
        measured = measure([str(Path(sys.executable).with_name("tablemill")), "run", "--data", str(data)])
    else:
        measured = measure([*PEERS[name], str(lineitem.csv_path(scale)), str(target)])
    lineitem.check(target, scale, exact=name != "plateau")
    return measured


def compare(names: list[str], scale: int, rounds: int, scratch: str | None) -> dict[str, list[Measured]]:
    lineitem.csv_path(scale)
    results: dict[str, list[Measured]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names:
            if number and scale > 1 and name in SLOW:
                continue
            folder = Path(tempfile.mkdtemp(prefix="bench-", dir=scratch))
            try:
                measured = run_once(name, scale, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            results[name].append(measured)
            figures = f"{measured.wall:.1f} s, {measured.cpu:.1f} CPU s, {measured.peak_mb:.0f} MB"
            print(f"scale {scale}, round {number + 1}, {name}: {figures}", flush=True)
            if name == "tablemill":
                print("  " + measured.output.strip().splitlines()[-1], flush=True)
    return results


def table(results: dict[str, list[Measured]]) -> list[str]:
    """Return the medians as Markdown rows, with ratios of Tablemill to each."""
    ours = {key: statistics.median(getattr(m, key) for m in results["tablemill"]) for key in ("wall", "cpu", "peak_mb")}
    lines = ["| contender | wall s | CPU s | peak MB | wall ratio | CPU ratio |", "|---|---|---|---|---|---|"]
    for name, measured in results.items():
        wall, cpu, peak = (statistics.median(getattr(m, key) for m in measured) for key in ("wall", "cpu", "peak_mb"))
        lines.append(
            f"| {name} | {wall:.1f} | {cpu:.1f} | {peak:.0f} | {ours['wall'] / wall:.2f} | {ours['cpu'] / cpu:.2f} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, nargs="+", default=sorted(lineitem.ROWS), choices=sorted(lineitem.ROWS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--contenders", nargs="+", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--scratch", help="where results are written and removed")
    parser.add_argument("--record", action="store_true", help="append the tables to RESULTS.md")
    arguments = parser.parse_args()
    for scale in arguments.scale:
        lines = table(compare(arguments.contenders, scale, arguments.rounds, arguments.scratch))
        print("\n".join(lines), flush=True)
        if arguments.record:
            today = dt.datetime.now(dt.UTC).date()
            title = f"\n## {today}: lineitem, scale {scale}, medians of {arguments.rounds}\n\n"
            with (HERE / "RESULTS.md").open("a") as file:
                file.write(title + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
