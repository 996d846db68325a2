import datetime as dt
import json
import shutil
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from component.cli.main import app
from component.dataset.format import address
from component.dataset.format.address import Address
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.store.local import LocalStore
from tests.dataset.making import write_dataset
from tests.dataset.several import commit_tables
from tests.store.faults import FaultStore

ROWS = pa.table(
    {
        "k": ["x", "x", "y", "z"],
        "n": [1, 2, 3, None],
        "d": pa.array([Decimal("1.10"), Decimal("2.20"), None, Decimal("0.10")], pa.decimal128(5, 2)),
        "day": pa.array([dt.date(2026, 1, day) for day in (1, 2, 3, 4)]),
    }
)


@pytest.fixture
def store(tmp_path):
    store = LocalStore(tmp_path / "store")
    write_dataset(store, ROWS.slice(0, 2), ["k"], ["n"], metadata={"owner": "me"})
    write_dataset(store, ROWS.slice(2), mode="append")
    return store


@pytest.fixture
def ask(store):
    def ask(*arguments, code=0):
        command, *rest = arguments
        result = CliRunner().invoke(app, ["dataset", command, f"{store.url}/sales", *rest])
        assert result.exit_code == code, result.output
        return result.stderr if code else result.stdout

    return ask


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_datasets_of_a_store_are_listed(store):
    write_dataset(store, ROWS, uuid="another", storage_format="msgpack.zstd")
    result = CliRunner().invoke(app, ["dataset", "ls", store.url])
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["another", "sales"]
    assert lines[1].startswith("sales    4 rows, ")


def test_the_rows_of_another_clients_datasets_are_counted(tmp_path):
    golden = Path(__file__).parents[1] / "data" / "golden"
    found = {}
    for folder in golden.iterdir():
        result = CliRunner().invoke(app, ["dataset", "ls", folder.as_uri()])
        assert result.exit_code == 0, result.output
        found |= {line.split()[0]: line.split()[1] for line in result.stdout.splitlines()}
    assert {name: found[name] for name in ("flat", "trips", "full", "plain", "bpart", "tsidx")} == {
        "flat": "3",
        "trips": "8",
        "full": "6",
        "plain": "4",
        "bpart": "2",
        "tsidx": "2",
    }


def test_a_dataset_is_shown_to_machines(ask, store):
    shown = json.loads(ask("show", "--format", "json"))
    assert shown["columns"] == [
        {"name": "k", "type": "string", "configured_as": "string"},
        {"name": "n", "type": "int64", "configured_as": "integer"},
        {"name": "d", "type": "decimal128(5, 2)", "configured_as": "numeric(5,2)"},
        {"name": "day", "type": "date32[day]", "configured_as": "date"},
    ]
    assert (shown["partition_on"], shown["secondary_indices"]) == (["k"], ["n"])
    assert (shown["partitions"], shown["files"]) == (3, 3)
    assert shown["metadata"]["owner"] == "me"
    assert shown["commit"]["commit"] == next(history(store, "sales")).id


def test_a_dataset_is_shown_to_people(ask):
    shown = ask("show")
    assert "sales: 3 partitions, 3 files" in shown
    assert "columns: k string, n integer (int64), d numeric(5,2) (decimal128(5, 2)), day date (date32[day])" in shown
    assert "partition_on: k" in shown
    assert "owner: me" in shown


def test_the_history_names_every_state(ask, store):
    found = json.loads(ask("history", "--format", "json"))
    assert [one["operation"] for one in found] == ["append", "overwrite"]
    assert "(live)" in ask("history").splitlines()[0]


def test_an_older_state_is_shown_and_asked(ask, store):
    _, first = history(store, "sales")
    assert json.loads(ask("show", "--as-of", first.id, "--format", "json"))["files"] == 1
    assert len(rows_of(ask("query", "--as-of", first.time.isoformat(), "--format", "json"))) == 2


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (["n >= 2"], [2, 3]),
        (["n in [1, 3]"], [1, 3]),
        (["n not in [1]"], [2, 3]),
        (["k == x", "n > 1"], [2]),
        (['k == "y"'], [3]),
        (["k == 'y'"], [3]),
        (["k in ['y', \"x\"]", "n != '2'"], [1, 3]),
        (["d == 1.10"], [1]),
        (["day < 2026-01-03"], [1, 2]),
        (["n is not null", "d is null"], [3]),
        (["k like x%"], [1, 2]),
    ],
)
def test_conditions_are_typed_as_people_write_them(ask, where, expected):
    options = [option for text in where for option in ("--where", text)]
    assert sorted(row["n"] for row in rows_of(ask("query", *options, "--format", "json"))) == expected


def test_predicates_may_be_given_in_disjunctive_normal_form(ask):
    found = rows_of(
        ask("query", "--predicates", '[[["k", "==", "x"], ["n", ">", 1]], [["k", "==", "z"]]]', "--format", "json")
    )
    assert [row["n"] for row in found] == [2, None]


def test_rows_are_printed_for_people_with_nulls_empty(ask):
    assert ask("query", "--columns", "n,k").splitlines() == ["n  k", "1  x", "2  x", "3  y", "   z", "4 rows"]


def test_a_limit_says_that_there_may_be_more(ask):
    assert ask("query", "--columns", "n", "--limit", "1").splitlines() == [
        "n",
        "1",
        "1 row (the first 1; --limit gives more)",
    ]


def test_an_answer_is_printed_as_csv(ask):
    assert ask("query", "--columns", "k,n", "--where", "k == x", "--format", "csv") == '"k","n"\n"x",1\n"x",2\n'


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_an_answer_is_written_to_a_file(ask, tmp_path, suffix):
    path = tmp_path / f"answer.{suffix}"
    assert ask("query", "--to", str(path), "--where", "k == x") == f"2 rows in {path}\n"
    read = {
        "csv": pacsv.read_csv,
        "parquet": pq.read_table,
        "arrow": lambda path: pa.ipc.open_file(path).read_all(),
    }[suffix](path)
    assert read["n"].to_pylist() == [1, 2]
    assert [found.name for found in tmp_path.iterdir() if found.name != "store"] == [path.name]


def test_a_plan_is_explained_with_what_the_footers_of_the_files_add(ask):
    assert ask("query", "--explain", "--where", "n == 1", "--where", "k != y", "--where", "d > 3").splitlines() == [
        "3 files in the dataset",
        "2 left out by secondary indices (n leaves 1 file)",
        "0 left out by partition values",
        "planned: 1 file, 0 of them whole",
        "1 left out by the smallest and largest values in their footers",
        "1 of 1 row group left out by theirs",
        "to read: 0 files, and 0 rows of those not read whole",
    ]


def test_a_plan_is_explained_to_machines(ask):
    assert json.loads(ask("query", "--explain", "--format", "json", "--where", "k == y")) == {
        "files": 3,
        "left_out": {"by_indices": 0, "by_partition_values": 2, "by_statistics": 0},
        "indices": {},
        "read": 1,
        "whole": 1,
        "row_groups": {"asked": 0, "left_out": 0, "rows": 0},
    }


def test_a_plan_is_explained_without_reading_rows(ask, store):
    header = read_header(store, "sales").header
    for files in header.partitions.values():
        data = bytearray(store.get(files["table"]))
        data[4:40] = bytes(36)  # pages, which hold the rows, come first
        store.put(files["table"], bytes(data))
    assert "to read: 1 file, and 2 rows" in ask("query", "--explain", "--where", "n == 1")
    ask("query", "--where", "n == 1", code=1)


@pytest.mark.parametrize("partitions", [1, 30])
def test_a_question_costs_as_many_calls_to_the_store_as_files_hold_answers(tmp_path, monkeypatch, partitions):
    numbers = list(range(partitions))
    rows = pa.table({"k": numbers, "v": numbers, "w": numbers})
    write_dataset(LocalStore(tmp_path), rows, ["k"], ["v", "w"])
    store = FaultStore(LocalStore(tmp_path))
    monkeypatch.setattr(address, "open_address", lambda _: Address(store, "sales"))
    arguments = ["x", "--where", "v == 0", "--where", "w in [0, 7]", "--where", "v < 5"]
    result = CliRunner().invoke(app, ["dataset", "query", *arguments])
    assert "1 row" in result.stdout
    assert [call for call, _ in store.calls] == ["get_versioned", "get", "open", "open", "open"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["query", "--where", "nonsense"], "'nonsense' is not a condition"),
        (["query", "--where", "k == 'x"], "The value 'x cannot be read"),
        (["query", "--where", "k == 1.5"], "does not fit its column"),
        (["query", "--where", "n == 'one'"], "does not fit its column"),
        (["query", "--where", "n == 1", "--predicates", "[]"], "both given"),
        (["query", "--predicates", "{"], "are no JSON"),
        (["query", "--predicates", "[1]"], "are no lists"),
        (["query", "--columns", "n,m"], "no such column (column 'm')"),
        (["query", "--to", "answer.xlsx"], "'answer.xlsx' names no format"),
        (["query", "--to", "answer.csv", "--explain"], "--explain reads no rows"),
        (["query", "--table", "nope"], "has no table 'nope'"),
        (["show", "--as-of", "nope"], "no state of nope"),
        (["show", "--as-of", "1999-01-01T00:00"], "no state of 1999-01-01T00:00:00+00:00"),
    ],
)
def test_what_cannot_be_answered_is_one_sentence(ask, arguments, text):
    error = ask(*arguments, code=1)
    assert text in error
    assert "Traceback" not in error


def test_an_address_without_a_store_is_refused():
    result = CliRunner().invoke(app, ["dataset", "show", "sales"])
    assert result.exit_code == 1
    assert "not the address of a dataset" in result.stderr


def test_garbage_is_only_listed_until_its_deletion_is_asked_for(ask, store):
    write_dataset(store, ROWS, ["k"], ["n"])
    options = ["--min-age", "0", "--keep-commits", "1", "--keep-days", "0", "--format", "json"]
    found = json.loads(ask("gc", *options))
    assert (found["deleted"], found["objects"]) == (False, 9)
    assert "9 objects" in ask("gc", *options[:-2])
    assert json.loads(ask("gc", *options, "--delete"))["deleted"] is True
    assert json.loads(ask("gc", *options))["objects"] == 0
    assert len(rows_of(ask("query", "--format", "json"))) == 4


def test_a_deletion_asks_first(store):
    address = f"{store.url}/sales"
    refused = CliRunner().invoke(app, ["dataset", "delete", address], input="n\n")
    assert refused.exit_code == 1
    assert next(history(store, "sales"))
    done = CliRunner().invoke(app, ["dataset", "delete", address, "--yes"])
    assert done.exit_code == 0
    assert not list(store.list(""))


def test_a_sound_dataset_is_verified(ask):
    assert ask("verify") == "sales: no fault in 3 files, 4 rows, 1 index read\n"
    fast = "sales: no fault in 3 files, 4 rows, 1 index looked at without reading data\n"
    assert ask("verify", "--fast") == fast


def test_the_difference_of_two_states_is_shown(ask):
    lines = ask("diff").splitlines()
    assert lines[2].startswith("+ 2 rows in 2 files, ")
    assert lines[3:] == ["- 0 rows in 0 files, 0 B", "partition added: k=y", "partition added: k=z"]
    found = json.loads(ask("diff", "HEAD", "HEAD~1", "--format", "json"))
    assert (found["rows_added"], found["rows_removed"], found["footers_read"]) == (0, 2, 0)
    assert "HEAD~5" in ask("diff", "HEAD~5", code=1)


def test_rows_and_bytes_of_every_state_are_shown_from_facts(ask, store):
    for file in list(store.list("sales/table/")):
        if file.key.endswith(".parquet"):
            store.put(file.key, b"not read")
    assert [one["rows"] for one in json.loads(ask("history", "--format", "json"))] == [4, 2]
    assert json.loads(ask("show", "--format", "json"))["rows"] == 4
    assert ask("show").splitlines()[1].startswith("4 rows, ")


def test_a_faulty_dataset_is_exit_code_1_until_it_is_repaired(store):
    header = next(history(store, "sales")).header
    store.delete(header.indices["n"])
    address = f"{store.url}/sales"
    found = CliRunner().invoke(app, ["dataset", "verify", address])
    assert found.exit_code == 1
    assert "verify.index: The index is not there" in found.stdout
    mended = CliRunner().invoke(app, ["dataset", "verify", address, "--repair", "--format", "json"])
    assert mended.exit_code == 0
    assert json.loads(mended.stdout)["repaired"] == ["built the index on n again"]


def test_a_lost_header_without_a_copy_is_made_from_the_files_only_when_asked_to(tmp_path):
    shutil.copytree(Path(__file__).parents[1] / "data" / "golden" / "kartothek53_tables", tmp_path, dirs_exist_ok=True)
    (tmp_path / "trips.by-dataset-metadata.json").unlink()
    verify = ["dataset", "verify", str(tmp_path / "trips")]
    for options in ([], ["--repair"]):
        found = CliRunner().invoke(app, [*verify, *options])
        assert (found.exit_code, found.stdout) == (1, "")
        assert "no header, and 6 data files" in found.stderr
        assert "--rebuild-header" in found.stderr
    mended = CliRunner().invoke(app, [*verify, "--repair", "--rebuild-header"])
    assert mended.exit_code == 0
    assert "made the header from 6 data files of flights, seats, partitioned on day" in mended.stdout
    assert "not known: the user's metadata" in mended.stdout


@pytest.mark.parametrize(
    ("arguments", "text", "left"),
    [
        (["delete-rows", "--where", "n >= 2"], "rows are deleted", [None, 1]),
        (["delete-rows", "--where", "n > 99"], "no row is like that", [None, 1, 2, 3]),
        (["compact"], "no partition has several small files", [None, 1, 2, 3]),
        (["build-index", "--columns", "d, day"], "indexed on d, day", [None, 1, 2, 3]),
        (["drop-index", "--columns", "n"], "no longer indexed on n", [None, 1, 2, 3]),
        (["set", "owner=you", "level=2", "--unset", "team"], "metadata are set", [None, 1, 2, 3]),
        (["set", "owner=me"], "so already", [None, 1, 2, 3]),
    ],
)
def test_an_operation_is_done_and_said(ask, arguments, text, left):
    assert text in ask(*arguments)
    assert sorted((row["n"] for row in rows_of(ask("query", "--format", "json"))), key=str) == sorted(left, key=str)


def test_deleting_rows_without_a_condition_is_refused(ask):
    assert "A predicate list is empty" in ask("delete-rows", code=1)


def test_small_files_are_put_together(ask, store):
    write_dataset(store, ROWS, mode="append")
    assert json.loads(ask("compact", "--sort-by", "day", "--format", "json"))["files"] == 3


def test_a_dataset_goes_back_to_an_earlier_state(ask, store):
    _, first = history(store, "sales")
    assert f"as it was after commit {first.id}" in ask("restore", first.id)
    assert len(rows_of(ask("query", "--format", "json"))) == 2


def test_rollback_goes_back_by_one_state(ask, store):
    _, first = history(store, "sales")
    assert f"as it was after commit {first.id}" in ask("rollback")
    assert len(rows_of(ask("query", "--format", "json"))) == 2


def test_a_dataset_is_copied_and_renamed(ask, store, tmp_path):
    assert "copied" in ask("copy", f"{tmp_path}/backup/sales")
    assert len(list(LocalStore(tmp_path / "backup").list("sales/table/k="))) == 3
    assert ask("rename", "old_sales") == "sales is old_sales now\n"
    assert CliRunner().invoke(app, ["dataset", "ls", store.url]).stdout.startswith("old_sales  4 rows, ")


def test_metadata_without_a_value_are_refused(ask):
    assert "'owner' is no KEY=VALUE" in ask("set", "owner", code=1)


ODD = pa.table({"id": [1, 2], "f": [float("nan"), float("-inf")], "b": [b"\xff", None], "l": [[1.5], None]})


def test_values_that_json_has_no_form_for_are_printed_as_text(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ODD)
    result = CliRunner().invoke(app, ["dataset", "query", f"{store.url}/sales", "--format", "json"])
    assert rows_of(result.stdout) == [
        {"id": 1, "f": "NaN", "b": "/w==", "l": [1.5]},
        {"id": 2, "f": "-Infinity", "b": None, "l": None},
    ]


@pytest.mark.parametrize("how", [["--format", "csv"], ["--to", "rows.csv"]])
@pytest.mark.parametrize("column", ["b", "l"])
def test_columns_that_csv_has_no_form_for_are_refused_by_name(tmp_path, monkeypatch, how, column):
    monkeypatch.chdir(tmp_path)
    store = LocalStore(tmp_path / "store")
    write_dataset(store, ODD)
    arguments = ["dataset", "query", f"{store.url}/sales", *how, "--columns"]
    result = CliRunner().invoke(app, [*arguments, f"id,{column}"])
    assert (result.exit_code, f"column '{column}'" in result.stderr) == (1, True)
    assert not (tmp_path / "rows.csv").exists()
    assert CliRunner().invoke(app, [*arguments, "id"]).exit_code == 0


def test_a_table_of_several_is_shown_and_asked_by_its_name(tmp_path):
    store = LocalStore(tmp_path)
    commit_tables(store)
    address = f"{store.url}/trips"
    shown = CliRunner().invoke(app, ["dataset", "show", address, "--table", "seats"]).stdout
    assert "tables: flights, seats\n" in shown
    assert "columns of seats: seat string, flight integer (int64), day string\n" in shown
    arguments = ["dataset", "query", address, "--table", "seats", "--columns", "seat", "--where", "flight == 3"]
    assert CliRunner().invoke(app, arguments).stdout.splitlines() == ["seat", "2B", "1 row"]


# --- several tables, and cubes ---


def invoke(*words):
    result = CliRunner().invoke(app, ["dataset", *map(str, words)])
    return result.exit_code, result.stdout, result.stderr


def test_rows_of_one_table_of_several_change_by_commands(tmp_path):
    store = LocalStore(tmp_path / "store")
    commit_tables(store)
    address, more = f"{store.url}/trips", tmp_path / "more.csv"
    more.write_text("seat,flight,day\n9Z,1,mon\n", encoding="utf-8")
    assert "none of them is named" in invoke("append", address, more)[2]
    for command in ("append", "upsert", "delete-keys", "overwrite"):
        assert invoke(command, address, more, "--table", "seats")[0] == 0, command
    assert invoke("add-column", address, "cabin", "string", "--table", "seats", "--value", "Y")[0] == 0
    assert invoke("compact", address)[0] == 0
    found = invoke("query", address, "--table", "seats", "--format", "json")[1]
    assert rows_of(found) == [{"seat": "9Z", "flight": 1, "day": "mon", "cabin": "Y"}]
    assert len(rows_of(invoke("query", address, "--table", "flights", "--format", "json")[1])) == 3


def test_a_cube_is_listed_and_asked():
    store = (Path(__file__).parents[1] / "data" / "golden" / "kartothek53_cube").as_uri()
    _, listed, _ = invoke("ls", store)
    assert listed.splitlines()[-1] == "cube geo++: enrich, source, time; seed source, dimensions city, day"
    assert {one["cube"] for one in json.loads(invoke("ls", store, "--format", "json")[1])} == {"geo"}
    asked = ("query", f"{store}/geo++", "--where", "latitude > 53", "--columns", "city,latitude", "--format", "json")
    assert rows_of(invoke(*asked)[1]) == [{"city": "Hamburg", "latitude": 53.5}]
    assert len(rows_of(invoke("query", f"{store}/geo++", "--datasets", "time", "--format", "json")[1])) == 5
    assert "of one dataset" in invoke("query", f"{store}/geo++", "--as-of", "HEAD")[2]
    explained = invoke("query", f"{store}/geo++", "--explain", "--columns", "city,precipitation")[1]
    assert "enrich: 0 of 3 files to read" in explained
    assert "of a cube" in invoke("query", f"{store}/geo++source", "--datasets", "time")[2]
    assert "There is no cube" in invoke("query", f"{store}/no++")[2]
