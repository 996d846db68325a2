"""Whether a header is the one that was written: digests of what it says, and what other clients may change of it.

A header of ours may be written again by other clients, who carry the extras along and change partitions, indices and
metadata. So three digests stand in the extras: `check`, of the extras themselves, holds always; `state`, of the files,
and `content`, of the rest, hold until another client commits. That another client committed, and not a byte changed, is
told by the labels: each is the path of its file, with both clients and with us.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final, Protocol

from isal.isal_zlib import crc32

from component import naming
from component.errors import UserError

CHECK: Final = "check"
STATE: Final = "state"
CONTENT: Final = "content"
_FREE: Final = "free_labels"
"""Says that labels are not the paths of their files, which other clients accept and never write."""
_DIGITS: Final = 32


class Stated(Protocol):
    """What a header says (`header.Header`)."""

    @property
    def uuid(self) -> str: ...  # noqa: D102
    @property
    def partitions(self) -> Mapping[str, Mapping[str, str]]: ...  # noqa: D102
    @property
    def partition_keys(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def indices(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def metadata(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def extras(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def explicit(self) -> bool: ...  # noqa: D102


class DamagedError(UserError):
    """Bytes are not those that were written."""


def damaged(what: str) -> DamagedError:
    """Return the error for bytes that differ from their checksum."""
    return DamagedError(
        "dataset.damaged",
        f"{what} is damaged: its bytes are not those that were written",
        remedy="Find out what else is, and what can be mended, with: tablemill dataset verify; then --repair.",
    )


def digest_of(partitions: Mapping[str, Mapping[str, str]], indices: Mapping[str, Any]) -> str:
    """Return 32 hexadecimal digits that stand for the files of a state, whatever their order."""
    files = [f"{label}\0{table}\0{key}\n" for label, tables in partitions.items() for table, key in tables.items()]
    digest = hashlib.sha256("".join(sorted(files)).encode())
    for column in sorted(indices):
        digest.update(f"\n{column}\0{indices[column]}".encode())
    return digest.hexdigest()[:_DIGITS]


def vouched(header: Stated) -> dict[str, Any]:
    """Return the extras of a header with the digests of what it says."""
    extras = {key: value for key, value in header.extras.items() if key not in {CHECK, _FREE}}
    extras[STATE] = digest_of(header.partitions, header.indices)
    extras[CONTENT] = content_of(header)
    if _odd_label(header) is not None:
        extras[_FREE] = True
    return {**extras, CHECK: _check(extras)}


def content_of(header: Stated) -> str | None:
    """Return the digest of what a header says beside files and extras: partition keys, and the user's metadata."""
    metadata = {key: value for key, value in header.metadata.items() if value is not header.extras}
    try:
        return _check({"partition_keys": list(header.partition_keys), "metadata": metadata})
    except (TypeError, ValueError, RecursionError):  # msgpack holds what JSON does not
        return None


def _check(value: Mapping[str, Any]) -> str:
    return f"{crc32(json.dumps(_without_empty(value), sort_keys=True).encode()):08x}"


def _without_empty(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata as the original clients carry it along: objects that say nothing are left out, at any depth."""
    found = {key: _without_empty(one) if isinstance(one, dict) else one for key, one in value.items()}
    return {key: one for key, one in found.items() if one != {}}


def hold_sound(header: Stated) -> None:
    """Raise DamagedError for a header of which a byte is another one, where that could make an answer wrong.

    What is wrong and does no harm to rows, as a changed text in the user's metadata, is left to `verify`.
    """
    extras = header.extras
    if CHECK not in extras:
        return
    what = f"The header of dataset {header.uuid!r}"
    if extras[CHECK] != _check({key: value for key, value in extras.items() if key != CHECK}):
        raise damaged(what)
    columns = {pair[0] for pair in extras.get("columns", ())}
    described = "columns" in extras  # earlier versions copied other clients' datasets without a description
    if not header.explicit or (described and not columns.issuperset(header.partition_keys)):
        raise damaged(what)
    is_free = extras.get(_FREE) or _odd_label(header) is None
    if not is_free and extras.get(STATE) != digest_of(header.partitions, header.indices):
        raise damaged(what)


def _odd_label(header: Stated) -> str | None:
    """Return a label that is not the path of its file."""
    for label, files in header.partitions.items():
        for table, key in files.items():
            path = f"{header.uuid}/{table}/{label}"
            if key not in {path + suffix for suffix in (naming.PARQUET_SUFFIX, *naming.STORED_CSV_SUFFIXES)}:
                return label
    return None
