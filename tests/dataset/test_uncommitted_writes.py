"""All that writes to a dataset keeps one contract: whatever stops it, nothing is left that no header names.

Every store call fails, also together with the deletions that follow; is the last before an interrupt; or is a header of
which the store does not say whether it was put.
"""

import warnings

import pyarrow as pa
import pytest

from component.dataset.changes.arrow_rows import given_rows
from component.dataset.changes.columns import rename_column
from component.dataset.changes.copying import copy_dataset
from component.dataset.changes.operations import compact, delete_rows
from component.dataset.changes.restore import restore
from component.dataset.changes.table_copy import copy_table
from component.dataset.changes.writing import FileLayout, add_rows
from component.dataset.commits.intent import Intent
from component.dataset.format.address import Address
from component.dataset.format.facts import facts_keys
from component.dataset.format.header import read_header
from component.dataset.format.keys import referenced, stored_key
from component.dataset.verification.repair import repair
from component.errors import CommitUnknownError, TablemillError
from component.spark.datasource.options import SourceOptions
from component.spark.datasource.types import spark_schema
from component.spark.datasource.writer import KartothekWriter
from tests.dataset import several
from tests.dataset.making import write_dataset
from tests.dataset.memory import MemoryStore
from tests.store.faults import WRITES as CHANGING
from tests.store.faults import Crash, Fault, FaultStore

ROWS = pa.table({"k": ["x", "y"], "v": [1, 2]})
NEW = pa.table({"k": ["x", "z"], "v": [1, 3]})
SCHEMA = "_common_metadata"
"""The one object of a fixed name: what was put of a new dataset stays, since another writer may rely on it."""
MOST_CALLS = 80


def one_table():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"])
    write_dataset(store, NEW, mode="append")
    return store


def two_tables():
    store = MemoryStore()
    several.commit_tables(store)
    return store


def damaged():
    store = one_table()
    store.delete(next(key for key in store.objects if key.startswith("sales/table/k=y")))
    return store


def put_rows(store, intent):
    add_rows(store, "sales", given_rows(NEW, "sales"), intent, FileLayout())


def write_by_spark(store):
    options = SourceOptions(Address(store, "sales"))
    writer = KartothekWriter(options, spark_schema(NEW.schema), overwrite=False)
    writer.commit([writer.write(iter(NEW.to_batches()))])


WRITES = {
    "append": (one_table, lambda store: put_rows(store, Intent())),
    "upsert": (one_table, lambda store: put_rows(store, Intent("upsert", key=("v",)))),
    "replace partitions": (one_table, lambda store: put_rows(store, Intent("replace_partitions"))),
    "delete rows": (one_table, lambda store: delete_rows(store, "sales", [[["v", "==", 1]]])),
    "compact": (one_table, lambda store: compact(store, "sales")),
    "rename a column": (one_table, lambda store: rename_column(store, "sales", "v", "w")),
    "restore": (one_table, lambda store: restore(store, "sales", "HEAD~1")),
    "repair": (damaged, lambda store: repair(store, "sales")),
    "copy": (one_table, lambda store: copy_dataset(store, "sales", store, "copy")),
    "copy a table": (two_tables, lambda store: copy_table(store, several.UUID, "flights", store, "copy")),
    "delete in one of several": (
        two_tables,
        lambda store: delete_rows(store, several.UUID, [[["flight", "==", 1]]], table="flights"),
    ),
    "Spark": (one_table, write_by_spark),
}


@pytest.fixture(params=WRITES)
def write(request):
    return WRITES[request.param]


def struck(base, write, *faults):
    """Return the store after a write with faults, and what it raised; None where it was done."""
    store = FaultStore(base.copy(), *faults)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            write(store)
        except (TablemillError, Crash) as error:
            return store, error
    return store, None


def calls_of(base, write):
    store, error = struck(base, write)
    assert error is None
    assert len(store.calls) < MOST_CALLS
    return store.calls


def headers(store):
    return {key: data for key, (data, _) in store.objects.items() if ".by-dataset-metadata" in key}


def left_over(base, store):
    return {key for key in set(store.objects) - set(base.objects) if not key.endswith(SCHEMA)}


def named(store):
    found = set()
    for uuid in {key.split(".by-dataset")[0] for key in headers(store)}:
        header = read_header(store, uuid).header
        found |= {*map(stored_key, referenced(header.partitions, header.indices)), *facts_keys(header)}
    return found


def lost(base, store):
    """What a header names and is not there, but for what was not there before."""
    return named(store) - set(store.objects) - (named(base) - set(base.objects))


def publishing(calls):
    """The number of the first call of the commit itself: those on schemas and the header, one after the other."""
    at = next(number for number, (call, key) in enumerate(calls) if call == "put_if" and ".by-dataset-metadata" in key)
    while calls[at - 1][1].endswith(SCHEMA):
        at -= 1
    return at + 1


def test_a_store_that_fails_also_to_delete_leaves_the_old_state_and_the_error_that_came_first(write):
    base, write = write[0](), write[1]
    for nth in range(1, len(calls_of(base, write)) + 1):
        store, error = struck(base, write, Fault("any", nth), Fault("delete", 1))
        assert not lost(base, store.inner)
        if error is None:
            assert headers(store.inner) != headers(base), "not done, and no error"
        elif not isinstance(error, CommitUnknownError):
            assert f"Fault fail at any {nth}" in error.text
            assert headers(store.inner) == headers(base)
            assert set(base.objects) <= set(store.inner.objects)
            assert left_over(base, store.inner) <= {key for call, key in store.calls if call == "delete"}
            assert len(left_over(base, store.inner)) <= 1


def test_an_interrupt_leaves_nothing_unless_it_comes_while_the_header_is_put(write):
    base, write = write[0](), write[1]
    calls = calls_of(base, write)
    writes = [number for number, (call, _) in enumerate(calls, 1) if call in CHANGING]
    for nth in writes:
        store, error = struck(base, write, Fault("any", nth, "crash"))
        assert isinstance(error, Crash)
        if headers(store.inner) != headers(base):
            assert not lost(base, store.inner)
        elif nth < publishing(calls):
            assert not left_over(base, store.inner), calls[nth - 1]


@pytest.mark.parametrize("put", [False, True], ids=["not put", "put"])
def test_a_header_that_may_be_there_keeps_its_files(write, put):
    base, write = write[0](), write[1]
    store, error = struck(base, write, Fault("put_if", key=".by-dataset-metadata", effect="unknown", after=put))
    assert (error is None) == put
    assert put or isinstance(error, CommitUnknownError)
    assert not lost(base, store.inner)
    assert left_over(base, store.inner)
    assert put == (headers(store.inner) != headers(base))
