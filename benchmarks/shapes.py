"""Odd shapes of input: very many columns, slices, tables and partitions; time, CPU and memory of whole runs.

python benchmarks/shapes.py                     all
python benchmarks/shapes.py columns slices      some
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from measure import measure

HEADER = "| shape | wall s | CPU s | peak MB | aim |\n|---|---|---|---|---|"
TABLEMILL = str(Path(sys.executable).with_name("tablemill"))


@dataclass(frozen=True)
class Shape:
    """`make` fills in/ of a data folder, and returns config.json's parameters. The aims are seconds and MB."""

    about: str
    make: Callable[[Path], dict[str, Any]]
    aim: float
    memory: float | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", default=list(SHAPES), metavar="shape", help=", ".join(SHAPES))
    parser.add_argument("--scratch", help="where data is written and removed")
    arguments = parser.parse_args()
    print(HEADER, flush=True)
    for name in arguments.shapes:
        compare(name, arguments.scratch)


def compare(name: str, scratch: str | None) -> None:
    """Run a shape and print its row, before its files are removed: that takes minutes where there are many."""
    shape = SHAPES[name]
    with tempfile.TemporaryDirectory(prefix="bench-", dir=scratch) as folder:
        data = make(shape, Path(folder) / "data")
        measured = measure([TABLEMILL, "run", "--data", str(data)])
        aim = f"{shape.aim:.0f} s" + (f", {shape.memory:,.0f} MB" if shape.memory else "")
        figures = f"{measured.wall:.1f} | {measured.cpu:.1f} | {measured.peak_mb:.0f}"
        print(f"| {shape.about} | {figures} | {aim} |", flush=True)
        print(measured.output.strip().splitlines()[-1], file=sys.stderr, flush=True)


def make(shape: Shape, folder: Path) -> Path:
    """Make the data folder of a shape."""
    (folder / "in" / "tables").mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"parameters": shape.make(folder / "in" / "tables")}))
    return folder


def _wide(rows: int, columns: int) -> Callable[[Path], dict[str, Any]]:
    def make(tables: Path) -> dict[str, Any]:
        with (tables / "wide.csv").open("w") as file:
            file.write(",".join(f"c{number}" for number in range(columns)) + "\n")
            for row in range(rows):
                file.write(",".join(str(row * number) for number in range(columns)) + "\n")
        return {}

    return make


def _slices(count: int) -> Callable[[Path], dict[str, Any]]:
    def make(tables: Path) -> dict[str, Any]:
        (tables / "sliced.csv").mkdir()
        for number in range(count):
            (tables / "sliced.csv" / f"part.{number:05}").write_text(f"{number},a\n{number + 1},b\n")
        _manifest(tables / "sliced.csv.manifest", {"number": "INTEGER", "letter": "STRING"})
        return {}

    return make


def _tables(count: int) -> Callable[[Path], dict[str, Any]]:
    def make(tables: Path) -> dict[str, Any]:
        for number in range(count):
            (tables / f"t{number:05}.csv").write_text(f"number,letter\n{number},a\n{number + 1},b\n")
        return {}

    return make


def _partitions(count: int) -> Callable[[Path], dict[str, Any]]:
    def make(tables: Path) -> dict[str, Any]:
        with (tables / "many.csv").open("w") as file:
            file.write("key,value\n")
            file.writelines(f"{number},{number * 7}\n" for number in range(count))
        _manifest(tables / "many.csv.manifest", {"key": "INTEGER", "value": "INTEGER"})
        store = (tables.parent.parent / "store").as_uri()
        dataset = {"uuid": "many", "tables": [{"source": "many.csv"}], "partition_on": ["key"]}
        return {"store": {"url": store}, "datasets": [dataset]}

    return make


def _manifest(path: Path, types: dict[str, str]) -> None:
    schema = [{"name": name, "data_type": {"base": {"type": kind}}} for name, kind in types.items()]
    path.write_text(json.dumps({"id": "in.c-bench.table", "primary_key": [], "columns": list(types), "schema": schema}))


SHAPES = {
    "columns": Shape("1 row of 10,000 columns", _wide(1, 10_000), 15),
    "wide": Shape("300 rows of 5,000 columns", _wide(300, 5_000), 20),
    "slices": Shape("10,000 slices of 2 rows", _slices(10_000), 20),
    "tables": Shape("1,000 tables of 2 rows", _tables(1_000), 20),
    "partitions": Shape("200,000 partitions of 1 row", _partitions(200_000), 120, 1500),
}


if __name__ == "__main__":
    main()
