from __future__ import annotations

from pathlib import Path

import pytest

from component.errors import UserError
from component.replay.cases import find_cases
from component.report.results.replayed import Status
from tests.replay.conftest import COPY, TABLE

CASE = {"source/data/config.json": {}, "source/data/in/tables/t.csv": TABLE}


@pytest.fixture
def cases(write_folder):
    return write_folder(
        "functional",
        {
            **{f"good/{path}": content for path, content in CASE.items()},
            "good/expected/data/out/tables/t.csv": TABLE,
            "good/set_up.py": "raise SystemExit",
            **{f"group/bad_password/{path}": content for path, content in CASE.items()},
            "group/bad_password/expected-code": "1\n",
            "group/bad_password/expected-stdout": "x",
            "group/bad_password/source/data/cassettes/requests.json": "[]",
            **{f"new/{path}": content for path, content in CASE.items()},
            "readme.md": "no case",
            ".git/source/data/config.json": {},
            "__pycache__/source/data/config.json": {},
        },
    )


def test_cases_are_found_by_their_layout_in_order(cases):
    found = find_cases(cases, None)
    assert [(case.name, case.exit_code, case.placeholders) for case in found] == [
        ("good", 0, True),
        ("group/bad_password", 1, True),
        ("new", 0, True),
    ]
    assert [case.source.relative_to(cases).as_posix() for case in found] == [
        "good/source/data",
        "group/bad_password/source/data",
        "new/source/data",
    ]
    assert [case.expected and case.expected.relative_to(cases).as_posix() for case in found] == [
        "good/expected/data/out",
        None,
        "new/expected/data/out",
    ]


def test_what_is_left_out_is_said(cases):
    notes = [case.notes for case in find_cases(cases, None)]
    assert notes[0] == ("Not run: set_up.py. Bring about what they do before the replay.",)
    assert notes[1] == (
        "Not compared: expected-stdout.",
        "Recorded HTTP traffic (cassettes) is left to the component: nothing here plays it back.",
    )
    assert notes[2] == ()


def test_a_single_case_is_found_too(cases):
    (case,) = find_cases(cases / "good", None)
    assert (case.name, case.exit_code) == ("good", 0)


def test_a_data_folder_or_file_is_one_run(folder, tmp_path):
    (folder / "in/source/data").mkdir(parents=True)
    (tmp_path / "expected").mkdir()
    (case,) = find_cases(folder, tmp_path / "expected")
    assert (case.name, case.source, case.expected, case.placeholders) == (
        "folder",
        folder,
        tmp_path / "expected",
        False,
    )
    (tmp_path / "x.zip").touch()
    assert find_cases(tmp_path / "x.zip", None)[0].name == "x.zip"


def test_cases_have_their_own_expectations(cases, tmp_path):
    with pytest.raises(UserError, match="their own expectations"):
        find_cases(cases, tmp_path)


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match="There is no"):
        find_cases(tmp_path / "none", None)


@pytest.mark.parametrize("text", ["", "one", "-1", "256", "1 2", "९"])
def test_an_expected_code_is_a_number(cases, text):
    (cases / "good/expected-code").write_text(text)
    with pytest.raises(UserError, match="no exit code"):
        find_cases(cases, None)


def test_a_name_that_is_too_long_is_refused():
    with pytest.raises(UserError, match="cannot be read"):
        find_cases(Path("x" * 300), None)


def test_a_folder_is_called_by_its_name_wherever_one_stands(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert find_cases(Path(), None)[0].name == "folder"


def test_what_is_expected_must_be_there_before_anything_runs(folder, tmp_path):
    with pytest.raises(UserError, match="There is no"):
        find_cases(folder, tmp_path / "none")
    assert find_cases(folder, tmp_path / "none", update=True)[0].expected == tmp_path / "none"
    (tmp_path / "x.zip").touch()
    with pytest.raises(UserError, match="only a folder is written"):
        find_cases(folder, tmp_path / "x.zip", update=True)
    with pytest.raises(UserError, match="nothing to update"):
        find_cases(folder, None, update=True)


def test_a_case_with_an_expected_code_of_0_alone_expects_no_outputs(cases):
    (cases / "new/expected-code").write_text("0")
    assert find_cases(cases, None)[2].expected is None
    assert find_cases(cases, None, update=True)[2].expected == cases / "new/expected/data/out"


def test_a_case_without_expectations_is_different_until_they_are_written(cases, replayed):
    case = find_cases(cases, None)[2]
    assert replayed(case.source, COPY, expected=case.expected, mapping="off").status is Status.DIFFERENT
    replayed(case.source, COPY, expected=case.expected, update=True, mapping="off")
    assert (cases / "new/expected/data/out/tables/t.csv").read_text() == TABLE
    assert replayed(case.source, COPY, expected=case.expected, mapping="off").status is Status.EQUAL
