"""Large datasets, without Spark: 100,000 partitions, and an index of 20 million distinct values.

`make` writes the same small data file under the names of all partitions, without forcing each to disk; the commit, its
index and its header are real.
"""

import os

import numpy as np
import pyarrow as pa
from step import run

from component import identity
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.files.data_file import encode_rows
from component.dataset.files.fragment import encode_fragment, fragment_of_files
from component.dataset.files.predicates import bind_predicates
from component.dataset.files.write import PartitionWriter, Written, WrittenFile
from component.dataset.format.facts import facts_of
from component.dataset.format.keys import data_key, partition_label
from component.dataset.format.layout import Layout
from component.dataset.indices.index import build_index
from component.dataset.indices.lookup import lookup
from component.dataset.reading.reader import open_dataset, plan_scan
from component.store.local import LocalStore

UUID = "large"
PARTITIONS = int(os.environ.get("BENCH_PARTITIONS", "100000"))
DISTINCT = int(os.environ.get("BENCH_DISTINCT", "20000000"))
WRITERS = 40
SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])
LAYOUT = Layout(UUID, SCHEMA, ("k",), ("v",))


def _store(folder):
    return LocalStore(folder / "large")


def make(folder):
    store = _store(folder)

    def act():
        plan = plan_commit(store, LAYOUT, "overwrite")
        rows = pa.table({"v": [1, 2, 3]})
        data = encode_rows(rows)
        stem = identity.new_hex()
        labels = [partition_label((("k", str(number)),), stem) for number in range(PARTITIONS)]
        keys = [data_key(UUID, LAYOUT.table, label) for label in labels]
        store.put(keys[0], data)
        for key in keys[1:]:
            path = store.root / key
            path.parent.mkdir(parents=True)
            path.write_bytes(data)
        files = tuple(WrittenFile(label, key, facts_of(data, 3)) for label, key in zip(labels, keys, strict=True))
        found = fragment_of_files([(label, pa.array([n % 1000, n])) for n, label in enumerate(labels)], pa.int64())
        return len(commit(store, plan, [Written(files, {"v": encode_fragment(found).to_pybytes()})]).header.partitions)

    return act


def open_(folder):
    return lambda: len(open_dataset(_store(folder), UUID).header.partitions)


def _plan(folder, predicates):
    dataset = open_dataset(_store(folder), UUID)
    return lambda: len(plan_scan(dataset, predicates))


def plan(folder):
    return _plan(folder, None)


def plan_by_key(folder):
    return _plan(folder, [[("k", "in", [5, 77_777]), ("k", "<", 50_000)]])


def plan_by_index(folder):
    return _plan(folder, [[("v", "==", 55)]])


def plan_by_a_wide_range(folder):
    return _plan(folder, [[("v", ">=", 0)]])


def append(folder):
    store, rows = _store(folder), pa.table({"k": [PARTITIONS], "v": [7]})

    def act():
        plan = plan_commit(store, LAYOUT, "append")
        writer = PartitionWriter(store, plan.layout, identity.new_hex)
        writer.add(rows)
        return len(commit(store, plan, [writer.finish()]).header.partitions)

    return act


def _values(kind):
    """What each of the writers found: distinct values, in no order."""
    ids = np.random.default_rng(0).permutation(DISTINCT).reshape(WRITERS, -1)
    for writer in range(WRITERS):
        found = pa.array(ids[writer])
        if kind == "texts":
            found = pa.array([f"{number:032x}" for number in ids[writer]], pa.large_string())
        label = partition_label((("k", str(writer)),), identity.new_hex())
        yield encode_fragment(fragment_of_files([(label, found)], found.type)).to_pybytes()


def write_fragments(folder, kind):
    """Write what the workers of a run send: `build` starts from these."""

    def act():
        place = folder / "fragments" / kind
        place.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(_values(kind)):
            (place / f"{number:03}.arrow").write_bytes(data)
        return DISTINCT

    return act


def build(folder, kind):
    """Build the index of all distinct values as the driver does: from the fragments of the workers."""
    fragments = [path.read_bytes() for path in sorted((folder / "fragments" / kind).iterdir())]

    def act():
        built = build_index("id", _type(kind), fragments)
        _store(folder).put(_key(kind), built.data)
        return built.values

    return act


def _type(kind):
    return pa.int64() if kind == "numbers" else pa.large_string()


def _key(kind):
    return f"{UUID}/indices/id/{kind}.by-dataset-index.parquet"


def look_up(folder, kind, *, times):
    """Look one value up; the first time everything is cold but the files that the operating system holds."""
    data_type = _type(kind)
    value = 777 if kind == "numbers" else f"{777:032x}"
    (asked,) = bind_predicates([[("id", "==", value)]], pa.schema([("id", data_type)]))[0]
    store = _store(folder)

    def look():
        with store.open(_key(kind)) as file:
            return len(lookup(file, "id", [asked])[0])

    for _ in range(times):
        look()
    return look


STEPS = {step.__name__.rstrip("_"): step for step in (make, open_, plan, plan_by_key, plan_by_index, append)}
STEPS["plan_by_a_wide_range"] = plan_by_a_wide_range
for name in ("numbers", "texts"):
    STEPS[f"write_fragments_{name}"] = lambda folder, name=name: write_fragments(folder, name)
    STEPS[f"build_{name}"] = lambda folder, name=name: build(folder, name)
    STEPS[f"look_up_cold_{name}"] = lambda folder, name=name: look_up(folder, name, times=0)
    STEPS[f"look_up_{name}"] = lambda folder, name=name: look_up(folder, name, times=3)
run(STEPS)
