from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree as ET

import psutil
import pytest
from typer.testing import CliRunner

from component.cli.main import app

TABLE = "id,name\n1,one\n2,two\n"
COPY = 'cp "$KBC_DATADIR/in/tables/t.csv" "$KBC_DATADIR/out/tables/"'
CONFIG = {"parameters": {"#password": "s3cret"}, "storage": {"output": {"default_bucket": "out.c-a"}}}


@pytest.fixture
def folder(tmp_path):
    for name in ("in/tables", "expected/out/tables"):
        (tmp_path / "folder" / name).mkdir(parents=True)
    (tmp_path / "folder/config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "folder/in/tables/t.csv").write_text(TABLE)
    (tmp_path / "folder/expected").rename(tmp_path / "expected")
    (tmp_path / "expected/out/tables/t.csv").write_text(TABLE)
    return tmp_path / "folder"


@pytest.fixture
def invoke(monkeypatch):
    def run(*words, script=COPY, **environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        command = ["--", "sh", "-c", script] if script else []
        return CliRunner().invoke(app, ["replay", *map(str, words), *command])

    return run


def test_equal_outputs_end_with_0_and_others_with_1(invoke, folder, tmp_path):
    equal = invoke(folder, "--expected", tmp_path / "expected")
    assert (equal.exit_code, equal.stderr) == (0, "")
    assert equal.stdout.startswith("equal  folder, exit code 0")
    (tmp_path / "expected/out/tables/t.csv").write_text(TABLE + "3,three\n")
    different = invoke(folder, "--expected", tmp_path / "expected")
    assert (different.exit_code, different.stderr) == (1, "")
    assert "1 missing and 0 extra" in different.stdout


def test_json_and_junit_are_written(invoke, folder, tmp_path):
    result = invoke(folder, "--format", "json", "--junit", tmp_path / "deep/report.xml", script="exit 1")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["runs"][0]["status"] == "failed"
    assert ET.fromstring((tmp_path / "deep/report.xml").read_bytes())[0].get("failures") == "1"


def test_every_option_reaches_what_it_is_for(invoke, folder, tmp_path):
    script = 'cd "$KBC_DATADIR/out"; printf "id,name,at\\n2,two,9\\n1,one,8\\n" > tables/t.csv; touch files/log'
    script += '; env | grep ^KBC_; echo "extra $MORE $SHELL_LEVEL"; cat "$KBC_DATADIR/config.json"'
    words = ["--component-id", "my.app", "--config-id", "7", "--branch-id", "9", "--data-types", "hints"]
    words += ["--feature", "queuev2", "--default-bucket", "in.c-b", "--env", "MORE=1", "--env", "SHELL_LEVEL"]
    words += ["--secret", "parameters.#key=KEY", "--ignore-column", "at", "--ignore-file", "log", "--format", "json"]
    words += ["--expected", tmp_path / "expected", "--work", tmp_path / "work", "--mapping", "warn"]
    result = invoke(folder, *words, script=script, SHELL_LEVEL="deep", KEY="sesame")
    (run,) = json.loads(result.stdout)["runs"]
    assert run["status"] == "equal", run
    out = run["stdout"]
    for line in (
        "KBC_COMPONENTID=my.app",
        "KBC_CONFIGID=7",
        "KBC_BRANCHID=9",
        "KBC_DATA_TYPE_SUPPORT=hints",
        "KBC_PROJECT_FEATURE_GATES=queuev2,new-native-types",
        "extra 1 deep",
    ):
        assert line in out.splitlines()
    assert '"#key": "[hidden]"' in out
    assert "sesame" not in result.stdout


def test_a_profile_is_read_and_options_win_over_it(invoke, folder, tmp_path):
    (tmp_path / "p.yml").write_text("component_id: one\nconfig_id: 1\nsecrets: {parameters.#key: {env: KEY}}\n")
    script = 'echo "$KBC_COMPONENTID $KBC_CONFIGID"'
    words = (folder, "--profile", tmp_path / "p.yml", "--config-id", "2", "--format", "json")
    assert json.loads(invoke(*words, script=script, KEY="k3y").stdout)["runs"][0]["stdout"] == "one 2\n"


def test_a_folder_of_cases_is_one_report(invoke, folder, tmp_path):
    for name in ("a", "b"):
        (tmp_path / "cases" / name / "expected/data/out").mkdir(parents=True)
        subprocess.run(["cp", "-r", folder, tmp_path / "cases" / name / "source"], check=True)
        (tmp_path / "cases" / name / "source/data").mkdir()
        for part in ("config.json", "in"):
            (tmp_path / "cases" / name / "source" / part).rename(tmp_path / "cases" / name / "source/data" / part)
    (tmp_path / "cases/a/expected/data/out/tables").mkdir()
    (tmp_path / "cases/a/expected/data/out/tables/t.csv").write_text(TABLE)
    result = invoke(tmp_path / "cases")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "2 cases: 1 equal, 1 different"
    assert invoke(tmp_path / "cases", "--update").exit_code == 0
    assert invoke(tmp_path / "cases").stdout.splitlines()[-1] == "2 cases: 2 equal"


def test_names_and_cells_that_the_screen_does_not_have_are_written_out(folder, tmp_path):
    (tmp_path / "expected/out/tables/t.csv").write_text("id,name\n1,ž\n")
    named = folder.rename(tmp_path / "f\x1b[31m\udcff")
    words = [sys.executable, "-m", "component", "replay", named, "--expected", tmp_path / "expected"]
    words += ["--junit", tmp_path / "junit.xml", "--", "sh", "-c", COPY]
    ended = subprocess.run(words, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=False)
    assert (ended.returncode, ended.stderr) == (1, b"")
    assert ended.stdout.startswith(b"different  f\\x1b[31m\\udcff,")
    assert b"\\u017e" in ended.stdout
    assert ET.parse(tmp_path / "junit.xml").getroot().get("failures") == "1"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["/no/such/thing"], "There is no"),
        (["FOLDER", "--tolerance", "0.7"], "tolerance"),
        (["FOLDER", "--tolerance", "nan"], "tolerance"),
        (["FOLDER", "--profile", "/no/such/profile.yml"], "profile"),
        (["FOLDER", "--env", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE"),
        (["FOLDER", "--update"], "nothing to update"),
        (["FOLDER", "--expected", "/no/such/folder"], "There is no"),
        (["FOLDER", "--timeout", "0"], "--timeout cannot be used"),
        (["FOLDER", "--image", "x", "--engine", "no-such-engine"], "no container engine"),
    ],
)
def test_a_call_that_makes_no_sense_is_one_sentence_and_1(invoke, folder, words, why):
    result = invoke(*(folder if word == "FOLDER" else word for word in words))
    assert (result.exit_code, result.stdout) == (1, "")
    assert why in result.stderr
    assert "Traceback" not in result.stderr


def test_a_hostile_zip_ends_with_1(invoke, tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "x.zip", "w") as made:
        made.writestr("../evil", "x")
    result = invoke(tmp_path / "x.zip")
    assert result.exit_code == 1
    assert "refused  x.zip" in result.stdout
    assert "'../evil'" in result.stdout
    assert not (tmp_path / "evil").exists()


def test_an_interrupt_ends_the_component_and_tidies_up(folder, tmp_path):
    shutil.make_archive(str(tmp_path / "stage_output"), "zip", tmp_path / "expected")
    words = [sys.executable, "-m", "component", "replay", str(folder), "--work", str(tmp_path / "work")]
    words += ["--expected", str(tmp_path / "stage_output.zip")]
    process = subprocess.Popen([*words, "--", "sh", "-c", "sleep 61.25"], stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not list((tmp_path / "work").glob("*/stdout")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM
    assert b"SIGTERM" in stderr
    assert list((tmp_path / "work").iterdir()) == []
    running = [one.info["cmdline"] for one in psutil.process_iter(["cmdline"])]
    assert ["sleep", "61.25"] not in running


@pytest.mark.spark
@pytest.mark.timeout(300)
def test_tablemill_itself_is_replayed_where_nothing_else_is_named(invoke, folder, tmp_path):
    (folder / "config.json").write_text(json.dumps({"storage": CONFIG["storage"]}))
    words = (folder, "--expected", tmp_path / "own", "--format", "json", "--parquet-content")
    words += ("--ignore-key", "commit", "--ignore-key", "dataset_bytes")
    written = invoke(*words, "--update", script="")
    assert written.exit_code == 0, written.stdout
    (run,) = json.loads(invoke(*words, script="").stdout)["runs"]
    assert (run["status"], run["exit_code"]) == ("equal", 0), run
    assert run["landings"][0]["destination"] == "out.c-a.t"
