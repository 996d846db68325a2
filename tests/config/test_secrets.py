from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from component.config.load import parse_config
from component.config.secrets import secret_values, secrets_in
from tests.strategies.config_documents import documents, secrets
from tests.strategies.json_values import texts, values


@st.composite
def documents_with_secrets(draw):
    """JSON values in which secrets lie below a `#` key, at any depth and in any shape."""
    document = draw(values)
    hidden = []
    for _ in range(draw(st.integers(1, 3))):
        secret = draw(secrets | st.integers(1000, 10**9))
        hidden.append(str(secret))
        shape = draw(st.sampled_from(("plain", "list", "object", "json")))
        shapes = {
            "plain": secret,
            "list": [None, [secret, True]],
            "object": {"user": "somebody", "inner": {"deep": secret}},
            "json": json.dumps({"access_token": [secret]}),
        }
        document = {draw(texts): [document], f"#{draw(texts)}": shapes[shape]}
    return document, hidden


@given(documents_with_secrets())
def test_every_text_and_number_below_a_marked_key_is_a_secret(case):
    document, hidden = case
    assert set(hidden) <= secrets_in(document)


@given(documents)
def test_nothing_else_is_one(document):
    assert all(isinstance(secret, str) for secret in secrets_in(document))
    assert secrets_in(_unmarked(document)) == frozenset()


def _unmarked(node):
    if isinstance(node, dict):
        return {key.lstrip("#"): _unmarked(item) for key, item in node.items()}
    return [_unmarked(item) for item in node] if isinstance(node, list) else node


def test_flags_and_nulls_hide_nothing():
    assert secrets_in({"#a": True, "#b": None, "#c": False, "#d": "", "#e": []}) == frozenset()


def test_credentials_of_oauth_are_hidden_one_by_one_too():
    data = json.dumps({"access_token": "top", "expires_in": 3600})
    document = {"authorization": {"oauth_api": {"credentials": {"#data": data, "#appSecret": "app", "appKey": "key"}}}}
    assert secret_values(parse_config(document)) == {data, "top", "3600", "app"}


def test_secrets_in_parts_that_no_model_knows_are_found():
    assert secret_values(parse_config({"tomorrow": [{"#deep": {"list": ["hush"]}}]})) == {"hush"}
