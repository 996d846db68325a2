"""What the real plateau is asked for by tests: runs in plateau's own environment (tests/foreign/serving.py).

Rows travel as the bytes of an Arrow file. Nothing of Tablemill is imported here.
"""

import minimalkv
import numpy as np
import pandas as pd
import pyarrow as pa
from plateau.core.common_metadata import make_meta
from plateau.core.factory import DatasetFactory
from plateau.io import eager
from plateau.io_components.read import dispatch_metapartitions_from_factory


def url_of(root):
    return f"hfs://{root}"


def factory_of(root, uuid):
    return DatasetFactory(uuid, lambda: minimalkv.get_store_from_url(url_of(root)))


def frame_of(rows, nanoseconds=True):
    """The frame that a plateau user would have: nulls in integers and booleans by pandas' nullable types.

    With pandas 2 moments have nanoseconds; with pandas 3 the unit that they come in, unless the user takes care.
    """
    table = pa.ipc.open_file(rows).read_all()
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    decimals = {kind: pd.ArrowDtype(kind) for kind in table.schema.types if pa.types.is_decimal(kind)}
    has_nulls = any(column.null_count for column in table.columns)
    return table.to_pandas(
        date_as_object=True,
        coerce_temporal_nanoseconds=nanoseconds,
        types_mapper=(decimals | nullable if has_nulls else decimals).get,
    )


def rows_of(frame, schema):
    """The rows of a frame in the types of the dataset's schema."""
    wanted = pa.schema([schema.field(name) for name in frame.columns])
    table = pa.Table.from_pandas(frame, schema=wanted, preserve_index=False).replace_schema_metadata(None)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def read(root, uuid, **question):
    """Rows of a dataset: predicates and columns as plateau takes them."""
    frame = eager.read_table(uuid, store=url_of(root), **question)
    return rows_of(frame, factory_of(root, uuid).schema)


def schema(root, uuid):
    """Names and types of the columns, as text."""
    return [(field.name, str(field.type)) for field in factory_of(root, uuid).schema]


def dispatched(root, uuid, predicates):
    """Labels of the partitions that plateau would open for predicates."""
    found = dispatch_metapartitions_from_factory(factory_of(root, uuid), predicates=predicates)
    return sorted(partition.label for partition in found)


def index(root, uuid, column):
    """A secondary index as plateau loads it: pairs of value and sorted labels."""
    loaded = factory_of(root, uuid).load_index(column).indices[column]
    return [(plain(value), sorted(labels)) for value, labels in loaded.index_dct.items()]


def plain(value):
    """The value without numpy."""
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value).to_pydatetime()
    return value.item() if isinstance(value, np.generic) else value


def create(root, uuid, frames, **options):
    """Make a dataset of one frame per table of rows."""
    eager.store_dataframes_as_dataset(
        store=url_of(root), dataset_uuid=uuid, dfs=[frame_of(rows) for rows in frames], **options
    )


def append(root, uuid, frames, nanoseconds=True, **options):
    """Add one frame per table of rows."""
    eager.update_dataset_from_dataframes(
        [frame_of(rows, nanoseconds) for rows in frames], store=url_of(root), dataset_uuid=uuid, **options
    )


def create_implicit(root, uuid, frames, partition_on):
    """Make a dataset whose header names no partitions."""
    store = url_of(root)
    found = [frame_of(rows) for rows in frames]
    described = make_meta(found[0], origin="frame", partition_keys=partition_on)
    eager.create_empty_dataset_header(store=store, dataset_uuid=uuid, schema=described, partition_on=partition_on)
    for frame in found:
        eager.write_single_partition(store=store, dataset_uuid=uuid, data=frame, partition_on=partition_on)


def set_metadata(root, uuid, metadata):
    """A commit of nothing but metadata."""
    eager.commit_dataset(store=url_of(root), dataset_uuid=uuid, metadata=metadata)


def collect(root, uuid):
    """Delete what the header does not name."""
    eager.garbage_collect_dataset(uuid, store=url_of(root))


CALLS = {
    call.__name__: call
    for call in (read, schema, dispatched, index, create, append, create_implicit, set_metadata, collect)
}
