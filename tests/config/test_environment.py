from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest

from component.config.environment import Environment
from component.errors import UserError


def test_nothing_set_gives_the_defaults():
    environment = Environment.from_variables({})
    assert environment == Environment()
    assert environment.data_dir == Path("/data")
    assert environment.run_mode == "run"
    assert environment.data_type_support is None


def test_every_variable_of_the_platform_has_its_field():
    environment = Environment.from_variables(
        {
            "KBC_DATADIR": "/data/",
            "KBC_COMPONENTID": "keboola.tablemill",
            "KBC_CONFIGID": "123",
            "KBC_CONFIGROWID": "row",
            "KBC_BRANCHID": "5",
            "KBC_RUNID": "7.8",
            "KBC_PROJECTID": "9",
            "KBC_STACKID": "connection.keboola.com",
            "KBC_COMPONENT_RUN_MODE": "debug",
            "KBC_DATA_TYPE_SUPPORT": "authoritative",
            "KBC_PROJECT_FEATURE_GATES": "queuev2, new-native-types,",
            "KBC_LOGGER_ADDR": "10.0.0.1",
            "KBC_LOGGER_PORT": "12202",
            "KBC_CONFIGVERSION": "3",
            "KBC_STAGING_FILE_PROVIDER": "aws",
            "KBC_TOKEN": "1-token",
            "KBC_URL": "https://connection.keboola.com",
            "KBC_PROJECTNAME": "Mill",
            "KBC_TOKENID": "77",
            "KBC_TOKENDESC": "somebody",
            "KBC_REALUSER": "a@b.c",
        }
    )
    assert environment == Environment(
        data_dir=Path("/data"),
        component_id="keboola.tablemill",
        config_id="123",
        config_row_id="row",
        branch_id="5",
        run_id="7.8",
        project_id="9",
        stack_id="connection.keboola.com",
        run_mode="debug",
        data_type_support="authoritative",
        feature_gates=("queuev2", "new-native-types"),
        logger_addr="10.0.0.1",
        logger_port=12202,
        config_version="3",
        staging_file_provider="aws",
        token="1-token",
        url="https://connection.keboola.com",
        project_name="Mill",
        token_id="77",
        token_description="somebody",
        real_user="a@b.c",
    )
    untouched = {field.name for field in dataclasses.fields(environment)} - {"run_mode", "data_dir", "logger_type"}
    assert all(getattr(environment, name) for name in untouched)


def test_an_empty_variable_is_one_that_is_not_set():
    names = ("KBC_DATADIR", "KBC_CONFIGID", "KBC_COMPONENT_RUN_MODE", "KBC_DATA_TYPE_SUPPORT", "KBC_LOGGER_PORT")
    assert Environment.from_variables(dict.fromkeys(names, "")) == Environment()


def test_the_word_none_is_kept_apart_from_no_word():
    assert Environment.from_variables({"KBC_DATA_TYPE_SUPPORT": "none"}).data_type_support == "none"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KBC_DATA_TYPE_SUPPORT", "Hints"),
        ("KBC_LOGGER_PORT", "gelf"),
        ("KBC_LOGGER_PORT", "0"),
        ("KBC_LOGGER_PORT", "65536"),
        ("KBC_LOGGER_PORT", "-1"),
        ("KBC_LOGGER_PORT", "²"),
        ("KBC_LOGGER_PORT", "1" * 5000),
        ("KBC_LOGGER_ADDR", "https://log"),
        ("KBC_LOGGER_ADDR", "tcp://"),
    ],
)
def test_a_value_that_cannot_be_one_is_refused_by_name(name, value):
    with pytest.raises(UserError, match=name) as caught:
        Environment.from_variables({name: value})
    assert caught.value.code == "config.value"


def test_a_relative_data_folder_is_made_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert Environment.from_variables({"KBC_DATADIR": "data"}).data_dir == tmp_path / "data"


def test_the_folder_that_is_given_wins_over_the_variable(tmp_path):
    assert Environment.from_variables({"KBC_DATADIR": "/elsewhere"}, tmp_path).data_dir == tmp_path


@pytest.mark.parametrize("kind", ["tcp", "udp", "http"])
def test_the_type_of_the_log_server_may_stand_before_its_address(kind):
    environment = Environment.from_variables({"KBC_LOGGER_ADDR": f"{kind}://10.0.0.1"})
    assert (environment.logger_type, environment.logger_addr) == (kind, "10.0.0.1")


def test_the_token_is_a_secret_and_in_no_repr():
    environment = Environment.from_variables({"KBC_TOKEN": "1-hush"})
    assert environment.secrets == {"1-hush"}
    assert "hush" not in repr(environment)
    assert Environment().secrets == frozenset()


def test_nothing_else_reads_variables_of_the_platform():
    """Others may write them (a replay does) or name them in a sentence; read they are in one place."""
    component = Path(__file__).parents[2] / "component"
    readers = {
        path.relative_to(component).as_posix()
        for path in component.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _reads_a_variable(node)
    }
    assert readers <= {"config/environment.py"}


def _reads_a_variable(node):
    """`….get("KBC_X")`, `getenv("KBC_X")` and `…["KBC_X"]` where it is not assigned to."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".get", "getenv")) and node.args:
        key = node.args[0]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        key = node.slice
    else:
        return False
    return isinstance(key, ast.Constant) and str(key.value).startswith("KBC_")
