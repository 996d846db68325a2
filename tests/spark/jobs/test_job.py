"""The job gives the rows of Python's csv module, whatever the cuts; nothing is left of splits that were read again."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.layout import Layout
from component.dataset.format.seal import open_parquet
from component.dataset.reading.reader import open_dataset, read_dataset
from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.guess import guess_splits
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.csv.split import ByteRange
from component.naming import UTF8_BOM
from component.spark.jobs.job import MillJob, mill
from component.store.local import LocalStore
from component.tables.types import Column, NullRule, TableSchema, TypeName
from tests.formats.csv import oracle
from tests.spark.inline_engine import InlineEngine
from tests.strategies.csv_text import hostile_text, read_with_python, tables, write_rfc4180

IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where each example's store is: forcing files to a disk is tested elsewhere."""


def text_schema(width: int) -> TableSchema:
    return TableSchema(tuple(Column(f"c{number}", null_rule=NullRule.NEVER) for number in range(width)))


def make_job(folder: Path, text: bytes, schema: TableSchema, split_bytes: int, **options: object) -> MillJob:
    path = folder / "t.csv"
    path.write_bytes(UTF8_BOM + text)
    splits = tuple(
        CsvSplit("t", "t.csv", path, gzip=False, range=part, data_start=len(UTF8_BOM), guessed=True)
        for part in guess_splits(path, Dialect(), start=len(UTF8_BOM), split_bytes=split_bytes)
    )
    layout = Layout("t", schema.arrow, options.pop("partition_on", ()), options.pop("indices", ()))
    scratch = options.pop("scratch", None)
    return MillJob(
        splits,
        CsvReader(schema, Dialect(), scratch is not None),
        layout,
        LocalStore(folder / "store"),
        scratch,
        **options,
    )


def run_job(job: MillJob) -> list[tuple[object, ...]]:
    """Mill, commit and read back; hold that the store has no data file but the dataset's."""
    plan = plan_commit(job.store, job.layout, "overwrite")
    (result,) = mill(InlineEngine(), [job], lambda *_: None)
    prepared = commit(job.store, plan, result.written)
    named = {key for files in prepared.header.partitions.values() for key in files.values()}
    assert {stat.key for stat in job.store.list("t/table/")} - named == {"t/table/_common_metadata"}
    rows = []
    for table in read_dataset(open_dataset(job.store, "t")):
        rows += list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    assert result.records == len(rows) + result.rejected
    return rows


@given(tables(), st.integers(1, 60))
def test_any_guessed_cuts_of_rfc4180_text_give_the_rows_of_pythons_csv(rows, split_bytes):
    width = len(rows[0]) if rows else 1
    text = write_rfc4180(rows)
    expected = [tuple(row or [""]) for row in read_with_python(text) if row or width == 1]
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        got = run_job(make_job(Path(folder), text.encode(), text_schema(width), split_bytes))
    assert Counter(got) == Counter(expected)


@given(hostile_text, st.integers(1, 30))
def test_any_guessed_cuts_of_any_text_give_the_rows_of_the_oracle_or_name_its_first_fault(text, split_bytes):
    width = max((len(record.cells) for record in oracle.records(text)), default=1)
    rows = oracle.rows(text, width)
    codes = [oracle.code_of(record, width) for record in rows]
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        job = make_job(Path(folder), text.encode(), text_schema(width), split_bytes)
        try:
            got = run_job(job)
        except UserError as error:
            fault, row, left = error.code, error.place.row, list(job.store.list("t/"))
        else:
            fault, row, left = None, None, []
    first = next((number for number, code in enumerate(codes, 1) if code), None)
    assert row == first or fault == "column.sets_differ"
    if first is None:
        assert Counter(got) == Counter(record.cells for record in rows)
    elif rows[first - 1].is_open:
        assert fault == "csv.unclosed_quote"
    else:
        assert fault in {codes[first - 1], "column.sets_differ"}
    assert not left


@given(st.integers(1, 40), st.integers(1, 40), st.integers(5, 200))
def test_a_bad_cell_is_reported_with_its_row_in_the_slice_whatever_the_cuts(good_before, good_after, split_bytes):
    lines = [f'{number},"x\n{number}"' for number in range(good_before)]
    lines += ['oops,"y"'] + [f"{number},z" for number in range(good_after)]
    schema = TableSchema((Column("n", TypeName.INTEGER), Column("s")))
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        job = make_job(Path(folder), "\n".join(lines).encode(), schema, split_bytes)
        with pytest.raises(UserError) as caught:
            run_job(job)
    place = caught.value.place
    assert (place.slice, place.row, place.column, place.value) == ("t.csv", good_before + 1, "n", "oops")


@given(tables().filter(lambda rows: bool(rows) and len(rows[0]) > 1), st.integers(1, 80), st.integers(1, 3))
def test_shuffled_and_direct_writing_give_the_same_rows(rows, split_bytes, few):
    text = write_rfc4180(rows)
    expected = Counter(tuple(row) for row in read_with_python(text) if row)
    for most in (few, 10_000):
        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
            schema = text_schema(len(rows[0]))
            bounds = {"direct_files": most, "direct_partitions": most}
            job = make_job(Path(folder), text.encode(), schema, split_bytes, partition_on=("c1",), **bounds)
            assert Counter(run_job(job)) == expected


SLICED = TableSchema((Column("n", TypeName.INTEGER, null_rule=NullRule.NEVER), Column("s", null_rule=NullRule.NEVER)))


def make_sliced_job(folder: Path, slices: Sequence[str], **options: object) -> MillJob:
    """Return a job of slices of which each is one split; the bound of files is that of a job of any slices."""
    job = make_job(folder, b"", SLICED, 1, **options)
    splits = []
    for number, text in enumerate(slices):
        path = folder / f"slice-{number:03}"
        path.write_text(text)
        whole = ByteRange(0, path.stat().st_size)
        splits.append(CsvSplit("t", path.name, path, gzip=False, range=whole, guessed=True))
    return replace(job, splits=tuple(splits))


def small_slices(count: int) -> list[str]:
    return [f"{number},a\n{number},b{number}\n" for number in range(count)]


def test_small_slices_share_files_and_keep_their_order_and_counts(tmp_path):
    job = make_sliced_job(tmp_path, small_slices(100))
    (result,) = mill(InlineEngine(), [job], lambda *_: None)
    files = sorted(file.key for part in result.written for file in part.files)
    assert len(files) == 8  # parts of 13 slices: each of two cores has four
    rows = [row for key in files for row in read_rows_of(job, key)]
    assert rows == [(n, s) for n in range(100) for s in ("a", f"b{n}")]
    assert [(count.slice, count.records) for count in result.counts] == [(f"slice-{n:03}", 2) for n in range(100)]


def read_rows_of(job: MillJob, key: str) -> list[tuple[object, ...]]:
    with job.store.open(key) as file:
        return [tuple(row.values()) for row in open_parquet(file).read().to_pylist()]


@pytest.mark.parametrize("bad", [0, 40, 99])
def test_a_fault_in_a_small_slice_is_found_in_its_place_and_nothing_is_left(tmp_path, bad):
    slices = small_slices(100)
    slices[bad] = f'{bad},a\noops,"b"\n'
    job = make_sliced_job(tmp_path, slices)
    with pytest.raises(UserError) as caught:
        mill(InlineEngine(), [job], lambda *_: None)
    assert (caught.value.place.slice, caught.value.place.row, caught.value.place.value) == (
        f"slice-{bad:03}",
        2,
        "oops",
    )
    assert not list(job.store.list("t/"))


def test_rows_rejected_in_small_slices_are_those_of_their_slices(tmp_path):
    slices = small_slices(60)
    slices[7], slices[8] = "x,1\n7,a\n", '8,"unclosed\n'
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    job = make_sliced_job(tmp_path, slices, scratch=scratch)
    (result,) = mill(InlineEngine(), [job], lambda *_: None)
    assert {count.slice: (count.records, count.rejected) for count in result.counts if count.rejected} == {
        "slice-007": (2, 1),
        "slice-008": (1, 1),
    }
    assert set(scratch.iterdir()) == {count.rejected_file for count in result.counts if count.rejected_file}
    assert sum(file.rows for part in result.written for file in part.files) == 117


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), min_size=1, max_size=40), st.sampled_from([0, 1, 3, 100]))
def test_small_slices_have_the_same_rows_however_many_partitions_may_be_written_directly(slices, most):
    texts = ["".join(f"{n},{n % 3}\n" for n in numbers) for numbers in slices]
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        bounds = {"direct_files": most, "direct_partitions": most}
        got = run_job(make_sliced_job(Path(folder), texts, partition_on=("n",), **bounds))
    assert Counter((n, s) for n, s in map(sorted_pair, got)) == Counter(
        (n, str(n % 3)) for numbers in slices for n in numbers
    )


def sorted_pair(row: tuple[object, ...]) -> tuple[int, str]:
    first, second = row
    return (first, second) if isinstance(first, int) else (second, first)
