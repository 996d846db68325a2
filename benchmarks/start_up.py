"""A flights-sized run (data-sample) beside bare Spark: start a SparkContext, run one Python task, stop."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from measure import Measured, measure

ROOT = Path(__file__).parent.parent
BARE = """
from pyspark import SparkConf, SparkContext
context = SparkContext(conf=SparkConf().setMaster("local[*]"))
context.parallelize([1, 2], 2).map(lambda number: number + 1).collect()
context.stop()
"""
ROUNDS = 5


def run_sample() -> Measured:
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        shutil.copytree(ROOT / "data-sample", folder / "data")
        return measure([str(Path(sys.executable).with_name("tablemill")), "run", "--data", str(folder / "data")])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    ours: list[Measured] = []
    bare: list[Measured] = []
    for _ in range(ROUNDS):
        ours.append(run_sample())
        bare.append(measure([sys.executable, "-c", BARE]))
    for name, measured in (("tablemill on data-sample", ours), ("bare Spark", bare)):
        wall, cpu, peak = (statistics.median(getattr(m, key) for m in measured) for key in ("wall", "cpu", "peak_mb"))
        print(f"{name}: {wall:.1f} s, {cpu:.1f} CPU s, {peak:.0f} MB")
    print(f"ratio of walls: {statistics.median(o.wall for o in ours) / statistics.median(b.wall for b in bare):.2f}")


if __name__ == "__main__":
    main()
