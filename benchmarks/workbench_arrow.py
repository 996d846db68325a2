"""What reading an Arrow file of Workbench costs: memory of Arrow, memory of the process, and time.

    .venv/bin/python benchmarks/workbench_arrow.py [GIGABYTES]

Each step runs in a process of its own. `own` is memory that the process alone has (RssAnon of Linux), `mapped` are
pages of the file that it looked at (RssFile): they belong to the system's cache, and are no copy.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

PROGRAM = """
import sys, time
import pyarrow as pa
from pathlib import Path
import pyarrow.compute
from component.workbench.files.arrow_file import open_arrow, read_arrow_file
from component.workbench.rules.limits import UNLIMITED

def memory():
    lines = Path("/proc/self/status").read_text().splitlines()
    sizes = {line.split()[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith("Rss")}
    return sizes["RssAnon:"], sizes["RssFile:"]

path, step = Path(sys.argv[1]), sys.argv[2]
before, started = memory(), time.perf_counter()
if step == "open":
    kept = open_arrow(path).rows
elif step == "open, check, agree":
    kept = read_arrow_file(path, limits=UNLIMITED).table.rows
else:
    kept = pa.ipc.open_file(path.read_bytes()).read_all()
seconds, after = time.perf_counter() - started, memory()
print(f"| {step} | {pa.total_allocated_bytes() / 2**20:.1f} | {pa.default_memory_pool().max_memory() / 2**20:.1f} "
      f"| {after[0] - before[0]:.1f} | {after[1] - before[1]:.1f} | {seconds:.3f} |")
"""
ROWS = 1_000_000


def write_file(path: Path, gigabytes: float) -> None:
    """Write a million rows: text of all lengths, numbers and timestamps, with formats in the fields."""
    from component.workbench.files.arrow_writing import write_arrow_file
    from component.workbench.rules.limits import UNLIMITED
    from component.workbench.tables.columns import number_column, text_column, timestamp_column
    from component.workbench.tables.table import WorkbenchTable

    random = np.random.default_rng(1)
    numbers = pa.array(random.random(ROWS))
    moments = pa.array(random.integers(0, 2**60, ROWS)).cast(pa.timestamp("ns"))
    texts = pa.array(["x" * 100, "ä" * 60, "", None]).take(pa.array(random.integers(0, 4, ROWS)))
    found = [(text_column("text"), texts), (timestamp_column("moment"), moments)]
    while sum(values.nbytes for _, values in found) < gigabytes * 2**30:
        found.append((number_column(f"number {len(found)}", "{:,.2f}"), numbers))
    rows = pa.table([values for _, values in found], names=[column.name for column, _ in found])
    write_arrow_file(path, WorkbenchTable(tuple(column for column, _ in found), rows), limits=UNLIMITED)


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        path = folder / "X.arrow"
        write_file(path, float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
        print(f"{path.stat().st_size / 2**20:.0f} MiB, {ROWS} rows\n")
        print(
            "| step | Arrow holds MiB | Arrow's peak MiB | own MiB | mapped MiB | s |\n|---|---|---|---|---|---|",
            flush=True,
        )
        for step in ("open", "open, check, agree", "read into memory (to compare)"):
            subprocess.run([sys.executable, "-c", PROGRAM, str(path), step], check=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
