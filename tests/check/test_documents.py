from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.check.documents import CIPHER, texts_in
from component.report.results.checked import render_check_json
from tests.check.making import check, found, lay_out, only
from tests.strategies.json_values import values

SECRET = "s3cr3t-Value"
STORE = {"url": "file:///tmp/x"}


@pytest.mark.parametrize(
    "cipher",
    [
        "KBC::ProjectSecure::eJwBYQ==",
        "KBC::ProjectSecureKV::eJwBYQ==",
        "KBC::ProjectSecureGKMS::eJwBYQ==",
        "KBC::ComponentSecure::eJwBYQ==",
        "KBC::ConfigSecure::eJwBYQ==",
        "KBC::ProjectWideSecure::eJwBYQ==",
        "KBC::BranchTypeProjectSecure::eJwBYQ==",
        "KBC::Encrypted==eJwBYQ==",
        "KBC::ComponentProjectEncrypted==eJwBYQ==",
    ],
)
def test_a_cipher_is_found_and_never_shown(tmp_path, cipher):
    report = check(lay_out(tmp_path, config={"parameters": {"store": {**STORE, "#key": cipher}}}))
    assert ("error", "secret.encrypted", "parameters.store.#key") in found(report)
    assert cipher not in json.dumps(render_check_json(report))


def test_a_text_that_only_speaks_of_ciphers_is_none():
    assert not CIPHER.match("see KBC::ProjectSecure::")
    assert not CIPHER.match("KBC::datatype")


@pytest.mark.parametrize(
    ("config", "level", "place"),
    [
        ({"parameters": {"store": {**STORE, "#key": "[hidden]"}}}, "error", "parameters.store.#key"),
        ({"parameters": {"store": {"url": "file:///data/[hidden]/x"}}}, "error", "parameters.store.url"),
        ({"authorization": {"oauth_api": {"credentials": {"#data": "[hidden]"}}}}, "warning", None),
    ],
)
def test_what_was_hidden_is_found(tmp_path, config, level, place):
    report = check(lay_out(tmp_path, config=config))
    finding = only(report, "secret.hidden")
    assert finding.level.value == level
    assert finding.place == (place or "authorization.oauth_api.credentials.#data")


def test_what_was_hidden_in_the_state_is_found(tmp_path):
    report = check(lay_out(tmp_path, {"in/state.json": {"a": [{"b": "x[hidden]y"}]}}))
    assert found(report) == [("warning", "secret.hidden", "in/state.json: a[0].b")]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_configuration_that_was_cut_off_says_so(tmp_path, end):
    text = json.dumps({"parameters": {"store": {"url": "file:///x", "#key": SECRET * 10}}})[:90] + " [trimmed]" + end
    report = check(lay_out(tmp_path, {"config.json": text}))
    assert found(report) == [("error", "text.trimmed", "config.json")]
    assert SECRET not in json.dumps(render_check_json(report))


def test_a_value_that_was_cut_off_is_found(tmp_path):
    report = check(lay_out(tmp_path, {"in/state.json": {"cursor": "abc [trimmed]"}}))
    assert found(report) == [("warning", "text.trimmed", "in/state.json: cursor")]


@pytest.mark.parametrize("place", ["uuid", "mode", "key"])
def test_a_secret_is_hidden_wherever_it_comes_back(tmp_path, place):
    dataset = {"uuid": "a"} | ({SECRET: 1} if place == "key" else {place: f"{SECRET}!"})
    config = {"parameters": {"store": {**STORE, "#key": SECRET}, "datasets": [dataset]}}
    text = json.dumps(render_check_json(check(lay_out(tmp_path, config=config))))
    assert SECRET not in text
    assert "[hidden]" in text


def test_the_secrets_of_a_staged_input_are_hidden(tmp_path):
    credentials = {"access_key_id": "AKIAxxxxxxxx", "secret_access_key": SECRET, "session_token": "tokentoken"}
    section = {"isSliced": "what", "region": "r", "bucket": SECRET, "key": SECRET, "credentials": credentials}
    files = {"in/tables/s.csv.manifest": {"id": "in.c-a.s", "columns": ["a"], "s3": section}}
    text = json.dumps(render_check_json(check(lay_out(tmp_path, files))))
    assert SECRET not in text
    assert "in/tables/s.csv.manifest" in text


@given(values)
def test_every_text_of_a_value_has_its_path(value):
    def at(steps, node):
        for step in steps:
            node = node[step]
        return node

    everything = list(texts_in(value))
    assert all(at(steps, value) == text for steps, text in everything)
    assert len({steps for steps, _ in everything}) == len(everything)


@given(st.text())
def test_any_text_of_a_state_is_a_finding_or_fine(tmp_path_factory, text):
    root = tmp_path_factory.mktemp("state", numbered=True)
    data = text.encode("utf-8", "surrogatepass")
    report = check(lay_out(root, {"in/state.json": data}))
    assert {one.place.partition(":")[0] for one in report.findings} <= {"in/state.json"}
