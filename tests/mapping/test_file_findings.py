from __future__ import annotations

import json

import pytest

from component.folder.out_listing import FileListing, OutFile, OutListing, OutManifest, Unseen, UnseenKind
from component.mapping.jobs.job import OutputMapping, resolve_job
from component.mapping.jobs.resolve import RULE_SETS
from component.mapping.platform.model import Settings


def codes(names, *mapping, unseen=(), rules="2026", **manifests):
    found = tuple(OutManifest(f"{name}.manifest", json.dumps(content).encode()) for name, content in manifests.items())
    listing = FileListing("/data", tuple(map(OutFile, names)), found, unseen)
    job = resolve_job(OutListing("/data"), listing, OutputMapping(files=mapping), Settings(), rules)
    return [(one.code, one.place) for one in job.findings]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_mapping_that_replaces_a_manifest_is_found(rules):
    expected = [("finding.file_manifest_replaced", "f")]
    assert codes(["f", "g"], {"source": "f"}, rules=rules, f={"tags": ["x"]}, g={}) == expected


def test_a_near_miss_is_found():
    assert codes(["f.csv"], {"source": "F.csv"}) == [("finding.near_miss", "F.csv")]
    assert codes(["f.csv"], f={}) == [("finding.manifest_near_miss", "f")]


def test_a_mapping_of_an_invisible_file_is_found():
    unseen = (Unseen("dir", UnseenKind.FOLDER),)
    assert codes([], {"source": "dir"}, unseen=unseen) == [
        ("finding.invisible_source", "dir"),
        ("finding.folder_dropped", "dir"),
    ]


def test_several_mappings_of_a_file_are_found():
    assert codes(["f", "g"], {"source": "f"}, {"source": "g"}, {"source": "f"}) == [("finding.several_mappings", "f")]


@pytest.mark.parametrize("name", ["is_public", "is_permanent", "is_encrypted", "notify"])
def test_a_null_flag_is_found(name):
    assert codes(["f"], f={name: None}) == [("finding.null_boolean", "f")]
    assert codes(["f"], {"source": "f", name: None}) == [("finding.null_boolean", "f")]


def test_files_as_they_should_be_give_no_finding():
    assert codes(["f", "g"], {"source": "f", "is_public": False}, g={"tags": []}) == []
