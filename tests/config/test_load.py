from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.config.load import load_config
from component.config.model import Config
from component.errors import UserError


def write(folder, data):
    (folder / "config.json").write_bytes(data)


def test_a_configuration_is_read_from_the_folder(tmp_path):
    write(tmp_path, b'{"parameters": {"datasets": [{"uuid": "a"}]}}')
    assert load_config(tmp_path).parameters.datasets[0].uuid == "a"


def test_a_byte_order_mark_is_tolerated(tmp_path):
    write(tmp_path, b"\xef\xbb\xbf{}")
    assert load_config(tmp_path) == Config()


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
