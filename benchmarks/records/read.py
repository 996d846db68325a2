"""One contender reads one directory: `read.py CONTENDER FOLDER`. Prints rows and seconds, without the start of Python.

Nothing but the standard library is imported for all: records-mover runs this in its own environment.
"""

from __future__ import annotations

import importlib.abc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from rows import COLUMNS

Read = Callable[[Path], int]


class WithoutPandas(importlib.abc.MetaPathFinder):
    """Hides pandas, which pyarrow loads where it is: the environment of Tablemill has none."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def data_file(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Return the one data file and the hints."""
    (file,) = folder.glob("data*")
    return file, json.loads((folder / "_format_delimited").read_text())["hints"]


def tablemill() -> Read:
    """To Arrow, by one task, as it is called in a run."""
    sys.meta_path.insert(0, WithoutPandas())
    sys.path.insert(1, str(Path(__file__).parent.parent.parent))
    from component.formats.csv.split import ByteRange
    from component.formats.delimited.read import DelimitedReader
    from component.formats.delimited.source import DelimitedSplit
    from component.records.directory import open_directory

    def read(folder: Path) -> int:
        found = open_directory(folder, Path("unused"))
        reader = DelimitedReader(found.schema, found.dialect)
        (file,) = found.files
        split = DelimitedSplit("t", file.name, file.location, ByteRange(0, file.size))
        return sum(parsed.rows.num_rows for parsed in reader.read(split))

    return read


def pandas() -> Read:
    """To a frame, by the fast engine, which records-mover does not use."""
    import pandas as pd

    def read(folder: Path) -> int:
        file, hints = data_file(folder)
        frame = pd.read_csv(
            file,
            header=0 if hints["header-row"] else None,
            names=list(COLUMNS),
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

    return read


def records_mover() -> Read:
    """To a frame, as its own moves read a directory."""
    from records_mover import Session
    from records_mover.records.processing_instructions import ProcessingInstructions

    records = Session(session_type="env").records

    def read(folder: Path) -> int:
        directory = records.sources.directory_from_url(folder.resolve().as_uri() + "/")
        instructions = ProcessingInstructions()
        with (
            directory.to_fileobjs_source(instructions) as files,
            files.to_dataframes_source(instructions) as frames,
        ):
            return sum(len(frame) for frame in frames.dfs)

    return read


TYPES_OF_SQL = {
    "integer": "BIGINT",
    "decimal": "DOUBLE",
    "boolean": "BOOLEAN",
    "string": "VARCHAR",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "datetimetz": "TIMESTAMPTZ",
}


def duckdb() -> Read:
    """To Arrow, on one thread; only with quoting, since it knows no escape outside of quotes."""
    import duckdb as duck

    def read(folder: Path) -> int:
        file, _ = data_file(folder)
        types = ", ".join(f"'{name}': '{TYPES_OF_SQL[word]}'" for name, word in COLUMNS.items())
        with duck.connect(config={"threads": 1}) as connection:
            query = f"select * from read_csv('{file}', header = true, columns = {{{types}}})"
            rows: int = connection.sql(query).to_arrow_table().num_rows
            return rows

    return read


def spark() -> Read:
    """Through its own source, on one core, to nowhere; only with quoting, for the same reason."""
    from pyspark.sql import SparkSession

    words = {"datetimetz": "timestamp", "datetime": "timestamp_ntz", "integer": "long", "decimal": "double"}
    schema = ", ".join(f"{name} {words.get(word, word)}" for name, word in COLUMNS.items())
    builder = SparkSession.builder.master("local[1]").config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")

    def read(folder: Path) -> int:
        file, _ = data_file(folder)
        options = {
            "header": True,
            "multiLine": True,
            "escape": '"',
            "timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSSXX",
            "timestampNTZFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS",
            "mode": "FAILFAST",
        }
        frame = session.read.schema(schema).options(**options).csv(str(file))
        frame.write.format("noop").mode("overwrite").save()
        return 0

    return read


READERS = {
    "tablemill": tablemill,
    "pandas": pandas,
    "records-mover": records_mover,
    "duckdb": duckdb,
    "spark": spark,
}


def main() -> None:
    name, folder = sys.argv[1:3]
    read = READERS[name]()
    started, worked = time.perf_counter(), _cpu()
    rows = read(Path(folder))
    print(json.dumps({"rows": rows, "wall": time.perf_counter() - started, "cpu": _cpu() - worked}))


def _cpu() -> float:
    """CPU seconds of this process, and of the JVM that Spark starts."""
    times = os.times()
    if "pyspark" not in sys.modules:
        return times.user + times.system
    import psutil

    children = [one.cpu_times() for one in psutil.Process().children(recursive=True)]
    return times.user + times.system + sum(one.user + one.system for one in children)


if __name__ == "__main__":
    main()
