"""What can be wrong with `_common_metadata`, and what the original clients demand of it (reference kartothek 1.3)."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.format.header import Header
from component.dataset.format.keys import schema_key
from component.dataset.format.layout import described_schema
from component.dataset.format.schema import decode_schema, normal_schema
from component.dataset.format.seal import lost_seal
from component.dataset.verification.faults import Fault
from component.errors import UserError
from component.store.base import Store

_MAGIC = b"PAR1"


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
    for text in _complaints(data, schema, header):
        yield Fault("verify.schema", text, key, mend=mend)


def _complaints(data: bytes, schema: pa.Schema, header: Header) -> Iterator[str]:
    if data[: len(_MAGIC)] != _MAGIC:
        yield "The schema does not begin as a Parquet file"
    if lost_seal(data):
        yield "The schema lost its checksum"
    if b"pandas" not in (pq.read_schema(pa.BufferReader(data)).metadata or {}):
        yield "The schema has no pandas metadata, without which plateau cannot read the dataset"
    if set(header.partition_keys) <= set(schema.names) and normal_schema(schema, header.partition_keys) != schema:
        yield "The columns of the schema are in another order than clients put them, who then refuse to append"
