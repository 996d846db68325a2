"""Facts of files: how many rows and bytes each has, and its CRC-32, without opening it.

They stand in one object per commit, `<uuid>/_history/<name>.facts.arrow`, put before the header, whose extras name it
with its own checksum and hold the sums. It holds the facts of every file of the state, so a state needs no other one.
Files have new names always, so facts stay true whoever commits; files that another client wrote have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from isal.isal_zlib import crc32

from component import identity, naming
from component.dataset.format.header import Header
from component.dataset.format.soundness import damaged
from component.errors import UserError
from component.store.base import Store
from component.store.uncommitted import Uncommitted

FACTS: Final = "facts"
"""Key of the extras."""
_SCHEMA: Final = pa.schema(
    [("file", pa.large_string()), ("rows", pa.int64()), ("bytes", pa.int64()), ("check", pa.uint32())]
)
_AS_WRITTEN: Final = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of one file: rows (of an index: values), bytes, and the CRC-32 of all of them."""

    rows: int
    bytes: int
    check: int


def facts_of(data: bytes | pa.Buffer, rows: int) -> FileFacts:
    """Return the facts of a file that is about to be put."""
    return FileFacts(rows, len(memoryview(data)), crc32(data))


def data_keys(partitions: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the keys of the data files of partitions."""
    return [key for files in partitions.values() for key in files.values()]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of the files of a state, by their keys without the uuid."""

    table: pa.Table

    def by_file(self) -> dict[str, FileFacts]:
        """Return the facts by key without the uuid."""
        columns = (self.table[name].to_pylist() for name in ("file", "rows", "bytes", "check"))
        return {file: FileFacts(*facts) for file, *facts in zip(*columns, strict=True)}


NO_FACTS: Final = Facts(pa.Table.from_batches([], _SCHEMA))


def facts_key(uuid: str, name: str) -> str:
    """Return the key of an object of facts."""
    return f"{uuid}/{naming.HISTORY_FOLDER}/{name}{naming.FACTS_SUFFIX}"


def facts_keys(header: Header) -> list[str]:
    """Return the key of the facts that a header names, if it names some."""
    named = _named(header)
    return [facts_key(header.uuid, named["name"])] if named else []


def _named(header: Header) -> Mapping[str, Any] | None:
    named = header.extras.get(FACTS)
    return named if isinstance(named, dict) and isinstance(named.get("name"), str) else None


def read_facts(store: Store, header: Header) -> Facts:
    """Return the facts that a header names; none for one that names none.

    DamagedError when they are not what was written, UserError `store.missing` when they are not there.
    """
    named = _named(header)
    if named is None:
        return NO_FACTS
    data = store.get(facts_key(header.uuid, named["name"]))
    if f"{crc32(data):08x}" != named.get("check"):
        raise damaged(f"The facts of the files of dataset {header.uuid!r}")
    return Facts(pa.ipc.open_file(data, options=pa.ipc.IpcReadOptions(use_threads=False)).read_all())


def known_facts(store: Store, header: Header | None) -> Facts:
    """Return the facts that a header names; none where they are missing or damaged, which `verify` says."""
    try:
        return read_facts(store, header) if header is not None else NO_FACTS
    except UserError as error:
        if error.code not in {"dataset.damaged", "store.missing"}:
            raise
        return NO_FACTS


def put_facts(
    uncommitted: Uncommitted, uuid: str, before: Facts, fresh: Mapping[str, FileFacts], stays: Iterable[str]
) -> dict[str, Any]:
    """Put the facts of files that come and of those that stay, by their keys; return what the extras say of them."""
    start = len(uuid) + 1
    kept = pc.is_in(before.table["file"], value_set=pa.array([key[start:] for key in stays], pa.large_string()))
    table = pa.concat_tables([before.table.filter(kept), _table(start, fresh)])
    data, name = _encode(table), identity.new_hex()
    key = facts_key(uuid, name)
    uncommitted.add([key])
    uncommitted.store.put(key, data)
    return {"name": name, "check": f"{crc32(data):08x}", **_sums(table)}


def _table(start: int, facts: Mapping[str, FileFacts]) -> pa.Table:
    found = list(facts.values())
    arrays = [
        [key[start:] for key in facts],
        [one.rows for one in found],
        [one.bytes for one in found],
        [one.check for one in found],
    ]
    return pa.table([pa.array(array, field.type) for array, field in zip(arrays, _SCHEMA, strict=True)], _SCHEMA)


def _encode(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, _SCHEMA, options=_AS_WRITTEN) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def _sums(table: pa.Table) -> dict[str, Any]:
    """Return the number of data files, the rows of each table, and the bytes of all data files."""
    files, rows, size = 0, dict[str, int](), 0
    columns = (table[name].to_pylist() for name in ("file", "rows", "bytes"))
    for file, count, length in zip(*columns, strict=True):
        folder = file.partition("/")[0]
        if folder != naming.INDICES_FOLDER:
            files, size = files + 1, size + length
            rows[folder] = rows.get(folder, 0) + count
    return {"data_files": files, "rows": rows, "bytes": size}


@dataclass(frozen=True, slots=True)
class Sums:
    """Rows of each table and bytes of all data files whose facts are known; of `unknown` files they are not."""

    rows: Mapping[str, int]
    bytes: int
    unknown: int


def sums_of(store: Store, header: Header, *, foreign: bool) -> Sums:
    """Return the sums of a state; reads nothing but facts, and not even these for a state of ours.

    `foreign`: another client made the state, so the sums in its extras are those of the state before.
    """
    keys = data_keys(header.partitions)
    named = _named(header)
    if named is None:
        return Sums({}, 0, len(keys))
    if not foreign:
        return Sums(
            dict(named.get("rows", {})), int(named.get("bytes", 0)), len(keys) - int(named.get("data_files", 0))
        )
    facts, start = known_facts(store, header).by_file(), len(header.uuid) + 1
    rows: dict[str, int] = {}
    known = [(key.split("/", 2)[1], facts[key[start:]]) for key in keys if key[start:] in facts]
    for table, one in known:
        rows[table] = rows.get(table, 0) + one.rows
    return Sums(rows, sum(one.bytes for _, one in known), len(keys) - len(known))
