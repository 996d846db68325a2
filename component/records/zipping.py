"""A records directory as one ZIP: the platform drops folders of out/files (reference keboola 3).

The same files make the same bytes: fixed times and modes, and the manifest is the last entry, as it is the last file.
"""

from __future__ import annotations

import shutil
import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from component import identity, naming
from component.records.manifest import MANIFEST
from component.store.files import failing, force, force_folder, make_folder, unfinished_file

_TIME: Final = (1980, 1, 1, 0, 0, 0)
_MODE: Final = (stat.S_IFREG | 0o644) << 16
_UNIX: Final = 3
_PACKED: Final = (".gz", ".bz2", ".lzo", ".parquet", ".avro")
"""Suffixes of files that deflating would not make smaller."""


def zip_directory(folder: Path, target: Path) -> int:
    """Pack the files of a folder into a ZIP that is there whole or not at all; return its size in bytes.

    Metadata and plain delimited text are deflated, what is compressed already is stored.
    """
    with failing(target, "written"):
        make_folder(target.parent)
        with unfinished_file(target.with_name(f".{identity.new_hex()}.part")) as file:
            with zipfile.ZipFile(file, "w") as packed:
                for path in _ordered(folder.iterdir()):
                    _add(packed, path)
            force(file)
            size = file.tell()
            Path(file.name).replace(target)
            force_folder(target.parent)
    return size


def _ordered(paths: Iterable[Path]) -> list[Path]:
    """Return the files as they are written: data, metadata, the manifest."""
    return sorted(paths, key=lambda path: (path.name == MANIFEST, path.name.startswith("_"), path.name))


def _add(packed: zipfile.ZipFile, path: Path) -> None:
    info = zipfile.ZipInfo(path.name, _TIME)
    info.create_system = _UNIX
    info.external_attr = _MODE
    info.file_size = path.stat().st_size
    is_packed = path.name.endswith(_PACKED)
    info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, packed.open(info, "w") as entry:
        shutil.copyfileobj(source, entry, naming.MIB)
