from __future__ import annotations

import pyarrow as pa
import pytest

from component.dataset.format.keys import header_key
from component.store.local import LocalStore
from tests.check.making import TABLE, check, found, lay_out, only
from tests.dataset.making import write_dataset

ROWS = pa.table({"id": ["1"], "name": ["a"]})


def storage(*tables, **output):
    return {"output": {"tables": list(tables), **output}}


def destinations(report):
    return {output.name: (output.destination, output.rule) for output in report.outputs}


@pytest.mark.parametrize(
    ("output", "variables", "where"),
    [
        ({}, {}, ("out.c-tablemill.t", "manifest")),
        (
            {"default_bucket": "out.c-mine"},
            {},
            ("out.c-mine.t", "manifest's name in the default bucket"),
        ),
        (
            {"tables": [{"source": "t", "destination": "out.c-a.b", "primary_key": ["id"]}]},
            {},
            ("out.c-a.b", "output mapping, over manifest out.c-tablemill.t"),
        ),
    ],
)
def test_outputs_are_known_before_the_run(tmp_path, output, variables, where):
    report = check(lay_out(tmp_path, config={"storage": {"output": output}}), **variables)
    assert found(report) == []
    assert destinations(report) == {"t": where}


def test_a_mapping_that_no_output_fulfils_is_an_error_in_the_words_of_the_platform(tmp_path):
    config = {"storage": storage({"source": "T.csv", "destination": "out.c-a.b"})}
    report = check(lay_out(tmp_path, config=config))
    finding = only(report, "mapping.source_missing")
    assert finding.text == 'Table sources not found: "T.csv"'
    assert (finding.level.value, finding.place) == ("error", "out/tables")
    assert destinations(report) == {"t": (None, None)}


def test_what_the_platform_would_not_say_is_told_too(tmp_path):
    config = {"storage": storage({"source": "t", "destination": "in.c-main.t"})}
    report = check(lay_out(tmp_path, config=config))
    finding = only(report, "finding.own_input")
    assert (finding.level.value, finding.place) == ("warning", "out/tables/t")


def test_a_component_bucket_needs_a_configuration(tmp_path):
    report = check(lay_out(tmp_path, config={"image_parameters": {"default_bucket": True}}), COMPONENTID="a.b")
    assert found(report) == [("error", "mapping.no_configuration", "storage.output")]


def test_files_and_rejected_rows_are_outputs_too(tmp_path):
    dataset = {"uuid": "t", "on_bad_row": "reject"}
    outputs = [{"dataset": "t", "as": "file", "format": "parquet"}, {"dataset": "t", "name": "out.c-x.y.z"}]
    report = check(lay_out(tmp_path, config={"parameters": {"datasets": [dataset], "outputs": outputs}}))
    assert destinations(report)["t.parquet"] == (None, None)
    assert [output.written_as for output in report.outputs] == ["file", "table"]


def test_a_dataset_that_is_there_with_other_keys_is_told(tmp_path):
    store = LocalStore(tmp_path / "store")
    write_dataset(store, ROWS, ["name"], uuid="t")
    before = store.get(header_key("t", "json"))
    parameters = {
        "store": {"url": store.url},
        "datasets": [{"uuid": "t", "mode": "append", "partition_on": ["id"]}],
    }
    report = check(lay_out(tmp_path / "data", config={"parameters": parameters}))
    assert found(report) == [("error", "dataset.partitioning", "parameters.datasets[0]")]
    assert store.get(header_key("t", "json")) == before


def test_an_output_of_an_earlier_dataset_is_looked_up(tmp_path):
    store = LocalStore(tmp_path / "store")
    write_dataset(store, ROWS, uuid="old")
    parameters = {
        "store": {"url": store.url},
        "outputs": [{"dataset": "old"}, {"dataset": "gone"}, {"dataset": "old", "name": "x", "columns": ["y"]}],
    }
    report = check(lay_out(tmp_path / "data", config={"parameters": parameters}))
    assert found(report) == [
        ("error", "dataset.missing", "parameters.outputs[1]"),
        ("error", "column.missing", "parameters.outputs[2]"),
    ]
    parameters["outputs"] = parameters["outputs"][:1]
    report = check(lay_out(tmp_path / "data", config={"parameters": parameters}))
    assert found(report) == []
    assert destinations(report) == {"old": ("out.c-tablemill.old", "manifest")}


def test_a_store_that_cannot_be_opened_is_told_and_the_rest_is_predicted(tmp_path):
    parameters = {
        "store": {"url": "nowhere://s3cr3t"},
        "datasets": [{"uuid": "t"}],
        "outputs": [{"dataset": "t"}, {"dataset": "old"}],
    }
    report = check(lay_out(tmp_path, config={"parameters": parameters}))
    assert found(report) == [("error", "store.url", "parameters.store")]
    assert destinations(report)["t"] == ("out.c-tablemill.t", "manifest")
    assert "s3cr3t" not in str(report)


def test_an_archive_that_is_damaged_is_told_where_a_run_depends_on_it(tmp_path):
    files = {
        "in/files/1_t.dataset.zip": "no zip",
        "in/files/1_t.dataset.zip.manifest": {"id": 1, "name": "t.dataset.zip", "tags": ["tablemill-dataset"]},
    }
    config = {"parameters": {"datasets": [{"uuid": "t", "mode": "append"}]}}
    report = check(lay_out(tmp_path, files, config=config))
    assert found(report) == [("error", "store.archive", "in/files")]


def test_leftovers_of_out_take_part_as_they_would(tmp_path):
    report = check(lay_out(tmp_path, {"out/tables/old.csv": TABLE}))
    assert ("error", "mapping.no_destination", "out/tables/old.csv") in found(report)
