import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from component.cli.main import app
from component.dataset.history import history
from component.store.local import LocalStore
from tests.dataset.making import write_dataset

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
    assert result.stdout == "another\nsales\n"


def test_a_dataset_is_shown_to_machines(ask, store):
    shown = json.loads(ask("show", "--format", "json"))
    assert shown["columns"] == [
        {"name": "k", "type": "string"},
        {"name": "n", "type": "int64"},
        {"name": "d", "type": "decimal128(5, 2)"},
        {"name": "day", "type": "date32[day]"},
    ]
    assert (shown["partition_on"], shown["secondary_indices"]) == (["k"], ["n"])
    assert (shown["partitions"], shown["files"]) == (3, 3)
    assert shown["metadata"]["owner"] == "me"
    assert shown["commit"]["commit"] == next(history(store, "sales")).id


def test_a_dataset_is_shown_to_people(ask):
    shown = ask("show")
    assert "sales: 3 partitions, 3 files" in shown
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


def test_a_plan_is_explained(ask):
    assert ask("query", "--explain", "--where", "n == 1", "--where", "k != y").splitlines() == [
        "3 files in the dataset",
        "2 left out by secondary indices (read: n)",
        "0 left out by partition values",
        "1 to read, 1 of them with a filter on their rows",
    ]
    assert "2 left out by partition values" in ask("query", "--explain", "--where", "k == y")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["query", "--where", "nonsense"], "'nonsense' is no condition"),
        (["query", "--where", "n == 1", "--predicates", "[]"], "both given"),
        (["query", "--predicates", "{"], "are no JSON"),
        (["query", "--predicates", "[1]"], "are no lists"),
        (["query", "--columns", "n,m"], "no such column (column 'm')"),
        (["query", "--to", "answer.xlsx"], "'answer.xlsx' names no format"),
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
    assert "no address of a dataset" in result.stderr


def test_garbage_is_only_listed_until_its_deletion_is_asked_for(ask, store):
    write_dataset(store, ROWS, ["k"], ["n"])
    options = ["--min-age", "0", "--keep-commits", "1", "--keep-days", "0", "--format", "json"]
    found = json.loads(ask("gc", *options))
    assert (found["deleted"], found["objects"]) == (False, 7)
    assert "7 objects" in ask("gc", *options[:-2])
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
    assert ask("verify") == "sales: no fault in 3 files, 4 rows, 1 indices\n"


def test_a_faulty_dataset_is_exit_code_1_until_it_is_repaired(store):
    header = next(history(store, "sales")).header
    store.delete(header.indices["n"])
    address = f"{store.url}/sales"
    found = CliRunner().invoke(app, ["dataset", "verify", address])
    assert found.exit_code == 1
    assert "verify.index: The index cannot be read" in found.stdout
    mended = CliRunner().invoke(app, ["dataset", "verify", address, "--repair", "--format", "json"])
    assert mended.exit_code == 0
    assert json.loads(mended.stdout)["repaired"] == ["built the index on n again"]


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


def test_a_dataset_is_copied_and_renamed(ask, store, tmp_path):
    assert "copied" in ask("copy", f"{tmp_path}/backup/sales")
    assert len(list(LocalStore(tmp_path / "backup").list("sales/table/k="))) == 3
    assert ask("rename", "old_sales") == "sales is old_sales now\n"
    assert CliRunner().invoke(app, ["dataset", "ls", store.url]).stdout == "old_sales\n"


def test_metadata_without_a_value_are_refused(ask):
    assert "'owner' is no KEY=VALUE" in ask("set", "owner", code=1)
