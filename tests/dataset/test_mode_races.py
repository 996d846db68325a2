"""Two writers of any two modes at once: what is left is what one after the other would leave, or one was refused."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest

from component.dataset.changes.modes import files_layout, plan_write
from component.dataset.changes.settling import commit_write
from component.dataset.commits.garbage import delete_dataset
from component.dataset.commits.intent import Intent
from component.dataset.format.header import read_header
from component.dataset.format.layout import Layout
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.store.uncommitted import Uncommitted
from tests.dataset.commit_scenarios import BASE, Scenario, dataset, only_headers, rows_of
from tests.dataset.making import layout_of, read_all, write_files
from tests.dataset.memory import MemoryStore
from tests.dataset.schedules import names, set_actor
from tests.dataset.test_commit_races import every_moment

__all__ = ["names"]

SCHEMA = pa.schema([("id", pa.int64()), ("k", pa.string()), ("v", pa.string())])
LAYOUT = Layout("sales", SCHEMA, ("k",))
FIRST = [(1, "x", "a"), (2, "x", "b"), (3, "y", "c"), (4, "z", "d")]
OURS = [(2, "w", "ours"), (3, "y", "ours"), (7, "x", "ours")]
THEIRS = [(2, "x", "theirs"), (4, "z", "theirs"), (7, "y", "theirs")]
MODES = ["overwrite", "append", "replace_partitions", "upsert", "delete"]


def write(store, mode, rows):
    plan = plan_write(store, LAYOUT, Intent(mode, key=("id",) if mode in {"upsert", "delete"} else ()))
    files = files_layout(plan)
    table = pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA)
    commit_write(Uncommitted(store), plan, [write_files(store, files, table.select(files.schema.names))])


def applied(old, mode, new):
    if mode == "overwrite":
        return new
    if mode == "append":
        return old + new
    if mode == "replace_partitions":
        return [row for row in old if row[1] not in {one[1] for one in new}] + new
    kept = [row for row in old if row[0] not in {one[0] for one in new}]
    return kept + new if mode == "upsert" else kept


def base_store():
    store = MemoryStore()
    write(store, "overwrite", FIRST)
    return store


def listed(store):
    return sorted(tuple(row.values()) for row in read_all(store).to_pylist())


@pytest.mark.parametrize(("ours", "theirs"), list(itertools.product(MODES, MODES)))
def test_another_whole_write_at_any_moment_of_ours(ours, theirs):
    refusals = 0
    base = base_store()
    first = sorted(applied(FIRST, ours, OURS))
    after_us = sorted(applied(applied(FIRST, ours, OURS), theirs, THEIRS))
    after_them = sorted(applied(applied(FIRST, theirs, THEIRS), ours, OURS))
    for store, refused in every_moment(
        base, lambda store: write(store, ours, OURS), lambda store: write(store, theirs, THEIRS)
    ):
        found = listed(store.inner)
        refusals += refused
        if refused:
            assert ours == "overwrite"
            assert found == sorted(applied(FIRST, theirs, THEIRS))
        elif not store.happened:
            assert found == first
        else:
            assert found == (after_them if store.nth <= store.commit_call else after_us)
        if store.nth == store.read_call + 1 or refused:
            assert not verify(store.inner, "sales").faults
    assert (refusals > 0) == (ours == "overwrite")
    assert read_header(store.inner, "sales") is not None


def test_a_write_that_loses_does_not_write_again_what_is_still_right():
    written = set()
    theirs = [(9, "x", "more")]
    for store, refused in every_moment(
        base_store(),
        lambda store: write(store, "upsert", OURS),
        lambda store: write(store, "append", theirs),
    ):
        assert not refused
        written.add(sum(call == "put" and "/table/" in key for call, key in store.calls))
    assert written == {4}, "three partitions of new rows, and one old file with a row that stays"


@pytest.mark.parametrize("mode", ["replace_partitions", "upsert", "delete"])
def test_a_dataset_that_is_deleted_meanwhile_is_not_created_again(mode):
    refusals = 0
    for store, refused in every_moment(
        base_store(), lambda store: write_or_missing(store, mode), lambda store: delete_dataset(store, "sales")
    ):
        refusals += refused
        if refused:
            assert read_header(store.inner, "sales") is None
    assert refusals


def write_or_missing(store, mode):
    """Write, where the dataset may be gone before it is even planned."""
    try:
        write(store, mode, OURS)
    except UserError as error:
        if error.code not in {"dataset.missing", "store.missing"}:
            raise


# --- every order of calls ---


def only_commits(call, key):
    """Data files have names that no other writer has, and what is in them never changes."""
    return only_headers(call, key) or "/table/" in key or "/_keys/" in key


def add(scenario, mode, value):
    if mode in {"append", "overwrite"}:
        scenario.write(mode)
        return
    layout = layout_of(rows_of([]), [], ["v"])
    number = len(scenario.works) + 1
    set_actor(0x2000 + number)
    intent = Intent(mode, key=("v",))
    written = [write_files(scenario.base, files_layout(plan_write(scenario.base, layout, intent)), rows_of([value]))]

    def work(store):
        return commit_write(Uncommitted(store), plan_write(store, layout, intent), written).header

    def makes(before):
        kept = [one for one in before if one != value]
        return sorted([*kept, value]) if mode == "upsert" else kept

    scenario.add(mode, work, makes)


PAIRS = [*[("upsert", other) for other in ("upsert", "delete", "append", "overwrite")], ("delete", "delete")]


@pytest.mark.usefixtures(names.__name__)
@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize("value", [BASE[0], 5])
def test_every_order_of_the_calls_of_two_writers(left, right, value):
    scenario = Scenario(dataset())
    add(scenario, left, value)
    add(scenario, right, value)
    explored = scenario.explore(quiet=only_commits)
    if "overwrite" not in (left, right):
        assert set(explored.ends) == {("done", "done")}
