"""Keys of a dataset's objects, and partition values as text (reference kartothek 1.1, 1.5).

Values are quoted with `/` as `%2F`, unlike the original clients, whose readers then return the value right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote as _quote
from urllib.parse import unquote

from component import naming
from component.errors import UserError

_UUID = re.compile(naming.UUID_PATTERN)


def check_uuid(uuid: str) -> str:
    """Return the dataset's uuid, or raise UserError `store.key` when clients would not find it."""
    if not _UUID.fullmatch(uuid):
        raise UserError(
            "store.key", f"{uuid!r} is no dataset uuid", remedy="Use letters, digits, plus, minus and underscore."
        )
    return uuid


def quote(text: str) -> str:
    """Quote one component of a key; everything but letters, digits and `_.-~` becomes %XX of its UTF-8 bytes."""
    return _quote(text, safe="")


def header_key(uuid: str, storage_format: str) -> str:
    """Return the key of the header, for the format `json` or `msgpack.zstd`."""
    suffix = naming.HEADER_JSON_SUFFIX if storage_format == "json" else naming.HEADER_MSGPACK_SUFFIX
    return uuid + suffix


def schema_key(uuid: str, table: str) -> str:
    """Return the key of a table's `_common_metadata`."""
    return f"{uuid}/{table}/{naming.COMMON_METADATA}"


def index_key(uuid: str, column: str, name: str) -> str:
    """Return the key of a secondary index file; `name` makes it new."""
    return f"{uuid}/{naming.INDICES_FOLDER}/{quote(column)}/{quote(name)}{naming.INDEX_SUFFIX}"


def partition_label(values: Sequence[tuple[str, str]], stem: str) -> str:
    """Return the label of a partition from its keys, their values as text, and the file's stem."""
    return "/".join([*(f"{quote(key)}={quote(text)}" for key, text in values), stem])


def data_key(uuid: str, table: str, label: str) -> str:
    """Return the key of a data file."""
    return f"{uuid}/{table}/{label}{naming.PARQUET_SUFFIX}"


def label_of_key(key: str) -> str:
    """Return the label within a data file's key: what follows `<uuid>/<table>/`, without the suffix."""
    return key.split("/", 2)[2].removesuffix(naming.PARQUET_SUFFIX)


def partition_texts(key: str, partition_keys: Sequence[str]) -> dict[str, str]:
    """Return the partition values in a data file's key, as text.

    Raises UserError `dataset.format` when the path does not hold exactly the partition keys: original clients cut
    values at a slash without a word, which must not pass as another value.
    """
    components = key.split("/")[2:-1]
    pairs = [component.split("=", 1) for component in components if component.count("=") == 1]
    values = {unquote(pair[0]): unquote(pair[1]) for pair in pairs}
    if len(components) != len(partition_keys) or list(values) != list(partition_keys):
        raise UserError(
            "dataset.format",
            f"The path {key!r} does not hold the partition keys {', '.join(partition_keys) or '(none)'}",
            remedy="A value with a slash written by an older client looks like this; rewrite the partition.",
        )
    return values


def keys_in_path(key: str) -> tuple[str, ...]:
    """Return the partition keys that a path shows, for headers that do not name them."""
    return tuple(unquote(part.split("=", 1)[0]) for part in key.split("/")[2:-1] if part.count("=") == 1)


def referenced(header_files: Mapping[str, Mapping[str, str]], indices: Mapping[str, Any]) -> list[str]:
    """Return the keys of data files and index files that a header names."""
    files = [key for tables in header_files.values() for key in tables.values()]
    return files + [key for key in indices.values() if isinstance(key, str)]
