"""Compare Tablemill with its peers, in five suites.

lineitem: TPC-H lineitem, the same CSV to the same typed, partitioned Parquet. dataset: questions and changes beside
plateau, DuckDB and delta-rs, on plateau's own shape of data. large: 100,000 partitions, 20 million distinct values.
records: records directories beside records-mover, pandas, Spark and DuckDB, and the memory of 50 million rows.
shapes: very many columns, slices, tables and partitions, beside their aims.

    python benchmarks/run.py                                  all (more than an hour)
    python benchmarks/run.py --suites lineitem --scale 10 --contenders tablemill duckdb polars --record
    python benchmarks/run.py --suites dataset large --record

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
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import lineitem
import shapes
from dataset import compare as dataset
from measure import Measured, measure
from records import compare as records

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
RECORDS_ROWS = 1_000_000


def run_once(name: str, scale: int, folder: Path) -> Measured:
    """Run one contender into a fresh folder and check its result."""
    target = folder / name
    if name == "tablemill":
        data = lineitem.data_folder(scale, folder / "data", target)
        measured = measure(
            [str(Path(sys.executable).with_name("tablemill")), "run", "--follow-links", "--data", str(data)]
        )
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
    parser.add_argument("--suites", nargs="+", default=list(SUITES), choices=list(SUITES))
    parser.add_argument("--rows", type=int, default=2_000_000, help="of the dataset suite")
    arguments = parser.parse_args()
    for name in arguments.suites:
        for title, lines in SUITES[name](arguments):
            print("\n".join(lines), flush=True)
            if arguments.record:
                today = dt.datetime.now(dt.UTC).date()
                with (HERE / "RESULTS.md").open("a") as file:
                    file.write(f"\n## {today}: {title}\n\n" + "\n".join(lines) + "\n")


def _lineitem(arguments: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    for scale in arguments.scale:
        lines = table(compare(arguments.contenders, scale, arguments.rounds, arguments.scratch))
        yield f"lineitem, scale {scale}, medians of {arguments.rounds}", lines


def _dataset(arguments: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    lines = dataset.compare(arguments.rows, arguments.rounds, arguments.scratch)
    yield f"datasets, {arguments.rows:,} rows, medians of {arguments.rounds}", lines


def _large(arguments: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    yield "large datasets, without Spark", dataset.measure_large(arguments.scratch)


def _records(arguments: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    yield from records.suites(RECORDS_ROWS, arguments.rounds, arguments.scratch)


def _shapes(arguments: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    yield "odd shapes, whole runs (`benchmarks/shapes.py`)", shapes.compare(list(shapes.SHAPES), arguments.scratch)


SUITES = {"lineitem": _lineitem, "dataset": _dataset, "large": _large, "records": _records, "shapes": _shapes}


if __name__ == "__main__":
    main()
