"""Executed outcomes of the platform's own code, run through a real folder (rule set 2026)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from component.folder.out_listing import list_outputs
from component.mapping.model import DataTypes, MappingLayer, Settings
from component.mapping.resolve import resolve

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


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["v2026"] is not None])
def test_the_resolver_says_what_the_platform_did(name, tmp_path):
    case = CASES[name]
    resolution = resolve(
        list_outputs(lay_out(case, tmp_path)), case["settings"].get("mapping", []), settings_of(case), "2026"
    )
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
    expected = case["v2026"]
    assert loads == expected["loads"]
    assert error == expected["error"]
    assert list(resolution.log) == expected["log"]
    assert [swallowed.text for swallowed in resolution.swallowed] == expected["swallowed"]


def test_there_are_cases():
    assert len(CASES) > 60
