"""Issue 2, point 12: what is wrong with config.json, or does not fit what is in the folder."""

import json
import shutil

import pytest

ORDERS = "id,day,price,paid,note\n1,2026-01-01,1.50,true,a\n2,2026-01-02,2.50,false,b\n"
TYPES = {"id": "integer", "day": "date", "price": "numeric", "paid": "boolean"}


@pytest.fixture(autouse=True)
def _tables(folder):
    folder.table("orders.csv", ORDERS)
    folder.table("people.csv", "name\nx\n")
    (folder.root / "out" / "tables" / "earlier.csv").write_text("kept")
    (folder.root / "out" / "tables" / "earlier.csv.manifest").write_text('{"destination": "out.c-x.earlier"}')
    (folder.root / "out" / "files" / "earlier.txt").write_text("kept")


def of(**facts):
    return {"datasets": [{"uuid": "orders", "tables": [{"source": "orders.csv", "columns": TYPES}], **facts}]}


def test_no_config_json_and_no_inputs(folder, refused):
    (folder.root / "config.json").unlink()
    shutil.rmtree(folder.root / "in")
    refused("config.missing", "config.json", str(folder.root), "Put one there")


@pytest.mark.parametrize("text", ["{", "", "\x00", '{"a": 1,}', "[" * 2000])
def test_config_json_that_is_no_json(folder, refused, text):
    (folder.root / "config.json").write_text(text)
    refused("config.syntax", "config.json")


@pytest.mark.parametrize(
    ("parameters", "path", "near"),
    [
        ({"dataset": []}, "parameters.dataset ", '"datasets"'),
        ({"datasets": [{"uuid": "a", "partition_by": ["x"]}]}, "parameters.datasets[0].partition_by", '"partition_on"'),
        ({"datasets": [{"uuid": "a", "secondary_index": []}]}, "datasets[0].secondary_index", '"secondary_indices"'),
        ({"outputs": [{"dataset": "a", "column": ["x"]}]}, "parameters.outputs[0].column", '"columns"'),
        ({"limits": {"split_size": 5}}, "parameters.limits.split_size", '"split_bytes"'),
        ({"store": {"uri": "file:///x"}}, "parameters.store.uri", '"url"'),
    ],
)
def test_a_key_that_is_not_known_with_the_nearest_that_is(folder, refused, parameters, path, near):
    folder.configure(**parameters)
    refused("config.unknown_key", path, f"Did you mean {near}?")


@pytest.mark.parametrize(
    ("parameters", "code", "says"),
    [
        ({"datasets": {"uuid": "a"}}, "config.type", "parameters.datasets must be a list"),
        (of(partition_on="day"), "config.type", "datasets[0].partition_on must be a list"),
        (of(metadata=5), "config.type", "datasets[0].metadata must be an object"),
        ({"outputs": [{"dataset": "a", "slices": "yes"}]}, "config.type", "outputs[0].slices must be true or false"),
        ({"limits": {"split_bytes": "64 MB"}}, "config.type", "limits.split_bytes must be a whole number"),
        (of(mode="merge"), "config.value", "datasets[0].mode must be one of overwrite, append"),
        (of(mode="upsert"), "dataset.key", "The key of the rows is not known"),
        ({"store": {"url": "gs://bucket"}}, "store.url", "'gs', which is not supported"),
    ],
)
def test_a_value_of_the_wrong_kind(folder, refused, parameters, code, says):
    folder.configure(**parameters)
    refused(code, says)


def test_an_action_that_is_not_known(folder, refused):
    folder.config({"action": "fly"})
    refused("config.value", "'fly'", "Set action to run, or to one of testConnection")


def test_a_source_that_is_not_there(folder, refused):
    folder.configure(datasets=[{"uuid": "a", "tables": [{"source": "order.csv"}]}])
    refused("source.missing", "'order.csv'", "'a'", "orders.csv, people.csv", "Did you mean 'orders.csv'?")


def test_nothing_at_all_to_do(folder, refused):
    for path in (folder.root / "in" / "tables").iterdir():
        path.unlink()
    refused("source.missing", "nothing to do", "Map an input")


@pytest.mark.parametrize(
    ("facts", "where"),
    [
        ({"partition_on": ["dya"]}, "partition_on"),
        ({"secondary_indices": ["dya"]}, "secondary_indices"),
        ({"sort_partitions_by": ["dya"]}, "sort_partitions_by"),
        ({"tables": [{"source": "orders.csv", "primary_key": ["dya"]}]}, "primary_key"),
        ({"tables": [{"source": "orders.csv", "columns": {"dya": "date"}}]}, "columns"),
    ],
)
def test_a_column_of_a_dataset_that_is_not_there(folder, refused, facts, where):
    folder.configure(**of(**facts))
    refused("column.missing", where, "'orders.csv'", "'dya'", "Did you mean 'day'?", "id, day, price, paid, note")


@pytest.mark.parametrize(
    ("facts", "where"),
    [
        ({"columns": ["id", "dya"]}, "columns of an output"),
        ({"predicates": [[["dya", "==", "2026-01-01"]]]}, "predicates"),
        ({"primary_key": ["dya"]}, "primary_key of an output"),
    ],
)
def test_a_column_of_an_output_that_is_not_there(folder, refused, facts, where):
    folder.configure(**of(), outputs=[{"dataset": "orders", **facts}])
    refused("column.missing", where, "'orders'", "'dya'", "Did you mean 'day'?")


def test_a_key_column_that_the_output_leaves_out(folder, refused):
    folder.configure(**of(), outputs=[{"dataset": "orders", "columns": ["day"], "primary_key": ["id"]}])
    refused("column.missing", "primary_key of an output", "'id'")


@pytest.mark.parametrize(
    "condition", [["day", "==", "soon"], ["id", "<", "x"], ["price", "in", [True]], ["id", "==", None]]
)
def test_a_predicate_that_cannot_be_evaluated(folder, refused, condition):
    folder.configure(**of(), outputs=[{"dataset": "orders", "predicates": [[condition]]}])
    refused("dataset.predicate", f"'{condition[0]}'")


@pytest.mark.parametrize(("name", "kind"), [("paid", "bool"), ("price", "decimal128(38, 9)")])
def test_a_partition_key_of_a_type_that_clients_read_wrong(folder, refused, name, kind):
    folder.configure(**of(partition_on=[name]))
    refused("column.type", f"column '{name}'", kind, "Partition by a string, integer, float, date or timestamp")


def test_a_partition_key_whose_type_is_found_out_to_be_wrong(folder, refused):
    folder.table("orders.csv", "id,paid\n1,true\n2,false\n")
    table = {"source": "orders.csv", "infer_types": True}
    folder.file_store(datasets=[{"uuid": "orders", "tables": [table], "partition_on": ["paid"]}])
    refused("column.type", "'paid'", "bool")


@pytest.mark.parametrize(
    "outputs",
    [
        [{"dataset": "orders"}, {"dataset": "orders", "columns": ["id"]}],
        [{"dataset": "orders", "name": "x"}, {"dataset": "orders", "name": "x.csv"}],
        [{"dataset": "orders", "as": "file"}, {"dataset": "orders", "as": "file"}],
    ],
)
def test_two_outputs_with_one_name(folder, refused, outputs):
    folder.configure(**of(), outputs=outputs)
    refused("config.duplicate_output", "parameters.outputs[1]", "as parameters.outputs[0] is", 'another "name"')


def test_an_output_with_the_name_of_the_rejected_rows(folder, refused):
    folder.configure(**of(on_bad_row="reject"), outputs=[{"dataset": "orders", "name": "orders.rejected"}])
    refused("config.duplicate_output", "'orders.rejected'", "name")


def test_an_output_with_the_name_of_a_dataset_s_archive(folder, refused):
    folder.configure(**of(), outputs=[{"dataset": "orders", "as": "file", "name": "orders.dataset.zip"}])
    refused("config.duplicate_output", "'orders.dataset.zip'", "name")


def test_an_output_of_a_dataset_that_nobody_made(folder, refused):
    folder.file_store(outputs=[{"dataset": "sales"}])
    refused("dataset.missing", f"'sales' in {folder.store.as_uri()}")
    folder.configure(outputs=[{"dataset": "sales"}])
    refused("dataset.missing", "'sales': no archive in in/files holds it", "sales.dataset.zip")


def test_a_numeric_length_that_is_none(folder, refused):
    folder.configure(
        datasets=[
            {
                "uuid": "orders",
                "tables": [{"source": "orders.csv", "columns": {"price": {"type": "numeric", "length": "99,2"}}}],
            }
        ]
    )
    refused("column.type", "'price'", "'99,2'", "precision of 1 to 38")


def test_a_manifest_that_is_no_json(folder, refused):
    (folder.root / "in" / "tables" / "orders.csv.manifest").write_text("{")
    refused("source.manifest", "orders.csv")


def test_a_delimiter_that_is_none(folder, refused):
    folder.table("orders.csv", ORDERS, {"delimiter": "::"})
    refused("source.manifest", '"::"')


def test_a_sliced_table_without_column_names(folder, refused):
    folder.sliced("slices.csv", {"part_0": "1\n"}, {})
    refused("source.manifest", "'slices.csv'", '"columns"')


def test_a_column_that_is_there_twice(folder, refused):
    folder.table("twice.csv", "a,b,a\n")
    refused("column.duplicate", "'twice.csv'", "'a'", "own name")


def test_a_table_without_columns(folder, refused):
    folder.table("nothing.csv", "")
    refused("source.format", "'nothing.csv'", "no columns")


def test_a_state_that_is_no_json(folder, refused):
    (folder.root / "in" / "state.json").write_text("[1]")
    refused("state.syntax", "state.json")


def test_a_source_that_is_another_format_than_configured(folder, refused):
    folder.configure(datasets=[{"uuid": "a", "tables": [{"source": "orders.csv", "format": "parquet"}]}])
    refused("source.format", "'orders.csv'", "auto")


def test_a_parquet_file_that_is_damaged(folder, refused):
    folder.file("x.parquet", b"PAR1" + b"\0" * 100 + b"PAR1")
    refused("source.format", "'x.parquet'")


def test_a_secret_is_in_no_error(folder, refused):
    folder.configure(store={"url": "s3://key:hidden-secret@bucket", "#token": "hidden-secret"})
    assert "hidden-secret" not in refused("store.url", "'s3'")


def test_the_token_is_in_no_error(folder, refused):
    folder.configure(datasets=[{"uuid": "a", "tables": [{"source": "hush-token"}]}])
    assert "hush" not in refused("source.missing", "'[hidden]'", variables={"KBC_TOKEN": "hush-token"})


@pytest.mark.parametrize("secret", ["hush-staging", "hush-session"])
def test_credentials_of_a_staging_manifest_are_in_no_error(folder, refused, secret):
    credentials = {"access_key_id": "AKIDX", "secret_access_key": "hush-staging", "session_token": "hush-session"}
    staged = {"isSliced": False, "region": "r", "bucket": "b", "key": "k", "credentials": credentials}
    folder.table("orders.csv", ORDERS, {"s3": staged, "delimiter": secret})
    assert "hush" not in refused("source.manifest", "[hidden]")


def test_a_mapping_whose_file_is_missing_says_what_the_platform_says(folder, refused):
    document = {"storage": {"output": {"tables": [{"source": "nowhere.csv", "destination": "out.c-x.nowhere"}]}}}
    folder.config(document)
    refused("mapping.failed", 'Table sources not found: "nowhere.csv"')


def test_the_configuration_may_name_everything_right(folder, run):
    parameters = of(partition_on=["day"], secondary_indices=["id"], sort_partitions_by=["price"])
    folder.configure(**parameters, outputs=[{"dataset": "orders", "predicates": [[["day", "==", "2026-01-02"]]]}])
    assert run().done
    assert [row["note"] for row in folder.records("orders")] == ["b"]
    assert json.loads((folder.root / "out" / "state.json").read_text())["tablemill"]["datasets"]["orders"]["rows"] == 2


def test_a_platform_that_writes_yaml_is_read_and_gets_its_state_where_it_looks(folder, run):
    (folder.root / "config.json").unlink()
    (folder.root / "config.yml").write_text(
        "parameters:\n    datasets:\n        - { uuid: orders }\n    outputs: [  ]\n"
    )
    (folder.root / "in" / "state.yml").write_text("mine: { a: 1 }\n")
    (folder.root / "in" / "tables" / "orders.csv.manifest").write_text("columns: [  ]\nprimary_key:\n    - id\n")
    (folder.root / "in" / "tables" / "orders.csv").rename(folder.root / "in" / "tables" / "orders")
    (folder.root / "in" / "tables" / "orders.csv.manifest").rename(folder.root / "in" / "tables" / "orders.manifest")
    assert run().done
    state = json.loads((folder.root / "out" / "state.yml").read_text())
    assert state["mine"] == {"a": 1}
    assert state["tablemill"]["datasets"]["orders"]["rows"] == 2
    assert not (folder.root / "out" / "state.json").exists()
