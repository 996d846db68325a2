"""Every store call of a commit fails, is refused, or is the last: readers see the old state or the new one."""

import contextlib

import pyarrow as pa
import pytest

from component.dataset.commits.commit import commit, plan_commit
from component.dataset.commits.garbage import delete_dataset
from component.dataset.format.header import read_header
from component.dataset.format.keys import referenced
from component.errors import CommitRefusedError, CommitUnknownError, TablemillError, UserError
from tests.dataset.making import bag, layout_of, read_all, write_dataset, write_files
from tests.dataset.memory import MemoryStore
from tests.store.faults import WRITES, Crash, Fault, FaultStore

OLD = pa.table({"k": ["x", "y"], "v": [1, 2]})
MORE = pa.table({"k": ["x", "z"], "v": [1, 3]})
CHANGED = pa.table({"k": [1, 2], "other": ["a", "b"]})

SCENARIOS = {
    "create": (None, MORE, "overwrite", "json"),
    "append": ("json", MORE, "append", "json"),
    "append, msgpack": ("msgpack.zstd", MORE, "append", "json"),
    "overwrite": ("json", MORE, "overwrite", "json"),
    "overwrite with another schema": ("json", CHANGED, "overwrite", "json"),
    "json to msgpack": ("json", CHANGED, "overwrite", "msgpack.zstd"),
    "msgpack to json": ("msgpack.zstd", CHANGED, "overwrite", "json"),
}
EFFECTS = [
    ("any", "fail", False),
    ("any", "crash", False),
    ("any", "crash", True),
    ("put", "fail", True),
    ("delete", "fail", True),
    ("put_if", "refuse", False),
    ("put_if", "unknown", False),
    ("put_if", "unknown", True),
]


@pytest.fixture(params=SCENARIOS)
def scenario(request):
    before, rows, mode, storage_format = SCENARIOS[request.param]
    base = MemoryStore()
    if before:
        write_dataset(base, OLD, ["k"], ["v"], storage_format=before)
    return base, rows, mode, storage_format


def attempt(store, rows, mode, storage_format):
    """Write and commit as a run does: what was written goes when the commit surely did not happen."""
    inner = store.inner
    written = []
    indices = [name for name in rows.column_names if name != "k"]
    try:
        plan = plan_commit(store, layout_of(rows, ["k"], indices), mode, storage_format=storage_format)
        written.append(write_files(inner, plan.layout, rows))
        commit(store, plan, written)
    except CommitUnknownError:
        raise
    except TablemillError:
        for file in (file for part in written for file in part.files):
            inner.delete(file.key)
        raise


def state(store):
    """What a reader sees: columns and rows, by a scan and by every index; None when there is no dataset."""
    if read_header(store, "sales") is None:
        return None
    rows = read_all(store)
    for name in read_header(store, "sales").header.indices:
        for value in set(rows[name].to_pylist()):
            asked = [[(name, "==", value)]]
            expected = [row for row in rows.to_pylist() if row[name] == value]
            assert bag(read_all(store, predicates=asked)) == bag(pa.Table.from_pylist(expected, rows.schema))
    return rows.column_names, bag(rows)


def after(old, rows, mode):
    if mode == "append":
        return old[0], sorted([*old[1], *bag(rows)])
    return rows.column_names, bag(rows)


@pytest.mark.parametrize(("call", "effect", "carried_out"), EFFECTS)
def test_a_reader_sees_the_old_or_the_new_state_and_the_next_commits_work(scenario, call, effect, carried_out):
    base, rows, mode, storage_format = scenario
    old = state(base)
    new = after(old, rows, mode)
    seen = set()
    for nth in range(1, 100):
        inner = base.copy()
        store = FaultStore(inner, Fault(call, nth, effect, carried_out))
        outcome = _outcome(store, rows, mode, storage_format)
        found = state(inner)
        assert found in {"done": (new,), "refused": (old,), "failed": (old,)}.get(outcome, (old, new))
        seen.add(found == new)
        _check_next_commits(inner, found)
        if not _struck(store, call, nth):
            break
    assert outcome == "done"
    assert True in seen


def _outcome(store, rows, mode, storage_format):
    try:
        attempt(store, rows, mode, storage_format)
    except Crash:
        return "crash"
    except CommitUnknownError:
        return "unknown"
    except CommitRefusedError:
        return "refused"
    except TablemillError:
        return "failed"
    return "done"


def _struck(store, call, nth):
    return nth <= sum(call in {name, "any"} for name, _ in store.calls)


def _check_next_commits(store, found):
    rows = MORE if found is None or found[0] == MORE.column_names else CHANGED
    for _ in range(2):
        write_dataset(store, rows, [] if found else ["k"], mode="append")
        found = after(found, rows, "append") if found else (rows.column_names, bag(rows))
        assert state(store) == found
    assert len(list(store.list("sales."))) == 1
    header = read_header(store, "sales").header
    there = {stat.key for stat in store.list("sales/")}
    assert set(referenced(header.partitions, header.indices)) <= there


class _Watched(FaultStore):
    """Looks at the dataset as a reader does after every write."""

    def __init__(self, inner):
        super().__init__(inner)
        self.states = [state(inner)]

    def _call(self, call, key, carry_out):
        result = super()._call(call, key, carry_out)
        if call in WRITES:
            self.states.append(state(self.inner))
        return result


def test_the_state_changes_once_from_old_to_new(scenario):
    base, rows, mode, storage_format = scenario
    store = _Watched(base)
    old, new = store.states[0], after(store.states[0], rows, mode)
    attempt(store, rows, mode, storage_format)
    turn = store.states.index(new)
    assert store.states == [old] * turn + [new] * (len(store.states) - turn)


@pytest.mark.parametrize("effect", ["refuse", "unknown"])
def test_a_commit_that_is_refused_puts_back_the_schema(effect):
    store = MemoryStore()
    write_dataset(store, OLD)
    before = store.get("sales/table/_common_metadata")
    broken = FaultStore(store, Fault("put_if", key="by-dataset-metadata", effect=effect))
    with contextlib.suppress(CommitRefusedError, CommitUnknownError):
        attempt(broken, CHANGED, "overwrite", "json")
    assert (store.get("sales/table/_common_metadata") == before) == (effect == "refuse")
    assert state(store) == (OLD.column_names, bag(OLD))


def test_a_schema_that_the_store_is_not_sure_of_leaves_no_doubt_about_the_commit():
    store = FaultStore(MemoryStore(), Fault("put_if", key="_common_metadata", effect="unknown", after=True))
    with pytest.raises(TablemillError) as caught:
        attempt(store, OLD, "overwrite", "json")
    assert caught.value.code == "store.failed"
    assert read_header(store, "sales") is None


def test_a_damaged_header_is_named_and_nothing_is_written():
    store = MemoryStore()
    store.put("sales.by-dataset-metadata.json", b'{"dataset_metadata_version": 4, "dataset_u')
    with pytest.raises(UserError, match="'sales'") as caught:
        write_dataset(store, OLD)
    assert caught.value.code == "dataset.format"
    assert [stat.key for stat in store.list("sales")] == ["sales.by-dataset-metadata.json"]


@pytest.mark.parametrize("call", [Fault("put", 1), Fault("put", 2), Fault("put_if"), Fault("get_versioned", 3)])
def test_an_append_that_fails_before_its_header_leaves_nothing(call):
    store = MemoryStore()
    write_dataset(store, OLD, ["k"], ["v"])
    before = set(store.objects)
    with pytest.raises(TablemillError):
        attempt(FaultStore(store, call), MORE, "append", "json")
    assert set(store.objects) == before


def test_an_append_whose_dataset_is_deleted_meanwhile_is_refused_and_does_not_create_it_again():
    store = MemoryStore()
    write_dataset(store, OLD, ["k"], ["v"])
    plan = plan_commit(store, layout_of(MORE, ["k"], ["v"]), "append")
    written = [write_files(store, plan.layout, MORE)]
    delete_dataset(store, "sales")
    with pytest.raises(CommitRefusedError, match="deleted meanwhile"):
        commit(store, plan, written)
    assert read_header(store, "sales") is None


def test_a_dataset_whose_schema_a_deletion_took_is_read_by_its_header_and_mended_by_the_next_commit():
    store = MemoryStore()
    write_dataset(store, OLD, ["k"], ["v"])
    store.delete("sales/table/_common_metadata")
    assert bag(read_all(store)) == bag(OLD)
    write_dataset(store, MORE, mode="append")
    assert bag(read_all(store)) == bag(pa.concat_tables([OLD, MORE]))
    assert "sales/table/_common_metadata" in store.objects
