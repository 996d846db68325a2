"""What is configured of an output is in its manifest, in its rows, and in what the platform would do."""

import csv
import json

import pytest

from tests.runner.data_folder import unpacked
from tests.schemas.documents import validator

NATIVE = {"KBC_DATA_TYPE_SUPPORT": "authoritative"}
COLUMNS = {"id": "integer", "at": "timestamp", "sum": {"type": "numeric", "length": "38,0"}}
FAMILIES = {"legacy": None, "schema": NATIVE}


@pytest.fixture
def configure(folder):
    def set_up(storage=None, more=None, **output):
        folder.table("t.csv", 'id,at,sum,note\n1,2026-01-01 10:00:00,5,a;b\n2,,,"it\'s"\n')
        table = {"source": "t.csv", "columns": COLUMNS, "primary_key": ["id"]}
        parameters = {"datasets": [{"uuid": "t", "tables": [table]}], "outputs": [{"dataset": "t", **output}]}
        folder.config({"storage": {"output": storage or {}}, "parameters": {**parameters, **(more or {})}})

    return set_up


def hold_fits(manifest):
    name = "schema" if "schema" in manifest else "legacy"
    validator(f"output-table-manifest-{name}").validate(manifest)


@pytest.mark.parametrize("family", FAMILIES)
def test_options_are_in_the_manifest_of_either_family(folder, configure, run, family):
    configure(
        write_always=True,
        incremental=True,
        deduplication_strategy="upsert",
        delete_where=[{"where_filters": [{"column": "id", "values_from_set": [1]}]}],
        description="All",
        metadata={"owner": "me"},
        column_metadata={"note": {"KBC.description": "Free text"}},
        distribution_key=["id"],
        tags=["a"],
        manifest_type="out",
    )
    assert run(FAMILIES[family]).done
    manifest = folder.manifest("t")
    hold_fits(manifest)
    assert (manifest["write_always"], manifest["incremental"]) == (True, True)
    assert manifest["delete_where"] == [{"where_filters": [{"column": "id", "values_from_set": [1]}]}]
    assert (manifest["deduplication_strategy"], manifest["description"]) == ("upsert", "All")
    assert (manifest["tags"], manifest["manifest_type"]) == (["a"], "out")
    if family == "schema":
        assert manifest["table_metadata"] == {"owner": "me"}
        assert manifest["schema"][0]["distribution_key"] is True
        assert manifest["schema"][1]["data_type"]["snowflake"] == {"type": "TIMESTAMP_NTZ"}
        assert manifest["schema"][2]["data_type"]["bigquery"] == {"type": "BIGNUMERIC", "length": "38,0"}
        assert manifest["schema"][3]["description"] == "Free text"
    else:
        assert manifest["metadata"] == [{"key": "owner", "value": "me"}]
        assert manifest["distribution_key"] == ["id"]
        assert {"key": "KBC.description", "value": "Free text"} in manifest["column_metadata"]["note"]


@pytest.mark.parametrize(
    ("delimiter", "enclosure", "sliced"), [(";", None, True), ("\t", "'", True), (None, "|", False)]
)
def test_text_has_the_dialect_that_the_manifest_tells(folder, configure, run, delimiter, enclosure, sliced):
    configure(delimiter=delimiter, enclosure=enclosure, slices=sliced)
    assert run().done
    manifest = folder.manifest("t")
    path = folder.root / "out" / "tables" / "t"
    text = unpacked(path / "part-00000.csv.gz") if sliced else path.read_bytes()
    options = {"delimiter": manifest.get("delimiter", ","), "quotechar": manifest.get("enclosure", '"')}
    rows = list(csv.reader(text.decode().splitlines(keepends=True), strict=True, **options))
    assert rows[0 if sliced else 1 :] == [["1", "2026-01-01 10:00:00.000000", "5", "a;b"], ["2", "", "", "it's"]]
    assert (manifest.get("delimiter"), manifest.get("enclosure")) == (delimiter, enclosure)


def test_a_csv_file_has_the_configured_dialect_and_is_read_back_with_it(folder, configure, run):
    configure(**{"as": "file"}, name="t.txt", delimiter=";", enclosure="'", notify=True)
    assert run().done
    written = (folder.root / "out" / "files" / "t.txt").read_bytes()
    rows = list(csv.reader(written.decode().splitlines(keepends=True), strict=True, delimiter=";", quotechar="'"))
    assert rows[1:] == [["1", "2026-01-01 10:00:00.000000", "5", "a;b"], ["2", "", "", "it's"]]
    manifest = json.loads((folder.root / "out" / "files" / "t.txt.manifest").read_text())
    validator("output-file-manifest").validate(manifest)
    assert manifest["notify"] is True
    folder.file("back.csv", written)
    table = {"source": "back.csv", "delimiter": ";", "enclosure": "'", "columns": COLUMNS}
    folder.configure(datasets=[{"uuid": "back", "tables": [table]}], outputs=[{"dataset": "back"}])
    outcome = run()
    assert outcome.done, outcome.err
    assert [[cell or "" for cell in row] for row in folder.rows("back")] == rows[1:]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("has_header", [True, False])
def test_a_plain_file_has_the_header_that_the_manifest_tells(folder, configure, run, family, has_header):
    configure(slices=False, has_header=has_header)
    assert run(FAMILIES[family]).done
    manifest = folder.manifest("t")
    assert manifest["has_header"] is has_header
    assert ("columns" in manifest) is (family == "legacy")
    first = (folder.root / "out" / "tables" / "t").read_text().splitlines()[0]
    assert first.startswith('"id"' if has_header else '"1"')


@pytest.mark.parametrize("option", ["distribution_key", "column_metadata", "data_types"])
def test_an_option_of_a_column_that_is_not_there_is_refused_before_anything_is_done(configure, refused, option):
    configure(**{option: ["nope"] if option == "distribution_key" else {"nope": {}}}, columns=["id"])
    refused("column.missing", f"A column in {option} of an output", "column 'nope'", "The columns are id.")


def test_the_family_can_be_configured_for_all_and_for_one(folder, configure, run):
    configure(more={"manifest_family": "schema"}, slices=False)
    assert run().done
    assert "schema" in folder.manifest("t")
    configure(more={"manifest_family": "schema"}, manifest_family="legacy")
    assert run().done
    assert "column_metadata" in folder.manifest("t")


def test_a_family_that_the_project_does_not_take_is_refused(configure, refused):
    configure(manifest_family="legacy")
    refused("mapping.failed", "Configuration schema is missing", variables=NATIVE)


def test_a_schema_that_the_project_does_not_read_is_a_warning(folder, configure, run):
    configure(manifest_family="schema")
    outcome = run()
    assert outcome.done
    assert "slices would be loaded without columns" in outcome.out


def test_the_support_of_the_configuration_counts_where_there_are_native_types(folder, configure, run):
    configure({"data_type_support": "hints"})
    assert run({"KBC_DATA_TYPE_SUPPORT": "none"}).done
    assert "schema" in folder.manifest("t")
    assert run().done
    assert "schema" not in folder.manifest("t")


def test_a_mapping_that_takes_the_key_away_is_a_warning(folder, configure, run):
    configure({"tables": [{"source": "t", "destination": "out.c-x.t"}]})
    outcome = run()
    assert outcome.done
    assert "clears the primary key of its manifest" in outcome.out
    configure({"tables": [{"source": "t", "destination": "out.c-x.t", "primary_key": ["id"]}]})
    assert "takes away" not in run().out
    configure({"tables": [{"source": "t", "destination": "out.c-x.t"}]})
    assert "takes away" not in run(NATIVE).out


def test_a_file_has_its_switches(folder, configure, run):
    configure(**{"as": "file"}, tags=["a"], is_permanent=True, is_encrypted=False)
    assert run().done
    assert folder.manifest("t.csv", "files") == {
        "tags": ["a"],
        "is_public": False,
        "is_permanent": True,
        "is_encrypted": False,
        "notify": False,
    }
