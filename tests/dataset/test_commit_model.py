"""Writers, readers and collectors in every order of their store calls, each of them ended by a crash at any of them.

What is checked in every state that can be reached: the live state is the one before, or follows it by one commit, of
which the rows are exactly what its operation makes of the rows before it; so nothing that was committed is lost. Every
index is exact, and the chain of the history leads to where it began. An actor that is done has its commit in the chain,
one that was refused or failed has not. And after a crash at any point the next writer can go on, and a collection
leaves the dataset whole.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

from component.dataset.format.header import read_header
from component.dataset.format.keys import schema_key
from component.dataset.format.layout import described_schema
from component.dataset.format.schema import decode_schema, normal_schema
from component.dataset.reading.reader import open_dataset
from tests.dataset.commit_scenarios import BASE, Scenario, dataset, is_lost_or_there, only_headers, only_shared
from tests.dataset.memory import MemoryStore
from tests.dataset.schedules import explore, names

pytestmark = pytest.mark.usefixtures(names.__name__)
__all__ = ["names"]

BASES = {"json": lambda: dataset("json"), "msgpack.zstd": lambda: dataset("msgpack.zstd"), "nothing": MemoryStore}
JSON, MSGPACK = "json", "msgpack.zstd"
APPEND, APPEND_MSGPACK = ("append", JSON), ("append", MSGPACK)
OVERWRITE, OVERWRITE_MSGPACK = ("overwrite", JSON), ("overwrite", MSGPACK)
DELETE = ("delete", "")

PAIRS = [
    *[(JSON, left, right) for left, right in [(APPEND, APPEND), (APPEND, OVERWRITE), (APPEND, DELETE)]],
    *[(JSON, left, right) for left, right in [(OVERWRITE, OVERWRITE), (OVERWRITE, DELETE), (DELETE, DELETE)]],
    *[(JSON, left, OVERWRITE_MSGPACK) for left in (APPEND, DELETE, OVERWRITE, OVERWRITE_MSGPACK)],
    *[(MSGPACK, left, OVERWRITE) for left in (APPEND, DELETE, OVERWRITE, OVERWRITE_MSGPACK)],
    (MSGPACK, APPEND, APPEND),
    *[("nothing", APPEND, right) for right in (APPEND, APPEND_MSGPACK)],
    *[("nothing", left, OVERWRITE_MSGPACK) for left in (APPEND, OVERWRITE_MSGPACK)],
]


def scenario_of(base, *writers):
    scenario = Scenario(BASES[base]())
    for kind, storage_format in writers:
        if kind == "delete":
            scenario.delete(BASE[0])
        else:
            scenario.write(kind, storage_format)
    return scenario


def show(value):
    return " ".join(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize(("base", "left", "right"), PAIRS, ids=show)
def test_two_writers(base, left, right):
    quiet = only_shared if base == "nothing" else only_headers
    explored = scenario_of(base, left, right).explore(quiet=quiet)
    if left[0] == right[0] == "append":
        assert set(explored.ends) == {("done", "done")}


FAULTS = ("fail", "fail after", "unknown", "unknown after")


@pytest.mark.parametrize(
    ("base", "left", "right"),
    [(JSON, APPEND, DELETE), (JSON, OVERWRITE, OVERWRITE_MSGPACK), (MSGPACK, APPEND, OVERWRITE)],
    ids=show,
)
def test_two_writers_of_whom_one_meets_a_failing_store_or_one_that_does_not_answer(base, left, right):
    explored = scenario_of(base, left, right).explore(quiet=only_headers, effects=FAULTS)
    assert {"failed", "unknown", "done"} <= {kind for end in explored.ends for kind in end}


def test_one_writer_at_every_call_also_to_index_files_and_copies():
    explored = scenario_of(JSON, APPEND).explore(effects=FAULTS)
    assert set(explored.ends) == {("failed",), ("unknown",), ("done",)}


@pytest.mark.parametrize("writers", [(APPEND, APPEND, APPEND), (APPEND, OVERWRITE, DELETE)], ids=str)
def test_three_writers_with_two_switches(writers):
    scenario_of(JSON, *writers).explore(quiet=only_headers, switches=2)


@pytest.mark.parametrize("kind", ["append", "overwrite", "delete", "restore", "taken back", "gc", "delete all"])
def test_a_collector_beside_a_writer(kind):
    scenario = Scenario(dataset())
    scenario.collector()
    add(scenario, kind)
    explored = scenario.explore()
    assert {end[0] for end in explored.ends} <= {"done", "failed"}


def add(scenario, kind):
    match kind:
        case "append" | "overwrite":
            scenario.write(kind)
        case "create msgpack":
            scenario.write("overwrite", MSGPACK)
        case "delete":
            scenario.delete(BASE[0])
        case "restore":
            scenario.restore_oldest()
        case "taken back":
            scenario.write_and_take_back("append")
        case "gc":
            scenario.collector()
        case "delete all":
            scenario.deleter()
        case "reader":
            scenario.reader()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", ["append", "overwrite", "create msgpack"])
def test_a_commit_that_is_taken_back_beside_a_writer(base, kind):
    scenario = Scenario(BASES[base]())
    scenario.write_and_take_back("overwrite")
    scenario.moves_back = base != JSON
    add(scenario, kind)
    scenario.explore(quiet=only_shared, switches=2)


@pytest.mark.parametrize("base", [JSON, MSGPACK])
@pytest.mark.parametrize("kind", ["append", "overwrite", "create msgpack", "delete"])
def test_a_dataset_is_deleted_beside_a_writer(base, kind):
    scenario = Scenario(BASES[base]())
    scenario.deleter()
    scenario.moves_back = (base, kind) in {(JSON, "create msgpack"), (MSGPACK, "overwrite")}
    add(scenario, kind)
    scenario.explore(quiet=only_shared, switches=2)


@pytest.mark.parametrize(
    ("base", "writer"), [(JSON, OVERWRITE_MSGPACK), (MSGPACK, OVERWRITE), (JSON, DELETE)], ids=show
)
def test_a_reader_sees_one_state_whole_whatever_is_committed_and_collected(base, writer):
    scenario = scenario_of(base, writer)
    scenario.collector()
    scenario.reader()
    explored = scenario.explore(quiet=only_headers, switches=2)
    assert {end[2] for end in explored.ends} == {"done"}


def test_a_foreign_clients_overwrite_is_told():
    scenario = scenario_of(JSON, APPEND)
    scenario.foreign()

    def on_state(before, execution):
        if execution.outcomes[0].kind == "done":
            assert is_lost_or_there(execution.store, 1)

    explore(scenario.base, scenario.works, on_state=on_state, quiet=only_shared)


@pytest.mark.parametrize(
    "kinds", [("other", "append"), ("other", "text"), ("other", "delete"), ("other", "taken back")], ids=str
)
def test_the_schema_is_that_of_the_live_state_when_writers_of_several_schemas_have_ended(kinds):
    scenario = Scenario(dataset())
    for kind in kinds:
        if kind in OTHER:
            scenario.overwrite_with(OTHER[kind])
        else:
            add(scenario, kind)

    def on_state(before, execution):
        live = read_header(execution.store, "sales").header
        assert open_dataset(execution.store, "sales").schema.equals(expected(live))
        if all(outcome.kind != "running" for outcome in execution.outcomes):
            assert decode_schema(execution.store.get(schema_key("sales", "table"))).equals(expected(live))

    explore(scenario.base, scenario.works, on_state=on_state, quiet=only_shared)


OTHER = {"other": pa.table({"w": ["a"]}), "text": pa.table({"v": ["a"]})}


def expected(header):
    return normal_schema(described_schema(header.extras), header.partition_keys)
