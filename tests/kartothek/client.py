"""What the real kartothek 5.3 is asked for by tests: runs in an environment of its own (tests/foreign/serving.py).

As tests/plateau/client.py, which is for its successor; here a frame is one for each table. Nothing of Tablemill is
imported here, and nothing that Python 3.8 does not know is used.
"""

import pandas as pd
import pyarrow as pa
import storefact
from kartothek.core.dataset import DatasetMetadata
from kartothek.core.factory import DatasetFactory
from kartothek.io import eager
from kartothek.io_components.read import dispatch_metapartitions_from_factory


def url_of(root):
    return f"hfs://{root}"


def factory_of(root, uuid):
    return DatasetFactory(uuid, lambda: storefact.get_store_from_url(url_of(root)))


def frame_of(rows):
    """The frame that a kartothek user would have: nulls in integers and booleans by pandas' nullable types."""
    table = pa.ipc.open_file(rows).read_all()
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    has_nulls = any(column.null_count for column in table.columns)
    return table.to_pandas(date_as_object=True, types_mapper=nullable.get if has_nulls else None)


def frames_of(tables):
    return {name: frame_of(rows) for name, rows in tables.items()}


def rows_of(frame, schema):
    """The rows of a frame in the types of the table's schema."""
    wanted = pa.schema([schema.field(name) for name in frame.columns])
    table = pa.Table.from_pandas(frame, schema=wanted, preserve_index=False).replace_schema_metadata(None)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def read(root, uuid, table="table", **question):
    """Rows of a table: predicates and columns as kartothek takes them."""
    frame = eager.read_table(uuid, store=url_of(root), table=table, dates_as_object=True, **question)
    return rows_of(frame, table_meta(root, uuid, table))


def table_meta(root, uuid, table):
    store = storefact.get_store_from_url(url_of(root))
    return DatasetMetadata.load_from_store(uuid, store, load_schema=True).table_meta[table].internal()


def tables(root, uuid):
    """Names of the tables."""
    store = storefact.get_store_from_url(url_of(root))
    return sorted(DatasetMetadata.load_from_store(uuid, store, load_schema=True).table_meta)


def pairs(root, uuid):
    """Rows of each partition, by table: what kartothek's users join."""
    found = eager.read_dataset_as_dataframes(uuid, store=url_of(root), dates_as_object=True)
    return [{name: len(frame) for name, frame in partition.items()} for partition in found]


def dispatched(root, uuid, predicates):
    """Labels of the partitions that kartothek would open for predicates."""
    found = dispatch_metapartitions_from_factory(factory_of(root, uuid), predicates=predicates)
    return sorted(partition.label for partition in found)


def create(root, uuid, partitions, **options):
    """Make a dataset of one frame for each table, partition by partition."""
    eager.store_dataframes_as_dataset(
        store=url_of(root), dataset_uuid=uuid, dfs=[frames_of(tables) for tables in partitions], **options
    )


def append(root, uuid, partitions, **options):
    """Add one frame for each table, partition by partition."""
    eager.update_dataset_from_dataframes(
        [frames_of(tables) for tables in partitions], store=url_of(root), dataset_uuid=uuid, **options
    )


def set_metadata(root, uuid, metadata):
    """A commit of nothing but metadata."""
    eager.commit_dataset(store=url_of(root), dataset_uuid=uuid, metadata=metadata)


def collect(root, uuid):
    """Delete what the header does not name."""
    eager.garbage_collect_dataset(uuid, store=url_of(root))


def delete(root, uuid):
    """Delete the dataset."""
    eager.delete_dataset(uuid, store=url_of(root))


CALLS = {
    call.__name__: call for call in (read, tables, pairs, dispatched, create, append, set_metadata, collect, delete)
}
