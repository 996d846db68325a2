"""Keys of a dataset's objects, and partition values as text (reference kartothek 1.1, 1.5).

Values are quoted with `/` as `%2F`, unlike the original clients, whose readers then return the value right. What the
original clients wrote is read whole: they quote every `=` but no `/`, so a component without `=` continues a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote as _quote
from urllib.parse import unquote

from component import naming
from component.errors import Place, UserError

LABELS_COLUMN: Final = "partition"
"""Name of the column of labels in every index file."""
_UUID = re.compile(naming.UUID_PATTERN)
_DOTS = re.compile(r"\.{1,2}")
_SLASHES = re.compile(r"/{2,}")


def check_uuid(uuid: str) -> str:
    """Return the dataset's uuid, or raise UserError `store.key` when clients would not find it."""
    if not _UUID.fullmatch(uuid):
        raise UserError(
            "store.key", f"{uuid!r} is no dataset uuid", remedy="Use letters, digits, plus, minus and underscore."
        )
    return uuid


def check_table(table: str, uuid: str) -> str:
    """Return the name of a table that is to be made; UserError `store.key` for one that its files cannot have."""
    if table in naming.RESERVED_TABLES or not _UUID.fullmatch(table):
        reserved = table in naming.RESERVED_TABLES
        why = "is a folder that every dataset keeps for itself" if reserved else "cannot be a folder of a store"
        raise UserError(
            "store.key",
            f"A table cannot be called {table!r}, which {why}",
            place=Place(table=uuid),
            remedy=f"Use letters, digits, plus, minus and underscore, and none of {', '.join(naming.RESERVED_TABLES)}.",
        )
    return table


def check_partition_keys(names: Sequence[str], uuid: str) -> None:
    """Raise UserError `column.type` for names that partition keys to be made cannot have.

    plateau cannot append to a key called `partition`, the name of a column of every index; a name with a slash makes
    two folders of one key in the paths that it writes.
    """
    for name in names:
        if name == LABELS_COLUMN or "/" in name:
            raise UserError(
                "column.type",
                f"A column called {name!r} cannot be a partition key: plateau and kartothek cannot append to it",
                place=Place(table=uuid, column=name),
                remedy="Give the column another name, or partition by another column.",
            )


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
    folder = quote(column).replace(".", "%2E") if _DOTS.fullmatch(column) else quote(column)
    return f"{uuid}/{naming.INDICES_FOLDER}/{folder}/{quote(name)}{naming.INDEX_SUFFIX}"


def history_key(uuid: str, commit: str) -> str:
    """Return the key of the header that a commit had put and another one replaced."""
    return f"{uuid}/{naming.HISTORY_FOLDER}/{quote(commit)}{naming.HISTORY_SUFFIX}"


def partition_label(values: Sequence[tuple[str, str]], stem: str) -> str:
    """Return the label of a partition from its keys, their values as text, and the file's stem."""
    return "/".join([*(f"{quote(key)}={quote(text)}" for key, text in values), stem])


def data_key(uuid: str, table: str, label: str) -> str:
    """Return the key of a data file."""
    return f"{uuid}/{table}/{label}{naming.PARQUET_SUFFIX}"


def label_of_key(key: str) -> str:
    """Return the label within a data file's key: what follows `<uuid>/<table>/`, without the suffix."""
    return key.split("/", 2)[2].removesuffix(naming.PARQUET_SUFFIX)


def stored_key(key: str) -> str:
    """Return the key by which a store has a file that a header names.

    Of a value with two slashes, or one at its end, the original clients make an empty component, which a file system
    leaves out.
    """
    return _SLASHES.sub("/", key) if "//" in key else key


def partition_texts(key: str, partition_keys: Sequence[str]) -> dict[str, str]:
    """Return the partition values in a data file's key, as text; a value that was cut at a slash is whole again.

    Raises UserError `dataset.format` when the path does not hold exactly the partition keys, in their order.
    """
    found = _pairs(key)
    names = [name for name, _ in found]
    if names != list(partition_keys):
        raise UserError(
            "dataset.format",
            f"The path {key!r} holds the partition keys {', '.join(names) or '(none)'},"
            f" and the dataset has {', '.join(partition_keys) or '(none)'}",
        )
    return dict(found)


def keys_in_path(key: str) -> tuple[str, ...]:
    """Return the partition keys that a path shows, for headers that do not name them; errors as above."""
    return tuple(name for name, _ in _pairs(key))


def _pairs(key: str) -> list[tuple[str, str]]:
    quoted: list[str] = []
    for component in key.split("/")[2:-1]:
        if "=" in component:
            quoted.append(component)
        elif quoted:
            quoted[-1] += f"/{component}"
        else:
            raise _unreadable(key)
    try:
        pairs = [
            [unquote(part, errors="strict") if "%" in part else part for part in component.split("=")]
            for component in quoted
        ]
    except UnicodeDecodeError as error:
        raise _unreadable(key) from error
    if any(len(pair) != 2 for pair in pairs):
        raise _unreadable(key)
    return [(name, text) for name, text in pairs]


def _unreadable(key: str) -> UserError:
    return UserError("dataset.format", f"The path {key!r} cannot be read as name=value between table and file")


def referenced(header_files: Mapping[str, Mapping[str, str]], indices: Mapping[str, Any]) -> list[str]:
    """Return the keys of data files and index files that a header names."""
    files = [key for tables in header_files.values() for key in tables.values()]
    return files + [key for key in indices.values() if isinstance(key, str)]
