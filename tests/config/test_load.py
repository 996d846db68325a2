from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.config.load import load_config, parse_config, parse_text
from component.config.model import Config
from component.config.notation import notation_of
from component.errors import UserError


def write(folder, data):
    (folder / "config.json").write_bytes(data)


def test_a_configuration_is_read_from_the_folder(tmp_path):
    write(tmp_path, b'{"parameters": {"datasets": [{"uuid": "a"}]}}')
    assert load_config(tmp_path).parameters.datasets[0].uuid == "a"


def test_a_byte_order_mark_is_tolerated(tmp_path):
    (tmp_path / "in").mkdir()
    write(tmp_path, b"\xef\xbb\xbf{}")
    assert load_config(tmp_path) == Config()


@pytest.mark.parametrize("inputs", ["in/tables", "in/files"])
def test_a_folder_with_inputs_needs_no_config_json(tmp_path, inputs):
    (tmp_path / inputs).mkdir(parents=True)
    config = load_config(tmp_path)
    assert config.parameters == Config().parameters
    assert [text for text in config.warnings if "every input becomes a dataset" in text]


@pytest.mark.parametrize("folder", ["", "nowhere"])
def test_no_config_json_is_said_with_the_folder_and_what_to_do(tmp_path, folder):
    with pytest.raises(UserError) as caught:
        load_config(tmp_path / folder)
    assert caught.value.code == "config.missing"
    assert str(tmp_path / folder) in str(caught.value)
    assert "KBC_DATADIR" in caught.value.remedy


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"a": 1,}', "is not JSON at line 1, column 9: "),
        (b'{"parameters": {"store": 1, "store": 2}}', "has the key parameters.store twice"),
        (b'{"a": Infinity}', "holds Infinity, which is not JSON"),
        (b"\xff", "is not UTF-8 at byte 0"),
        (b"", "is empty"),
    ],
)
def test_what_is_no_json_is_said_with_its_place(tmp_path, data, text):
    write(tmp_path, data)
    with pytest.raises(UserError) as caught:
        load_config(tmp_path)
    assert caught.value.code == "config.syntax"
    assert f"{tmp_path / 'config.json'} {text}" in caught.value.text


def test_a_config_json_that_cannot_be_read_is_said(tmp_path):
    (tmp_path / "config.json").mkdir()
    with pytest.raises(UserError, match="cannot be read") as caught:
        load_config(tmp_path)
    assert caught.value.code == "config.syntax"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60))
def test_any_bytes_give_a_configuration_or_a_clear_error(tmp_path, data):
    write(tmp_path, data)
    try:
        found = load_config(tmp_path)
    except UserError as error:
        found = error
    assert isinstance(found, Config) or found.code.startswith("config.")


# --- YAML ---


def test_a_configuration_may_be_yaml(tmp_path):
    (tmp_path / "config.yml").write_text("parameters:\n  datasets:\n    - uuid: no\n      partition_on: [day]\n")
    found = load_config(tmp_path)
    assert (found.parameters.datasets[0].uuid, found.parameters.datasets[0].partition_on) == ("no", ("day",))
    assert found.warnings == ()
    assert notation_of(tmp_path) == "yaml"


def test_of_two_configurations_the_json_is_read_and_that_is_said(tmp_path):
    write(tmp_path, b'{"parameters": {"datasets": [{"uuid": "a"}]}}')
    (tmp_path / "config.yml").write_text("[nothing")
    found = load_config(tmp_path)
    assert found.parameters.datasets[0].uuid == "a"
    assert found.warnings == ("There are both config.json and config.yml; config.json is read, the other one is not.",)
    assert notation_of(tmp_path) == "json"


def test_yaml_that_is_none_is_said_with_its_place(tmp_path):
    (tmp_path / "config.yml").write_text("a: 1\na: 2\n")
    with pytest.raises(UserError) as caught:
        load_config(tmp_path)
    assert caught.value.code == "config.syntax"
    assert str(caught.value).startswith(f"{tmp_path / 'config.yml'} has the key 'a' twice at line 2, column 1.")


def test_a_text_is_read_in_its_notation():
    assert parse_text(b'{"a": [1]}', "json") == parse_text(b'{"a": [1]}', "yaml") == parse_text(b"a: [1]", "yaml")


# --- secrets ---


def test_secrets_are_handed_over_before_anything_is_said(tmp_path):
    write(tmp_path, b'{"parameters": {"store": {"#key": "hush"}, "wrong": 1}, "tomorrow": {"#x": 5}}')
    hidden = set()
    with pytest.raises(UserError):
        load_config(tmp_path, hide=hidden.update)
    assert hidden == {"hush", "5"}


def test_the_notation_of_a_folder_that_may_not_be_searched_is_a_guess(tmp_path, monkeypatch):
    def denied(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("os.stat", denied)
    assert notation_of(tmp_path) == "json"
    with pytest.raises(UserError, match="cannot be read: Permission denied"):
        load_config(tmp_path)


@pytest.mark.parametrize("key", ["datasets", "outputs"])
def test_more_than_can_be_planned_is_refused_in_one_sentence(key):
    with pytest.raises(UserError, match=rf"parameters\.{key} has 10,001 entries, and a configuration takes 10,000"):
        parse_config({"parameters": {key: [{}] * 10_001}})
