"""A run, `check`, `resolve` and the action resolveDestinations say the same of outputs that are not there yet."""

from __future__ import annotations

import contextlib
import json
import tempfile
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from component import clock
from component.actions.dispatch import answer, quiet_log
from component.actions.request import read_request
from component.check.folder import check_folder
from component.cli.resolve import resolve_folder
from component.config.environment import Environment
from component.config.load import load_config
from component.errors import CODES, TablemillError, UserError
from component.mapping.jobs.job import JobResolution
from component.mapping.platform.settings import JobFacts
from component.report.messages.lines import LineHandler
from component.report.messages.log import Log
from component.report.messages.progress import SilentProgress
from component.runner.run import run
from tests.runner.data_folder import DataFolder

OURS = ("finding.", "mapping.", "output.types")


@dataclass(frozen=True)
class Said:
    """Why outputs are refused (the code alone where it is the configuration that no run would take), and warnings."""

    refused: str | None
    warnings: tuple[str, ...] = ()
    lands: tuple[tuple[str, str | None], ...] | None = None


class ReachedSparkError(Exception):
    """The run has found nothing wrong, and begins its work."""


class NoEngine:
    @property
    def context(self):
        raise ReachedSparkError


def refused_by(error):
    return sentence(error.text, error.remedy) if error.code == "mapping.failed" else error.code


def sentence(text, remedy):
    return f"{text.rstrip('.')}. {remedy}" if remedy else text


def said_by_run(root, variables):
    lines = StringIO()
    log = Log(LineHandler(lines))
    environment = Environment.from_variables(variables, root)
    try:
        config = load_config(root)
        run(
            environment,
            config,
            log,
            SilentProgress(clock.monotonic),
            start=lambda *_: contextlib.nullcontext(NoEngine()),
        )
    except ReachedSparkError:
        warned = [line.removeprefix("warning: ") for line in lines.getvalue().splitlines()]
        return Said(None, tuple(sorted(warned)))
    except TablemillError as error:
        return Said(refused_by(error))
    raise AssertionError


def said_by_check(root, variables):
    report = check_folder(variables, root)
    told = [one for one in report.findings if one.level.value == "error"]
    if told:
        ours = told[0].code.startswith(OURS)
        return Said(told[0].sentence if ours else told[0].code)
    warned = sorted(
        one.text.rstrip(".") for one in report.findings if one.level.value == "warning" and one.code.startswith(OURS)
    )
    lands = sorted((one.name, one.destination) for one in report.outputs if one.written_as == "table")
    return Said(None, tuple(warned), tuple(lands))


def said_by(code, found):
    worst = [one["text"] for one in found["findings"] if one["level"] == "error"]
    if found["error"] or worst:
        assert code == 1
        return Said(sentence(found["error"]["text"], found["error"]["remedy"]) if found["error"] else worst[0])
    assert code == 0
    warned = {one["text"] for one in found["findings"] if one["level"] == "warning"}
    warned |= {line.removeprefix("warning: ") for line in found["log"]}
    loads = {load["source"]: load["destination"] for load in reversed(found["loads"])}
    return Said(None, tuple(sorted(warned)), tuple(sorted(loads.items())))


def said_by_resolve(root, variables, capture):
    out, err = capture(lambda: resolve_folder(variables, root, JobFacts(), "2026", as_json=True))
    code, text = out
    if not text:
        return Said(err)
    found = json.loads(text)
    assert found["predicted"]
    return said_by(code, found)


def said_by_action(root, variables):
    config = json.loads((root / "config.json").read_text())
    (root / "config.json").write_text(json.dumps({**config, "action": "resolveDestinations"}))
    request = read_request(Environment.from_variables(variables, root))
    try:
        found = json.loads(answer(request, quiet_log()))
    except UserError as error:
        return Said(refused_by(error))
    finally:
        (root / "config.json").write_text(json.dumps(config))
    return said_by(1 if found["type"] == "error" else 0, found["resolution"])


def lay_out(root, config):
    folder = DataFolder(root)
    folder.table("t.csv", "id,name,a b\n1,x,y\n", {"id": "in.c-main.t", "primary_key": ["id"]})
    folder.table("u", "id\n1\n", {"id": "in.c-main.u"})
    folder.config(config)
    return folder


def captured(call):
    out, err = StringIO(), StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = call()
    return (code, out.getvalue()), err.getvalue()


def all_say(root, config, variables):
    lay_out(root, config)
    ran = said_by_run(root, variables)
    checked = said_by_check(root, variables)
    resolved = said_by_resolve(root, variables, captured)
    acted = said_by_action(root, variables)
    return ran, checked, resolved, acted


destinations = st.sampled_from(("out.c-x.b", "out.c-x.t", "in.c-main.t", "sys.c-x.b", "b", "out.c x.b", "out..b"))
columns = st.sampled_from((["id"], ["id", "id "], ["_timestamp"], ["id", "a b"]))
names = st.sampled_from(("t", "t.csv", "x", "u"))
outputs = st.fixed_dictionaries(
    {"dataset": st.sampled_from(("d", "u"))},
    optional={
        "name": names,
        "destination": destinations,
        "columns": st.sampled_from((["id"], ["id", "a b"])),
        "slices": st.booleans(),
        "manifest_family": st.sampled_from(("legacy", "schema")),
        "data_types": st.just({"id": {"snowflake": {"type": "NUMBER"}, "bigquery": {"type": "INT64"}}}),
    },
) | st.fixed_dictionaries({"dataset": st.just("d"), "as": st.just("file")}, optional={"name": names})
datasets = [{"uuid": "d", "tables": [{"source": "t.csv"}]}, {"uuid": "u", "on_bad_row": "reject"}]
parameters = st.just({}) | st.fixed_dictionaries(
    {"datasets": st.just(datasets), "outputs": st.lists(outputs, min_size=1, max_size=3)}
)
entries = st.fixed_dictionaries({"source": names}, optional={"destination": destinations, "columns": columns})
files = st.fixed_dictionaries({"source": st.sampled_from(("d.csv", "d.dataset.zip", "nofile.txt"))})
output_mappings = st.fixed_dictionaries(
    {},
    optional={
        "tables": st.lists(entries, max_size=2),
        "files": st.lists(files, max_size=1),
        "default_bucket": st.sampled_from(("out.c-mine", "sys.c-mine", "in.c-main")),
        "data_type_support": st.sampled_from(("none", "hints", "authoritative")),
    },
)
documents = st.builds(
    lambda given, family, mapping, image: {
        "parameters": {**given, **family},
        "storage": {"output": mapping},
        "image_parameters": image,
    },
    parameters,
    st.fixed_dictionaries({}, optional={"manifest_family": st.sampled_from(("auto", "legacy", "schema"))}),
    output_mappings,
    st.sampled_from(({}, {"default_bucket": True}, {"default_bucket": True, "default_bucket_stage": "out"})),
)
environments = st.fixed_dictionaries(
    {},
    optional={
        "KBC_DATA_TYPE_SUPPORT": st.sampled_from(("none", "hints", "authoritative")),
        "KBC_COMPONENTID": st.just("acme.mill"),
        "KBC_CONFIGID": st.just("7"),
        "KBC_PROJECT_FEATURE_GATES": st.sampled_from(("new-native-types", "output-mapping-slice,queuev2")),
    },
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents, environments)
@example({"parameters": {"manifest_family": "legacy"}}, {"KBC_DATA_TYPE_SUPPORT": "authoritative"})
@example({"storage": {"output": {"data_type_support": "authoritative"}}}, {"KBC_DATA_TYPE_SUPPORT": "none"})
@example({"storage": {"output": {"files": [{"source": "nofile.txt"}]}}}, {})
def test_all_say_the_same(document, variables):
    with tempfile.TemporaryDirectory() as scratch:
        ran, checked, resolved, acted = all_say(Path(scratch) / "data", document, variables)
    assert {checked.refused, acted.refused} == {ran.refused}
    if ran.refused is not None:
        assert resolved.refused == ran.refused or (resolved.refused and ran.refused in CODES)
        return
    assert resolved == acted
    assert acted.warnings == ran.warnings
    # a report has a remedy for each finding, a line of the log where it has one of its own
    assert len(checked.warnings) == len(ran.warnings)
    assert all(map(str.startswith, ran.warnings, checked.warnings))
    found = dict(acted.lands)
    assert all(found.get(name) == destination for name, destination in checked.lands)


REFUSED = [
    ({"storage": {"output": {"files": [{"source": "nofile.txt"}]}}}, {}, "File 'nofile.txt' not found."),
    ({"storage": {"output": {"default_bucket": "sys.c-x"}}}, {}, 'Storage will refuse "sys.c-x.t"'),
    ({"parameters": {"manifest_family": "legacy"}}, {"KBC_DATA_TYPE_SUPPORT": "hints"}, "schema is missing"),
    ({"storage": {"output": {"tables": [{"source": "t.csv"}]}}}, {}, 'Table sources not found: "t.csv"'),
]


@pytest.mark.parametrize(("document", "variables", "text"), REFUSED)
def test_what_the_platform_would_refuse_ends_each_of_them(tmp_path, document, variables, text):
    assert all(text in (said.refused or "") for said in all_say(tmp_path / "data", document, variables))


TWO = [{"dataset": "t", "destination": "out.c-x.b", "name": name} for name in "ab"]
TYPED = {"dataset": "t", "data_types": {"id": {"snowflake": {"type": "NUMBER"}, "bigquery": {"type": "INT64"}}}}
WARNED = [
    (
        {"parameters": {"datasets": [{"uuid": "t", "tables": [{"source": "t.csv"}]}], "outputs": [TYPED]}},
        {},
        "The legacy manifest has room for one backend's type",
    ),
    (
        {"parameters": {"datasets": [{"uuid": "t", "tables": [{"source": "t.csv"}]}], "outputs": TWO}},
        {},
        'Sources "a", "b" land in one table',
    ),
    ({"parameters": {"manifest_family": "schema"}}, {}, "which a project without native types does not read"),
    ({"storage": {"output": {"tables": [{"source": "t", "destination": "in.c-main.t"}]}}}, {}, "that the job reads"),
]


@pytest.mark.parametrize(("document", "variables", "text"), WARNED)
def test_what_the_platform_takes_in_silence_is_a_warning_of_each_of_them(tmp_path, document, variables, text):
    for said in all_say(tmp_path / "data", document, variables):
        assert said.refused is None
        assert any(text in warning for warning in said.warnings)


def test_the_loads_are_looked_through_once_however_many_outputs_there_are(tmp_path, monkeypatch):
    lay_out(
        tmp_path / "data",
        {
            "parameters": {
                "datasets": [{"uuid": f"d{n}", "tables": [{"source": "t.csv"}]} for n in range(40)],
                "outputs": [{"dataset": f"d{n}", "destination": f"out.c-x.t{n}"} for n in range(40)],
            }
        },
    )
    looked = []
    loads = JobResolution.loads.fget
    monkeypatch.setattr(JobResolution, "loads", property(lambda job: looked.append(1) or loads(job)))
    report = check_folder({}, tmp_path / "data")
    assert [one.destination for one in report.outputs] == [f"out.c-x.t{n}" for n in range(40)]
    assert len(looked) < 5


def test_the_remedy_of_a_source_that_is_not_there_names_those_that_are(tmp_path):
    lay_out(tmp_path / "data", {"storage": {"output": {"tables": [{"source": "t.csv", "destination": "out.c-x.b"}]}}})
    report = check_folder({}, tmp_path / "data")
    (finding,) = [one for one in report.findings if one.code == "mapping.source_missing"]
    assert finding.remedy == 'The outputs are called "t", "u": name one of them, or remove the mapping.'
