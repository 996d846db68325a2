"""Whole runs over files of one name in in/files, and over sources by tag and by id."""

import pytest

MONDAY = {"id": 1, "name": "sales.csv", "tags": ["daily", "monday"]}
TUESDAY = {"id": 2, "name": "sales.csv", "tags": ["daily"]}


@pytest.fixture
def files(folder):
    folder.file("1_sales.csv", "id,name\n1,a\n", MONDAY)
    folder.file("2_sales.csv", "id,name\n2,b\n", TUESDAY)
    return folder


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("sales.csv", [("1", "a"), ("2", "b")]),
        ("tag:daily", [("1", "a"), ("2", "b")]),
        ("tag:monday", [("1", "a")]),
        ("id:2", [("2", "b")]),
    ],
)
def test_all_files_that_a_source_means_arrive(files, run, source, rows):
    files.configure(
        on_same_name="all",
        datasets=[{"uuid": "d", "tables": [{"source": source}]}],
        outputs=[{"dataset": "d", "destination": "out.c-x.d"}],
    )
    outcome = run()
    assert outcome.code == 0, outcome.err
    assert sorted(files.rows("d")) == rows


def test_files_that_differ_are_refused_by_default(files, refused):
    files.configure(datasets=[{"uuid": "d", "tables": [{"source": "sales.csv"}]}])
    refused("source.ambiguous", "'1_sales.csv', '2_sales.csv'")
