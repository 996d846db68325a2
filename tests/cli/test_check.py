"""`tablemill check` as a caller meets it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from component.cli.main import app
from tests.check.making import TABLE, lay_out


def call(root, *options):
    result = CliRunner().invoke(app, ["check", "--data", str(root), *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_a_folder_that_is_right(tmp_path):
    result = call(lay_out(tmp_path))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Nothing is wrong."
    assert "out.c-tablemill.t" in result.stdout


@pytest.mark.parametrize(
    ("files", "plain", "strict"),
    [
        ({"junk": ""}, 0, 0),
        ({"in/tables/x.csv": TABLE}, 0, 1),
        ({"in/tables/x.csv": ""}, 1, 1),
    ],
)
def test_errors_fail_and_warnings_where_it_is_asked(tmp_path, files, plain, strict):
    lay_out(tmp_path, files)
    assert call(tmp_path).exit_code == plain
    assert call(tmp_path, "--strict").exit_code == strict


def test_the_json_is_all_that_is_printed(tmp_path):
    result = call(lay_out(tmp_path, {"in/tables/x.csv": ""}), "--format", "json")
    value = json.loads(result.stdout)
    assert set(value) == {"folder", "levels", "findings", "sources", "datasets", "outputs", "space"}
    assert value["levels"]["error"] == 1
    assert result.stderr == ""


def test_the_text_gives_level_place_text_remedy_and_code(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    result = call(lay_out(tmp_path, config={"parameters": {"datasets": [{"uuid": "t", "mode": "ovewrite"}]}}))
    line = next(line for line in result.stdout.splitlines() if line.startswith("error"))
    words = ("parameters.datasets[0].mode", "must be one of overwrite", 'Did you mean "overwrite"?', "config.value")
    assert all(word in line for word in words)
    assert result.stdout.splitlines()[-1] == "1 error."


def test_a_folder_that_is_not_there(tmp_path):
    result = call(tmp_path / "nowhere")
    assert result.exit_code == 1
    assert "There is no data folder" in result.stdout


def test_the_folder_of_the_environment_is_checked(tmp_path, monkeypatch):
    monkeypatch.setenv("KBC_DATADIR", str(lay_out(tmp_path)))
    assert CliRunner().invoke(app, ["check"]).exit_code == 0


def test_a_screen_that_is_narrow_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    shown = call(lay_out(tmp_path, {"in/tables/a-name-that-is-rather-long-for-it.csv": ""})).stdout
    assert all(len(line) <= 60 for line in shown.splitlines())
    assert "…" not in shown


def test_names_cannot_move_the_cursor_of_a_terminal(tmp_path):
    shown = call(lay_out(tmp_path, {"in/tables/\x1b[2Jx.csv": "", "\x1bjunk": ""})).stdout
    assert "\x1b" not in shown


def test_no_process_is_started(tmp_path):
    lay_out(tmp_path)
    program = (
        "import subprocess\n"
        "class Refused(subprocess.Popen):\n"
        "    def __init__(self, *_, **__): raise AssertionError('a process was started')\n"
        "subprocess.Popen = Refused\n"
        "from component.cli.main import app\n"
        f"app(['check', '--data', {str(tmp_path)!r}])\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    assert ended.stdout.splitlines()[-1] == "Nothing is wrong."
