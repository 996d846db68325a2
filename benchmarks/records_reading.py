"""Read a million rows of ten columns in dialects of the records format, beside records-mover and pandas.

    python benchmarks/records_reading.py                       all, 3 rounds
    python benchmarks/records_reading.py --rows 100000 --dialects bluelabs csv-gzip

records-mover runs in its own environment, whose Python TABLEMILL_RECORDS_PYTHON names; without it, it is left out.
`pandas-c` is pandas' fast engine with the same hints, which records-mover does not use. Every contender is one process
at a time; rounds are interleaved, and medians of CPU seconds, wall and memory printed, the start of Python included.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.abc
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))

HERE = Path(__file__).parent
DATA = HERE / "data" / "records"
COLUMNS = {
    "id": "integer",
    "amount": "integer",
    "price": "decimal",
    "active": "boolean",
    "name": "string",
    "day": "date",
    "at": "datetime",
    "instant": "datetimetz",
    "city": "string",
    "note": "string",
}
ISO = {"dateformat": "YYYY-MM-DD", "datetimeformat": "YYYY-MM-DD HH24:MI:SS"}
BLUELABS = {"header-row": False, "quoting": None, "escape": "\\", "doublequote": False, **ISO}
CSV = {"header-row": True, "quoting": "minimal", "escape": None, "doublequote": True, **ISO}
DIALECTS = {
    "bluelabs": ("bluelabs", {**BLUELABS, "compression": None}),
    "bluelabs-gzip": ("bluelabs", {**BLUELABS, "compression": "GZIP"}),
    "csv": ("csv", {**CSV, "compression": None}),
    "csv-gzip": ("csv", {**CSV, "compression": "GZIP"}),
    "vertica": (
        "vertica",
        {**BLUELABS, "escape": None, "compression": None, "field-delimiter": "\x01", "record-terminator": "\x02"},
    ),
}
GENERAL = {
    "field-delimiter": ",",
    "record-terminator": "\n",
    "quotechar": '"',
    "encoding": "UTF8",
    "timeonlyformat": "HH24:MI:SS",
    "datetimeformattz": "YYYY-MM-DD HH24:MI:SSOF",
}


def directory(name: str, rows: int) -> Path:
    """Return a records directory of a dialect, made when it is not there."""
    folder = DATA / f"{name}-{rows}"
    if (folder / "_manifest").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    variant, given = DIALECTS[name]
    hints = {**GENERAL, **given}
    text = "".join(_records(rows, hints)).encode()
    suffix = ".gz" if hints["compression"] else ""
    file = folder / f"data001.csv{suffix}"
    file.write_bytes(gzip.compress(text, 6) if hints["compression"] else text)
    fields = {
        column: {"type": word, "index": index, "constraints": {"required": False}}
        for index, (column, word) in enumerate(COLUMNS.items(), 1)
    }
    schema = {"schema": "bltypes/v1", "fields": fields, "known_representations": {}}
    (folder / "_schema.json").write_text(json.dumps(schema))
    (folder / "_format_delimited").write_text(json.dumps({"type": "delimited", "variant": variant, "hints": hints}))
    entry = {"url": file.resolve().as_uri(), "mandatory": True, "meta": {"content_length": file.stat().st_size}}
    (folder / "_manifest").write_text(json.dumps({"entries": [entry]}))
    return folder


def _records(rows: int, hints: dict[str, object]) -> Iterator[str]:
    delimiter, terminator = str(hints["field-delimiter"]), str(hints["record-terminator"])
    if hints["header-row"]:
        yield delimiter.join(COLUMNS) + terminator
    for n in range(rows):
        day = f"20{n % 24:02}-{n % 12 + 1:02}-{n % 28 + 1:02}"
        clock = f"{n % 24:02}:{n % 60:02}:{n % 59:02}.{n % 1_000_000:06}"
        cells = [
            str(n),
            str(n * 7919 % 100_003) if n % 10 else "",
            f"{n * 31 % 1_000_000 / 100}",
            "True" if n % 3 else "False",
            f"name {n % 5003}",
            day,
            f"{day} {clock}",
            f"{day} {clock}+0000",
            ("Brno", "Łódź", "San José", "")[n % 4],
            f'said "no, {n}"' if n % 5 == 0 else "nothing to be said about this row",
        ]
        yield delimiter.join(_cell(cell, hints) for cell in cells) + terminator


def _cell(cell: str, hints: dict[str, object]) -> str:
    if hints["escape"]:
        return cell.replace("\\", "\\\\").replace(",", "\\,")
    if hints["quoting"] and ("," in cell or '"' in cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell


class WithoutPandas(importlib.abc.MetaPathFinder):
    """Hides pandas, which pyarrow loads where it is: the environment of Tablemill has none."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def read_with_tablemill(folder: Path) -> int:
    sys.meta_path.insert(0, WithoutPandas())
    from component.formats.csv.split import ByteRange
    from component.formats.delimited.dialect import DelimitedDialect
    from component.formats.delimited.read import DelimitedReader
    from component.formats.delimited.source import DelimitedSplit
    from component.tables.logical import Logical, logical_column
    from component.tables.types import Column, TableSchema, TypeName

    types = {
        "integer": TypeName.INTEGER,
        "decimal": TypeName.FLOAT,
        "boolean": TypeName.BOOLEAN,
        "string": TypeName.STRING,
        "date": TypeName.DATE,
        "datetime": TypeName.TIMESTAMP,
    }
    columns = [
        logical_column(name, Logical.TIMESTAMPTZ) if word == "datetimetz" else Column(name, types[word])
        for name, word in COLUMNS.items()
    ]
    hints = json.loads((folder / "_format_delimited").read_text())["hints"]
    dialect = DelimitedDialect(**{name.replace("-", "_"): value for name, value in hints.items()})
    (file,) = folder.glob("data*")
    split = DelimitedSplit("t", file.name, file, ByteRange(0, file.stat().st_size))
    reader = DelimitedReader(TableSchema(tuple(columns)), dialect)
    return sum(parsed.rows.num_rows for parsed in reader.read(split))


def read_with_pandas(folder: Path) -> int:
    """As records-mover calls it, by the fast engine."""
    import pandas as pd

    hints = json.loads((folder / "_format_delimited").read_text())["hints"]
    (file,) = folder.glob("data*")
    terminator = hints["record-terminator"]
    frame = pd.read_csv(
        file,
        header=0 if hints["header-row"] else None,
        names=list(COLUMNS),
        sep=hints["field-delimiter"],
        lineterminator=None if terminator == "\n" else terminator,
        compression="gzip" if hints["compression"] else None,
        quoting=3 if hints["quoting"] is None else 0,
        escapechar=hints["escape"],
        doublequote=hints["doublequote"],
        parse_dates=["day", "at"],
        low_memory=False,
        engine="c",
    )
    frame["instant"] = pd.to_datetime(frame["instant"], utc=True)
    return len(frame)


def read_with_records_mover(folder: Path) -> int:
    from records_mover import Session
    from records_mover.records.processing_instructions import ProcessingInstructions

    records = Session(session_type="env").records
    directory = records.sources.directory_from_url(folder.resolve().as_uri() + "/")
    instructions = ProcessingInstructions()
    with (
        directory.to_fileobjs_source(instructions) as files,
        files.to_dataframes_source(instructions) as frames,
    ):
        return sum(len(frame) for frame in frames.dfs)


READERS = {
    "tablemill": read_with_tablemill,
    "pandas-c": read_with_pandas,
    "records-mover": read_with_records_mover,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dialects", nargs="+", default=list(DIALECTS), choices=list(DIALECTS))
    parser.add_argument("--contenders", nargs="+", default=list(READERS), choices=list(READERS))
    parser.add_argument("--one", nargs=2, metavar=("CONTENDER", "FOLDER"))
    options = parser.parse_args()
    if options.one:
        started = time.process_time()
        print(f"{READERS[options.one[0]](Path(options.one[1]))} rows, {time.process_time() - started:.2f} CPU s")
        return
    for name in options.dialects:
        compare(name, options.rows, options.rounds, options.contenders)


def compare(name: str, rows: int, rounds: int, contenders: list[str]) -> None:
    from measure import Measured, measure

    folder = directory(name, rows)
    pythons = {"records-mover": os.environ.get("TABLEMILL_RECORDS_PYTHON")}
    there = [one for one in contenders if pythons.get(one, sys.executable)]
    found: dict[str, list[Measured]] = {one: [] for one in there}
    for _ in range(rounds):
        for one in there:
            command = [str(pythons.get(one, sys.executable)), __file__, "--one", one, str(folder)]
            found[one].append(measure(command))
    ours = statistics.median(one.cpu for one in found[there[0]])
    for one, measured in found.items():
        cpu, wall, peak = (statistics.median(getattr(m, key) for m in measured) for key in ("cpu", "wall", "peak_mb"))
        said = measured[-1].output.strip().splitlines()[-1]
        print(f"{name:14} {one:14} {cpu:6.2f} CPU s {wall:6.2f} s {peak:6.0f} MB {cpu / ours:5.1f}x  ({said})")


if __name__ == "__main__":
    main()
