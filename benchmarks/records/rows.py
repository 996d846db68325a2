"""The rows of the records suite, and directories of them: a million rows of ten columns of every type."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data" / "records"
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
GENERAL = {
    "field-delimiter": ",",
    "record-terminator": "\n",
    "quotechar": '"',
    "encoding": "UTF8",
    "dateformat": "YYYY-MM-DD",
    "timeonlyformat": "HH24:MI:SS",
    "datetimeformat": "YYYY-MM-DD HH24:MI:SS",
    "datetimeformattz": "YYYY-MM-DD HH24:MI:SSOF",
}
BLUELABS = {**GENERAL, "header-row": False, "quoting": None, "escape": "\\", "doublequote": False}
CSV = {**GENERAL, "header-row": True, "quoting": "minimal", "escape": None, "doublequote": True}
DIALECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "bluelabs": ("bluelabs", {**BLUELABS, "compression": None}),
    "bluelabs-gzip": ("bluelabs", {**BLUELABS, "compression": "GZIP"}),
    "csv": ("csv", {**CSV, "compression": None}),
    "csv-gzip": ("csv", {**CSV, "compression": "GZIP"}),
}
DAY = 86_400_000_000


def schema() -> dict[str, Any]:
    """Return the records schema of the rows."""
    fields = {
        column: {"type": word, "index": index, "constraints": {"required": False}}
        for index, (column, word) in enumerate(COLUMNS.items(), 1)
    }
    return {"schema": "bltypes/v1", "fields": fields, "known_representations": {}}


def directory(name: str, rows: int) -> Path:
    """Return a records directory of a dialect, made when it is not there."""
    folder = DATA / f"{name}-{rows}"
    if (folder / "_manifest").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    variant, hints = DIALECTS[name]
    text = "".join(_records(rows, hints)).encode()
    file = folder / ("data001.csv.gz" if hints["compression"] else "data001.csv")
    file.write_bytes(gzip.compress(text, 6) if hints["compression"] else text)
    (folder / "_schema.json").write_text(json.dumps(schema()))
    (folder / "_format_delimited").write_text(json.dumps({"type": "delimited", "variant": variant, "hints": hints}))
    entry = {"url": file.resolve().as_uri(), "mandatory": True, "meta": {"content_length": file.stat().st_size}}
    (folder / "_manifest").write_text(json.dumps({"entries": [entry]}))
    return folder


def _records(rows: int, hints: dict[str, Any]) -> Iterator[str]:
    if hints["header-row"]:
        yield ",".join(COLUMNS) + "\n"
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
        yield ",".join(_cell(cell, hints) for cell in cells) + "\n"


def _cell(cell: str, hints: dict[str, Any]) -> str:
    if hints["escape"]:
        return cell.replace("\\", "\\\\").replace(",", "\\,")
    if hints["quoting"] and ("," in cell or '"' in cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def table_of(rows: int) -> Any:
    """Return rows as a table of Arrow."""
    import numpy as np
    import pyarrow as pa

    numbers = np.arange(rows)
    moments = pa.array(numbers * 7_919_000_003 % (20_000 * DAY)).cast(pa.timestamp("us"))
    texts = ["nothing to be said about this row", 'said "no, not now"', "a,b", "plain", "Łódź"]
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
            "city": pa.array(["Brno", "Łódź", "San José", None]).take(pa.array(numbers % 4)),
            "note": pa.array(texts).take(pa.array(numbers % 5)),
        }
    )
