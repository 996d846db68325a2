"""What is converted, and to what: recognised by content or name, unless it is said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component import file_types, naming
from component.convert.words import From, To
from component.errors import UserError
from component.folder.files import FileKind, kind_of
from component.folder.magic import is_records
from component.records.places import path_of_url
from component.records.schema_models import SCHEMA_JSON


@dataclass(frozen=True, slots=True)
class ConversionSource:
    """What is read: a path, or a URL that is no file of this machine."""

    kind: From
    place: Path | str

    @property
    def name(self) -> str:
        """What it is called in messages: the last step of its place."""
        return str(self.place).rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Target:
    """What is written; `zipped`: a records directory in one file."""

    kind: To
    place: Path | str
    zipped: bool = False


_REMOTE: Final = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SUFFIXES: Final = {
    **dict.fromkeys(naming.STORED_CSV_SUFFIXES, To.CSV),
    **dict.fromkeys(file_types.PARQUET.suffixes, To.PARQUET),
    **dict.fromkeys(file_types.AVRO.suffixes, To.AVRO),
    **dict.fromkeys(file_types.ARROW.suffixes, To.ARROW),
    file_types.JSON_LINES.suffix: To.JSONL,
    file_types.JSON_LINES.suffix + file_types.GZIP.suffix: To.JSONL,
    **dict.fromkeys(file_types.JSON_LINES.suffixes, To.JSONL),
    file_types.ZIP.suffix: To.RECORDS,
    file_types.HTTP_FILE.suffix: To.HTTPFILE,
}


def source_of(text: str, kind: From | None = None) -> ConversionSource:
    """Return what is to be read. UserError `source.missing` when it is not there.

    A dataset is the URL or path of its store, a slash, and its uuid; a folder with a `_format_…` file, or a ZIP with
    one, is a records directory.
    """
    if _REMOTE.match(text):
        return ConversionSource(kind or From.RECORDS, text)
    path = _path(text)
    if kind is not None:
        return ConversionSource(kind, path)
    if is_dataset(path):
        return ConversionSource(From.DATASET, path)
    if not path.exists():
        raise UserError(
            "source.missing",
            f"There is no file, folder or dataset {text!r}",
            remedy="Name a file, a records directory, or a dataset as STORE/UUID.",
        )
    if is_records(path):
        return ConversionSource(From.RECORDS, path)
    if path.is_dir():
        _check_slices(path, text)
    return ConversionSource(
        From.CSV if path.is_dir() or path.name.lower().endswith(naming.CSV_SUFFIXES) else From.FILE, path
    )


def _check_slices(folder: Path, text: str) -> None:
    """Refuse a folder that is no table, with what would make it one."""
    if kind_of(folder) is not FileKind.OTHER:
        return
    if (folder / SCHEMA_JSON).is_file():
        raise UserError(
            "source.format",
            f"The folder {text!r} is a records directory without its format file",
            remedy="Add _format_delimited, _format_parquet or _format_avro, or name one of its data files.",
        )
    raise UserError(
        "source.format",
        f"The folder {text!r} does not hold the slices of one CSV or Parquet table",
        remedy=f"Name a file in it; tablemill run {text} takes every file of a folder.",
    )


def is_dataset(path: Path) -> bool:
    """Say whether a path is that of a store with the name of one of its datasets."""
    suffixes = (naming.HEADER_JSON_SUFFIX, naming.HEADER_MSGPACK_SUFFIX)
    return any(path.with_name(path.name + suffix).is_file() for suffix in suffixes)


def target_of(text: str, kind: To | None = None) -> Target:
    """Return what is to be written, by its name unless it is said; UserError `config.value` when neither tells.

    A name with a slash at its end, and an S3 URL, is a records directory.
    """
    remote = _REMOTE.match(text) is not None
    suffix = next((one for one in sorted(_SUFFIXES, key=len, reverse=True) if text.lower().endswith(one)), None)
    found = kind or (To.RECORDS if remote or text.endswith("/") else _SUFFIXES.get(suffix or ""))
    if found is None:
        raise UserError(
            "config.value",
            f"The name {text!r} does not say what to write",
            remedy=f"Say it with --to, or by the suffix: {', '.join(_SUFFIXES)}, or / for a records directory.",
        )
    zipped = found is To.RECORDS and suffix == ".zip" and not remote
    return Target(found, text if remote else _path(text), zipped)


def _path(text: str) -> Path:
    if not text.lower().startswith("file:"):
        return Path(text).absolute()
    path = path_of_url(text)
    if path is None:
        raise UserError("store.url", f"{text!r} is no file URL of this machine", remedy="Write file:///path.")
    return path
