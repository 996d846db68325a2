"""A header made again from the files of a dataset, where it is lost and no copy is kept: other clients keep none.

What paths, schemas and index folders say is taken from there. What only the header knew is gone: the user's metadata,
and which of the files were live. So this is done only when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

import pyarrow as pa

from component import naming
from component.dataset.format.header import Header, missing_dataset
from component.dataset.format.implicit import listed_partitions
from component.dataset.format.keys import keys_in_path, schema_key
from component.dataset.format.schema import decode_schema
from component.dataset.reading.reader import Dataset
from component.dataset.verification.file_faults import Reading
from component.errors import UserError
from component.store.base import Store

NOT_KNOWN: Final = (
    "not known: the user's metadata, which is empty now, and which of the files were live; rows that were deleted or"
    " overwritten are back where their files are still there"
)


def rebuilt_header(store: Store, uuid: str) -> tuple[Header, tuple[str, ...]]:
    """Return the header that the files of a dataset allow, and what it was made of, what was left out, and why.

    Every data file below the dataset that can be read whole, as the schema of its table says. An index is named by the
    newest of its files; whether it is exact is for the verification to find. UserError `dataset.missing` without data
    files; `dataset.format` where a table has no schema, or paths show different partition keys.
    """
    partitions = listed_partitions(store, uuid)
    tables = tuple(dict.fromkeys(table for files in partitions.values() for table in files))
    if not tables:
        raise missing_dataset(store, uuid)
    schemas = {table: _schema(store, uuid, table) for table in tables}
    keys = _partition_keys(uuid, partitions)
    header = Header(uuid, partition_keys=keys)
    readings = {table: Reading(Dataset(store, header, table, schema), {}) for table, schema in schemas.items()}
    kept: dict[str, dict[str, str]] = {}
    left = []
    for label, files in partitions.items():
        for table, key in files.items():
            why = next((fault.text for fault in readings[table].file(label, key) if fault.code == "verify.file"), None)
            if why is None:
                kept.setdefault(label, {})[table] = key
            else:
                left.append(f"left out {key}: {why}")
    indices = _indices(store, uuid, {name for schema in schemas.values() for name in schema.names} - set(keys))
    count = sum(len(files) for files in kept.values())
    said = f"made the header from {count} data files of {', '.join(tables)}"
    said += f", partitioned on {', '.join(keys)}" if keys else ", not partitioned"
    said += f", indexed on {', '.join(indices)}" if indices else ", not indexed"
    return Header(uuid, kept, keys, indices), (said, *left, NOT_KNOWN)


def _schema(store: Store, uuid: str, table: str) -> pa.Schema:
    try:
        return decode_schema(store.get(schema_key(uuid, table)))
    except UserError as error:
        raise UserError(
            "dataset.format",
            f"No header of the dataset {uuid!r} can be made: the schema of its table {table!r} cannot be read",
            remedy=f"Put {schema_key(uuid, table)} back from a copy of the store.",
        ) from error


def _partition_keys(uuid: str, partitions: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """Return the partition keys of all paths; a path that cannot be read says nothing, and its file is left out."""
    found: dict[tuple[str, ...], str] = {}
    for files in partitions.values():
        for key in files.values():
            try:
                found.setdefault(keys_in_path(key), key)
            except UserError:
                continue
    if len(found) > 1:
        shown = "; ".join(f"{', '.join(names) or '(none)'} in {key}" for names, key in found.items())
        raise UserError(
            "dataset.format",
            f"No header of the dataset {uuid!r} can be made: its paths show different partition keys: {shown}",
            remedy="Move the files that are not of the dataset out of its folder.",
        )
    return next(iter(found), ())


def _indices(store: Store, uuid: str, columns: set[str]) -> dict[str, str]:
    """Return the newest file of each index on a column that is there: their names are times."""
    found: dict[str, str] = {}
    for stat in store.list(f"{uuid}/{naming.INDICES_FOLDER}/"):
        parts = stat.key.split("/")
        column = unquote(parts[2])
        if len(parts) == 4 and stat.key.endswith(naming.INDEX_SUFFIX) and column in columns:
            found[column] = max(found.get(column, ""), stat.key)
    return dict(sorted(found.items()))
