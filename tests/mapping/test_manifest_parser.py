from __future__ import annotations

import pytest

from component.folder.out_listing import OutListing, OutManifest
from component.mapping.options.manifest import read_manifest
from component.mapping.options.table import DEFAULTS
from component.mapping.platform.model import RefusedError

PATH = "/data/out/tables//t.csv.manifest"


def read(data):
    return read_manifest(OutManifest("t.csv.manifest", data), OutListing("/data"))


@pytest.mark.parametrize("data", [b"{}", b"[]", b"null", b" \n{} "])
def test_empty_manifests_are_valid(data):
    assert read(data) == DEFAULTS


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf{}", b"{", b"destination: x"])
def test_what_is_not_json_is_a_syntax_error(data):
    with pytest.raises(RefusedError) as caught:
        read(data)
    assert caught.value.error.code == "mapping.manifest"
    assert caught.value.error.reason == "mapping.json"
    assert caught.value.error.source == "t.csv"
    assert caught.value.error.text == f'Failed to parse manifest file "{PATH}" as "json": Syntax error'


def test_an_invalid_option_is_quoted_with_the_path_of_the_manifest():
    with pytest.raises(RefusedError) as caught:
        read(b'{"incremental": 1}')
    assert caught.value.error.reason == "mapping.node.type"
    assert caught.value.error.text.startswith(
        f'Failed to parse manifest file "{PATH}" as "json": Invalid type for path "table.incremental".'
    )
