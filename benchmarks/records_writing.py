"""Write a million rows of ten columns in dialects of the records format, beside pandas as records-mover calls it.

    python benchmarks/records_writing.py                       all, 3 rounds
    python benchmarks/records_writing.py --rows 100000 --dialects bluelabs csv-gzip

records-mover makes text of dates itself and leaves the rest to `DataFrame.to_csv`; so does the contender here, with the
options that it derives from the hints. Each contender is a process of its own, rounds are interleaved, medians printed.
Only the writing is timed: the rows are there before, as Arrow or as a frame.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

BLUELABS = {"escape": "\\", "quoting": None, "doublequote": False, "header_row": False}
CSV = {"escape": None, "quoting": "minimal", "doublequote": True, "header_row": True}
DIALECTS = {
    "bluelabs": {**BLUELABS, "compression": None},
    "bluelabs-gzip": {**BLUELABS, "compression": "GZIP"},
    "csv": {**CSV, "compression": None},
    "csv-gzip": {**CSV, "compression": "GZIP"},
}
DAY = 86_400_000_000


def table_of(rows: int):  # type: ignore[no-untyped-def] # a table of Arrow, imported here only
    import numpy as np
    import pyarrow as pa

    numbers = np.arange(rows)
    moments = pa.array(numbers * 7_919_000_003 % (20_000 * DAY)).cast(pa.timestamp("us"))
    texts = ["nothing to be said about this row", 'said "no, not now"', "a,b", "plain", "Łódź"]
    cities = ["Brno", "Łódź", "San José", None]
    return pa.table(
        {
            "id": numbers,
            "amount": pa.array(numbers * 7919 % 100_003, mask=numbers % 10 == 0),
            "price": numbers * 31 % 1_000_000 / 100,
            "active": numbers % 3 > 0,
            "name": pa.array(np.char.add("name ", (numbers % 5003).astype(str))),
            "day": pa.array((numbers % 9000).astype(np.int32)).cast(pa.date32()),
            "at": moments,
            "instant": moments,
            "city": pa.array(cities).take(pa.array(numbers % 4)),
            "note": pa.array(texts).take(pa.array(numbers % 5)),
        }
    )


def write_with_tablemill(rows: int, name: str, target: Path) -> float:
    from component.formats.delimited.dialect import DelimitedDialect
    from component.formats.delimited.write import DelimitedWriting

    table = table_of(rows)
    writing = DelimitedWriting(DelimitedDialect(**DIALECTS[name]))
    started = time.perf_counter()
    writer = writing.open(target, table.schema, {"instant": {"logical": "timestamptz"}})
    writer.write(table)
    writer.close()
    return time.perf_counter() - started


def write_with_pandas(rows: int, name: str, target: Path) -> float:
    hints = DIALECTS[name]
    frame = table_of(rows).to_pandas()
    frame["instant"] = frame["instant"].dt.tz_localize("UTC")
    started = time.perf_counter()
    frame["day"] = frame["day"].apply(lambda day: day.strftime("%Y-%m-%d"))
    frame.to_csv(
        target,
        index=False,
        header=hints["header_row"],
        quoting=csv.QUOTE_NONE if hints["quoting"] is None else csv.QUOTE_MINIMAL,
        escapechar=hints["escape"],
        doublequote=hints["doublequote"],
        date_format="%Y-%m-%d %H:%M:%S.%f%z",
        compression="gzip" if hints["compression"] else None,
        encoding="utf-8",
        lineterminator="\n",
    )
    return time.perf_counter() - started


WRITERS = {"tablemill": write_with_tablemill, "pandas": write_with_pandas}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dialects", nargs="+", default=list(DIALECTS), choices=list(DIALECTS))
    parser.add_argument("--one", nargs=2, metavar=("CONTENDER", "DIALECT"))
    options = parser.parse_args()
    if options.one:
        contender, name = options.one
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "data"
            seconds = WRITERS[contender](options.rows, name, target)
            print(f"{seconds:.3f} {target.stat().st_size}")
        return
    for name in options.dialects:
        compare(name, options.rows, options.rounds)


def compare(name: str, rows: int, rounds: int) -> None:
    found: dict[str, list[tuple[float, int]]] = {contender: [] for contender in WRITERS}
    for _ in range(rounds):
        for contender, results in found.items():
            command = [sys.executable, __file__, "--one", contender, name, "--rows", str(rows)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            results.append((float(said[0]), int(said[1])))
    medians = {contender: statistics.median(seconds for seconds, _ in results) for contender, results in found.items()}
    for contender, seconds in medians.items():
        size = found[contender][0][1] / 1e6
        print(f"{name:14} {contender:10} {seconds:6.2f} s {size:6.1f} MB {seconds / medians['tablemill']:5.1f}x")


if __name__ == "__main__":
    main()
