from __future__ import annotations

import json

import pytest

from component.errors import UserError
from component.replay.overlay import overlaid, overlays
from component.replay.profile import Profile, load_profile, overridden
from component.replay.variables import given_variables, passed_on, platform_variables

WHOLE = """
component_id: my.component
config_id: 123
branch_id: 7
dev_branch: true
project_id: 42
feature_gates: [queuev2, new-native-types]
data_types: hints
default_bucket: in.c-main
run_mode: run
environment: {KBC_TOKEN: abc, EXTRA: 1}
memory: 512m
timeout: 60
secrets:
  parameters.#password: {env: PASSWORD}
  parameters.#token: literal
  "in/state.json: token": {env: STATE_TOKEN}
  authorization.oauth_api.credentials: {id: main, "#data": "{}"}
"""


@pytest.fixture
def profile(tmp_path):
    path = tmp_path / "profile.yml"
    path.write_text(WHOLE)
    return load_profile(path)


def test_a_profile_says_what_the_platform_would(profile):
    variables = platform_variables(profile, "/data", {})
    assert variables == {
        "KBC_DATADIR": "/data/",
        "KBC_RUNID": "1",
        "KBC_PROJECTID": "42",
        "KBC_COMPONENTID": "my.component",
        "KBC_STACKID": "connection.keboola.com",
        "KBC_CONFIGID": "123",
        "KBC_CONFIGVERSION": "",
        "KBC_COMPONENT_RUN_MODE": "run",
        "KBC_STAGING_FILE_PROVIDER": "aws",
        "KBC_PROJECT_FEATURE_GATES": "queuev2,new-native-types",
        "KBC_BRANCHID": "7",
        "KBC_DATA_TYPE_SUPPORT": "hints",
        "KBC_TOKEN": "abc",
        "EXTRA": "1",
    }


def test_without_a_profile_it_is_a_debug_run_without_native_types():
    variables = platform_variables(load_profile(None), "/x/", {"a": 1})
    assert variables["KBC_COMPONENT_RUN_MODE"] == "debug"
    assert variables["KBC_DATADIR"] == "/x/"
    assert "KBC_DATA_TYPE_SUPPORT" not in variables
    assert len(variables["KBC_CONFIGID"]) == 40
    assert variables["KBC_CONFIGID"] != platform_variables(Profile(), "/x/", {"a": 2})["KBC_CONFIGID"]


def test_native_types_without_a_word_of_the_component_are_none():
    profile = Profile(feature_gates=("new-native-types",))
    assert platform_variables(profile, "/", {})["KBC_DATA_TYPE_SUPPORT"] == "none"
    asked = platform_variables(Profile(data_types="authoritative"), "/", {})
    assert asked["KBC_PROJECT_FEATURE_GATES"] == "new-native-types"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[1]", "an object"),
        ("unknown: 1", "at unknown"),
        ("data_types: some", "at data_types"),
        ("timeout: -1", "at timeout"),
        ("secrets: {a: 1}", "at secrets.a"),
        ("a: [", "not YAML"),
        ("secrets: {a: &x b, c: *x}", "alias"),
    ],
)
def test_a_profile_that_is_wrong_is_refused_with_the_place(tmp_path, text, why):
    path = tmp_path / "p.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match="profile") as caught:
        load_profile(path)
    assert caught.value.code == "replay.profile"
    assert why.lower() in str(caught.value).lower()


def test_a_profile_may_be_json_and_must_be_there(tmp_path):
    (tmp_path / "p.json").write_text(json.dumps({"config_id": "9"}))
    assert load_profile(tmp_path / "p.json").config_id == "9"
    with pytest.raises(UserError, match="cannot be read"):
        load_profile(tmp_path / "none.yml")


def test_a_profile_without_end_is_not_read(tmp_path):
    (tmp_path / "p.yml").symlink_to("/dev/zero")
    with pytest.raises(UserError, match="is larger than"):
        load_profile(tmp_path / "p.yml")


def test_options_win_over_a_profile_and_keep_its_secrets(profile):
    found = overridden(profile, {"timeout": 5.0, "component_id": None, "feature_gates": ("a",)})
    assert (found.timeout, found.component_id, found.feature_gates) == (5.0, profile.component_id, ("a",))
    assert found.secrets == profile.secrets


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), 1e9])
def test_an_option_that_cannot_be_is_refused_with_its_name(value):
    with pytest.raises(UserError, match="--timeout cannot be used"):
        overridden(Profile(), {"timeout": value})


def test_secrets_are_in_no_text_of_a_profile(profile):
    assert "literal" not in repr(profile)


def test_secrets_go_back_to_their_places(profile):
    found = overlays(profile, ["parameters.db.#key=KEY"], {"PASSWORD": "p", "STATE_TOKEN": "s", "KEY": "k"})
    config = overlaid({"parameters": {"#password": "[hidden]", "x": 1}, "authorization": []}, found["config.json"])
    assert config == {
        "parameters": {"#password": "p", "#token": "literal", "x": 1, "db": {"#key": "k"}},
        "authorization": {"oauth_api": {"credentials": {"id": "main", "#data": "{}"}}},
    }
    assert overlaid({"token": "[hidden]"}, found["in/state.json"]) == {"token": "s"}


@pytest.mark.parametrize("given", ["parameters.#x=UNSET", "parameters.#x", "=SET", ""])
def test_a_secret_without_a_value_is_refused(given):
    with pytest.raises(UserError, match="is not set") as caught:
        overlays(Profile(), [given], {"SET": "1"})
    assert caught.value.code == "replay.profile"


def test_variables_are_given_with_a_value_or_passed_on():
    assert given_variables(["A=1=2", "B", "C="], {"B": "b"}) == {"A": "1=2", "B": "b", "C": ""}
    for wrong in ("D", "=x", ""):
        with pytest.raises(UserError, match="variable"):
            given_variables([wrong], {})


def test_nothing_of_the_callers_own_goes_to_the_component():
    assert passed_on({"PATH": "/bin", "GITHUB_TOKEN": "secret", "KBC_TOKEN": "x"}) == {"PATH": "/bin"}


def test_a_list_is_called_a_list(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"feature_gates": "x"}')
    with pytest.raises(UserError, match="at feature_gates: Input should be a list"):
        load_profile(path)
