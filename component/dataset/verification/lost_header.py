"""A header that is gone or damaged: found again among the copies that commits keep and put back, or made again.

Where no copy is kept, as other clients keep none, what paths, schemas and index folders say is taken from there. What
only the header knew is gone: the user's metadata, and which of the files were live. So a header is made from the files
only when somebody asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

import pyarrow as pa

from component import naming
from component.dataset.commits.swap import swap_header
from component.dataset.format.header import Header, HeaderFormat, encode_header, missing_dataset
from component.dataset.format.history import Commit, kept_states
from component.dataset.format.implicit import listed_partitions
from component.dataset.format.keys import header_key, keys_in_path, referenced, schema_key, stored_key
from component.dataset.format.schema import decode_schema
from component.dataset.reading.reader import Dataset
from component.dataset.verification.file_faults import FilePass
from component.errors import UserError
from component.store.base import Store

_COMMIT: Final = re.compile(rb'"commit": "([0-9a-f]{32})"')
REBUILD: Final = (
    "Or make one from the data files, whichever of them were live: tablemill dataset verify --repair --rebuild-header."
)
_FORMATS: Final[tuple[HeaderFormat, ...]] = ("json", "msgpack.zstd")


def lost_state(store: Store, uuid: str, wanted: str | None = None) -> Commit:
    """Return the kept state whose header is to be put back: the one that is `wanted`, by its name or how it begins.

    Without a wish it is the state that the damaged header still names, else the newest one. UserError
    `dataset.history` where no kept state has all its files, or where several could be the newest: a writer that was
    killed leaves the copy of a commit that never happened.
    """
    kept = whole_states(store, uuid)
    if wanted is not None:
        found = [one for one in kept if one.id.startswith(wanted)]
    else:
        named = _named(store, uuid)
        parents = {one.parent for one in kept}
        found = [one for one in kept if one.id == named] or [one for one in kept if one.id not in parents]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"{one.id} ({one.operation}, {one.time})" for one in found)
        raise UserError(
            "dataset.history",
            f"Several states of the dataset {uuid!r} could be the one whose header is lost: {names}",
            remedy="Name one of them: tablemill dataset verify --repair --state COMMIT.",
        )
    raise UserError(
        "dataset.history",
        f"No state of the dataset {uuid!r} is kept with all its files" + (f" as {wanted!r}" if wanted else ""),
        remedy="Put the header back from a copy of the store."
        if kept
        else f"Put the header back from a copy of the store. {REBUILD}",
    )


def whole_states(store: Store, uuid: str) -> list[Commit]:
    """Return the states that are kept with all their files."""
    present = {stat.key for stat in store.list(f"{uuid}/")}
    return [one for one in kept_states(store, uuid) if _is_whole(one, present)]


def _is_whole(commit: Commit, present: set[str]) -> bool:
    named = referenced(commit.header.partitions, commit.header.indices)
    return all(stored_key(key) in present for key in named)


def _named(store: Store, uuid: str) -> str | None:
    """Return the commit that a damaged JSON header names, if that much of it can be read and only one is named."""
    found = store.get_versioned(header_key(uuid, "json"))
    names = set(_COMMIT.findall(found[0])) if found is not None else set()
    return names.pop().decode() if len(names) == 1 else None


def put_back(store: Store, header: Header) -> None:
    """Put a header where a damaged one is, or none. CommitRefusedError when one has come meanwhile.

    Where there is none, it is JSON: nothing says what it was.
    """
    header = replace(header, moves=False)
    for storage_format in _FORMATS:
        key = header_key(header.uuid, storage_format)
        found = store.get_versioned(key)
        if found is not None:
            store.put_if(key, encode_header(header, storage_format), found[1])
            return
    swap_header(store, None, header, "json")


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
    readings = {table: FilePass(Dataset(store, header, table, schema), {}) for table, schema in schemas.items()}
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
