from __future__ import annotations

import json
import os

import pytest

from component.report.results.checked import render_check_json
from tests.check.making import TABLE, check, found, lay_out, only


def test_nothing_is_wrong_with_a_folder_that_a_run_takes(tmp_path):
    report = check(lay_out(tmp_path))
    assert report.findings == ()
    assert [source.name for source in report.sources] == ["t.csv"]
    assert [dataset.uuid for dataset in report.datasets] == ["t"]
    assert [(output.name, output.destination) for output in report.outputs] == [("t", "out.c-tablemill.t")]
    assert [space.name for space in report.space] == ["scratch", "out"]


def test_nothing_is_written_to_the_folder(tmp_path):
    lay_out(tmp_path, {"in/tables/broken.manifest": "{"})
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    check(tmp_path)
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before


def test_everything_is_said_at_once(tmp_path):
    files = {
        "config.json": {"parameters": {"datasets": [{"uuid": "a b"}, {"uuid": "c", "mode": "x"}], "nope": 1}},
        "in/state.json": "{",
        "in/tables/broken.csv": TABLE,
        "in/tables/broken.csv.manifest": "{",
        "in/tables/wide.csv": "a,a\n1,2\n",
        "in/tables/empty.csv": "",
        "junk.txt": "",
        "out/tables/old.csv": TABLE,
    }
    assert found(check(lay_out(tmp_path, files))) == [
        ("error", "config.unknown_key", "parameters.nope"),
        ("error", "config.value", "parameters.datasets[0].uuid"),
        ("error", "config.value", "parameters.datasets[1].mode"),
        ("error", "state.syntax", "in/state.json"),
        ("error", "source.manifest", "in/tables/broken.csv.manifest"),
        ("error", "source.format", "in/tables/empty.csv"),
        ("error", "column.duplicate", "in/tables/wide.csv"),
        ("warning", "manifest.missing", "in/tables/empty.csv"),
        ("warning", "manifest.missing", "in/tables/wide.csv"),
        ("warning", "folder.leftover", "out/tables"),
        ("note", "folder.junk", "/"),
    ]


@pytest.mark.parametrize("given", ["nowhere", "file"])
def test_a_folder_that_is_none_is_a_finding(tmp_path, given):
    (tmp_path / "file").write_text("")
    report = check(tmp_path / given)
    assert found(report) == [("error", "source.missing", "/")]


def test_a_wrong_environment_is_a_finding_beside_the_others(tmp_path):
    lay_out(tmp_path, {"config.json": None})
    report = check(tmp_path, LOGGER_PORT="many")
    assert found(report)[:2] == [("error", "config.value", "environment"), ("warning", "config.warning", "config.json")]


def test_a_folder_without_inputs_has_nothing_to_do(tmp_path):
    report = check(lay_out(tmp_path, {"in/tables/t.csv": None, "in/tables/t.csv.manifest": None}))
    assert found(report) == [("error", "source.none", "in")]


def test_a_yaml_configuration_is_read(tmp_path):
    files = {"config.json": None, "config.yml": "parameters:\n  datasets:\n    - uuid: [1]\n"}
    assert found(check(lay_out(tmp_path, files))) == [("error", "config.type", "parameters.datasets[0].uuid")]


def test_two_configurations_are_one_too_many(tmp_path):
    report = check(lay_out(tmp_path, {"config.yml": "parameters: {}\n"}))
    assert found(report) == [("warning", "config.warning", "config.yml")]


@pytest.mark.parametrize(
    ("state", "findings"),
    [
        ({}, []),
        ([], []),
        ({"anything": [1]}, []),
        ("", [("error", "state.syntax")]),
        ("5", [("error", "state.syntax")]),
        ("null", [("error", "state.syntax")]),
        ({"a": "x" * 1_000_001}, [("warning", "state.size")]),
        ('{"a": "x [trimmed]', [("error", "state.syntax")]),
        ('{"a": "x [trimmed]\n', [("error", "state.syntax")]),
        ('{"a": "xxx [trimmed]', [("error", "state.syntax")]),
    ],
)
def test_the_state_is_an_object(tmp_path, state, findings):
    trimmed = isinstance(state, str) and state.rstrip().endswith(" [trimmed]")
    expected = [("error", "text.trimmed")] if trimmed else findings
    assert found(check(lay_out(tmp_path, {"in/state.json": state})), places=False) == expected


def test_the_json_form_has_everything(tmp_path):
    value = json.loads(json.dumps(render_check_json(check(lay_out(tmp_path, {"junk": ""})))))
    assert value["levels"] == {"error": 0, "warning": 0, "note": 1}
    assert value["findings"] == [
        {
            "level": "note",
            "code": "folder.junk",
            "place": "/",
            "text": "The platform has no 'junk' here: nobody reads it, and a debug job uploads it",
            "remedy": "Keep working files in /tmp.",
        }
    ]
    assert value["sources"][0] == {
        "name": "t.csv",
        "kind": "csv",
        "sliced": False,
        "slices": 1,
        "bytes": len(TABLE),
        "gzip": False,
        "delimiter": ",",
        "enclosure": '"',
        "header": "in the first line",
        "table_id": "in.c-main.t",
        "primary_key": ["id"],
        "columns": [
            {"name": "id", "type": None, "nullable": True},
            {"name": "name", "type": None, "nullable": True},
        ],
    }


def test_warnings_of_the_configuration_are_findings(tmp_path):
    report = check(lay_out(tmp_path, config={"paramters": {}}))
    assert "Did you mean" in only(report, "config.warning").text


def test_a_yaml_state_is_read_as_yaml(tmp_path):
    files = {"config.json": None, "config.yml": "{}", "in/state.yml": "last: 5\n"}
    assert found(check(lay_out(tmp_path, files))) == []
    (tmp_path / "in/state.yml").write_text("- 5\n")
    assert found(check(tmp_path)) == [("error", "state.syntax", "in/state.yml")]


def test_a_state_that_leads_to_itself_is_a_finding(tmp_path):
    lay_out(tmp_path)
    (tmp_path / "in/state.json").symlink_to("state.json")
    assert ("error", "state.syntax", "in/state.json") in found(check(tmp_path))


def test_a_configuration_that_never_ends_is_a_finding(tmp_path):
    lay_out(tmp_path, {"config.json": None})
    os.mkfifo(tmp_path / "config.json")
    assert found(check(tmp_path)) == [("error", "config.syntax", "config.json")]
    (tmp_path / "config.json").unlink()
    (tmp_path / "config.json").symlink_to("/dev/zero")
    assert found(check(tmp_path)) == [("error", "folder.link", "config.json")]
    assert found(check(tmp_path, follow_links=True)) == [("error", "config.syntax", "config.json")]
