"""The footer of a Parquet file of a dataset: the one place where data files are opened to be read."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.seal import open_parquet
from component.errors import UserError


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
