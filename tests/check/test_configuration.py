from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from component.check.configuration import check_configuration

NOWHERE = Path("/nowhere")
BLANKS = (
    {"datasets": [{"uuid": "a", "num_buckets": "", "keep": ""}]},
    {"datasets": [{"uuid": "a", "tables": [{"source": "s", "delimiter": "", "enclosure": ""}]}]},
    {"outputs": [{"dataset": "a", "destination": "", "name": ""}]},
)
OLDER = ({"tables": [{"name": "t", "csv": "a\n1\n", "has_header": True}]},)


@given(st.sampled_from([*BLANKS, *OLDER]), st.sampled_from([{}, {"storage": {"input": {"tables": [{"days": "x"}]}}}]))
def test_an_unknown_key_makes_nothing_else_wrong(parameters, document):
    config, findings = check_configuration({**document, "parameters": parameters}, NOWHERE)
    assert config is not None, findings
    none, found = check_configuration({**document, "parameters": {**parameters, "unknown": 1}}, NOWHERE)
    assert none is None
    assert [(one.code, one.place) for one in found] == [("config.unknown_key", "parameters.unknown")]
