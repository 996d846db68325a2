"""What is configured of outputs in the formats of others (docs/records.md, docs/workbench.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, Self

from pydantic import Field, model_validator

from component.config.fields import Fault, JsonObject, Name, Positive, Strict, fault, refuse
from component.config.reading import TableLimits

FileFormat = Literal["csv", "parquet", "avro", "arrow", "jsonl", "records", "workbench", "httpfile"]
SUFFIXES: Final = {"records": "zip", "workbench": "arrow"}
"""Suffixes of formats that are not called so."""


class WorkbenchFiles(Strict):
    """How Arrow files of Workbench are written: what exceeds `limits` is refused; `workbench`: those of Workbench."""

    limits: Literal["none", "workbench"] | TableLimits = "workbench"
    """The largest table that is written: `none`, `workbench`, or limits of your own."""


VariantWord = Literal["bluelabs", "csv", "bigquery", "vertica", "dumb"]


class HttpFiles(Strict):
    """What an httpfile says of itself: `url` is where it was fetched from; without one the dataset stands for it."""

    url: Name | None = None
    """Where the file says that it was fetched from. Without it, the dataset."""


class RecordsWriting(Strict):
    """How a records directory is written: as a ZIP in out/files, or as a directory at a URL.

    `hints` stand above those of the variant. `files` is how many data files there are, `file_bytes` about how large one
    may be; without either the size of the output decides. `url` is a folder or an S3 prefix, which must be empty.
    """

    format: Literal["delimited", "parquet", "avro"] = "delimited"
    """The format of the data files."""
    variant: VariantWord = "bluelabs"
    """The variant of delimited text."""
    hints: JsonObject = Field(default_factory=dict)
    """Hints that override those of the variant."""
    files: Positive | None = None
    """How many data files to write. Without it, the size of the output decides."""
    file_bytes: Positive | None = None
    """About how many bytes a data file may have."""
    url: Name | None = None
    """The folder or S3 prefix to write to, which must be empty. Without it, the directory is a ZIP in out/files."""

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        refuse(self._faults())
        return self

    def _faults(self) -> Iterator[Fault]:
        if self.files and self.file_bytes:
            yield ("files",), fault("config.value", "is there, and file_bytes too", "Give one of them.")
        if self.hints and self.format != "delimited":
            yield ("hints",), fault("config.value", f"belong to delimited text, and the format is {self.format}")
