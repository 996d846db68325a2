"""Executed outcomes of the platform's own code of two eras, run through a real folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from component.folder.out_listing import list_outputs
from component.mapping.findings.texts import FINDINGS
from component.mapping.jobs.resolve import RULE_SETS, resolve
from component.mapping.platform.model import DataTypes, MappingLayer, Settings

CASES = json.loads((Path(__file__).parents[1] / "data" / "output-mapping.json").read_text(encoding="utf-8"))
ROOT = "<ROOT>"


def lay_out(case, root):
    tables = root / "out" / "tables"
    tables.mkdir(parents=True)
    for name, content in case["layout"].items():
        path = tables / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return tables


def settings_of(case):
    given = case["settings"]
    return Settings(
        bucket=given.get("bucket"),
        branch=given.get("branch"),
        data_types=DataTypes(given.get("dts", "none")),
        failed_job=given.get("failed", False),
        features=frozenset(given.get("features", ())),
        mapping_layer=MappingLayer.NORMALIZED if given.get("normalize") else MappingLayer.RAW,
    )


@pytest.mark.parametrize("rules", ["2026", "2017"])
@pytest.mark.parametrize("name", CASES)
def test_the_resolver_says_what_the_platform_did(name, rules, tmp_path):
    case = CASES[name]
    expected = case[f"v{rules}"]
    listing = list_outputs(lay_out(case, tmp_path))
    resolution = resolve(listing, case["settings"].get("mapping", []), settings_of(case), rules)
    if expected is None:  # a feature that the time did not know
        assert rules == "2017"
        assert case["settings"].get("failed") or case["settings"]["features"]
        return
    loads = [
        {
            "source": load.source,
            "sliced": load.sliced,
            "destination": load.destination,
            "options": json.loads(json.dumps(load.options)),
        }
        for load in resolution.loads
    ]
    error = resolution.error and resolution.error.text.replace(str(tmp_path), ROOT)
    assert loads == expected["loads"]
    assert error == expected["error"]
    assert list(resolution.log) == expected["log"]
    assert [swallowed.text for swallowed in resolution.swallowed] == expected["swallowed"]


def test_there_are_cases_of_both_eras():
    assert sum(case["v2026"] is not None for case in CASES.values()) > 60
    assert sum(case["v2017"] is not None for case in CASES.values()) > 50


@pytest.mark.parametrize("name", CASES)
def test_every_rule_set_has_findings_and_no_other_exception(name, tmp_path):
    case = CASES[name]
    listing = list_outputs(lay_out(case, tmp_path))
    for rules in RULE_SETS:
        resolution = resolve(listing, case["settings"].get("mapping", []), settings_of(case), rules)
        assert all(one.code in FINDINGS for one in resolution.findings)
