"""Whatever a form sends, there is an answer or a clear error, never a fault of ours."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.actions.dispatch import ACTIONS, answer, quiet_log
from component.actions.request import Request
from component.config.environment import Environment
from component.errors import BugError, TablemillError
from tests.strategies import parameters as strategies
from tests.strategies.json_values import changed, values

subjects = st.fixed_dictionaries(
    {}, optional={"dataset": st.sampled_from(["sales", "", "x"]) | values, "table": st.just("t.csv") | values}
)
storages = values | st.fixed_dictionaries(
    {"input": st.fixed_dictionaries({"tables": st.lists(st.just({"source": "in.c-a.t", "columns": ["a"]}) | values)})}
)
several = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def outcome_of(request):
    """The decoded answer, or the error that was meant."""
    try:
        return json.loads(answer(request, quiet_log()))
    except TablemillError as error:
        return error


@pytest.mark.parametrize("action", ACTIONS)
@several
@given(
    parameters=changed(strategies.parameters, strategies.KEYS), subject=subjects, storage=storages, stored=st.booleans()
)
def test_an_action_answers_or_says_what_is_wrong(folder, store, action, parameters, subject, storage, stored):
    if isinstance(parameters, dict):
        parameters = {**parameters, "action": subject, "store": {"url": folder.store.as_uri()} if stored else {}}
    document = {"action": action, "parameters": parameters, "storage": storage}
    environment = Environment.from_variables({"KBC_DATADIR": str(folder.root)})
    outcome = outcome_of(Request(action, document, environment))
    if isinstance(outcome, TablemillError):
        assert not isinstance(outcome, BugError)
        assert str(outcome).endswith((".", "?", ".'", ". ")), outcome
    else:
        assert isinstance(outcome, (dict, list))
