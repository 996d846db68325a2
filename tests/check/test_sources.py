from __future__ import annotations

import gzip

import pytest

from tests.check.making import MANIFEST, TABLE, check, found, lay_out, only


def source(report, name):
    return next(one for one in report.sources if one.name == name)


@pytest.mark.parametrize(
    ("files", "kind", "header"),
    [
        ({"x/part1": "1,2\n", "x/part2": "3,4\n", "x.manifest": {"columns": ["a", "b"]}}, "csv", "in the manifest"),
        ({"x": "a,b\n", "x.manifest": {"id": "in.c-a.x", "columns": ["a", "b"]}}, "csv", "in the first line"),
        ({"x": "1,2\n", "x.manifest": {"columns": ["a", "b"]}}, "csv", "in the manifest"),
        (
            {"x/p": "a,b\n1,2\n", "x.manifest": {"columns": ["a", "b"], "has_header": True}},
            "csv",
            "in the manifest; the first line is skipped",
        ),
    ],
)
def test_a_source_says_where_its_names_are(tmp_path, files, kind, header):
    report = check(lay_out(tmp_path, {f"in/tables/{name}": content for name, content in files.items()}))
    one = source(report, "x")
    assert (one.kind, one.header, [column.name for column in one.columns]) == (kind, header, ["a", "b"])
    assert one.sliced is ("x" not in files)
    assert one.slices == sum(not name.endswith(".manifest") for name in files)


def test_a_source_says_its_dialect_and_types(tmp_path):
    types = [
        {"name": "n", "data_type": {"base": {"type": "NUMERIC", "length": "12,2"}}, "nullable": False},
        {"name": "s"},
    ]
    files = {
        "in/tables/x.csv": gzip.compress(b"n;s\n1;2\n", mtime=0),
        "in/tables/x.csv.manifest": {"id": "in.c-a.x", "schema": types, "delimiter": ";", "enclosure": "'"},
    }
    one = source(check(lay_out(tmp_path, files)), "x.csv")
    assert (one.delimiter, one.enclosure, one.gzip, one.table_id) == (";", "'", True, "in.c-a.x")
    assert [(column.type, column.nullable) for column in one.columns] == [("numeric(12,2)", False), (None, True)]


def test_the_dialect_of_the_configuration_counts(tmp_path):
    config = {"parameters": {"datasets": [{"uuid": "x", "tables": [{"source": "x", "delimiter": "|"}]}]}}
    files = {"in/tables/x.csv": "a|b\n", "in/tables/x.csv.manifest": {"id": "in.c-a.x"}}
    one = source(check(lay_out(tmp_path, files, config=config)), "x.csv")
    assert (one.delimiter, [column.name for column in one.columns]) == ("|", ["a", "b"])


def test_one_that_is_broken_does_not_hide_the_others(tmp_path):
    files = {
        "in/tables/a.csv": b"\xff\xfe,x\n",
        "in/tables/a.csv.manifest": MANIFEST,
        "in/tables/b/part": "1,2\n",
        "in/tables/b.manifest": {"id": "in.c-a.b"},
        "in/tables/c.csv": b"\x1f\x8b\x08broken",
        "in/tables/c.csv.manifest": MANIFEST,
        "in/files/1_d.parquet": b"PAR1xxxxPAR1",
        "in/files/1_d.parquet.manifest": {"id": 1, "name": "d.parquet"},
    }
    report = check(lay_out(tmp_path, files))
    assert [place for level, _, place in found(report) if level == "error"] == [
        "in/tables/a.csv",
        "in/tables/b",
        "in/tables/c.csv",
        "in/files/1_d.parquet",
    ]
    assert [one.name for one in report.sources] == ["t.csv"]


def test_no_path_of_a_check_itself_is_shown(tmp_path):
    report = check(lay_out(tmp_path, {"in/tables/b/part": "1,2\n", "in/tables/b.manifest": {}}))
    assert "tablemill-check-" not in str(report)


def test_a_broken_source_is_not_told_again_for_its_dataset_or_output(tmp_path):
    config = {
        "parameters": {
            "datasets": [{"uuid": "x", "partition_on": ["nope"]}, {"uuid": "t"}],
            "outputs": [{"dataset": "x"}],
        }
    }
    files = {"in/tables/x.csv": "", "in/tables/x.csv.manifest": MANIFEST | {"columns": []}}
    report = check(lay_out(tmp_path, files, config=config))
    assert found(report) == [("error", "source.format", "in/tables/x.csv")]
    assert [dataset.uuid for dataset in report.datasets] == ["t"]


def test_what_a_run_would_warn_of_is_told_with_its_place(tmp_path):
    files = {
        "in/tables/s/part1": "1,2\n",
        "in/tables/s/part1.manifest": "{}",
        "in/tables/s.manifest": {"id": "in.c-a.s", "columns": ["a", "b"]},
    }
    finding = only(check(lay_out(tmp_path, files)), "source.warning")
    assert (finding.level.value, finding.place) == ("warning", "in/tables/s")


def test_what_a_run_would_warn_of_is_told_beside_a_broken_source_too(tmp_path):
    files = {
        "in/tables/s/part1": "1,2\n",
        "in/tables/s/part1.manifest": "{}",
        "in/tables/s.manifest": {"id": "in.c-a.s", "columns": ["a", "b"]},
        "in/tables/empty.csv": "",
    }
    assert only(check(lay_out(tmp_path, files)), "source.warning").place == "in/tables/s"


def test_types_that_the_run_finds_out_are_named(tmp_path):
    config = {"parameters": {"datasets": [{"uuid": "t", "tables": [{"infer_types": True}]}]}}
    dataset = check(lay_out(tmp_path, {"in/tables/t.csv": TABLE}, config=config)).datasets[0]
    assert dataset.infers == ("id", "name")
    assert [column.type for column in dataset.columns] == [None, None]
