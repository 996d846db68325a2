from __future__ import annotations

import pytest

from component.folder.out_listing import OutManifest, OutSource
from component.mapping.platform.model import RefusedError
from component.mapping.rules.slicing import Item, check_slicing

FILE = OutSource("t.csv", size=1)
MANIFEST = OutManifest("t.csv.manifest", b"{}")


def logged(*items):
    log = []
    check_slicing(items, log)
    return log


def refused(*items):
    with pytest.raises(RefusedError) as caught:
        logged(*items)
    return caught.value.error


def test_a_file_with_or_without_a_plain_mapping_may_be_sliced():
    plain = {"source": "t.csv", "delimiter": ",", "enclosure": '"', "columns": []}
    assert logged(Item(FILE, MANIFEST, None), Item(OutSource("b", size=1), None, plain)) == []


def test_a_source_with_two_mappings_is_refused():
    error = refused(Item(FILE, None, {}), Item(FILE, None, {}))
    assert error.code == "mapping.several_destinations"
    assert error.text == 'Source "t.csv" has multiple destinations set.'


@pytest.mark.parametrize("option", [{"delimiter": ";"}, {"enclosure": ""}, {"columns": ["a"]}])
def test_csv_options_in_the_mapping_are_refused(option):
    error = refused(Item(FILE, MANIFEST, option))
    assert error.code == "mapping.slicing_options"
    assert error.text == (
        'Params "delimiter", "enclosure" or "columns" specified in mapping are not longer supported. '
        'Skipping file "t.csv".'
    )


def test_slices_without_manifest_are_left_alone():
    assert logged(Item(OutSource("s", sliced=True), None, {"columns": ["a"]})) == [
        'warning: Sliced files without manifest are not supported. Skipping file "s"'
    ]


def test_an_empty_file_is_left_alone_and_an_empty_directory_is_not():
    columns = {"columns": ["a"]}
    assert logged(Item(OutSource("e"), None, columns)) == ['warning: Empty files cannot be sliced. Skipping file "e".']
    assert refused(Item(OutSource("s", sliced=True), MANIFEST, columns)).code == "mapping.slicing_options"
