"""Two writers at once: the other one's whole commit happens before any one store call of ours."""

import contextlib
import threading

import pyarrow as pa
import pytest

from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.header import read_header
from component.dataset.format.schema import decode_schema
from component.errors import CommitRefusedError, UserError
from component.store.local import LocalStore
from tests.dataset.making import bag, layout_of, read_all, write_dataset, write_files
from tests.dataset.memory import MemoryStore
from tests.store.faults import ONE_AT_A_TIME, FaultStore

OLD = pa.table({"k": ["x", "y"], "v": [1, 2]})
MORE = pa.table({"k": ["x", "z"], "v": [1, 3]})
THEIRS = pa.table({"k": ["x", "t"], "v": [2, 9]})
CHANGED = pa.table({"k": [1, 2], "v": ["a", "b"]})


class Interrupted(FaultStore):
    """Another writer commits before the n-th call, if what is there by then takes it."""

    def __init__(self, inner, nth, other):
        super().__init__(inner)
        self.nth = nth
        self.other = other
        self.base_suffix = next((stat.key for stat in inner.list("sales.")), "json")

    @property
    def happened(self):
        return self.nth <= len(self.calls)

    @property
    def read_call(self):
        """The number of the call that read the base: JSON is looked for first, then msgpack."""
        return [key.endswith(self.base_suffix) for _, key in self.calls].index(True) + 1

    @property
    def commit_call(self):
        """The number of the call that put the header."""
        return max(n for n, (call, key) in enumerate(self.calls, 1) if call == "put_if" and ".by-dataset-" in key)

    def _call(self, call, key, carry_out):
        with ONE_AT_A_TIME:
            if len(self.calls) + 1 == self.nth:
                with contextlib.suppress(UserError):
                    self.other(self.inner)
            return super()._call(call, key, carry_out)


def every_moment(base, ours, theirs):
    """Yield, for each call of ours and once without the other, the store after both and whether ours was refused."""
    for nth in range(1, 100):
        store = Interrupted(base.copy(), nth, theirs)
        refused = False
        try:
            ours(store)
        except CommitRefusedError:
            refused = True
        yield store, refused
        if not store.happened:
            return


def _base(storage_format="json"):
    base = MemoryStore()
    write_dataset(base, OLD, ["k"], ["v"], storage_format=storage_format)
    return base


def _append(rows):
    return lambda store: write_dataset(store, rows, ["k"], ["v"], mode="append")


def _overwrite(rows, storage_format="json"):
    return lambda store: write_dataset(store, rows, ["k"], ["v"], storage_format=storage_format)


def _rows(*tables):
    return bag(pa.concat_tables(tables))


@pytest.mark.parametrize("storage_format", ["json", "msgpack.zstd"])
def test_two_appenders_both_survive_at_any_moment(storage_format):
    for store, refused in every_moment(_base(storage_format), _append(MORE), _append(THEIRS)):
        assert not refused
        assert bag(read_all(store.inner)) == _rows(OLD, MORE, *[THEIRS] * store.happened)
        found = read_all(store.inner, predicates=[[("v", "in", [2, 3, 9])]])
        assert sorted(found["v"].to_pylist()) == ([2, 2, 3, 9] if store.happened else [2, 3])


def test_two_creators_both_survive_at_any_moment():
    for store, refused in every_moment(MemoryStore(), _append(MORE), _append(THEIRS)):
        assert not refused
        assert bag(read_all(store.inner)) == _rows(MORE, *[THEIRS] * store.happened)


@pytest.mark.parametrize("rows", [MORE, CHANGED], ids=["same schema", "other schema"])
def test_an_overwrite_that_loses_is_refused_and_leaves_the_winner_and_its_schema(rows):
    refusals = 0
    for store, refused in every_moment(_base(), _overwrite(rows), _append(THEIRS)):
        refusals += refused
        found = bag(read_all(store.inner))
        schema = decode_schema(store.inner.get("sales/table/_common_metadata"))
        if refused:
            assert found == _rows(OLD, THEIRS)
            assert schema.field("v").type == OLD.schema.field("v").type
        else:
            assert not store.read_call < store.nth <= store.commit_call
            later = store.happened and store.nth > store.read_call and rows is MORE
            assert found == _rows(rows, *[THEIRS] * later)
            assert schema.field("v").type == rows.schema.field("v").type
    assert refusals > 3


@pytest.mark.parametrize(("before", "after"), [("json", "msgpack.zstd"), ("msgpack.zstd", "json")])
def test_a_commit_survives_a_change_of_format_at_any_moment(before, after):
    for store, refused in every_moment(_base(before), _overwrite(MORE, after), _append(THEIRS)):
        found = bag(read_all(store.inner))
        if refused:
            assert found == _rows(OLD, THEIRS)
        elif store.nth <= store.read_call or not store.happened:
            assert found == _rows(MORE)
        else:
            assert found == _rows(MORE, THEIRS)
        assert len(list(store.inner.list("sales."))) == 1


def test_what_was_written_before_a_refusal_is_committed_again_with_the_same_files():
    store = Interrupted(_base(), 0, _append(THEIRS))
    plan = plan_commit(store, layout_of(MORE, ["k"], ["v"]), "append")
    written = [write_files(store, plan.layout, MORE)]
    store.nth = len(store.calls) + 3
    prepared = commit(store, plan, written)
    assert {file.label for file in written[0].files} < set(prepared.header.partitions)
    assert read_header(store, "sales").header.partitions == prepared.header.partitions
    indices = [stat.key for stat in store.list("sales/indices/v/")]
    assert prepared.header.indices["v"] in indices
    assert len(indices) == 3


def test_threads_that_append_at_once_all_survive(tmp_path):
    store = LocalStore(tmp_path)
    _append(OLD)(store)
    failed = []

    def append(number):
        try:
            _append(pa.table({"k": ["x"], "v": [100 + number]}))(store)
        except CommitRefusedError:
            failed.append(100 + number)

    threads = [threading.Thread(target=append, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted([*read_all(store)["v"].to_pylist(), *failed]) == [1, 2, 100, 101, 102, 103]
