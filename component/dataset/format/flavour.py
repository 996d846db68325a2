"""Which client a dataset is kept for, where the two demand different things (reference kartothek 2.4)."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.format.header import Header
from component.dataset.format.layout import Compatibility
from component.errors import TablemillError
from component.store.base import Store


def said_flavour(header: Header) -> Compatibility:
    """Return what the header says: several tables are for kartothek alone, else it is in our extras."""
    several = len(header.tables) > 1
    return "kartothek" if several or header.extras.get("compatibility") == "kartothek" else "plateau"


def flavour_of(store: Store, header: Header, schema: pa.Schema) -> Compatibility:
    """Return what the header says; of a dataset that is not ours, what its indices of texts are.

    One is opened then at most. A dataset without such an index is the same for both clients.
    """
    if header.extras or len(header.tables) > 1:
        return said_flavour(header)
    texts = {field.name for field in schema if pa.types.is_string(field.type)}
    key = next((key for name, key in header.indices.items() if name in texts and isinstance(key, str)), None)
    if key is None:
        return "plateau"
    try:
        with store.open(key) as file:
            types = pq.read_schema(file).types
    except (TablemillError, pa.ArrowException, OSError):
        return "plateau"
    return "kartothek" if pa.string() in types else "plateau"
