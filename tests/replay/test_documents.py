"""docs/replay.md and its examples say what there is."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from typer.main import get_command

from component.cli.main import app
from component.replay.cases import EXPECTED_CODE
from component.replay.profile import Profile, load_profile

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "replay.md").read_text(encoding="utf-8")
EXAMPLES = [DOCS / "examples/github-replay.yml", DOCS / "examples/gitlab-replay.yml"]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options():
    replay = get_command(app).commands["replay"]
    return {name for parameter in replay.params for name in parameter.opts if name.startswith("--")}


def test_every_option_is_on_the_page_and_every_one_there_exists():
    named = set(OPTION.findall(PAGE))
    assert named <= options()
    in_the_profile = {"--component-id", "--config-id", "--branch-id", "--data-types", "--feature", "--default-bucket"}
    assert options() - named <= in_the_profile | {"--help"}


def test_the_profile_on_the_page_can_be_loaded(tmp_path):
    found = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert found
    (tmp_path / "replay.yml").write_text(found[1])
    assert load_profile(tmp_path / "replay.yml").config_id == "12345"


def test_every_key_of_the_profile_is_on_the_page():
    assert [key for key in Profile.model_fields if f"{key}:" not in PAGE and f"`{key}`" not in PAGE] == []


def test_the_examples_are_yaml_that_calls_the_command_with_options_that_exist():
    for path in EXAMPLES:
        text = path.read_text(encoding="utf-8")
        value = yaml.safe_load(text)
        assert "replay" in value or value["name"] == "replay"
        call = re.search(r"tablemill replay.*?\n\s*(?=- |artifacts|$)", text, re.DOTALL)
        assert call
        assert set(OPTION.findall(call[0])) <= options()
        assert path.name in PAGE


def test_the_file_of_the_expected_code_is_named():
    assert f"CASE/{EXPECTED_CODE}" in PAGE
