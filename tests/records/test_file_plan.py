from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.records.file_plan import FILE_BYTES, MOST_FILES, RowShare, plan_files

PARTS = st.lists(st.builds(RowShare, st.integers(0, 50), st.integers(0, 10**9)), max_size=6)


def rows_of(planned):
    return [(one.part, row) for file in planned for one in file.ranges for row in range(one.start, one.stop)]


@given(PARTS, st.none() | st.integers(1, 30), st.integers(1, 8))
def test_every_row_is_in_one_file_and_the_order_stays(parts, files, cores):
    planned = plan_files(parts, files=files, cores=cores)
    assert rows_of(planned) == [(number, row) for number, part in enumerate(parts) for row in range(part.rows)]
    assert [file.number for file in planned] == list(range(1, len(planned) + 1))


@given(PARTS, st.integers(1, 30))
def test_there_are_as_many_files_as_asked_for_if_there_are_rows_for_them(parts, files):
    planned = plan_files(parts, files=files)
    assert len(planned) == max(1, min(files, sum(part.rows for part in parts)))
    assert all(file.rows for file in planned) or not sum(part.rows for part in parts)


@given(
    st.lists(st.builds(RowShare, st.just(1000), st.integers(10**6, 10**7)), min_size=1, max_size=20), st.integers(1, 9)
)
def test_files_are_of_about_the_same_size(parts, files):
    planned = plan_files(parts, files=files)
    total = sum(part.bytes for part in parts)
    for file in planned:
        size = sum(parts[one.part].bytes * (one.stop - one.start) / parts[one.part].rows for one in file.ranges)
        assert abs(size - total / files) <= 2 * max(part.bytes for part in parts) / 1000


def test_by_default_files_are_large_and_every_core_has_some():
    assert len(plan_files([RowShare(10**6, 10 * FILE_BYTES)])) == 10
    assert len(plan_files([RowShare(10**6, 100 * 1000 * 1000)], cores=4)) == 4
    assert len(plan_files([RowShare(10**6, 1000)], cores=4)) == 1


def test_the_size_of_a_file_can_be_asked_for():
    assert len(plan_files([RowShare(1000, 1000)], file_bytes=100, cores=64)) == 10


def test_without_rows_there_is_one_file():
    assert rows_of(plan_files([])) == []
    assert len(plan_files([])) == len(plan_files([RowShare(0, 0)], files=5)) == 1


@pytest.mark.parametrize(
    "options",
    [{"files": 0}, {"files": -1}, {"file_bytes": 0}, {"files": 2, "file_bytes": 5}, {"files": MOST_FILES + 1}],
)
def test_what_makes_no_sense_is_refused(options):
    with pytest.raises(UserError) as refused:
        plan_files([RowShare(10**6, 10**9)], **options)
    assert refused.value.code == "config.value"
