from __future__ import annotations

import json

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from component.errors import UserError
from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping.jobs.resolve import RULE_SETS, resolve
from component.mapping.options import table as table_config
from component.mapping.platform.model import FirstLine, Settings
from component.mapping.platform.texts import ERRORS, REASONS
from tests.strategies import output_mapping

EVERY_RULE_SET = pytest.mark.parametrize("rules", RULE_SETS)


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


@EVERY_RULE_SET
@given(listing=output_mapping.listings(), mapping=output_mapping.mappings(), settings=output_mapping.settings)
def test_any_outputs_and_mapping_have_a_resolution(rules, listing, mapping, settings):
    resolution = resolve(listing, mapping, settings, rules)
    assert resolution.rules == rules
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
        assert load.header is FirstLine.HEADER or load.sliced or load.options.keys() & {"columns", "schema"}
    assert json.loads(json.dumps([load.options for load in resolution.loads])) is not None


@EVERY_RULE_SET
@given(listing=output_mapping.listings(), mapping=output_mapping.mappings(), settings=output_mapping.settings)
def test_resolving_twice_gives_the_same_and_changes_no_input(rules, listing, mapping, settings):
    before = json.dumps(mapping)
    assert resolve(listing, mapping, settings, rules) == resolve(listing, mapping, settings, rules)
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


names = st.sampled_from(["a.csv", "a", "a.b", "in.c-z.a.csv", "in.c-z.a", "in.c-z.a.b"])
said = st.none() | st.sampled_from(["", "0", "t", "c-y.t", "in.c-y.t", "in.c-y.t.u"])
offered = {"name": names, "bucket": st.none() | st.just("in.c-main"), "mapped": said, "described": said}


def by_2026(name, bucket, mapped, described):
    if mapped not in {None, "", "0"}:
        return mapped if mapped.count(".") == 2 else None
    # an empty text is no destination of a manifest, but "0" is a name like any other
    found = described or name.removesuffix(".csv")
    if found.count(".") == 2:
        return found
    return f"{bucket}.{found}" if bucket and found.count(".") == 0 else None


def by_2017(name, bucket, mapped, described, *, is_mapped, is_described):
    from_name = f"{bucket}." * bool(bucket) + name.removesuffix(".csv")
    if is_described:
        described = from_name if bucket or described in {None, "", "0"} else described
    elif bucket or mapped in {None, "", "0"}:
        mapped, is_mapped = from_name, True
    found = (mapped if is_mapped else described) or ""
    return found if found.count(".") == 2 else None


def by_seed(name, bucket, mapped, described, *, is_mapped):
    if bucket:
        found = f"{bucket}.{name.removesuffix('.csv')}"
    elif mapped not in {None, "", "0"}:
        found = mapped
    elif not is_mapped and described not in {None, "", "0"}:
        found = described
    else:
        found = name.removesuffix(".csv")
    return found if found.count(".") == 2 else None


@given(is_mapped=st.booleans(), is_described=st.booleans(), **offered)
def test_destinations_are_those_of_the_rules_written_down_as_they_are_read(
    name, bucket, mapped, described, is_mapped, is_described
):
    mapped, described = mapped if is_mapped else None, described if is_described else None
    manifests = (OutManifest(f"{name}.manifest", json.dumps({"destination": described}).encode()),)
    listing = OutListing("/data", (OutSource(name),), manifests if is_described else ())
    mapping = [{"source": name, "destination": mapped}] if is_mapped else []
    expected = {
        "seed": by_seed(name, bucket, mapped, described, is_mapped=is_mapped),
        "2017": by_2017(name, bucket, mapped, described, is_mapped=is_mapped, is_described=is_described),
        "2026": by_2026(name, bucket, mapped, described),
    }
    for rules, destination in expected.items():
        loads = resolve(listing, mapping, Settings(bucket=bucket), rules).loads
        assert [load.destination for load in loads] == ([] if destination is None else [destination]), rules
