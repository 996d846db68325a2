"""The schema of a dataset as its header vouches for it: `_common_metadata` may be of another commit, or missing."""

from __future__ import annotations

import pyarrow as pa

from component.dataset.format.header import Header
from component.dataset.format.keys import schema_key
from component.dataset.format.layout import described_schema, trusted_schema
from component.dataset.format.schema import decode_schema, normal_schema
from component.errors import UserError
from component.store.base import Store


def read_schema(store: Store, header: Header, table: str) -> pa.Schema:
    """Return the schema to read a table with. UserError `store.missing` where nothing says what it is.

    The header's own description stands in for a `_common_metadata` that a deletion took from a dataset which was
    created at the time, until the next commit puts it.
    """
    try:
        stored = decode_schema(store.get(schema_key(header.uuid, table)))
    except UserError as error:
        described = described_schema(header.described(table))
        if error.code not in {"store.missing", "dataset.damaged"} or described is None:
            raise
        return normal_schema(described, header.partition_keys)
    return trusted_schema(header.described(table), stored, header.partition_keys)
