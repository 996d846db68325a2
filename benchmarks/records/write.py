"""One contender writes one dialect: `write.py CONTENDER DIALECT ROWS`. The rows are there before."""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from rows import DIALECTS, schema, table_of

Write = Callable[[Path], None]


def tablemill(rows: int, hints: dict[str, Any]) -> Write:
    """The writer of one task."""
    sys.path.insert(1, str(Path(__file__).parent.parent.parent))
    from component.formats.delimited.dialect import DelimitedDialect
    from component.formats.delimited.write import DelimitedWriting

    table = table_of(rows)
    writing = DelimitedWriting(DelimitedDialect(**{name.replace("-", "_"): value for name, value in hints.items()}))

    def write(folder: Path) -> None:
        writer = writing.open(folder / "data", table.schema, {"instant": {"logical": "timestamptz"}})
        writer.write(table)
        writer.close()

    return write


def _frame(rows: int) -> Any:
    frame = table_of(rows).to_pandas()
    frame["instant"] = frame["instant"].dt.tz_localize("UTC")
    return frame


def pandas(rows: int, hints: dict[str, Any]) -> Write:
    """`DataFrame.to_csv` with the options that records-mover derives from the hints, and its text of dates."""
    frame = _frame(rows)

    def write(folder: Path) -> None:
        frame["day"] = frame["day"].apply(lambda day: day.strftime("%Y-%m-%d"))
        frame.to_csv(
            folder / "data",
            index=False,
            header=hints["header-row"],
            quoting=csv.QUOTE_NONE if hints["quoting"] is None else csv.QUOTE_MINIMAL,
            escapechar=hints["escape"],
            doublequote=hints["doublequote"],
            date_format="%Y-%m-%d %H:%M:%S.%f%z",
            compression="gzip" if hints["compression"] else None,
            encoding="utf-8",
            lineterminator="\n",
        )

    return write


def records_mover(rows: int, hints: dict[str, Any]) -> Write:
    """A move from a frame to a directory, metadata and all."""
    from records_mover import Session
    from records_mover.records import DelimitedRecordsFormat
    from records_mover.records.schema import RecordsSchema

    frame = _frame(rows)
    records = Session(session_type="env").records
    variant = "bluelabs" if hints["escape"] else "csv"
    described = RecordsSchema.from_data(schema())

    def write(folder: Path) -> None:
        source = records.sources.dataframe(df=frame, records_schema=described)
        chosen = DelimitedRecordsFormat(variant=variant, hints=hints)
        records.move(source, records.targets.directory_from_url(f"{folder.as_uri()}/", records_format=chosen))

    return write


def duckdb(rows: int, hints: dict[str, Any]) -> Write:
    """COPY on one thread; only with quoting, since it knows no escape outside of quotes."""
    import duckdb as duck

    connection = duck.connect(config={"threads": 1})
    connection.register("rows", table_of(rows))
    packed = ", compression gzip" if hints["compression"] else ""

    def write(folder: Path) -> None:
        connection.execute(f"copy rows to '{folder / 'data'}' (format csv, header{packed})")

    return write


WRITERS = {"tablemill": tablemill, "pandas": pandas, "records-mover": records_mover, "duckdb": duckdb}


def main() -> None:
    name, dialect, rows = sys.argv[1:4]
    write = WRITERS[name](int(rows), DIALECTS[dialect][1])
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_SCRATCH")) as folder:
        started, worked = time.perf_counter(), time.process_time()
        write(Path(folder).resolve())
        figures = {"wall": time.perf_counter() - started, "cpu": time.process_time() - worked}
        (file,) = Path(folder).glob("data*")
        print(json.dumps({"rows": int(rows), **figures, "mb": file.stat().st_size / 1e6}))


if __name__ == "__main__":
    main()
