"""The schema of a dataset as its header vouches for it: `_common_metadata` may be of another commit, or missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa

from component.dataset.format.header import EXTRAS, Header
from component.dataset.format.keys import schema_key
from component.dataset.format.layout import Compatibility, describe_columns, described_schema, trusted_schema
from component.dataset.format.schema import decode_schema, normal_schema
from component.errors import UserError
from component.store.base import Store

UNUSABLE: Final = frozenset({"store.missing", "dataset.damaged", "dataset.format"})
"""Codes with which a `_common_metadata` is refused that is missing, damaged, or no Parquet file at all."""


def read_schema(store: Store, header: Header, table: str) -> pa.Schema:
    """Return the schema to read a table with. UserError `store.missing` where nothing says what it is.

    The header's own description stands in for a `_common_metadata` that a deletion took from a dataset which was
    created at the time, until the next commit puts it.
    """
    try:
        stored = decode_schema(store.get(schema_key(header.uuid, table)))
    except UserError as error:
        described = described_schema(header.described(table))
        if error.code not in UNUSABLE or described is None:
            raise
        return normal_schema(described, header.partition_keys)
    return trusted_schema(header.described(table), stored, header.partition_keys)


def with_description(
    header: Header, schemas: Mapping[str, pa.Schema], compatibility: Compatibility = "plateau"
) -> Header:
    """Return a header whose extras describe the columns of every table; what they describe already stays.

    Another client's header describes nothing. With this its state can be read, copied and restored whatever becomes of
    `_common_metadata`. `compatibility` is the client that the dataset is kept for.
    """
    first, *others = (
        (table, header.described(table) or {"columns": describe_columns(schema), "primary_key": []})
        for table, schema in schemas.items()
    )
    extras: dict[str, Any] = {**header.extras, "table": first[0], **first[1]}
    if others:
        extras["tables"] = dict(others)
    if compatibility != "plateau":
        extras["compatibility"] = compatibility
    return replace(header, metadata={**header.metadata, EXTRAS: extras})
