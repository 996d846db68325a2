"""The job gives the rows of Python's csv module, whatever the cuts; nothing is left of splits that were read again."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.layout import Layout
from component.dataset.reading.reader import open_dataset, read_dataset
from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.guess import guess_splits
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.naming import UTF8_BOM
from component.spark.job import MillJob, mill
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
