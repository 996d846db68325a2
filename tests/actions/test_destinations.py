from __future__ import annotations

import contextlib

import pytest

from component.cli.run import run_folder
from component.config.environment import Environment
from component.errors import UserError
from component.folder.layout import DataFolder
from component.folder.out_listing import list_files, list_outputs
from component.mapping.jobs.job import OutputMapping, resolve_job
from component.mapping.platform.model import Settings
from tests.actions.conftest import VARIABLES

MAPPED = {"input": {"tables": [{"source": "in.c-shop.sales", "destination": "sales.csv"}]}}


def lands(found):
    return {load["source"]: load["destination"] for load in found["resolution"]["loads"]}


def test_configured_outputs_land_where_they_say(ask):
    outputs = [
        {"dataset": "sales", "destination": "out.c-shop.late", "name": "late"},
        {"dataset": "sales", "as": "file", "tags": ["mine"]},
    ]
    found = ask("resolveDestinations", {"datasets": [{"uuid": "sales", "on_bad_row": "reject"}], "outputs": outputs})
    assert lands(found) == {"late": "out.c-shop.late", "sales.rejected": "out.c-tablemill.sales_rejected"}
    assert {one["source"] for one in found["resolution"]["files"]} == {"sales.csv", "sales.dataset.zip"}
    assert "| late | out.c-shop.late | manifest |" in found["message"]
    assert (found["type"], found["status"]) == ("info", "success")


def test_an_empty_configuration_gives_every_mapped_table_back(ask):
    assert lands(ask("resolveDestinations", storage=MAPPED)) == {"sales": "out.c-tablemill.sales"}


def test_a_default_bucket_takes_what_names_no_bucket(ask):
    storage = {**MAPPED, "output": {"default_bucket": "in.c-mine"}}
    assert lands(ask("resolveDestinations", storage=storage)) == {"sales": "in.c-mine.sales"}


def test_the_output_mapping_wins(ask):
    storage = {**MAPPED, "output": {"tables": [{"source": "sales", "destination": "out.c-new.home"}]}}
    found = ask("resolveDestinations", storage=storage)
    assert lands(found) == {"sales": "out.c-new.home"}
    assert "output mapping" in found["message"]


def test_what_the_platform_would_refuse_is_an_answer_in_its_own_words(ask):
    storage = {**MAPPED, "output": {"tables": [{"source": "absent", "destination": "out.c-a.b"}]}}
    found = ask("resolveDestinations", storage=storage)
    assert (found["type"], found["status"]) == ("error", "error")
    assert 'Table sources not found: "absent"' in found["message"]


def test_a_store_needs_no_archives(folder, ask, stored):
    found = ask("resolveDestinations", {**stored, "datasets": [{"uuid": "sales"}], "outputs": [{"dataset": "sales"}]})
    assert found["resolution"]["files"] == []


def test_inputs_in_the_folder_are_known_too(folder, ask):
    folder.table("t.csv", "a\n1\n", {"id": "in.c-x.t"})
    assert lands(ask("resolveDestinations")) == {"t": "out.c-tablemill.t"}


@pytest.mark.parametrize("support", ["authoritative", "hints", "none", None])
def test_projects_with_native_types_resolve_the_same_names(folder, support):
    import json

    from component.actions.dispatch import answer, quiet_log
    from component.actions.request import read_request

    folder.config({"action": "resolveDestinations", "storage": MAPPED})
    variables = {"KBC_DATADIR": str(folder.root), **({"KBC_DATA_TYPE_SUPPORT": support} if support else {})}
    request = read_request(Environment.from_variables(variables))
    assert request is not None
    assert lands(json.loads(answer(request, quiet_log()))) == {"sales": "out.c-tablemill.sales"}


def test_nothing_to_resolve_is_told(ask):
    with pytest.raises(UserError, match="nothing to resolve"):
        ask("resolveDestinations")


def test_a_configuration_that_no_run_would_take_is_refused_as_by_a_run(ask):
    with pytest.raises(UserError, match=r"parameters\.datasets\[0\]\.mood"):
        ask("resolveDestinations", {"datasets": [{"uuid": "a", "mood": "x"}]})


def test_the_settings_of_the_action_are_no_part_of_the_configuration(ask):
    assert lands(ask("resolveDestinations", {"action": {"rows": 3}}, storage=MAPPED))


def test_datasets_without_outputs_give_archives_only(ask):
    found = ask("resolveDestinations", {"datasets": [{"uuid": "a"}]})
    assert (lands(found), [one["source"] for one in found["resolution"]["files"]]) == ({}, ["a.dataset.zip"])


def test_columns_that_only_the_configuration_names_are_taken_for_those_of_the_input(ask):
    table = {"source": "sales.csv", "columns": {"day": "date"}, "primary_key": ["id"]}
    dataset = {"uuid": "d", "tables": [table], "partition_on": ["day"], "secondary_indices": ["shop"]}
    output = {"dataset": "d", "predicates": [[["day", ">", "2026-01-01"]]], "column_metadata": {"shop": {"a": "b"}}}
    assert lands(ask("resolveDestinations", {"datasets": [dataset], "outputs": [output]})) == {"d": "out.c-tablemill.d"}


@pytest.mark.spark
@pytest.mark.parametrize("bucket", [None, "in.c-mine"])
@pytest.mark.parametrize("configured", [False, True], ids=["nothing configured", "outputs configured"])
def test_a_run_writes_what_was_predicted(folder, ask, engine, capfd, bucket, configured):
    folder.table("t.csv", "a,b\n1,x\n", {"id": "in.c-x.t", "primary_key": ["a"]})
    dataset = {"uuid": "d", "tables": [{"source": "t.csv"}], "on_bad_row": "reject"}
    outputs = [{"dataset": "d", "name": "one"}, {"dataset": "d", "name": "two.csv", "slices": False}]
    parameters = {"datasets": [dataset], "outputs": outputs} if configured else {}
    storage = {"output": {"default_bucket": bucket}} if bucket else {}
    predicted = ask("resolveDestinations", parameters, storage=storage)
    folder.config({"parameters": parameters, "storage": storage})
    assert run_folder(VARIABLES, folder.root, start=lambda *_: contextlib.nullcontext(engine)) == 0
    assert capfd.readouterr().err == ""
    there = DataFolder(folder.root)
    settings = Settings(component_id=VARIABLES["KBC_COMPONENTID"], config_id=VARIABLES["KBC_CONFIGID"])
    output = OutputMapping.read(storage.get("output", {}))
    written = resolve_job(list_outputs(there.out_tables), list_files(there.out_files), output, settings)
    assert lands(predicted) == {load.source: load.destination for load in written.loads}
    assert {one["source"] for one in predicted["resolution"]["files"]} == {one.source for one in written.uploads}
