"""What can be wrong with the header of a dataset, its history, its facts and its schemas: none of it needs a data file.

Of `_common_metadata` it is also what the original clients demand (reference kartothek 1.3).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.commits.writable import newer_hidden
from component.dataset.format.header import EXTRAS, Header, StoredHeader, decode_header, unpack_header
from component.dataset.format.history import commit_of, kept_states
from component.dataset.format.keys import header_key, partition_texts, schema_key
from component.dataset.format.layout import described_schema
from component.dataset.format.schema import decode_schema, normal_schema
from component.dataset.format.seal import MAGIC, lost_seal
from component.dataset.format.soundness import CHECK, CONTENT, content_of
from component.dataset.verification.faults import Fault
from component.errors import UserError
from component.store.base import Store

KNOWN_KEYS: Final = frozenset(
    {"dataset_metadata_version", "dataset_uuid", "indices", "metadata", "partitions", "partition_keys", "moves_to"}
)


def header_faults(store: Store, stored: StoredHeader) -> Iterator[Fault]:
    """Yield what is wrong with a header that can be read."""
    header = stored.header
    key = header_key(header.uuid, stored.storage_format)
    found = store.get_versioned(key)
    content = unpack_header(found[0], stored.storage_format, header.uuid) if found else {}
    for name in sorted(set(map(str, content)) - KNOWN_KEYS):
        text = f"The header has a key {name!r}, which the format does not know: other clients drop it"
        yield Fault("verify.header", text, key, mend="the next commit drops it")
    if CONTENT in header.extras and CHECK not in header.extras:
        yield Fault("verify.header", "The header lost its checksum", key, mend="the next commit states it")
    yield from _partition_faults(header, content)
    yield from _hidden_header(store, header, stored.storage_format)


def _partition_faults(header: Header, content: Mapping[str, Any]) -> Iterator[Fault]:
    labels: dict[str, str] = {}
    for label, files in header.partitions.items():
        for key in files.values():
            if key in labels:
                text = f"The file is named by two partitions, {labels[key]!r} and this, so its rows are there twice"
                yield Fault("verify.twice", text, key, label, mend="drop one of the two from the header")
            labels.setdefault(key, label)
    named = content.get("partition_keys")
    if named is not None and header.partitions and tuple(named) != header.partition_keys:
        text = f"The header has no partition keys, and paths show {', '.join(header.partition_keys)}"
        yield Fault("verify.partition_keys", text, mend="the next commit names them")


def header_notices(store: Store, header: Header) -> Iterator[Fault]:
    """Yield what another client did, or a changed byte that does no harm to rows."""
    commit = commit_of(header)
    if commit.foreign and "state" in header.extras:
        text = f"Another client has committed since {commit.parent}; what it changed is not vouched for by digests"
        yield Fault("verify.foreign", text)
    if header.extras.get(CONTENT) not in (None, content_of(header)):
        text = "Metadata or partition keys are others than our last commit put"
        kept = next((one for one in kept_states(store, header.uuid) if one.id == header.extras.get("commit")), None)
        changed = _changed(kept.header.metadata, header.metadata) if kept else []
        named = f" (metadata: {', '.join(changed)})" if changed else ""
        yield Fault("verify.metadata", f"{text}{named}: another client changed them, or they are damaged")
    if "commit" not in header.extras and next(kept_states(store, header.uuid), None) is not None:
        text = "The header says nothing of the history that is kept: another client dropped it, or it is damaged"
        yield Fault("verify.extras", text)


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    names = (before.keys() | now.keys()) - {EXTRAS}
    return sorted(name for name in names if json.dumps(before.get(name)) != json.dumps(now.get(name)))


def _hidden_header(store: Store, header: Header, storage_format: str) -> Iterator[Fault]:
    key = header_key(header.uuid, "msgpack.zstd")
    found = store.get_versioned(key) if storage_format == "json" else None
    if found is None:
        return
    try:
        same = commit_of(decode_header(found[0], "msgpack.zstd", header.uuid)).id == commit_of(header).id
    except UserError:
        same = False
    if newer_hidden(store, header) is not None:
        text = "The JSON header is older than the one that it hides"
        yield Fault("verify.hidden_header", text, key, mend="the next commit takes the older one away")
    elif not same:
        text = "An older header is hidden by the JSON one"
        yield Fault("verify.hidden_header", text, key, mend="delete it")


def path_faults(header: Header) -> Iterator[Fault]:
    """Yield files whose path holds a partition value with a bare slash, which the original clients cut short."""
    for label, files in header.partitions.items():
        for key in files.values():
            folders = key.split("/")[2:-1]
            try:
                bare = any("=" not in folder for folder in folders) and partition_texts(key, header.partition_keys)
            except UserError:
                continue  # said when the file is read
            if bare:
                text = "A partition value in the path has a bare slash, where other clients cut it"
                yield Fault("verify.path", text, key, label, mend="write the file again, with %2F for it")


def schema_faults(store: Store, header: Header, table: str) -> Iterator[Fault]:
    """Yield what is wrong with the schema of a table; it is put again from what the header says, where it says it."""
    key, described = schema_key(header.uuid, table), described_schema(header.described(table))
    mend = "put it again"
    try:
        data = store.get(key)
        schema = decode_schema(data)
    except UserError as error:
        text = f"The schema cannot be read: {error.text}"
        yield Fault("verify.schema", text, key, mend=mend if described is not None else None)
        return
    if described is not None and not normal_schema(described, header.partition_keys).equals(schema):
        yield Fault("verify.schema", "The schema is not that of the live state", key, mend=mend)
    for text in _schema_faults(data, schema, header):
        yield Fault("verify.schema", text, key, mend=mend)


def _schema_faults(data: bytes, schema: pa.Schema, header: Header) -> Iterator[str]:
    if data[: len(MAGIC)] != MAGIC:
        yield "The schema does not begin as a Parquet file"
    if lost_seal(data):
        yield "The schema lost its checksum"
    if b"pandas" not in (pq.read_schema(pa.BufferReader(data)).metadata or {}):
        yield "The schema has no pandas metadata, without which plateau cannot read the dataset"
    if set(header.partition_keys) <= set(schema.names) and normal_schema(schema, header.partition_keys) != schema:
        yield "The columns of the schema are in another order than clients put them, who then refuse to append"
