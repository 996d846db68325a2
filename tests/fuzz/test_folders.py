"""Whatever lies in a data folder: a result, or one sentence and exit code 1; never a trace, a hang, or half an output."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import looking
from tests.strategies.data_folders import SECRET, build, layouts

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "100"))
FOLDERS = settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
VARIABLES = st.sampled_from(
    (
        {},
        {"KBC_DATA_TYPE_SUPPORT": "authoritative", "KBC_TOKEN": SECRET},
        {"KBC_DATA_TYPE_SUPPORT": "hints", "KBC_PROJECT_FEATURE_GATES": "queuev2,new-native-types", "KBC_CONFIGID": "1"},
        {"KBC_COMPONENTID": "acme.tablemill", "KBC_CONFIGID": ""},
    )
)


@FOLDERS
@given(st.data(), VARIABLES, st.booleans())
def test_a_run_of_any_folder_succeeds_or_says_in_one_sentence_why_not(data, variables, as_json):
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        root, store = Path(home, "data"), Path(home, "store")
        build(root, data.draw(layouts(store if data.draw(st.booleans()) else None)))
        seen = looking.run(root, variables, as_json=as_json)
        if seen.code == 0:
            assert_written(root, as_json=as_json, out=seen.out)


def assert_written(root, *, as_json, out):
    """What the platform reads after a run can be read, and holds no secret of the configuration."""
    if out and not as_json and out.lstrip().startswith(("{", "[")):
        return  # an action's answer
    states = [path for path in (root / "out").glob("state.*") if path.is_file()]
    if not states:
        return
    for path in (root / "out").rglob("*"):
        assert not path.name.startswith(".tablemill"), path
        if path.is_file() and path.stat().st_size < 1_000_000 and not path.name.startswith("state."):
            assert SECRET.encode() not in path.read_bytes() or path.name not in {"usage.json", "result.json"}
    if as_json:
        json.loads(out)


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
