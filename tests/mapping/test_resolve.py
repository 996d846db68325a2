from __future__ import annotations

import json

import pytest
from hypothesis import event, given

from component.errors import UserError
from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping import table_config
from component.mapping.model import Header, Settings
from component.mapping.resolve import RULE_SETS, resolve
from component.mapping.texts import ERRORS, REASONS
from tests.strategies import output_mapping


def test_an_unknown_rule_set_names_those_that_exist():
    with pytest.raises(UserError) as caught:
        resolve(OutListing("/data"), [], Settings(), rules="2038")
    assert caught.value.code == "config.value"
    assert "2038" in str(caught.value)
    assert all(name in str(caught.value) for name in RULE_SETS)


def test_no_outputs_resolve_to_nothing():
    resolution = resolve(OutListing("/data"), [], Settings())
    assert resolution.rules == "2026"
    assert (resolution.loads, resolution.error, resolution.log, resolution.findings) == ((), None, (), ())


@given(listing=output_mapping.listings(), mapping=output_mapping.mappings(), settings=output_mapping.settings)
def test_any_outputs_and_mapping_have_a_resolution(listing, mapping, settings):
    resolution = resolve(listing, mapping, settings)
    event("error" if resolution.error else "resolved")
    for error in (resolution.error, *resolution.swallowed):
        if error is not None:
            assert error.code in ERRORS
            assert error.reason is None or error.reason in REASONS
            assert error.text
    names = {source.name: source.sliced for source in listing.sources}
    for load in resolution.loads:
        assert names[load.source] == load.sliced
        assert load.destination.count(".") == 2
        assert load.provenance.keys() >= load.options.keys()
        assert load.header is Header.HEADER or load.sliced or load.options.keys() & {"columns", "schema"}
    assert json.loads(json.dumps([load.options for load in resolution.loads])) is not None


@given(listing=output_mapping.listings(), mapping=output_mapping.mappings(), settings=output_mapping.settings)
def test_resolving_twice_gives_the_same_and_changes_no_input(listing, mapping, settings):
    before = json.dumps(mapping)
    assert resolve(listing, mapping, settings) == resolve(listing, mapping, settings)
    assert json.dumps(mapping) == before


def test_work_grows_with_the_number_of_tables_and_not_faster(monkeypatch):
    calls = []
    parse = table_config._parse
    monkeypatch.setattr(table_config, "_parse", lambda *given: calls.append(given) or parse(*given))
    listing = OutListing(
        "/data",
        tuple(OutSource(f"{number}.csv") for number in range(1000)),
        tuple(OutManifest(f"{number}.csv.manifest", b"{}") for number in range(1000)),
    )
    mapping = [{"source": f"{number}.csv", "destination": f"in.c-main.{number}"} for number in range(1000)]
    assert len(resolve(listing, mapping, Settings()).loads) == 1000
    assert len(calls) == 3 * 1000  # the entry, the manifest, and both merged
