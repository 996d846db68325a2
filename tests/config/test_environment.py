from __future__ import annotations

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
    )
    untouched = {field.name for field in dataclasses.fields(environment)} - {"run_mode", "data_dir"}
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
    ],
)
def test_a_value_that_cannot_be_one_is_refused_by_name(name, value):
    with pytest.raises(UserError, match=name) as caught:
        Environment.from_variables({name: value})
    assert caught.value.code == "config.value"


def test_a_relative_data_folder_is_made_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert Environment.from_variables({"KBC_DATADIR": "data"}).data_dir == tmp_path / "data"
