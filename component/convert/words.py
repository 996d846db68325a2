"""What a conversion reads and what it writes, as words: for the command, for Python, and for what carries it out."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

FromWord: TypeAlias = Literal["dataset", "records", "csv", "parquet", "avro", "arrow", "file"]
ToWord: TypeAlias = Literal["dataset", "records", "csv", "parquet", "avro", "arrow", "jsonl", "workbench", "httpfile"]


class From(StrEnum):
    """What a source can be. `file` is any file, recognised by its content."""

    DATASET = "dataset"
    RECORDS = "records"
    CSV = "csv"
    PARQUET = "parquet"
    AVRO = "avro"
    ARROW = "arrow"
    FILE = "file"


class To(StrEnum):
    """What a target can be."""

    DATASET = "dataset"
    RECORDS = "records"
    CSV = "csv"
    PARQUET = "parquet"
    AVRO = "avro"
    ARROW = "arrow"
    JSONL = "jsonl"
    WORKBENCH = "workbench"
    HTTPFILE = "httpfile"
