"""TPC-H lineitem: generate it once, and say what the typed, partitioned result must be."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

DATA = Path(__file__).parent / "data"
PARTITION = "l_shipmode"
INDEX = "l_shipdate"
ROWS = {1: 6_001_215, 10: 59_986_052}
TYPES = {
    "l_orderkey": "INTEGER",
    "l_partkey": "INTEGER",
    "l_suppkey": "INTEGER",
    "l_linenumber": "INTEGER",
    "l_quantity": "NUMERIC",
    "l_extendedprice": "NUMERIC",
    "l_discount": "NUMERIC",
    "l_tax": "NUMERIC",
    "l_returnflag": "STRING",
    "l_linestatus": "STRING",
    "l_shipdate": "DATE",
    "l_commitdate": "DATE",
    "l_receiptdate": "DATE",
    "l_shipinstruct": "STRING",
    "l_shipmode": "STRING",
    "l_comment": "STRING",
}


def csv_path(scale: int) -> Path:
    """Return the CSV of a scale, generated when it is not there."""
    folder = DATA / f"sf{scale}"
    path = folder / "lineitem.csv"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        generator = Path(sys.executable).with_name("tpchgen-cli")
        subprocess.run([generator, "csv", "-s", str(scale), "-T", "lineitem", "-o", str(folder)], check=True)
    return path


def data_folder(scale: int, folder: Path, store: Path, **parameters: object) -> Path:
    """Make a data folder that reads the CSV in place."""
    tables = folder / "in" / "tables"
    tables.mkdir(parents=True)
    (tables / "lineitem.csv").symlink_to(csv_path(scale).resolve())
    schema = [
        {
            "name": name,
            "data_type": {"base": {"type": type_name, **({"length": "15,2"} if type_name == "NUMERIC" else {})}},
        }
        for name, type_name in TYPES.items()
    ]
    manifest = {"id": "in.c-tpch.lineitem", "primary_key": [], "columns": list(TYPES), "schema": schema}
    (tables / "lineitem.csv.manifest").write_text(json.dumps(manifest))
    dataset = {
        "uuid": "lineitem",
        "tables": [{"source": "lineitem.csv"}],
        "partition_on": [PARTITION],
        "secondary_indices": [INDEX],
        **parameters,
    }
    config = {"parameters": {"store": {"url": store.resolve().as_uri()}, "datasets": [dataset]}}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def check(folder: Path, scale: int, *, exact: bool = True) -> None:
    """Hold that a result has all rows, typed, in its seven partitions; `exact`: decimals and dates are such."""
    import pyarrow.parquet as pq

    rows: Counter[str] = Counter()
    for path in folder.rglob("*.parquet"):
        key = next((part.split("=", 1)[1] for part in path.parts if part.startswith(f"{PARTITION}=")), None)
        if key is None:
            continue
        file = pq.ParquetFile(path)
        rows[key] += file.metadata.num_rows
        types = {field.name: str(field.type) for field in file.schema_arrow}
        if exact and (types["l_shipdate"] != "date32[day]" or not types["l_quantity"].startswith("decimal128(15, 2)")):
            raise AssertionError(f"{path} is not typed: {types}")
    if len(rows) != 7 or sum(rows.values()) != ROWS[scale]:
        raise AssertionError(f"{folder} has {dict(rows)}")
