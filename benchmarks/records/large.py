"""50 million rows through `tablemill convert`: time, and the memory of all its processes together and of the largest.

python benchmarks/records/large.py --rows 50000000

A plain directory of variant bluelabs, 1.8 GB in one file, becomes one of vertica. What is read is cut into splits, what
is written is cut into files, so memory is that of the splits and files of all cores, however many rows there are.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from measure import Measured, measure

PIECE = 1_000_000
FIELDS = {"id": "integer", "amount": "integer", "day": "date", "name": "string"}


def write_directory(folder: Path, rows: int) -> Path:
    """Write a directory of one file, a million rows at a time."""
    folder.mkdir(parents=True)
    names = pa.array([f"name {number}" for number in range(5003)])
    file = folder / "data001.csv"
    with file.open("wb") as sink:
        for start in range(0, rows, PIECE):
            numbers = np.arange(start, min(start + PIECE, rows))
            table = pa.table(
                {
                    "id": numbers,
                    "amount": numbers * 7919 % 100_003,
                    "day": pa.array((numbers % 9000).astype(np.int32)).cast(pa.date32()),
                    "name": names.take(pa.array(numbers % 5003)),
                }
            )
            pacsv.write_csv(table, sink, pacsv.WriteOptions(include_header=False, quoting_style="none"))
    fields = {name: {"type": word, "index": index} for index, (name, word) in enumerate(FIELDS.items(), 1)}
    schema = {"schema": "bltypes/v1", "fields": fields, "known_representations": {}}
    (folder / "_schema.json").write_text(json.dumps(schema))
    hints = {"compression": None}
    (folder / "_format_delimited").write_text(json.dumps({"type": "delimited", "variant": "bluelabs", "hints": hints}))
    entry = {"url": file.resolve().as_uri(), "mandatory": True, "meta": {"content_length": file.stat().st_size}}
    (folder / "_manifest").write_text(json.dumps({"entries": [entry]}))
    return folder


def convert(rows: int, scratch: str | None) -> tuple[Measured, float]:
    """Convert so many rows, and return what it took and how many MB there were to read."""
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=scratch))
    try:
        source = write_directory(folder / "source", rows)
        size = (source / "data001.csv").stat().st_size / 1e6
        program = str(Path(sys.executable).with_name("tablemill"))
        measured = measure([program, "convert", f"{source}/", f"{folder}/target/", "--variant", "vertica"])
        schema = json.loads((folder / "target/_schema.json").read_text())
        if schema["fields"]["id"]["statistics"]["total_rows"] != rows:
            raise AssertionError("rows were lost")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return measured, size


def compare(rows: int, scratch: str | None) -> Iterator[str]:
    """Yield a table of the memory that a million rows and many rows take."""
    yield "| rows | MB read | wall s | CPU s | peak MB, all processes | peak MB, largest process |"
    yield "|---|---|---|---|---|---|"
    for count in (PIECE, rows):
        measured, size = convert(count, scratch)
        figures = f"{measured.wall:.0f} | {measured.cpu:.0f} | {measured.peak_mb:.0f} | {measured.largest_mb:.0f}"
        yield f"| {count:,} | {size:.0f} | {figures} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--scratch", help="where data is written and removed")
    arguments = parser.parse_args()
    for line in compare(arguments.rows, arguments.scratch):
        print(line, flush=True)


if __name__ == "__main__":
    main()
