"""Whatever config.json, the manifests and the folder hold: findings, never a trace, never a secret."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.check.folder import check_folder
from component.report.results.checked import render_check_json
from tests.check.making import lay_out
from tests.strategies.json_values import changed, texts, values
from tests.strategies.parameters import KEYS, parameters

SECRET = "Zk7-the-secret-Qx9"
EXAMPLES = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])

entries = st.fixed_dictionaries({"source": texts, "destination": texts}) | values
outputs = st.fixed_dictionaries(
    {},
    optional={
        "tables": st.lists(entries, max_size=2),
        "files": st.lists(entries, max_size=2),
        "default_bucket": texts,
        "data_type_support": st.sampled_from(("none", "hints", "authoritative", "x")),
    },
)
configs = st.fixed_dictionaries(
    {},
    optional={
        "parameters": changed(parameters, KEYS),
        "storage": st.fixed_dictionaries({}, optional={"output": outputs | values, "input": values}) | values,
        "image_parameters": st.fixed_dictionaries({"#token": st.just(SECRET)}) | values,
        "authorization": values,
        "action": st.just("run") | values,
    },
)


def checked(files):
    with tempfile.TemporaryDirectory() as folder:
        report = check_folder({}, lay_out(Path(folder), files))
    shown = json.dumps(render_check_json(report), ensure_ascii=False)
    assert SECRET not in shown
    assert "Traceback" not in shown
    assert all(one.text and one.place and one.code for one in report.findings)
    return report


@EXAMPLES
@given(configs)
def test_any_configuration_has_findings_or_is_fine(config):
    config.setdefault("image_parameters", {"#token": SECRET})
    checked({"config.json": config})


@EXAMPLES
@given(st.data())
def test_any_damaged_text_of_a_configuration_is_a_finding(data):
    secret = {"authorization": {"#data": json.dumps({"refresh": SECRET})}}
    text = json.dumps({**data.draw(configs), **secret}, ensure_ascii=data.draw(st.booleans())).encode()
    start, stop = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    damaged = text[:start] + data.draw(st.binary(max_size=3)) + text[stop:]
    checked({"config.json": damaged})


@EXAMPLES
@given(st.binary(max_size=200) | texts.map(str.encode))
def test_any_bytes_are_a_finding_or_a_configuration(data):
    checked({"config.json": data})


@EXAMPLES
@given(values | st.dictionaries(st.sampled_from(("columns", "schema", "column_metadata", "s3", "abs", "id")), values))
def test_any_manifest_is_a_finding_or_fine(manifest):
    report = checked({"in/tables/t.csv.manifest": json.dumps(manifest), "in/files/1_x.csv.manifest": manifest})
    assert all(one.place.startswith(("in/", "out/")) or one.place == "in" for one in report.findings)


def test_nesting_without_end_is_a_finding():
    for text in ("[" * 100_000, '{"a":' * 5_000 + "1" + "}" * 5_000, '{"parameters":' + "[" * 900 + "]" * 900 + "}"):
        assert checked({"config.json": text}).findings
