"""Issue 2, points 9 and 10: where outputs land, by which rule, and the manifests that say so."""

import json
import os

import pytest

TYPES = {"id": "integer", "price": {"type": "numeric", "length": "12,2"}, "day": "date"}
BASES = {"id": "INTEGER", "price": "NUMERIC", "day": "DATE", "note": "STRING"}


@pytest.fixture
def mapped(folder):
    """Configure one dataset of one table with everything that Storage says about it."""

    def set_up(storage=None, output=None, **more):
        folder.table("orders.csv", "id,price,day,note\n1,1.50,2026-01-01,\n")
        table = {"source": "orders.csv", "columns": TYPES, "primary_key": ["id"]}
        parameters = {
            "datasets": [{"uuid": "orders", "tables": [table]}],
            "outputs": [{"dataset": "orders", **(output or {})}],
        }
        folder.config({"storage": {"output": storage or {}}, "parameters": parameters, **more})

    return set_up


def test_the_family_of_projects_without_native_types(folder, mapped, run):
    mapped()
    assert run().done
    manifest = folder.manifest("orders")
    assert set(manifest) == {"destination", "incremental", "primary_key", "columns", "column_metadata"}
    assert manifest["columns"] == list(BASES)
    assert manifest["primary_key"] == ["id"]
    assert manifest["incremental"] is False
    types = {
        name: {one["key"]: one["value"] for one in entries} for name, entries in manifest["column_metadata"].items()
    }
    assert {name: one["KBC.datatype.basetype"] for name, one in types.items()} == BASES
    assert types["price"]["KBC.datatype.length"] == "12,2"


@pytest.mark.parametrize("support", ["hints", "authoritative"])
def test_the_family_of_projects_with_native_types(folder, mapped, run, support):
    mapped()
    assert run({"KBC_DATA_TYPE_SUPPORT": support}).done
    manifest = folder.manifest("orders")
    assert set(manifest) == {"destination", "incremental", "schema"}
    assert {column["name"]: column["data_type"]["base"]["type"] for column in manifest["schema"]} == BASES
    price = manifest["schema"][1]
    assert price["data_type"]["base"]["length"] == "12,2"
    assert [column["primary_key"] for column in manifest["schema"]] == [True, False, False, False]
    assert [column["nullable"] for column in manifest["schema"]] == [False, True, True, True]


def test_none_asks_for_the_family_without_native_types(folder, mapped, run):
    mapped()
    assert run({"KBC_DATA_TYPE_SUPPORT": "none"}).done
    assert "column_metadata" in folder.manifest("orders")


def test_a_plain_file_of_the_schema_family_says_that_it_has_a_header(folder, mapped, run):
    mapped(output={"slices": False})
    assert run({"KBC_DATA_TYPE_SUPPORT": "hints"}).done
    assert folder.manifest("orders")["has_header"] is True


def test_a_word_for_data_types_that_nobody_knows(mapped, refused):
    mapped()
    refused("config.value", "KBC_DATA_TYPE_SUPPORT", variables={"KBC_DATA_TYPE_SUPPORT": "maybe"})


@pytest.mark.parametrize(
    ("storage", "output", "destination", "rule"),
    [
        ({}, {}, "out.c-tablemill.orders", "manifest"),
        ({}, {"destination": "out.c-x.y"}, "out.c-x.y", "manifest"),
        ({"default_bucket": "out.c-mine"}, {}, "out.c-mine.orders", None),
        ({"default_bucket": "out.c-mine"}, {"destination": "out.c-x.y"}, "out.c-x.y", "manifest"),
        ({"tables": [{"source": "orders", "destination": "out.c-map.z"}]}, {}, "out.c-map.z", "mapping"),
        (
            {"tables": [{"source": "orders", "destination": "out.c-map.z"}]},
            {"destination": "out.c-x.y"},
            "out.c-map.z",
            "mapping",
        ),
    ],
)
def test_the_destination_and_the_rule_that_decided_are_in_the_summary(
    folder, mapped, run, storage, output, destination, rule
):
    mapped(storage, output)
    outcome = run(as_json=True)
    assert outcome.done
    summary = json.loads(outcome.out)
    (found,) = summary["outputs"]
    assert found["destination"] == destination
    assert rule is None or rule in found["rule"]


def test_the_default_bucket_of_the_component(folder, mapped, run):
    mapped(image_parameters={"default_bucket": True, "default_bucket_stage": "in"})
    outcome = run({"KBC_COMPONENTID": "acme.mill", "KBC_CONFIGID": "42"})
    assert outcome.done
    assert "to in.c-acme-mill-42.orders" in outcome.out


def test_a_destination_that_the_platform_cannot_use(mapped, refused):
    mapped(output={"destination": "in.main"})
    refused("mapping.failed", 'Failed to resolve destination for output table "orders"')


def test_two_sources_of_one_destination_are_a_warning(folder, mapped, run):
    mapped()
    config = json.loads((folder.root / "config.json").read_bytes())
    config["parameters"]["outputs"] = [
        {"dataset": "orders", "name": "a", "destination": "out.c-x.same"},
        {"dataset": "orders", "name": "b", "destination": "out.c-x.same", "columns": ["id"]},
    ]
    folder.config(config)
    outcome = run()
    assert outcome.done
    warned = [line for line in outcome.out.splitlines() if line.startswith("warning: ")]
    assert len(warned) == 1
    assert "out.c-x.same" in warned[0]


def test_a_mapping_without_its_file_fails_before_anything_is_done(mapped, refused):
    mapped({"tables": [{"source": "gone.csv", "destination": "out.c-x.gone"}]})
    refused("mapping.failed", 'Table sources not found: "gone.csv"')


def test_a_table_of_somebody_else_in_out_without_destination_fails(folder, mapped, refused):
    mapped()
    (folder.root / "out" / "tables" / "stray.csv").write_text("a\n1\n")
    refused("mapping.failed", "stray.csv")


def test_the_primary_key_of_the_dataset_is_kept_for_later_outputs(folder, mapped, run):
    mapped(output={"incremental": True})
    assert run().done
    folder.next_run()
    folder.configure(outputs=[{"dataset": "orders", "name": "again"}, {"dataset": "orders", "columns": ["day"]}])
    assert run().done
    assert folder.manifest("again")["primary_key"] == ["id"]
    assert folder.manifest("orders")["primary_key"] == []


def test_the_primary_key_of_the_input_is_kept(folder, run):
    folder.table("orders.csv", "id,n\n1,2\n", {"primary_key": ["id"], "id": "in.c-main.orders", "name": "orders"})
    assert run().done
    assert folder.manifest("orders")["primary_key"] == ["id"]


def test_a_column_without_a_name_lands_under_the_name_that_it_gets(folder, run):
    folder.table("pandas.csv", "id,\n0,1\n")
    assert run().done
    assert folder.manifest("pandas")["columns"] == ["id", "column_2"]


def test_a_name_in_out_that_is_no_utf_8_is_somebody_else_s(folder, refused):
    folder.table("t.csv", "id\n1\n")
    os.mkdir(os.fsencode(folder.root / "out" / "tables") + b"/\xff\xfe")  # noqa: PTH102 - a Path is text
    refused("mapping.failed", r"\udcff\udcfe")
