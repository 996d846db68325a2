"""The header: the one object that says what a dataset is (reference kartothek 1.2).

JSON, or msgpack in a zstd frame. Readers try JSON first, as the original clients do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgpack
import zstandard

from component import naming
from component.dataset.format.keys import header_key, keys_in_path
from component.dataset.format.soundness import hold_sound
from component.errors import UserError
from component.store.base import Store, Version
from component.store.local import LocalStore

HeaderFormat = Literal["json", "msgpack.zstd"]
EXTRAS = "tablemill"
"""Key under `metadata` that holds what only Tablemill writes; original clients carry it along."""

_MOVES = "moves_to"
"""A key that the original clients ignore, and drop when they write."""

LARGEST = naming.GIB
"""Most bytes of a header that are unpacked; one with a million partitions has a fifth of it."""


def missing_dataset(store: Store, uuid: str) -> UserError:
    """Return the error `dataset.missing`; a scratch store is filled from in/files, and its URL says nothing."""
    if isinstance(store, LocalStore) and not store.durable:
        return UserError(
            "dataset.missing",
            f"There is no dataset {uuid!r}: no archive in in/files holds it",
            remedy=f"Map the archive {uuid}{naming.ARCHIVE_SUFFIX} of an earlier run, or configure the store it is in.",
        )
    return UserError("dataset.missing", f"There is no dataset {uuid!r} in {store.url}")


@dataclass(frozen=True, slots=True)
class Header:
    """The content of a header. `partitions`: label → table → key of the data file; `indices`: column → key.

    An index may also be embedded: column → {value as text: [labels]}. `explicit` is False for a header that names no
    partitions; then they are what a listing found (`implicit`). `moves`: this one in msgpack is on its way to JSON, and
    no writer commits onto it before it has arrived (`moving`).
    """

    uuid: str
    partitions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    indices: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    explicit: bool = True
    moves: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables: those that partitions have files of, else those in our extras, or the default.

        There are several where some partition has files of several. If each has a file of one, that of the first is it.
        """
        others = self.extras.get("tables")
        known = (self._described_table, *(others if isinstance(others, dict) else ()))
        if not self.partitions:
            return known
        if all(len(files) < 2 for files in self.partitions.values()):
            return (next(iter(next(iter(self.partitions.values()))), naming.DEFAULT_TABLE),)
        found = dict.fromkeys(name for files in self.partitions.values() for name in files)
        return known if found.keys() == set(known) else tuple(found)

    @property
    def table(self) -> str:
        """The name of the first table, in most datasets the only one."""
        return self.tables[0]

    def described(self, table: str) -> Mapping[str, Any]:
        """Return what Tablemill keeps of one table: `columns`, `primary_key`, `attributes`; empty if it knows nothing.

        That of the first one stands among the extras themselves, where it stood before there were several.
        """
        others = self.extras.get("tables")
        other = others.get(table) if isinstance(others, dict) else None
        if isinstance(other, dict):
            return other
        return self.extras if table == self._described_table else {}

    @property
    def _described_table(self) -> str:
        return str(self.extras.get("table", naming.DEFAULT_TABLE))

    @property
    def extras(self) -> Mapping[str, Any]:
        """What Tablemill keeps under `metadata`."""
        extras = self.metadata.get(EXTRAS)
        return extras if isinstance(extras, dict) else {}

    def to_dict(self) -> dict[str, Any]:
        """Return the header as its keys on disk, in the order of the original clients."""
        content: dict[str, Any] = {"dataset_metadata_version": naming.METADATA_VERSION, "dataset_uuid": self.uuid}
        if self.indices:
            content["indices"] = dict(self.indices)
        content["metadata"] = dict(self.metadata)
        if self.explicit:
            content["partitions"] = {
                label: {"files": files if isinstance(files, dict) else dict(files)}
                for label, files in self.partitions.items()
            }
        content["partition_keys"] = list(self.partition_keys)
        return content


@dataclass(frozen=True, slots=True)
class StoredHeader:
    """A header as it was read: with its format, and its version for the next conditional put."""

    header: Header
    storage_format: HeaderFormat
    version: Version


def encode_header(header: Header, storage_format: HeaderFormat) -> bytes:
    """Return the bytes of a header: ASCII JSON on one line, or msgpack in a zstd frame that states its size.

    UserError `dataset.format` for metadata that the format cannot hold.
    """
    content = header.to_dict()
    try:
        if storage_format == "json":
            return json.dumps(content).encode("ascii")
        if header.moves:
            content[_MOVES] = "json"
        return zstandard.ZstdCompressor(write_checksum=True).compress(msgpack.packb(content))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise UserError(
            "dataset.format", f"The metadata of dataset {header.uuid!r} cannot be kept as {storage_format}: {error}"
        ) from error


def decode_header(data: bytes, storage_format: HeaderFormat, uuid: str) -> Header:
    """Return the header in these bytes; UserError `dataset.format` when they are none, or another dataset's.

    DamagedError for one of ours in which a byte is another one.
    """
    content = unpack_header(data, storage_format, uuid)
    version = content.get("dataset_metadata_version")
    if version != naming.METADATA_VERSION or not isinstance(version, int):
        raise _not_a_header(uuid, f"its version is {version!r}, not {naming.METADATA_VERSION}")
    if content.get("dataset_uuid") != uuid:
        raise _not_a_header(uuid, f"it names the dataset {content.get('dataset_uuid')!r}")
    header = _header_of(content, uuid)
    hold_sound(header)
    return header


def unpack_header(data: bytes, storage_format: HeaderFormat, uuid: str) -> dict[str, Any]:
    """Return what is written in a header, by the keys on disk; UserError `dataset.format` when it is no object."""
    try:
        content = _decode_json(data) if storage_format == "json" else _decode_msgpack(data)
    except (TypeError, ValueError, RecursionError, zstandard.ZstdError, msgpack.UnpackException) as error:
        raise _not_a_header(uuid, f"it cannot be decoded ({error})") from error
    if not isinstance(content, dict):
        raise _not_a_header(uuid, "it is no object")
    return content


def _decode_json(data: bytes) -> Any:
    """Return the value of a JSON text; ValueError for a partition that stands there twice, of which one would be lost.

    Looking at every object takes long where there are many partitions, so it is done where the numbers differ.
    """
    content = json.loads(data)
    partitions = content.get("partitions") if isinstance(content, dict) else None
    if isinstance(partitions, dict) and data.count(b'"files":') != len(partitions):
        json.loads(data, object_pairs_hook=_each_once)
    return content


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _decode_msgpack(data: bytes) -> Any:
    if zstandard.frame_content_size(data) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST} bytes")
    return msgpack.unpackb(zstandard.ZstdDecompressor().decompress(data), strict_map_key=False)


def _header_of(content: Mapping[str, Any], uuid: str) -> Header:
    """Check what the other rooms rely on: texts where keys, labels and columns are."""
    raw = content.get("partitions")
    partitions = _partitions({} if raw is None else raw, uuid)
    keys, indices, metadata = (content.get(name) for name in ("partition_keys", "indices", "metadata"))
    if keys is not None and not (isinstance(keys, list) and _texts(keys)):
        raise _not_a_header(uuid, "its partition keys are no list of names")
    if indices is not None and not (isinstance(indices, dict) and all(_is_index(*pair) for pair in indices.items())):
        raise _not_a_header(uuid, "an index is neither a key nor a mapping of values to labels")
    if metadata is not None and not isinstance(metadata, dict):
        raise _not_a_header(uuid, "its metadata is no object")
    first = next((key for files in partitions.values() for key in files.values()), None)
    return Header(
        uuid=uuid,
        partitions=partitions,
        partition_keys=tuple(keys or ()) or (keys_in_path(first) if first else ()),
        indices=indices or {},
        metadata=metadata or {},
        explicit=raw is not None,
        moves=content.get(_MOVES) == "json",
    )


def _partitions(raw: Any, uuid: str) -> dict[str, dict[str, str]]:
    if not isinstance(raw, dict) or not _texts(raw):
        raise _not_a_header(uuid, "its partitions are no object")
    partitions: dict[str, dict[str, str]] = {}
    for label, partition in raw.items():
        files = partition.get("files") if isinstance(partition, dict) else None
        if not isinstance(files, dict) or not _texts((*files, *files.values())):
            raise _not_a_header(uuid, f"the partition {label!r} has no files")
        partitions[label] = files
    return partitions


def _is_index(column: Any, index: Any) -> bool:
    if not isinstance(column, str):
        return False
    return isinstance(index, str) or (
        isinstance(index, dict) and all(isinstance(labels, list) and _texts(labels) for labels in index.values())
    )


def _texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _not_a_header(uuid: str, why: str) -> UserError:
    return UserError(
        "dataset.format",
        f"The header of dataset {uuid!r} cannot be used: {why}",
        remedy="See whether a kept state can take its place with: tablemill dataset verify, then --repair.",
    )


def read_header(store: Store, uuid: str) -> StoredHeader | None:
    """Return a dataset's header, or None when there is no dataset. Two calls to the store, three when there is none.

    JSON is looked for once more, since a header may move from msgpack to JSON between two looks.
    """
    formats: tuple[HeaderFormat, ...] = ("json", "msgpack.zstd", "json")
    for storage_format in formats:
        found = store.get_versioned(header_key(uuid, storage_format))
        if found is not None:
            data, version = found
            return StoredHeader(decode_header(data, storage_format, uuid), storage_format, version)
    return None
