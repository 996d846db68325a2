"""The footer of a Parquet file of a dataset: the one place where data files are opened to be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.format.seal import open_parquet
from component.errors import UserError

OF_A_FILE: Final = frozenset({"store.missing", "dataset.format", "dataset.damaged"})
"""Codes of errors that say that one object cannot be used."""


@contextmanager
def naming_file(key: str) -> Iterator[None]:
    """Name the data file in an error that comes of reading it, and say what to do."""
    try:
        yield
    except UserError as error:
        if error.code not in OF_A_FILE:
            raise
        text = error.text if key in error.text else f"{error.text.rstrip('.')}: {key}"
        remedy = error.remedy or "Find out what else is wrong, and what can be mended, with: tablemill dataset verify."
        raise type(error)(error.code, text, place=error.place, remedy=remedy) from error


def open_footer(file: pa.NativeFile) -> pq.ParquetFile:
    """Return a data file with its footer read; what is read is held against its checksums, where it has some.

    UserError `dataset.format` when it is no Parquet, `dataset.damaged` when it differs from them.
    """
    try:
        return open_parquet(file)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(error) from error


def unreadable(error: BaseException) -> UserError:
    """Return what a fault of Arrow in a data file means to the user."""
    first = str(error).splitlines()[0]
    return UserError("dataset.format", f"A data file cannot be read as Parquet: {first}")
