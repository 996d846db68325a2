"""What a write put and did not commit is gone, whatever ended it; what may be committed stays."""

import ast
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import CommitRefusedError, CommitUnknownError, RetryError, UserError
from component.store.uncommitted import Uncommitted, discard, discard_run
from tests.dataset.memory import MemoryStore
from tests.store.faults import Crash, Fault, FaultStore

BEFORE = {"u/table/old.parquet", "u.by-dataset-metadata.json"}
HEADER = "u.by-dataset-metadata.json"
ENDINGS = {
    "bad rows": UserError("row.cells", "A row is bad"),
    "a lost race": CommitRefusedError("commit.refused", "Another writer won"),
    "a failing store": RetryError("store.failed", "The disk went away"),
    "a bug": ZeroDivisionError(),
    "an interrupt": KeyboardInterrupt(),
    "the end of the process": SystemExit(143),
}
UNKNOWN = CommitUnknownError("commit.unknown", "Perhaps done")


@pytest.fixture
def store():
    store = MemoryStore()
    for key in BEFORE:
        store.put(key, b"before")
    return store


def put(uncommitted, *names):
    keys = [f"u/table/{name}" for name in names]
    uncommitted.add(keys)
    for key in keys:
        uncommitted.store.put(key, b"new")


def fail(store, *names, run=None):
    """A write that puts some objects and then ends with an error."""
    with Uncommitted(store) as uncommitted:
        if run is not None:
            uncommitted.add_run("u/table/", run)
        put(uncommitted, *names)
        raise ENDINGS["bad rows"]


def added(store):
    return {key.rpartition("/")[2] for key in set(store.objects) - BEFORE}


def write(store, ending, *, at="files"):
    """Write as everyone does: files, then an attempt with an index, then the header; `ending` strikes somewhere."""
    with Uncommitted(store) as uncommitted:
        put(uncommitted, "file")
        if at == "files":
            raise ending
        with uncommitted:
            put(uncommitted, "index")
            if at == "attempt":
                raise ending
            with uncommitted.publishing():
                if at == "header":
                    raise ending
                store.put(HEADER, b"new")
        if at == "after":
            raise ending


@pytest.mark.parametrize("at", ["files", "attempt"])
@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_whatever_ends_a_write_before_its_header_leaves_nothing(store, ending, at):
    with pytest.raises(type(ending)) as caught:
        write(store, ending, at=at)
    assert caught.value is ending
    assert not added(store)
    assert set(store.objects) == BEFORE


@pytest.mark.parametrize("name", ["bad rows", "a lost race", "a failing store"])
def test_a_header_that_was_surely_not_put_leaves_nothing(store, name):
    with pytest.raises(type(ENDINGS[name])):
        write(store, ENDINGS[name], at="header")
    assert not added(store)


@pytest.mark.parametrize("ending", [UNKNOWN, *(ENDINGS[name] for name in list(ENDINGS)[3:])], ids=repr)
def test_what_a_header_may_name_stays(store, ending):
    with pytest.raises(type(ending)):
        write(store, ending, at="header")
    assert added(store) == {"file", "index"}


@pytest.mark.parametrize("at", ["files", "attempt", "after"])
def test_an_unknown_commit_leaves_everything_wherever_it_comes_up(store, at):
    with pytest.raises(CommitUnknownError):
        write(store, UNKNOWN, at=at)
    assert added(store) == {"files": {"file"}, "attempt": {"file", "index"}, "after": {"file", "index"}}[at]


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_whatever_comes_after_the_commit_deletes_nothing(store, ending):
    with pytest.raises(type(ending)):
        write(store, ending, at="after")
    assert added(store) == {"file", "index"}


def test_a_write_that_ends_well_keeps_everything_also_without_a_header(store):
    with Uncommitted(store) as uncommitted:
        put(uncommitted, "file")
    assert added(store) == {"file"}


def test_a_lost_attempt_leaves_what_was_there_before_it_for_the_next_one(store):
    with Uncommitted(store) as uncommitted:
        put(uncommitted, "file")
        with suppress(CommitRefusedError), uncommitted:
            put(uncommitted, "index")
            raise ENDINGS["a lost race"]
        assert added(store) == {"file"}
        with uncommitted:
            put(uncommitted, "other index")
            uncommitted.keep()
    assert added(store) == {"file", "other index"}


def test_what_is_discarded_early_is_gone_and_may_be_put_again(store):
    with Uncommitted(store) as uncommitted:
        put(uncommitted, "a", "b")
        with uncommitted:
            uncommitted.discard(["u/table/a"])
            assert added(store) == {"b"}
            uncommitted.discard(["u/table/b"])
            put(uncommitted, "b")
            uncommitted.keep()
    assert added(store) == {"b"}


def test_what_was_put_last_goes_first(store):
    watched = FaultStore(store)
    with pytest.raises(UserError):
        fail(watched, "file", "index", "copy")
    assert [key.rpartition("/")[2] for key in watched.writes[3:]] == ["copy", "index", "file"]


@pytest.mark.parametrize("nth", [1, 2, 3])
@pytest.mark.parametrize("carried_out", [False, True])
def test_a_delete_that_fails_hides_neither_the_error_nor_stops_the_others(store, nth, carried_out):
    broken = FaultStore(store, Fault("delete", nth, after=carried_out))
    with pytest.raises(UserError) as caught:
        fail(broken, "a", "b", "c")
    assert caught.value is ENDINGS["bad rows"]
    assert len(added(store)) == (0 if carried_out else 1)


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_process_that_ends_while_it_discards_leaves_the_rest_as_garbage(store, nth):
    broken = FaultStore(store, Fault("delete", nth, "crash"))
    with pytest.raises(Crash):
        fail(broken, "a", "b", "c")
    assert len(added(store)) == 4 - nth
    assert set(store.objects) >= BEFORE


def test_a_run_of_tasks_takes_everything_under_its_name_and_nothing_else(store):
    for name in ("r1-a", "r1-b", "r2-a"):
        store.put(f"u/table/k=x/{name}", b"new")
    with pytest.raises(UserError):
        fail(store, run="r1")
    assert added(store) == {"r2-a"}


def test_a_run_may_keep_the_files_that_count(store):
    for name in ("r1-a", "r1-b"):
        store.put(f"u/table/{name}", b"new")
    discard_run(store, "u/table/", "r1", kept={"u/table/r1-b"})
    assert added(store) == {"r1-b"}


@pytest.mark.parametrize("fault", [Fault("list"), Fault("delete")], ids=lambda fault: fault.call)
def test_a_store_that_fails_while_a_run_is_discarded_is_no_error(store, fault):
    store.put("u/table/r1-a", b"new")
    discard_run(FaultStore(store, fault), "u/table/", "r1")
    assert added(store) == {"r1-a"}
    discard(store, ["u/table/r1-a", "u/table/never there"])
    assert not added(store)


steps = st.lists(st.sampled_from(["put", "discard", "enter", "leave", "fail", "unknown", "keep"]), max_size=20)


@given(steps)
def test_nested_attempts_do_as_a_list_of_all_that_is_held(names):
    """An oracle without a stack: each object has the depth at which it is held; 0 is for good."""
    store, held = MemoryStore(), {}
    uncommitted, depth = Uncommitted(store), 0
    for number, name in enumerate(names):
        if name == "put":
            put(uncommitted, str(number))
            held[str(number)] = depth
        elif name == "discard" and held:
            gone = min(held)
            uncommitted.discard([f"u/table/{gone}"])
            del held[gone]
        elif name == "enter":
            uncommitted.__enter__()
            depth += 1
        elif name == "keep":
            uncommitted.keep()
            held = dict.fromkeys(held, 0)
        elif depth and name in {"leave", "fail", "unknown"}:
            error = {"leave": None, "fail": ENDINGS["a bug"], "unknown": UNKNOWN}[name]
            uncommitted.__exit__(type(error), error, None)
            if name == "fail":
                held = {key: at for key, at in held.items() if at < depth}
            depth -= 1
            held = {key: 0 if name == "unknown" else min(at, depth) for key, at in held.items()}
    assert {key.rpartition("/")[2] for key in store.objects} == set(held)


DELETING = {
    "store/uncommitted.py",
    "store/archive.py",  # its own probe of the file system
    "actions/connection.py",  # its own probe of a store
    "dataset/commits/garbage.py",
    "dataset/verification/repair.py",  # what it was asked to delete
}
COMPONENT = Path(__file__).parents[2] / "component"


def test_nobody_else_deletes_objects_of_a_store():
    found = set()
    for path in COMPONENT.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if ".delete" in text else ():
            if isinstance(node, ast.Attribute) and node.attr == "delete" and "store" in ast.unparse(node.value):
                found.add(path.relative_to(COMPONENT).as_posix())
    assert found == DELETING
