"""The list of the parts of a sliced table, well-formed and not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from component.errors import Place, UserError
from component.folder.manifest_object import ManifestObject
from component.folder.staged import staged_section
from component.staging.sliced import find_parts, part_names


@pytest.fixture
def parts_of(s3):
    """What a list leads to."""

    def find(document):
        s3.put("list", document if isinstance(document, bytes) else json.dumps(document).encode())
        section = s3.section("list", sliced=True)
        staged = staged_section(ManifestObject(section, Path("in/tables/m"), Place()))
        return find_parts(staged, "t")

    return find


def test_parts_keep_their_order_and_have_short_names(parts_of, s3):
    urls = [s3.put(f"run/{name}", name.encode()) for name in ("z.gz", "a.gz", "m.gz")]
    parts, warnings = parts_of({"entries": [{"url": url, "mandatory": True} for url in urls]})
    assert [(part.name, part.object.key, part.object.head) for part in parts] == [
        ("z.gz", "run/z.gz", b"z.gz"),
        ("a.gz", "run/a.gz", b"a.gz"),
        ("m.gz", "run/m.gz", b"m.gz"),
    ]
    assert [part.object.place.slice for part in parts] == ["z.gz", "a.gz", "m.gz"]
    assert warnings == ()


def test_parts_may_lie_in_another_bucket(parts_of, s3):
    url = s3.put("x", b"1", bucket=s3.bucket("elsewhere"))
    parts, _ = parts_of({"entries": [{"url": url}]})
    assert parts[0].object.bucket.url("x") == "s3://elsewhere/x"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (b"", "is empty"),
        (b"1,2", "is not JSON at line 1"),
        ([], 'has no list "entries"'),
        ({}, 'has no list "entries"'),
        ({"entries": {}}, 'has no list "entries"'),
        ({"entries": ["s3://staging/x"]}, "has no url such as s3://bucket/key in entries[0]"),
        ({"entries": [{"url": "https://host/x"}]}, "has no url such as s3://bucket/key in entries[0]"),
        ({"entries": [{"url": "s3://staging/x"}, {"url": None}]}, "has no url such as s3://bucket/key in entries[1]"),
        ({"entries": [{"url": "azure://host/staging/x"}]}, "has no url such as s3://bucket/key in entries[0]"),
        ({"entries": [{"url": "s3://staging/x"}] * 2}, "names s3://staging/x twice"),
    ],
)
def test_what_is_no_list_is_refused(parts_of, document, text):
    with pytest.raises(UserError) as caught:
        parts_of(document)
    assert (caught.value.code, caught.value.place) == ("source.manifest", Place(table="t"))
    assert text in str(caught.value)


@pytest.mark.parametrize("key", ["a b", "a%20b", "a+b", "a#b?c=d&e", "é/日本", "{x};'\"<>|", "part.gz"])
def test_keys_are_taken_as_they_are_written(parts_of, s3, key):
    (part,), _ = parts_of({"entries": [{"url": s3.put(key, key.encode()), "mandatory": True}]})
    assert part.object.read_at(0, 100) == key.encode()


def test_a_list_without_entries_is_a_table_without_parts(parts_of):
    assert parts_of({"entries": []}) == ((), ())


def test_a_part_in_another_account_is_refused(azure):
    own = f"azure://{azure.endpoint.removeprefix('http://')}/container/key"
    azure.put("list", json.dumps({"entries": [{"url": "s3://staging/x"}]}).encode())
    staged = staged_section(ManifestObject(azure.section("list", sliced=True), Path("in/tables/m"), Place()))
    with pytest.raises(UserError, match=re.escape(f"has no url such as {own} in entries[0]")):
        find_parts(staged, "t")


@pytest.mark.parametrize("mandatory", [{}, {"mandatory": True}, {"mandatory": None}, {"mandatory": "false"}])
def test_a_part_is_mandatory_unless_it_is_said_not_to_be(parts_of, mandatory):
    with pytest.raises(UserError, match="s3://staging/nowhere is not there"):
        parts_of({"entries": [{"url": "s3://staging/nowhere", **mandatory}]})


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["a/1", "a/2"], ("1", "2")),
        (["a/1", "b/1"], ("a/1", "b/1")),
        (["a/", "b"], ("a/", "b")),
        ([], ()),
    ],
)
def test_names_tell_parts_apart(keys, names):
    assert part_names(keys) == names
