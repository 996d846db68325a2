"""The document of a cached result: what its Parquet file must be, and all beside it (reference workbench 4, 7)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from component.errors import UserError
from component.workbench.messages import RenderError, json_text, render_error_of
from component.workbench.parquet_cache import decode_table
from component.workbench.rendered import Rendered, Status
from component.workbench.table import NO_TABLE
from component.workbench.table_metadata import TableMetadata, metadata_document, metadata_of, metadata_of_document

_KEYS: Final = {"key", "status", "n_rows", "columns", "errors", "json", "file", "bytes", "digest"}


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """What is said of a result. `file` is the name of its Parquet file, None for a result without columns."""

    key: str
    metadata: TableMetadata
    errors: tuple[RenderError, ...]
    json: Mapping[str, Any]
    file: str | None = None
    bytes: int = 0
    digest: str = ""


def digest_of(content: Any) -> str:
    """Return the digest of bytes that tells damage."""
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def entry_of(key: str, rendered: Rendered, file: str | None, content: pa.Buffer | None) -> CacheEntry:
    """Return the entry of a result whose table was encoded to `content`, to be kept under the name `file`."""
    metadata = metadata_of(rendered.table)
    if content is None:
        return CacheEntry(key, metadata, rendered.errors, rendered.json)
    return CacheEntry(key, metadata, rendered.errors, rendered.json, file, content.size, digest_of(content))


def entry_text(entry: CacheEntry) -> str:
    """Return an entry as two lines of JSON, the second being the digest of the first; ValueError for NaN in `json`."""
    status = Status.OK if entry.metadata.columns else Status.ERROR if entry.errors else Status.UNREACHABLE
    line = json_text(
        {
            "key": entry.key,
            "status": str(status),
            **metadata_document(entry.metadata),
            "errors": [error.document for error in entry.errors],
            "json": dict(entry.json),
            "file": entry.file,
            "bytes": entry.bytes,
            "digest": entry.digest,
        }
    )
    return f"{line}\n{_proof(line.encode())}"


def _proof(line: bytes) -> str:
    """Return the second line of an entry: anything else after its first is damage, if only a missing line end."""
    return f"{json_text({'digest': digest_of(line)})}\n"


def entry_of_text(content: bytes, key: str) -> CacheEntry:
    """Return the entry that was written for a key; UserError `workbench.metadata` when it is anything else."""
    line, _, end = content.partition(b"\n")
    if end != _proof(line).encode():
        raise _damaged("its JSON is damaged")
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _damaged("its JSON cannot be read") from error
    if not isinstance(document, dict) or document.keys() != _KEYS:
        raise _damaged("its JSON is another version's")
    if document["key"] != key:
        raise _damaged("it belongs to another key")
    file = document["file"]
    if file is not None and (not file.startswith(f"{key}.") or "/" in file):
        raise _damaged("its Parquet file is not its own")
    return CacheEntry(
        key,
        metadata_of_document({"n_rows": document["n_rows"], "columns": document["columns"]}),
        tuple(render_error_of(error) for error in document["errors"]),
        document["json"],
        file,
        document["bytes"],
        document["digest"],
    )


def rendered_of(entry: CacheEntry, content: pa.Buffer | None) -> Rendered:
    """Return the result of an entry and the bytes of its Parquet file; UserError when these are not what it says."""
    if content is None:
        return Rendered(NO_TABLE, entry.errors, entry.json)
    if content.size != entry.bytes or digest_of(content) != entry.digest:
        raise _damaged("its Parquet file is damaged")
    return Rendered(decode_table(content, entry.metadata), entry.errors, entry.json)


def _damaged(why: str) -> UserError:
    return UserError("workbench.metadata", f"A cached result cannot be used: {why}")
