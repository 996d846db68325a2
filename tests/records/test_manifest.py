from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.records.manifest import ManifestEntry, manifest_bytes, parse_manifest

URLS = st.builds("file:///{}".format, st.text(st.characters(codec="utf-8"), max_size=20))


def test_the_form_is_the_clients():
    data = manifest_bytes([ManifestEntry("file:///data/x/data001.csv.gz", True, 123)])
    assert data == (
        b'{"entries": [{"url": "file:///data/x/data001.csv.gz", "mandatory": true, "meta": {"content_length": 123}}]}'
    )


@given(st.lists(st.builds(ManifestEntry, URLS, st.just(True), st.integers(0, 2**62)), max_size=5))
def test_what_is_written_reads_back(entries):
    assert parse_manifest(manifest_bytes(entries)) == tuple(entries)


def test_what_unload_adds_is_ignored():
    document = {
        "entries": [{"url": "s3://b/0000_part_00", "meta": {"content_length": 5, "record_count": 2}}],
        "schema": {"elements": [{"name": "id", "type": {"base": "integer"}}]},
        "meta": {"content_length": 5},
        "author": {"name": "Amazon Redshift", "version": "1.0.0"},
    }
    assert parse_manifest(json.dumps(document).encode()) == (ManifestEntry("s3://b/0000_part_00", None, 5),)


def test_entries_may_be_mandatory_or_not_or_say_nothing():
    listed = [{"url": "s3://b/k", **more} for more in ({"mandatory": True}, {"mandatory": False}, {})]
    found = parse_manifest(json.dumps({"entries": listed}).encode())
    assert [entry.mandatory for entry in found] == [True, False, None]


@pytest.mark.parametrize(
    "entry",
    [
        1,
        {},
        {"url": None},
        {"url": "data001.csv"},
        {"url": "/data/data001.csv"},
        {"url": "../data001.csv"},
        {"url": "s3://b/k", "mandatory": "yes"},
        {"url": "s3://b/k", "meta": {"content_length": "5"}},
        {"url": "s3://b/k", "meta": {"content_length": -1}},
        {"url": "s3://b/k", "meta": {"content_length": 5.0}},
        {"url": "s3://b/k", "meta": {"content_length": True}},
    ],
    ids=str,
)
def test_an_entry_that_is_none_is_refused_with_its_place(entry):
    with pytest.raises(UserError) as refused:
        parse_manifest(json.dumps({"entries": [{"url": "s3://b/good"}, entry]}).encode())
    assert refused.value.code == "records.manifest"
    assert "entries[1]" in str(refused.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"entries": {}}', b'{"entries": [],}', b"\xff\xfe"])
def test_what_is_no_manifest_is_refused(data):
    with pytest.raises(UserError) as refused:
        parse_manifest(data)
    assert refused.value.code == "records.manifest"
