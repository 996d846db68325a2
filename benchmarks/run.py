"""Compare Tablemill with its peers on TPC-H lineitem: the same CSV to the same typed, partitioned Parquet, in one run.

    python benchmarks/run.py --scale 1 --rounds 3
    python benchmarks/run.py --scale 10 --rounds 3 --contenders tablemill duckdb polars

Rounds are interleaved, so that the machine's mood meets all alike; medians and their ratios are printed, and with
--record a row goes to RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime as dt
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
    "plateau": [str(ROOT / ".venv-plateau/bin/python"), str(HERE / "contenders/plat.py")],
}


def run_once(name: str, scale: int, folder: Path) -> Measured:
    """Run one contender into a fresh folder and check its result."""
    target = folder / name
    if name == "tablemill":
        data = lineitem.data_folder(scale, folder / "data", target)
        measured = measure([str(Path(sys.executable).with_name("tablemill")), "run", "--data", str(data)])
    else:
        measured = measure([*PEERS[name], str(lineitem.csv_path(scale)), str(target)])
    lineitem.check(target, scale)
    return measured


def compare(names: list[str], scale: int, rounds: int, scratch: str | None) -> dict[str, list[Measured]]:
    lineitem.csv_path(scale)
    results: dict[str, list[Measured]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names:
            folder = Path(tempfile.mkdtemp(prefix="bench-", dir=scratch))
            try:
                measured = run_once(name, scale, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            results[name].append(measured)
            print(
                f"round {number + 1} {name}: {measured.wall:.1f} s, {measured.cpu:.1f} CPU s, {measured.peak_mb:.0f} MB",
                flush=True,
            )
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
    parser.add_argument("--scale", type=int, default=1, choices=sorted(lineitem.ROWS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--contenders", nargs="+", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--scratch", help="where results are written and removed")
    parser.add_argument("--record", action="store_true", help="append the table to RESULTS.md")
    arguments = parser.parse_args()
    lines = table(compare(arguments.contenders, arguments.scale, arguments.rounds, arguments.scratch))
    print("\n".join(lines))
    if arguments.record:
        title = f"\n## {dt.date.today()}: lineitem, scale {arguments.scale}, medians of {arguments.rounds}\n\n"
        with (HERE / "RESULTS.md").open("a") as file:
            file.write(title + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
