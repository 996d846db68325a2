"""Primary keys that are null or stand twice: told, refused or rejected, as a plain look at all rows says."""

from __future__ import annotations

import csv
import io
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.dataset.changes import primary_keys as keys
from component.dataset.changes.known_keys import fresh_scan
from component.dataset.reading.reader import read_scan
from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.guess import guess_splits
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.plan.model import DatasetPlan, Source
from component.runner.commits import plan_commits, targets_of
from component.runner.datasets import MilledDataset, MilledTable
from component.runner.keys import settle_keys
from component.runner.milling import key_task, mill_all
from component.spark.jobs import repeats
from component.spark.jobs.job import MillJob
from component.store.local import LocalStore
from component.store.uncommitted import Uncommitted
from component.tables.types import Column, TableSchema, TypeName
from tests.dataset.making import write_dataset
from tests.spark.inline_engine import InlineEngine

IN_MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
COLUMNS = (
    Column("a"),
    Column("n", TypeName.INTEGER),
    Column("d", TypeName.NUMERIC, "10,2"),
    Column("row", TypeName.INTEGER),
)
cells = st.tuples(
    st.sampled_from(["x", "y", "long enough for two words"]),
    st.none() | st.integers(0, 3),
    st.sampled_from(["0", "0.00", "1.5"]),
)


class Made:
    """A source of rows, milled in small splits with a policy of keys, to be appended to those that are `there`."""

    def __init__(self, folder: Path, rows, key, policy, split_bytes, partition_on, there=None):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*row, number] for number, row in enumerate(rows, 1))
        path = folder / "t.csv"
        path.write_bytes(text.getvalue().encode())
        splits = tuple(
            CsvSplit("t", "t.csv", path, gzip=False, range=part, guessed=True)
            for part in guess_splits(path, Dialect(), start=0, split_bytes=split_bytes)
        )
        schema = TableSchema(COLUMNS, key)
        plan = DatasetPlan(
            "t",
            "table",
            Source("t.csv", "t", ("t",), "csv", (), schema),
            schema,
            partition_on,
            mode="overwrite" if there is None else "append",
            on_duplicate_key=policy,
        )
        scratch = folder / "scratch"
        scratch.mkdir()
        store = LocalStore(folder / "store")
        if there is not None:
            found = [(*values[:2], Decimal(values[2]), -number) for number, values in enumerate(there, 1)]
            columns = [pa.array(cells, one.arrow) for cells, one in zip(zip(*found, strict=True), COLUMNS, strict=True)]
            write_dataset(store, pa.table(columns, schema=schema.arrow), partition_on, uuid="t", splits=2)
        self.before = {stat.key for stat in store.list("t/")}
        commits = plan_commits(store, [plan])
        self.job = MillJob(
            splits,
            CsvReader(schema, Dialect()),
            *(target.layout for target in targets_of(commits[0])),
            store,
            scratch if plan.has_rejected else None,
            direct_partitions=1,
            direct_files=1,
            keys=key_task(plan, key, scratch),
            strict=True,
        )
        self.said: list[str] = []
        with Uncommitted(store) as uncommitted:
            dataset = MilledDataset((MilledTable(plan, self.job),), commits[0])
            milled = mill_all(InlineEngine(), uncommitted, [dataset], lambda *_: None)
            (held,) = settle_keys(InlineEngine(), uncommitted, milled, lambda *_: None, self.said.append)
        self.result = held.tables[0].result

    def rows(self):
        """The numbers of the rows that were written."""
        files = [file for part in self.result.written for file in part.files]
        found = []
        for file in files:
            scan = fresh_scan(file.label, file.key, self.job.layout)
            found += read_scan(self.job.store, self.job.layout.stored_schema, scan, ["row"])["row"].to_pylist()
        assert {file.key for file in files} == {stat.key for stat in self.job.store.list("t/")} - self.before
        return sorted(found)


def values_of(row, key):
    typed = dict(zip(("a", "n", "d"), (row[0], row[1], float(row[2])), strict=True))
    return tuple(typed[name] for name in key)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(cells, max_size=12),
    key=st.sampled_from([("a",), ("n",), ("d",), ("n", "a"), ("a", "d", "n")]),
    policy=st.sampled_from(["warn", "fail", "reject"]),
    split_bytes=st.sampled_from([1, 30, 1000]),
    partition_on=st.sampled_from([(), ("a",)]),
)
def test_keys_are_judged_as_by_a_look_at_all_rows(rows, key, policy, split_bytes, partition_on):
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        patch.setattr(keys, "RUN_HASHES", 2)
        patch.setattr(repeats, "RANGE_KEYS", 2)
        found = [values_of(row, key) for row in rows]
        nulls = [None in one for one in found]
        counts = Counter(one for one in found if None not in one)
        twice = {one: count for one, count in counts.items() if count > 1}
        make = lambda: Made(Path(folder), rows, key, policy, split_bytes, partition_on)  # noqa: E731 - said in two places
        if policy == "fail" and (any(nulls) or twice):
            with pytest.raises(UserError) as refused:
                make()
            assert refused.value.code == ("row.null_key" if any(nulls) else "row.duplicate_key")
            assert not list(LocalStore(Path(folder) / "store").list("t/"))
            return
        made = make()
        if policy != "reject":
            assert made.rows() == list(range(1, len(rows) + 1))
            assert sum("is null in" in text for text in made.said) == any(nulls)
            told = [text for text in made.said if "stand" in text]
            assert len(told) == bool(twice)
            if twice:
                count = f"{len(twice)} primary keys stand" if len(twice) > 1 else "A primary key stands"
                assert told[0].startswith(f"{count} in {sum(twice.values())} rows")
            return
        kept, seen = [], set()
        for number, (one, null) in enumerate(zip(found, nulls, strict=True), 1):
            if not null and one not in seen:
                kept.append(number)
            seen.add(one)
        assert made.rows() == kept
        assert made.result.rejected == len(rows) - len(kept)
        assert not made.said


@settings(max_examples=15, deadline=None)
@given(
    rows=st.lists(cells, max_size=8),
    there=st.lists(cells, min_size=1, max_size=5),
    key=st.sampled_from([("a",), ("n",), ("d", "n"), ("a", "n")]),
    split_bytes=st.sampled_from([1, 1000]),
    partition_on=st.sampled_from([(), ("a",)]),
)
def test_rows_whose_key_the_dataset_has_are_rejected(rows, there, key, split_bytes, partition_on):
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        patch.setattr(repeats, "RANGE_KEYS", 2)
        made = Made(Path(folder), rows, key, "reject", split_bytes, partition_on, there)
        known = {values_of(row, key) for row in there}
        reasons, seen = {}, set()
        for number, row in enumerate(rows, 1):
            values = values_of(row, key)
            if None in values:
                reasons[number] = "The row has no value in a column of the primary key"
            elif values in known:
                reasons[number] = "The dataset already has the primary key"
            elif values in seen:
                reasons[number] = "The primary key stood in a row before"
            seen.add(values)
        assert made.rows() == [number for number in range(1, len(rows) + 1) if number not in reasons]
        told = []
        for path in (count.rejected_file for count in made.result.counts if count.rejected_file is not None):
            with pa.ipc.open_stream(path) as reader:
                told += reader.read_all()["reason"].to_pylist()
        assert sorted(told) == sorted(reasons.values())
        assert not [stat.key for stat in made.job.store.list("t/_keys/")]


@given(st.lists(st.lists(st.integers(0, 40), min_size=1), max_size=5), st.integers(1, 9))
def test_hashes_that_stand_twice_are_found_range_by_range(runs, most):
    spread = 2**64 // 41
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        parts = []
        for number, run in enumerate(runs):
            path = Path(folder) / str(number)
            np.sort(np.array([one * spread for one in run], np.uint64)).tofile(path)
            parts.append(keys.KeyRuns(path, (len(run),)))
        counts = Counter(one for run in runs for one in run)
        expected = sorted(one * spread for one, count in counts.items() if count > 1)
        assert keys.repeated_hashes(parts, most).tolist() == expected


def test_rows_whose_hashes_are_equal_are_told_apart_by_their_keys(monkeypatch, tmp_path):
    same = lambda rows, _: np.zeros(rows.num_rows, np.uint64)  # noqa: E731 - a function of one expression
    monkeypatch.setattr(keys, "key_hashes", same)
    monkeypatch.setattr(repeats, "key_hashes", same)
    rows = [("x", 1, "0"), ("y", 1, "0"), ("x", 2, "0")]
    for policy, key, kept in (
        ("fail", ("a", "n"), [1, 2, 3]),
        ("reject", ("n",), [1, 3]),
        ("reject", ("a", "n"), [1, 2, 3]),
    ):
        folder = tmp_path / f"{policy}{len(key)}"
        folder.mkdir()
        assert Made(folder, rows, key, policy, 1000, ()).rows() == kept
