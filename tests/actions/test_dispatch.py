from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from component.actions.dispatch import ACTIONS
from component.actions.request import read_request
from component.config.environment import Environment
from component.errors import UserError

ROOT = Path(__file__).parents[2]
SECRET = "s3cr3t-value"


def run_command(folder, **variables):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", "component", "run", "--data", str(folder.root)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)


def environment_of(folder):
    return Environment.from_variables({"KBC_DATADIR": str(folder.root)})


@pytest.mark.parametrize("document", [{}, {"action": "run"}, {"action": 1}, [], {"action": None}])
def test_a_run_is_no_request(folder, document):
    folder.config(document)
    assert read_request(environment_of(folder)) is None


def test_a_configuration_that_cannot_be_read_is_left_to_the_run(folder):
    (folder.root / "config.json").write_text("{")
    assert read_request(environment_of(folder)) is None


def test_an_unknown_action_is_refused_with_the_known_ones(ask):
    with pytest.raises(UserError, match="'testConection' is not known") as refused:
        ask("testConection")
    assert all(name in refused.value.remedy for name in ACTIONS)


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_can_be_loaded_and_says_what_it_answers(name):
    assert callable(ACTIONS[name].load())
    assert ACTIONS[name].answers.endswith(".")


def test_secrets_are_hidden_wherever_they_are(folder, ask):
    folder.table("t.csv", f"a\n{SECRET}\n")
    shown = ask("previewTable", {"action": {"table": "t.csv"}, "store": {"url": "/x", "#key": SECRET}})
    assert SECRET not in json.dumps(shown)
    assert shown["rows"] == [["[hidden]"]]


STAGED = {"access_key_id": "AKIASTAGED", "secret_access_key": "sEcReT/K+y", "session_token": "FwoG" + "q7" * 100}


@pytest.mark.parametrize("kind", ["tables", "files"])
def test_credentials_of_staged_inputs_are_hidden_too(folder, ask, kind):
    folder.table("t.csv", "a,b\n" + "".join(f"{text},x {text} y\n" for text in STAGED.values()))
    section = {"region": "r", "bucket": "b", "key": "k", "credentials": STAGED}
    manifest = folder.root / "in" / kind / "other.manifest"
    manifest.write_text(json.dumps({"id": 1, "s3": section}))
    shown = ask("previewTable", {"action": {"table": "t.csv"}})
    assert len(shown["rows"]) == 3
    text = json.dumps(shown)
    assert [secret for secret in STAGED.values() if secret[:40] in text] == []


@pytest.mark.parametrize(
    "secret", ["p|w<d`x\\yz0", "A" * 30 + "z9" * 60, "first line of 2\nsecond line of 2", "a\tb|c\td"]
)
def test_a_secret_is_hidden_where_it_is_escaped_or_cut(folder, ask, secret):
    folder.table("t.csv", f'a\n"{secret}"\n"before {secret} after"\n')
    shown = ask("previewTable", {"action": {"table": "t.csv"}, "#key": secret})
    first, second = shown["message"].splitlines()[4:6]
    assert first.strip("| …") == "[hidden]"
    assert second.strip("| …").removesuffix(" after") == "before [hidden]"
    assert secret[:20] not in json.dumps(shown["rows"], ensure_ascii=False)


def test_the_token_of_the_platform_is_hidden_too(folder):
    folder.table("t.csv", f"a\n{SECRET}\n")
    folder.config({"action": "previewTable", "parameters": {"action": {"table": "t.csv"}}})
    ended = run_command(folder, KBC_TOKEN=SECRET)
    assert json.loads(ended.stdout)["rows"] == [["[hidden]"]]


def test_the_command_answers_with_one_json_document_and_nothing_else(folder, store):
    folder.config({"action": "listDatasets", "parameters": {"store": {"url": folder.store.as_uri()}}})
    ended = run_command(folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == [{"label": "sales", "value": "sales"}]


def test_an_error_is_one_sentence_on_stderr_and_nothing_on_stdout(folder):
    folder.config({"action": "nothing"})
    ended = run_command(folder)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.count("\n") == 1


def test_no_log_server_is_asked_for_an_answer(folder):
    folder.config({"action": "testConnection"})
    ended = run_command(folder, KBC_LOGGER_ADDR="127.0.0.1", KBC_LOGGER_PORT="1")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, '{"status": "success"}\n', "")


def test_a_fault_of_ours_ends_with_exit_code_2_and_nothing_on_stdout(folder):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "import component.actions.connection as connection\n"
        "from component.cli.run import run_folder\n"
        "connection.open_configured_store = lambda request: 1 / 0\n"
        f"sys.exit(run_folder({{}}, Path({str(folder.root)!r})))\n"
    )
    folder.config({"action": "testConnection"})
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ended.returncode, ended.stdout) == (2, "")
    fault, sentence = ended.stderr.splitlines()
    exception_id = re.search(r"exception id (tablemill-[0-9a-f]{12})", sentence)[1]
    assert re.fullmatch(
        rf"Fault {exception_id}: ZeroDivisionError at component/actions/connection\.py:\d+, .*", fault
    ), "one line, no stack trace"


@pytest.mark.parametrize("name", ACTIONS)
def test_spark_is_not_loaded_for_an_answer(folder, store, name):
    folder.table("sales.csv", "shop,item\nnorth,1\n")
    folder.config(
        {"action": name, "parameters": {"datasets": [{"uuid": "sales", "tables": [{"source": "sales.csv"}]}]}}
    )
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from component.cli.run import run_folder\n"
        f"code = run_folder({{}}, Path({str(folder.root)!r}))\n"
        "heavy = {'pyspark', 'py4j'} & set(sys.modules)\n"
        "sys.exit(code or (3 if heavy else 0))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)
