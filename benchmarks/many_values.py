"""An index of 20 million distinct values, built by a run on Spark: time, and the memory of all its processes."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from measure import measure

PIECE = 1_000_000


def write_source(path: Path, rows: int) -> None:
    """Write rows with a number that is unique, in no order, and 20 groups."""
    ids = np.random.default_rng(0).permutation(rows)
    schema = pa.schema([("grp", pa.int64()), ("id", pa.int64())])
    with pacsv.CSVWriter(path, schema) as writer:
        for start in range(0, rows, PIECE):
            part = ids[start : start + PIECE]
            writer.write_table(pa.table({"grp": pa.array(part % 20), "id": pa.array(part)}, schema=schema))


def data_folder(folder: Path, rows: int) -> Path:
    """Make a data folder whose one table is indexed by its unique column."""
    tables = folder / "in" / "tables"
    tables.mkdir(parents=True)
    write_source(tables / "values.csv", rows)
    schema = [{"name": name, "data_type": {"base": {"type": "INTEGER"}}} for name in ("grp", "id")]
    manifest = {"id": "in.c-bench.values", "primary_key": [], "columns": ["grp", "id"], "schema": schema}
    (tables / "values.csv.manifest").write_text(json.dumps(manifest))
    dataset = {
        "uuid": "values",
        "tables": [{"source": "values.csv"}],
        "partition_on": ["grp"],
        "secondary_indices": ["id"],
    }
    parameters = {"store": {"url": (folder / "store").resolve().as_uri()}, "datasets": [dataset]}
    (folder / "config.json").write_text(json.dumps({"parameters": parameters}))
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--scratch", help="where data is written and removed")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=arguments.scratch))
    try:
        data = data_folder(folder / "data", arguments.rows)
        measured = measure([str(Path(sys.executable).with_name("tablemill")), "run", "--data", str(data)])
        index = sum(path.stat().st_size for path in (data / "store").rglob("*index.parquet"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(
        f"{measured.wall:.1f} s, {measured.cpu:.1f} CPU s, {measured.peak_mb:.0f} MB at the peak, index {index:,} bytes"
    )
    print(measured.output.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
