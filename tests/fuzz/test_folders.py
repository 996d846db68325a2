"""Whatever lies in a data folder: a result, or one sentence and exit code 1; never a trace, a hang, half an output."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.actions.dispatch import ACTIONS
from component.folder.earlier import RECORD
from tests.fuzz import looking
from tests.strategies.data_folders import SECRET, build, layouts

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "200"))
FOLDERS = settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
VARIABLES = st.sampled_from(
    (
        {},
        {"KBC_DATA_TYPE_SUPPORT": "authoritative", "KBC_TOKEN": SECRET},
        {
            "KBC_DATA_TYPE_SUPPORT": "hints",
            "KBC_PROJECT_FEATURE_GATES": "queuev2,new-native-types",
            "KBC_CONFIGID": "1",
        },
        {"KBC_COMPONENTID": "acme.tablemill", "KBC_CONFIGID": ""},
    )
)


@FOLDERS
@given(layouts(), VARIABLES, st.booleans())
def test_a_run_of_any_folder_succeeds_or_says_in_one_sentence_why_not(layout, variables, as_json):
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        root = build(Path(home, "data"), layout)
        before = looking.snapshot(root)
        if looking.run(root, variables, as_json=as_json).code == 0:
            assert_written(root, before)


def assert_written(root, before):
    """What the platform reads after a run can be read, and holds no secret of the configuration."""
    for name, (_, content) in looking.snapshot(root).items():
        if name not in before:
            path = Path(name)
            assert not path.name.startswith(".") or path.name == RECORD, name
            assert SECRET.encode() not in (content or b"")
            if path.suffix == ".manifest":
                assert_manifest(json.loads(content))
            elif name in {"out/state.json", "out/state.yml", "out/usage.json", "out/result.json"}:
                json.loads(content)


def assert_manifest(value):
    """No null anywhere: the platform reads it as true, or passes it on (reference keboola 10.2.4)."""
    assert value is not None
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        assert_manifest(inner)


@FOLDERS
@given(layouts(), st.sampled_from(("seed", "2017", "2026")), st.booleans())
def test_the_destinations_of_any_folder_are_resolved_or_refused(layout, rules, as_json):
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        looking.resolve(build(Path(home, "data"), layout), rules, as_json=as_json)


@FOLDERS
@given(layouts(), st.booleans())
def test_a_check_of_any_folder_is_a_report(layout, as_json):
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        looking.check(build(Path(home, "data"), layout), as_json=as_json)


@FOLDERS
@given(layouts(actions=tuple(ACTIONS)), VARIABLES)
def test_any_action_on_any_folder_answers_with_one_document_or_says_why_not(layout, variables):
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        seen = looking.run(build(Path(home, "data"), layout), variables)
        if seen.code == 0:
            assert json.loads(seen.out) is not None
        else:
            assert seen.out == ""
