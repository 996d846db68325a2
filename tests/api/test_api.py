"""The Python API: what it gives, what it commits, what it refuses."""

import ast
import datetime as dt
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import tablemill
from tests.dataset.making import bag

ROOT = Path(__file__).parents[2]
ROWS = pa.table({"id": [1, 2, 3], "month": [1, 1, 2], "tail": ["a", None, "c"]})


@pytest.fixture
def address(tmp_path):
    return f"{(tmp_path / 'store').as_uri()}/flights"


@pytest.fixture
def flights(address):
    return tablemill.create(
        address, ROWS, partition_on=["month"], secondary_indices=["tail"], primary_key=["id"], metadata={"owner": "me"}
    )


def code_of(call):
    with pytest.raises(tablemill.TablemillError) as caught:
        call()
    return caught.value.code


def ids(dataset):
    return sorted(dataset.read()["id"].to_pylist())


def rows_of(*rows):
    return pa.table(dict(zip(ROWS.column_names, zip(*rows, strict=True), strict=True)), schema=ROWS.schema)


def test_a_dataset_says_what_it_is(flights, address):
    opened = tablemill.open(address)
    assert (opened.uuid, opened.address) == ("flights", address)
    assert opened.schema == ROWS.schema
    assert opened.columns == ("id", "month", "tail")
    assert (opened.table, opened.tables) == ("table", ("table",))
    assert opened.partition_keys == ("month",)
    assert opened.indices == ("tail",)
    assert opened.primary_key == ("id",)
    assert opened.metadata["owner"] == "me"
    assert "tablemill" not in opened.metadata
    assert opened.rows == len(opened) == 3
    assert opened.commit.id == flights.commit.id
    assert opened.commit.id[:12] in repr(opened)
    assert tablemill.datasets(address.removesuffix("/flights")) == ["flights"]


def test_rows_are_read_whole_in_part_and_by_batches(flights):
    assert bag(flights.read()) == bag(ROWS)
    assert flights.read(["tail", "id"], [[("tail", "==", "c")]]).to_pylist() == [{"tail": "c", "id": 3}]
    assert flights.read(predicates=[[("id", ">", 9)]]).schema == ROWS.schema
    assert bag(pa.Table.from_batches(flights.batches(["id"]))) == bag(ROWS.select(["id"]))
    assert bag(pa.table(flights)) == bag(ROWS)
    assert code_of(lambda: flights.read(["no"])) == "column.missing"


def test_questions_are_explained_and_rows_dispatched_and_counted(flights):
    assert flights.explain([[("tail", "==", "c")]])["left_out"]["by_indices"] == 1
    assert [(group.values, group.read().num_rows) for group in flights.dispatch(["month"])] == [
        ({"month": 1}, 2),
        ({"month": 2}, 1),
    ]
    assert [(one.name, one.minimum, one.maximum) for one in flights.stats().columns] == [
        ("id", 1, 3),
        ("month", 1, 2),
        ("tail", "a", "c"),
    ]


def test_a_dataset_that_is_there_is_not_created_again_unless_it_may_be(flights, address):
    assert code_of(lambda: tablemill.create(address, ROWS)) == "commit.refused"
    again = tablemill.create(address, ROWS.select(["id"]), overwrite=True)
    assert again.columns == ("id",)
    assert ids(flights) == [1, 2, 3]
    assert flights.read(["tail"]).num_rows == 3  # the state that it was opened in


def test_every_write_is_one_commit_and_moves_the_object_on(flights):
    added = flights.append(rows_of((4, 2, "d")))
    assert (added.operation, flights.rows_deleted(added)) == ("append", -1)
    assert [flights.rows_deleted(commit) for commit in flights.history()] == [-1, -3]
    assert ids(flights) == [1, 2, 3, 4]
    assert flights.upsert(rows_of((4, 1, "e"), (5, 1, "f"))).operation == "upsert"
    assert flights.read(predicates=[[("id", "==", 4)]])["tail"].to_pylist() == ["e"]
    assert flights.replace_partitions(rows_of((9, 2, None))).operation == "replace partitions"
    assert ids(flights) == [1, 2, 4, 5, 9]
    assert flights.replace_partitions(rows_of((8, 1, None)), [{"month": 2}]).operation == "replace partitions"
    assert ids(flights) == [1, 2, 4, 5, 8]
    assert flights.delete_keys(pa.table({"id": [1, 99]})).operation == "delete keys"
    assert flights.delete_rows([[("id", "==", 2)]]).operation == "delete"
    assert flights.delete_rows([[("id", "==", 2)]]) is None
    assert flights.overwrite(ROWS).operation == "overwrite"
    assert flights.delete_partitions([{"month": 1}]).operation == "delete partitions"
    assert ids(flights) == [3]
    assert (flights.partition_keys, flights.indices, flights.primary_key) == (("month",), ("tail",), ("id",))
    assert flights.metadata["owner"] == "me"
    assert flights.verify().sound
    assert len(list(flights.history())) == 9


def test_files_indices_metadata_and_columns_change(flights):
    flights.append(rows_of((4, 2, "d")))
    assert flights.compact(sort_by=["id"]).operation == "compact"
    assert flights.compact() is None
    assert flights.build_index("id").operation == "build index"
    assert flights.rebuild().operation == "build index"
    assert flights.drop_index("id", "tail").operation == "drop index"
    assert flights.rebuild() is None
    assert flights.set_metadata({"team": "x"}, unset=["owner"]).operation == "metadata"
    assert flights.set_metadata({"team": "x"}) is None
    assert {"team"} <= set(flights.metadata)
    flights.add_column("seats", "integer", 100)
    flights.widen("seats", "numeric(12,2)")
    flights.rename_column("month", "m")
    flights.drop_column("tail")
    assert flights.columns == ("id", "m", "seats")
    assert flights.partition_keys == ("m",)
    assert flights.verify().sound


def test_a_past_state_is_read_and_restored_but_not_changed(flights, address):
    flights.append(rows_of((4, 2, "d")))
    flights.append(rows_of((5, 2, "d")))
    past = tablemill.open(address, as_of="HEAD~1")
    assert ids(past) == [1, 2, 3, 4]
    assert code_of(lambda: past.append(ROWS)) == "dataset.history"
    assert code_of(past.delete) == "dataset.history"
    assert flights.diff("HEAD~2", "HEAD").rows_added == 2
    assert tablemill.open(address, as_of=dt.datetime(2999, 1, 1)).rows == 5  # noqa: DTZ001 - UTC by the rule
    flights.restore(past.commit.id)
    assert ids(flights) == [1, 2, 3, 4]
    past.refresh()
    assert past.append(rows_of((6, 2, "d"))) is not None


def test_a_dataset_is_copied_renamed_collected_and_deleted(flights, address):
    store = address.removesuffix("/flights")
    twin = flights.copy(f"{store}/twin")
    assert ids(twin) == [1, 2, 3]
    twin.rename("other")
    assert (twin.uuid, ids(twin)) == ("other", [1, 2, 3])
    assert tablemill.datasets(store) == ["flights", "other"]
    assert code_of(lambda: flights.copy(f"{store}/other")) == "commit.refused"
    flights.overwrite(ROWS)
    assert flights.gc(min_age=dt.timedelta(0), keep_commits=1, keep_days=0, delete=True).bytes > 0
    assert flights.verify().sound
    assert twin.delete() > 0
    assert tablemill.datasets(store) == ["flights"]


def test_a_repair_says_what_it_did(flights, tmp_path):
    for index in (tmp_path / "store" / "flights" / "indices").rglob("*.parquet"):
        index.unlink()
    assert not flights.verify().sound
    mended = flights.verify(repair=True)
    assert mended.sound
    assert mended.repaired


def test_a_lost_header_without_a_copy_is_made_from_the_files(tmp_path):
    shutil.copytree(Path(__file__).parents[1] / "data" / "golden" / "kartothek53_tables", tmp_path, dirs_exist_ok=True)
    (tmp_path / "flat.by-dataset-metadata.json").unlink()
    address = str(tmp_path / "flat")
    with pytest.raises(tablemill.UserError, match="no header"):
        tablemill.repair(address)
    mended = tablemill.repair(address, rebuild_header=True)
    assert mended.sound
    assert mended.repaired[0].startswith("made the header from ")


def test_what_does_not_fit_is_refused_and_leaves_no_file(flights, tmp_path):
    def files():
        return sorted(path for path in (tmp_path / "store" / "flights").rglob("*") if path.is_file())

    before = files()
    refused = {
        "dataset.schema": [ROWS.drop_columns(["tail"]), ROWS.set_column(0, "id", pa.array(["x", "y", "z"]))],
        "row.null_partition": [pa.table({"id": [1], "month": pa.array([None], pa.int64()), "tail": ["x"]})],
        "source.format": [42],
    }
    for code, given in refused.items():
        for rows in given:
            assert code_of(lambda rows=rows: flights.append(rows)) == code
    assert code_of(lambda: flights.upsert(rows_of((1, 1, "x"), (1, 1, "y")))) == "dataset.key"
    with pytest.raises(tablemill.UserError, match="null or NaN in 1 of 2 rows"):
        flights.upsert(rows_of((None, 1, "x"), (1, 2, "y")))
    assert code_of(lambda: flights.replace_partitions(ROWS, [{}])) == "dataset.scope"

    def torn():
        yield ROWS
        raise tablemill.UserError("source.format", "The tables end early")

    assert code_of(lambda: flights.append(torn())) == "source.format"
    assert files() == before


def test_options_that_name_no_column_are_refused(address):
    for option in ("partition_on", "secondary_indices", "sort_by", "primary_key"):
        assert code_of(lambda option=option: tablemill.create(address, ROWS, **{option: ["no"]})) == "column.missing"
    assert code_of(lambda: tablemill.create(address, ROWS, bucket_by=["id"])) == "config.value"
    assert code_of(lambda: tablemill.open(address)) == "dataset.missing"


def test_files_are_sorted_and_in_buckets(address):
    rows = pa.table({"id": list(range(100, 0, -1))})
    made = tablemill.create(address, rows, sort_by=["id"], bucket_by=["id"], num_buckets=4)
    assert made.stats().files == 4
    made.append(rows, tablemill.FileLayout(bucket_by=["id"], num_buckets=2))
    assert made.stats().files == 6
    first = next(made.batches())["id"].to_pylist()
    assert first == sorted(first)


def test_a_foreign_dataset_has_rows():
    from tests.dataset.test_golden import PLATEAU

    found = tablemill.open(f"{PLATEAU.url}/full")
    assert found.rows == found.read().num_rows > 0


def test_to_import_it_loads_neither_spark_nor_pandas():
    program = "import sys, tablemill; print(*sorted({'pyspark', 'py4j', 'pandas', 'polars'} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ended.stdout == "\n"


def test_an_operation_is_loaded_when_it_is_called_and_a_value_when_it_is_named():
    program = (
        "import sys, tablemill; print(*sorted(sys.modules)); print(tablemill.FileLayout, tablemill.Sums);"
        "from tablemill import *; print(Dataset, Verdict)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = ended.stdout.splitlines()[0].split()
    assert [name for name in loaded if name.startswith("component.dataset.commits")] == []
    assert "component.dataset.changes.writing" not in loaded
    assert "component.dataset.reading.reader" not in loaded


def test_what_is_public_is_listed():
    assert sorted(tablemill.__all__) == tablemill.__all__
    assert set(tablemill.__all__) <= set(dir(tablemill))
    typed = ast.parse((ROOT / "tablemill" / "__init__.py").read_text(encoding="utf-8"))
    guarded = next(node for node in typed.body if isinstance(node, ast.If))
    named = {alias.name: node.module for node in guarded.body for alias in node.names}
    assert named == tablemill._LOADED_WHEN_NAMED
    with pytest.raises(AttributeError, match="module 'tablemill' has no attribute 'nothing'"):
        _ = tablemill.nothing


def test_a_dataset_is_named_before_it_is_read(flights, address):
    named = tablemill.Dataset(address)
    flights.append(rows_of((4, 2, "d")))
    assert repr(named) == f"<Dataset {address}>"
    assert ids(named) == [1, 2, 3, 4]
    flights.append(rows_of((5, 2, "e")))
    assert ids(named) == [1, 2, 3, 4]  # the state that it was first asked in
    assert named.append(rows_of((6, 2, "f"))).operation == "append"
    assert ids(named) == [1, 2, 3, 4, 5, 6]
    assert code_of(lambda: tablemill.Dataset(f"{address}2").load()) == "dataset.missing"
    assert code_of(lambda: tablemill.Dataset(f"{address}2").gc()) == "dataset.missing"


def test_what_cannot_be_opened_is_verified_collected_and_deleted_by_its_name(flights, tmp_path):
    (tmp_path / "store" / "flights.by-dataset-metadata.json").unlink()
    lost = tablemill.Dataset(flights.address)
    assert code_of(lost.load) == "dataset.missing"
    assert not lost.verify().sound
    assert lost.gc().retained == ()
    assert lost.verify(repair=True).repaired
    assert ids(lost) == [1, 2, 3]
    assert lost.delete() > 0
    assert code_of(lost.delete) == "dataset.missing"


def test_a_change_that_finds_nothing_to_do_makes_no_commit(flights):
    none = ROWS.slice(0, 0)
    assert flights.upsert(none) is None
    assert flights.delete_keys(pa.table({"id": [77]})) is None
    assert flights.delete_keys(none.select(["id"])) is None
    assert len(list(flights.history())) == 1
    assert flights.verify().verdict.orphans == ()
    assert flights.gc(min_age=dt.timedelta(0)).objects == ()


def test_rows_that_come_leave_the_order_of_columns_as_it_is(flights):
    turned = rows_of((4, 2, "d")).select(["tail", "month", "id"])
    for write in (flights.append, flights.upsert, flights.replace_partitions):
        write(turned)
        assert flights.columns == ("id", "month", "tail")
    assert code_of(lambda: flights.append(turned.append_column("more", pa.array([1])))) == "dataset.schema"


def test_a_store_is_listed_with_sizes_and_with_what_cannot_be_read(flights, address, tmp_path):
    store = address.removesuffix("/flights")
    tablemill.create(f"{store}/broken", ROWS)
    (tmp_path / "store" / "broken.by-dataset-metadata.json").write_text("{")
    broken, whole = tablemill.listing(store).datasets
    assert "cannot be used" in broken.error
    assert (broken.files, broken.sums) == (None, None)
    assert (whole.uuid, whole.files, whole.sums, whole.error) == ("flights", 2, flights.sums(), None)
    assert flights.describe()["rows_by_table"] == {"table": 3} == flights.sums().rows
    cubes = tablemill.listing((ROOT / "tests/data/golden/kartothek53_cube").as_uri())
    assert [(one.prefix, one.seed) for one in cubes.cubes] == [("geo", "source")]
    assert {one.cube for one in cubes.datasets} == {"geo"}


def test_a_state_is_named_by_a_text(flights, address):
    flights.append(rows_of((4, 2, "d")))
    assert tablemill.open(address, as_of="2999-01-01T00:00").rows == 4
    assert tablemill.open(address, as_of="HEAD~1").rows == 3
    assert code_of(lambda: tablemill.open(address, as_of="no such")) == "dataset.history"
    assert code_of(lambda: flights.batches(["no"])) == "column.missing"


def test_one_table_of_several_is_copied(tmp_path):
    shutil.copytree(ROOT / "tests/data/golden/kartothek53_tables", tmp_path / "store")
    trips = tablemill.open(f"{tmp_path}/store/trips")
    twin = trips.copy(f"{tmp_path}/store/twin", table="seats")
    assert (twin.tables, twin.rows) == (("table",), tablemill.open(trips.address, table="seats").rows)


@pytest.mark.spark
def test_an_engine_that_runs_takes_the_tasks(flights, address, engine):
    flights.append(rows_of((4, 2, "d")))
    on_spark = tablemill.open(address, spark=engine)
    on_spark.rename_column("tail", "tail number")
    assert on_spark.delete_rows([[("id", "<", 3)]]).operation == "delete"
    assert ids(on_spark) == [3, 4]
    assert on_spark.verify().sound
