"""What the reader of any Kartothek dataset must do, item by item (reference kartothek, appendix D).

The datasets are put on disk object by object, by plain pyarrow, as clients of ten years may have left them.
"""

import datetime as dt
import gzip
import math
from decimal import Decimal
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from component.dataset.garbage import find_garbage
from component.dataset.reader import open_dataset, plan_scan, read_dataset
from component.dataset.repair import repair
from component.dataset.verify import verify
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.hand_made import (
    UUID,
    put_header,
    put_index,
    put_rows,
    put_schema,
    put_simple,
    put_text,
)
from tests.dataset.making import bag, read_all
from tests.store.faults import FaultStore

ROWS = pa.table({"i": [1, 2, 3], "s": ["a", None, "ü"]})
PANDAS = {"columns": [], "index_columns": [], "column_indexes": [], "pandas_version": "1.5.0"}


@pytest.fixture
def root(tmp_path):
    return tmp_path


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


def rows_of(store, **question):
    return read_all(store, UUID, **question)


def refused(store, code="dataset.format", **question):
    with pytest.raises(UserError) as caught:
        rows_of(store, **question)
    assert caught.value.code == code
    return caught.value


class TestHeader:
    """D.1: JSON, then msgpack; what may be missing; version; embedded indices."""

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize(
        "content",
        [
            {},
            {"metadata": ...},
            {"metadata": None},
            {"indices": {}},
            {"indices": None},
            {"partition_keys": ...},
            {"partition_keys": None},
            {"metadata": ..., "indices": None, "partition_keys": None},
            {"metadata": {"nested": {"a": [1, None, {"b": 2.5}]}}, "another_key": [1]},
        ],
        ids=str,
    )
    def test_what_is_optional_may_be_missing(self, root, store, packed, content):
        put_simple(root, ROWS, files=2, packed=packed, **content)
        assert bag(rows_of(store)) == bag(ROWS)
        assert bag(rows_of(store, predicates=[[("i", ">=", 2)]])) == bag(ROWS.slice(1))

    @pytest.mark.parametrize("keys", [..., None, []])
    def test_partition_keys_are_those_of_the_paths_where_the_header_names_none(self, root, store, keys):
        labels = ["k=1/l=x%2Fy/a", "k=2/l=/b"]
        for label in labels:
            put_rows(root, label, ROWS)
        put_schema(root, pa.schema([("k", pa.int64()), ("l", pa.string()), *ROWS.schema]))
        put_header(root, labels, partition_keys=keys)
        found = rows_of(store, predicates=[[("k", "==", 1)]])
        assert set(zip(found["k"].to_pylist(), found["l"].to_pylist(), strict=True)) == {(1, "x/y")}
        assert set(rows_of(store)["l"].to_pylist()) == {"x/y", ""}

    def test_json_wins_over_msgpack(self, root, store):
        put_simple(root, ROWS)
        put_header(root, [], packed=True)
        assert rows_of(store).num_rows == 3

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize("version", [3, 5, "4", None, True, 4.0])
    def test_another_version_is_refused_by_name(self, root, store, packed, version):
        put_simple(root, ROWS, packed=packed, dataset_metadata_version=version)
        assert f"version is {version!r}" in str(refused(store))

    @pytest.mark.parametrize(
        ("data_type", "index", "value"),
        [
            (pa.int64(), {"1": ["A"], "3": ["A", "B"]}, 3),
            (pa.float64(), {"1.0": ["A"], "3": ["A", "B"]}, 3.0),
            (pa.string(), {"1": ["A"], "3": ["A", "B"]}, "3"),
            (pa.date32(), {"2024-01-01": ["A"], "2024-01-03": ["A", "B"]}, dt.date(2024, 1, 3)),
            (pa.bool_(), {"True": ["A"], "False": ["A", "B"]}, False),
        ],
    )
    def test_an_embedded_index_gets_its_type_back(self, root, store, data_type, index, value):
        rows = pa.table({"c": pa.array([value], data_type)})
        for label in ("A", "B", "C"):
            put_rows(root, label, rows)
        put_schema(root, rows.schema)
        put_header(root, ["A", "B", "C"], indices={"c": index})
        scans = plan_scan(open_dataset(store, UUID), [[("c", "==", value)]])
        assert [scan.label for scan in scans] == ["A", "B"]

    def test_a_dataset_without_partitions_is_empty(self, root, store):
        put_schema(root, ROWS.schema)
        put_header(root, [])
        assert rows_of(store).schema.equals(ROWS.schema)
        assert rows_of(store).num_rows == 0

    def test_a_header_that_names_no_partitions_has_all_that_are_there(self, root, store):
        """Reference kartothek 1.6."""
        for label in ("k=1/a", "k=1/b", "k=2/a"):
            put_rows(root, label, ROWS)
        put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]))
        put_header(root, ..., partition_keys=["k"])
        assert sorted(rows_of(store)["k"].to_pylist()) == [1] * 6 + [2] * 3
        assert rows_of(store, predicates=[[("k", "==", 2), ("i", "==", 1)]]).num_rows == 1

    def test_labels_are_nothing_but_names(self, root, store):
        """Reference kartothek 1.1: clients take paths from the header."""
        put_rows(root, "k=1/a", ROWS)
        put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]))
        put_header(root, {"x/y z": {"table": f"{UUID}/table/k=1/a.parquet"}}, partition_keys=["k"])
        assert rows_of(store)["k"].to_pylist() == [1, 1, 1]


class TestTables:
    """D.2: several tables; a schema of each; types that are the same in another dress."""

    def test_several_tables_are_read_each_with_its_schema(self, root, store):
        other = pa.table({"x": [1.5], "i": [7]})
        put_rows(root, "A", ROWS, "core")
        put_rows(root, "A", other, "helper")
        put_schema(root, ROWS.schema, "core")
        put_schema(root, other.schema, "helper")
        put_header(root, {"A": {"core": f"{UUID}/core/A.parquet", "helper": f"{UUID}/helper/A.parquet"}})
        assert open_dataset(store, UUID).header.tables == ("core", "helper")
        for table, rows in (("core", ROWS), ("helper", other)):
            found = pa.concat_tables(read_dataset(open_dataset(store, UUID, table=table)))
            assert bag(found) == bag(rows)

    def test_several_tables_of_a_header_that_names_no_partitions_are_read(self, root, store):
        for table in ("core", "helper"):
            put_rows(root, "k=1/A", ROWS, table)
            put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]), table)
        put_header(root, ...)
        assert open_dataset(store, UUID).header.tables == ("core", "helper")
        assert pa.concat_tables(read_dataset(open_dataset(store, UUID, table="helper"))).num_rows == 3

    def test_one_table_of_another_name_is_read_without_naming_it(self, root, store):
        put_rows(root, "A", ROWS, "core")
        put_schema(root, ROWS.schema, "core")
        put_header(root, {"A": {"core": f"{UUID}/core/A.parquet"}})
        assert bag(rows_of(store)) == bag(ROWS)

    @pytest.mark.parametrize(
        ("schema", "file", "read"),
        [
            (pa.string(), pa.large_string(), pa.string()),
            (pa.large_string(), pa.string(), pa.string()),
            (pa.large_string(), pa.dictionary(pa.int8(), pa.string()), pa.string()),
            (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string()),
            (pa.dictionary(pa.int32(), pa.large_string()), pa.dictionary(pa.int8(), pa.string()), pa.string()),
            (pa.string(), pa.string_view(), pa.string()),
        ],
        ids=str,
    )
    def test_texts_are_the_same_in_any_dress(self, root, store, schema, file, read):
        put_rows(root, "A", pa.table({"s": pa.array(["x", None, "x"]).cast(file)}))
        put_schema(root, pa.schema([("s", schema)]))
        put_header(root, ["A"])
        found = rows_of(store)
        assert found.schema.field("s").type == read
        assert found["s"].to_pylist() == ["x", None, "x"]
        assert rows_of(store, predicates=[[("s", "==", "x")]]).num_rows == 2

    @pytest.mark.parametrize("schema", ["item", "element"])
    @pytest.mark.parametrize("file", ["item", "element"])
    def test_lists_are_the_same_whatever_their_child_is_called(self, root, store, schema, file):
        def listed(name, data_type):
            return pa.list_(pa.field(name, data_type))

        put_rows(root, "A", pa.table({"l": pa.array([[1, 2], None, []], listed(file, pa.int32())), "i": [1, 2, 3]}))
        put_schema(root, pa.schema([("l", listed(schema, pa.int64())), ("i", pa.int64())]))
        put_header(root, ["A"])
        assert rows_of(store, predicates=[[("i", "!=", 2)]])["l"].to_pylist() == [[1, 2], []]

    @pytest.mark.parametrize("schema", ["us", "ns", "ms", "s"])
    @pytest.mark.parametrize("file", ["us", "ns", "ms"])
    def test_moments_are_the_same_in_any_unit(self, root, store, schema, file):
        moment = dt.datetime.fromisoformat("2024-01-01T12:34:56.123000")
        put_rows(root, "A", pa.table({"t": pa.array([moment, None], pa.timestamp(file))}), version="2.6")
        put_schema(root, pa.schema([("t", pa.timestamp(schema))]))
        put_header(root, ["A"])
        assert rows_of(store).schema.field("t").type == pa.timestamp("us")
        assert rows_of(store, predicates=[[("t", "==", moment)]])["t"].to_pylist() == [moment]

    def test_moments_as_spark_writes_them_by_default_are_read_and_asked(self, root, store):
        """INT96, which has no statistics (reference kartothek, appendix A)."""
        moments = [dt.datetime.fromisoformat(text) for text in ("2024-01-01T12:34:56.123456", "1700-01-01")]
        put_rows(root, "A", pa.table({"t": pa.array(moments)}), use_deprecated_int96_timestamps=True)
        put_schema(root, pa.schema([("t", pa.timestamp("us"))]))
        put_header(root, ["A"])
        assert rows_of(store)["t"].to_pylist() == moments
        assert rows_of(store, predicates=[[("t", "<", dt.datetime.fromisoformat("1800-01-01"))]]).num_rows == 1

    @pytest.mark.parametrize("pandas", [None, PANDAS, {**PANDAS, "index_columns": [{"kind": "range", "name": None}]}])
    def test_pandas_metadata_is_not_needed(self, root, store, pandas):
        put_simple(root, ROWS)
        put_schema(root, ROWS.schema, pandas=pandas)
        assert bag(rows_of(store)) == bag(ROWS)

    def test_a_stored_pandas_index_is_no_column(self, root, store):
        rows = ROWS.append_column("__index_level_0__", pa.array([5, 6, 7]))
        put_simple(root, rows)
        put_schema(root, rows.schema, pandas={**PANDAS, "index_columns": ["__index_level_0__"]})
        assert rows_of(store).column_names == ["i", "s"]


class TestPaths:
    """D.3: partition values, typed; what no client reads right, read right or named."""

    @pytest.mark.parametrize(
        ("text", "data_type", "value"),
        [
            ("%C3%A9%20%25%3D", pa.string(), "é %="),
            ("", pa.string(), ""),
            ("None", pa.string(), "None"),
            ("__HIVE_DEFAULT_PARTITION__", pa.string(), "__HIVE_DEFAULT_PARTITION__"),
            ("a%2Fb", pa.string(), "a/b"),
            ("raw space", pa.large_string(), "raw space"),
            ("x", pa.dictionary(pa.int8(), pa.string()), "x"),
            ("-5", pa.int64(), -5),
            ("01", pa.int64(), 1),
            ("18446744073709551615", pa.uint64(), 2**64 - 1),
            ("1e%2B300", pa.float64(), 1e300),
            ("inf", pa.float64(), math.inf),
            ("True", pa.bool_(), True),
            ("False", pa.bool_(), False),
            ("false", pa.bool_(), False),
            ("1677-01-01", pa.date32(), dt.date(1677, 1, 1)),
            ("2024-01-01%2000%3A00%3A00.000001", pa.timestamp("us"), dt.datetime(2024, 1, 1, 0, 0, 0, 1)),  # noqa: DTZ001 - naive, as the column
            ("2024-01-01", pa.timestamp("ns"), dt.datetime(2024, 1, 1)),  # noqa: DTZ001
            ("2024-01-01T00%3A00%3A00", pa.timestamp("us"), dt.datetime(2024, 1, 1)),  # noqa: DTZ001
        ],
        ids=str,
    )
    def test_a_value_in_a_path_is_one_of_its_type(self, root, store, text, data_type, value):
        put_rows(root, f"k={text}/A", ROWS)
        put_rows(root, "k=" + ("0" if pa.types.is_integer(data_type) else text) + "/B", ROWS)
        put_schema(root, pa.schema([("k", data_type), *ROWS.schema]))
        put_header(root, [f"k={text}/A"], partition_keys=["k"])
        assert rows_of(store)["k"].to_pylist() == [value] * 3
        assert rows_of(store, predicates=[[("k", "==", value), ("i", ">", 1)]])["k"].to_pylist() == [value] * 2
        assert rows_of(store, predicates=[[("k", "!=", value)]]).num_rows == 0

    def test_both_booleans_are_told_apart(self, root, store):
        for label in ("b=True/A", "b=False/A"):
            put_rows(root, label, ROWS)
        put_schema(root, pa.schema([("b", pa.bool_()), *ROWS.schema]))
        put_header(root, ["b=True/A", "b=False/A"], partition_keys=["b"])
        assert rows_of(store)["b"].to_pylist() == [False] * 3 + [True] * 3
        assert rows_of(store, predicates=[[("b", "==", False)]])["b"].to_pylist() == [False] * 3

    @pytest.mark.parametrize(
        ("path", "country", "day"),
        [
            ("country=FR%20%C3%A9/%3D%25/day=2024-01-01", "FR é/=%", "2024-01-01"),
            ("country=a/b/c/day=x", "a/b/c", "x"),
            ("country=/day=x/y", "", "x/y"),
            ("country=http%3A//a.b//c/day=x", "http://a.b//c", "x"),
            ("country=a/day=x/", "a", "x/"),
        ],
    )
    def test_a_value_that_clients_cut_at_a_slash_is_whole(self, root, store, path, country, day):
        put_rows(root, f"{path}/A", ROWS)
        put_schema(root, pa.schema([("country", pa.string()), ("day", pa.string()), *ROWS.schema]))
        label = f"{path}/A"
        put_header(root, [label], partition_keys=["country", "day"])
        found = rows_of(store, predicates=[[("country", "==", country), ("day", "==", day)]])
        assert found.num_rows == 3
        assert {fault.code for fault in verify(store, UUID).faults} >= {"verify.path"}

    def test_a_file_with_two_slashes_in_its_key_is_no_garbage(self, root, store):
        """A file system knows it by another key than the header does."""
        put_schema(root, pa.schema([("k", pa.string()), *ROWS.schema]))
        put_rows(root, "k=a//b/A", ROWS)
        put_header(root, ["k=a//b/A"], partition_keys=["k"])
        assert find_garbage(store, UUID, min_age=dt.timedelta(0)).objects == ()
        repair(store, UUID)
        assert rows_of(store)["k"].to_pylist() == ["a//b"] * 3
        assert verify(store, UUID).faults == ()

    @pytest.mark.parametrize("value", ["../b", "a/./b", "a/*"])
    def test_a_key_that_no_store_takes_is_named_and_not_mended_away(self, root, store, value):
        put_schema(root, pa.schema([("k", pa.string()), *ROWS.schema]))
        put_rows(root, "k=x/A", ROWS)
        label = f"k={value}/A"
        put_header(root, ["k=x/A", label], partition_keys=["k"])
        assert label in str(refused(store, "store.key"))
        (fault,) = (one for one in verify(store, UUID).faults if one.label == label and one.code == "verify.file")
        assert fault.mend is None
        assert "not allowed" in fault.text

    @pytest.mark.parametrize(
        ("path", "why"),
        [
            ("nothing/k=1", "cannot be read as name=value"),
            ("k=1=2", "cannot be read as name=value"),
            ("k=%FF", "cannot be read as name=value"),
            ("j=1", "holds the partition keys j"),
            ("k=1/l=2", "holds the partition keys k, l"),
            ("k=x", "'x' is no int64"),
            ("k=1.0", "'1.0' is no int64"),
            ("k=__HIVE_DEFAULT_PARTITION__", "is no int64"),
        ],
    )
    def test_a_path_that_does_not_say_its_partition_is_named(self, root, store, path, why):
        put_rows(root, f"{path}/A", ROWS)
        put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]))
        put_header(root, [f"{path}/A"], partition_keys=["k"])
        assert why in str(refused(store))

    def test_partitions_of_another_depth_are_named(self, root, store):
        for label in ("k=1/A", "B"):
            put_rows(root, label, ROWS)
        put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]))
        put_header(root, ["k=1/A", "B"], partition_keys=["k"])
        assert "/table/B.parquet" in str(refused(store))

    def test_a_partition_key_that_the_schema_lacks_is_named(self, root, store):
        put_rows(root, "k=1/A", ROWS)
        put_schema(root, ROWS.schema)
        put_header(root, ["k=1/A"], partition_keys=["k"])
        assert "lacks the partition key 'k'" in str(refused(store))


RIGHT = ((1, [0, 1]), (2, [0]))
ODD = {
    "a value twice": ((1, [0]), (2, [0]), (1, [1])),
    "a null": (*RIGHT, (None, [0])),
    "unknown labels": ((1, [0, 1, "gone"]), (2, [0]), (9, ["gone"])),
    "a label twice": ((1, [0, 1, 1]), (2, [0, 0])),
    "no labels of a value": (*RIGHT, (7, [])),
    "too many labels": ((1, [0, 1]), (2, [0, 1])),
}


class TestIndices:
    """D.4: duplicates united, nulls and unknown labels ignored, nulls of the data never lost."""

    def put(self, root, entries, data_type=None):
        labels = put_simple(root, pa.table({"i": [1, 2, None, 1], "s": ["a", "b", "c", "d"]}), files=2)
        named = [(value, [labels[at] if isinstance(at, int) else at for at in places]) for value, places in entries]
        key = put_index(root, "i", named, data_type or pa.int64())
        put_header(root, labels, indices={"i": key})
        return labels

    @pytest.mark.parametrize("entries", ODD.values(), ids=ODD)
    @pytest.mark.parametrize("data_type", [pa.int64(), pa.int32()], ids=str)
    def test_an_odd_index_answers_as_the_rows_do(self, root, store, entries, data_type):
        self.put(root, entries, data_type)
        for predicates in (
            [[("i", "==", 1)]],
            [[("i", "==", 2)]],
            [[("i", "==", 9)]],
            [[("i", "in", [2, 7])]],
            [[("i", "<", 2)]],
            [[("i", "!=", 1)]],
            [[("i", "not in", [1])]],
            [[("i", "is null", None)]],
            [[("i", "is not null", None)]],
            [[("i", "==", 2), ("s", "==", "b")], [("i", "is null", None)]],
        ):
            assert bag(rows_of(store, predicates=predicates)) == bag(oracle.filtered(rows_of(store), predicates))

    @pytest.mark.parametrize("entries", [ODD[name] for name in ODD if name != "no labels of a value"])
    def test_verify_says_what_is_odd(self, root, store, entries):
        self.put(root, entries)
        found = verify(store, UUID)
        assert "verify.index" in {fault.code for fault in (*found.faults, *found.notices)} or entries is ODD[
            "a label twice"
        ]

    def test_an_index_that_lacks_a_label_is_found(self, root, store):
        self.put(root, ((1, [0]), (2, [0])))
        (fault,) = (fault for fault in verify(store, UUID).faults if fault.code == "verify.index")
        assert "lacks 1 entries" in fault.text

    @pytest.mark.parametrize("data_type", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
    def test_an_index_of_texts_is_read_in_any_dress(self, root, store, data_type):
        labels = put_simple(root, ROWS, files=3)
        key = put_index(root, "s", [("a", labels[:1]), ("ü", labels[2:])], data_type)
        put_header(root, labels, indices={"s": key})
        scans = plan_scan(open_dataset(store, UUID), [[("s", "==", "ü")]])
        assert [scan.label for scan in scans] == labels[2:]

    def test_an_index_that_is_not_there_is_named(self, root, store):
        put_simple(root, ROWS, indices={"i": f"{UUID}/indices/i/gone.by-dataset-index.parquet"})
        assert rows_of(store).num_rows == 3
        assert "gone.by-dataset-index.parquet" in str(refused(store, "store.missing", predicates=[[("i", "==", 1)]]))

    def test_an_index_at_its_key_of_old_is_read(self, root, store):
        """Reference kartothek 1.1: `<uuid>.<column>.by-dataset-index.parquet`."""
        labels = put_simple(root, ROWS, files=3)
        made = put_index(root, "i", [(1, labels[:1]), (2, labels[1:2]), (3, labels[2:])], pa.int64())
        (root / made).rename(root / f"{UUID}.i.by-dataset-index.parquet")
        put_header(root, labels, indices={"i": f"{UUID}.i.by-dataset-index.parquet"})
        scans = plan_scan(open_dataset(store, UUID), [[("i", "==", 2)]])
        assert [scan.label for scan in scans] == labels[1:2]


BERLIN = dt.datetime(2024, 1, 1, 12, 34, 56, tzinfo=ZoneInfo("Europe/Berlin"))


class TestData:
    """D.5: the schema's normal type, or an error; what a file lacks is null, what it has more is not seen."""

    def put(self, root, schema, *files, **options):
        labels = [f"f{number}" for number in range(len(files))]
        for label, rows in zip(labels, files, strict=True):
            put_rows(root, label, rows, **options)
        put_schema(root, schema)
        put_header(root, labels)

    @pytest.mark.parametrize(
        ("data_type", "file", "cells"),
        [
            (pa.int64(), pa.int8(), [1, None, -128]),
            (pa.int64(), pa.int16(), [1, None, -128]),
            (pa.int64(), pa.int32(), [1, None, -128]),
            (pa.int64(), pa.uint8(), [1, None, 255]),
            (pa.uint64(), pa.uint8(), [1, None, 255]),
            (pa.uint64(), pa.uint64(), [2**64 - 1, None, 0]),
            (pa.float64(), pa.float32(), [1.5, None, math.inf]),
            (pa.float64(), pa.float16(), [1.5, None, -2.0]),
            (pa.int64(), pa.float64(), [1.0, None, -2.0]),
            (pa.float64(), pa.int64(), [1, None, 2]),
            (pa.int64(), pa.dictionary(pa.int8(), pa.int64()), [1, None, 1]),
            (pa.decimal128(5, 2), pa.decimal128(3, 2), [Decimal("1.10"), None, Decimal("-9.99")]),
            (pa.binary(), pa.large_binary(), [b"a", None, b"\xff"]),
            (pa.timestamp("us", "Europe/Berlin"), pa.timestamp("us", "UTC"), [BERLIN, None, BERLIN]),
            (pa.timestamp("us", "Europe/Berlin"), pa.timestamp("us", "Europe/Berlin"), [BERLIN, None, BERLIN]),
            (pa.date32(), pa.date32(), [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
            (pa.time64("us"), pa.time64("us"), [dt.time(12, 34, 56, 1), None, dt.time(0)]),
        ],
        ids=str,
    )
    def test_a_narrow_or_kindred_type_is_read_as_the_schemas(self, root, store, data_type, file, cells):
        column = pa.array(cells).dictionary_encode() if pa.types.is_dictionary(file) else pa.array(cells, file)
        wanted = pa.array(cells, data_type)
        self.put(root, pa.schema([("c", data_type)]), pa.table({"c": column}))
        found = rows_of(store)
        assert found.schema.field("c").type == data_type
        assert found["c"].to_pylist() == wanted.to_pylist()
        value = wanted.to_pylist()[0]
        assert rows_of(store, predicates=[[("c", "==", value)]])["c"].to_pylist() == [
            cell for cell in wanted.to_pylist() if cell == value
        ]
        assert rows_of(store, predicates=[[("c", "is null", None)]]).num_rows == 1

    @pytest.mark.parametrize(
        ("data_type", "file"),
        [
            (pa.int64(), pa.array(["x"])),
            (pa.int64(), pa.array(["1"])),
            (pa.string(), pa.array([1])),
            (pa.int64(), pa.array([1.5])),
            (pa.int64(), pa.array([2**64 - 1], pa.uint64())),
            (pa.bool_(), pa.array([1])),
            (pa.date32(), pa.array(["2024-01-01"])),
            (pa.decimal128(3, 2), pa.array([Decimal("123.45")])),
        ],
        ids=str,
    )
    def test_values_of_another_type_are_refused_by_column(self, root, store, data_type, file):
        self.put(root, pa.schema([("c", data_type)]), pa.table({"c": file}))
        assert refused(store).place.column == "c"
        assert refused(store, predicates=[[("c", "is not null", None)]]).place.column == "c"

    def test_a_column_without_values_in_a_file_is_null_there(self, root, store):
        schema = pa.schema([("i", pa.int64()), ("s", pa.string())])
        self.put(root, schema, pa.table({"i": [1], "s": pa.nulls(1)}), pa.table({"i": pa.nulls(1), "s": ["x"]}))
        assert bag(rows_of(store)) == bag(pa.table({"i": [1, None], "s": [None, "x"]}))
        assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 1
        assert rows_of(store, predicates=[[("i", "is null", None)]])["s"].to_pylist() == ["x"]
        assert rows_of(store, predicates=[[("s", "!=", "y")]])["s"].to_pylist() == ["x"]

    def test_a_column_without_values_anywhere_is_null(self, root, store):
        self.put(root, pa.schema([("n", pa.null()), ("i", pa.int64())]), pa.table({"n": pa.nulls(2), "i": [1, 2]}))
        assert rows_of(store).to_pylist() == [{"n": None, "i": 1}, {"n": None, "i": 2}]
        assert rows_of(store, predicates=[[("n", "is null", None), ("i", ">", 1)]]).num_rows == 1

    @pytest.mark.parametrize("columns", [None, ["s"], ["s", "i"]])
    def test_a_file_that_lacks_a_column_has_nulls_there(self, root, store, columns):
        self.put(root, ROWS.schema, ROWS, ROWS.select(["i"]))
        assert rows_of(store, columns=columns)["s"].to_pylist() == ["a", None, "ü", None, None, None]
        assert rows_of(store, columns=columns, predicates=[[("s", "is null", None)]]).num_rows == 4
        assert rows_of(store, columns=columns, predicates=[[("s", "==", "a")]]).num_rows == 1

    def test_a_column_that_only_a_file_has_is_not_seen(self, root, store):
        self.put(root, ROWS.schema, ROWS.append_column("more", pa.array([1, 2, 3])))
        assert rows_of(store).column_names == ["i", "s"]
        with pytest.raises(UserError) as caught:
            rows_of(store, predicates=[[("more", "==", 1)]])
        assert caught.value.code == "column.missing"

    def test_columns_stand_in_any_order(self, root, store):
        self.put(root, pa.schema([("s", pa.string()), ("i", pa.int64())]), ROWS, ROWS.select(["s", "i"]))
        assert bag(rows_of(store)) == bag(pa.concat_tables([ROWS, ROWS]))

    def test_the_value_of_the_path_wins_over_the_file(self, root, store):
        put_rows(root, "i=9/A", ROWS)
        put_schema(root, ROWS.schema)
        put_header(root, ["i=9/A"], partition_keys=["i"])
        assert rows_of(store)["i"].to_pylist() == [9] * 3
        assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 0
        assert rows_of(store, predicates=[[("i", "==", 9)]]).num_rows == 3

    @pytest.mark.parametrize("compression", ["snappy", "zstd", "gzip", "none", "lz4", "brotli"])
    def test_any_codec_is_read(self, root, store, compression):
        self.put(root, ROWS.schema, ROWS, compression=compression)
        assert bag(rows_of(store)) == bag(ROWS)

    @pytest.mark.parametrize("options", [{"write_statistics": False}, {"store_schema": False}, {"row_group_size": 1}])
    def test_files_of_other_writers_are_asked_all_the_same(self, root, store, options):
        self.put(root, ROWS.schema, ROWS, **options)
        for predicates in ([[("i", ">", 1)]], [[("s", "is null", None)]], [[("s", "!=", "a")]]):
            assert bag(rows_of(store, predicates=predicates)) == bag(oracle.filtered(ROWS, predicates))

    def test_a_nested_column_before_the_one_that_is_asked_about_is_no_matter(self, root, store):
        """The original clients then look at another column (reference kartothek 1.4)."""
        nested = pa.array([{"x": 5, "y": [1]}, None, {"x": 6, "y": []}])
        rows = pa.table({"a": nested, "i": [1, 2, 3]})
        self.put(root, rows.schema, rows)
        assert rows_of(store, predicates=[[("i", ">=", 3)]])["i"].to_pylist() == [3]
        assert rows_of(store, predicates=[[("i", ">=", 3)]])["a"].to_pylist() == nested.to_pylist()[2:]

    def test_a_file_without_rows_is_no_matter(self, root, store):
        self.put(root, ROWS.schema, ROWS.slice(0, 0), ROWS)
        assert bag(rows_of(store)) == bag(ROWS)
        assert rows_of(store, predicates=[[("i", "==", 2)]]).num_rows == 1

    def test_a_zone_stays(self, root, store):
        rows = pa.table({"z": pa.array([BERLIN, None], pa.timestamp("us", "Europe/Berlin")), "i": [1, 2]})
        self.put(root, rows.schema, rows)
        assert rows_of(store)["z"].to_pylist()[0] == BERLIN
        assert rows_of(store).schema.field("z").type.tz == "Europe/Berlin"
        assert rows_of(store, predicates=[[("z", ">=", BERLIN)]])["i"].to_pylist() == [1]


class TestText:
    """Data files of CSV, which clients write if they are told to, and read by their suffix (reference 1.4)."""

    SCHEMA = pa.schema(
        [
            ("k", pa.string()),
            ("b", pa.bool_()),
            ("d", pa.date32()),
            ("dec", pa.decimal128(5, 2)),
            ("f", pa.float64()),
            ("i", pa.int64()),
            ("s", pa.string()),
            ("t", pa.timestamp("us")),
            ("u", pa.uint64()),
        ]
    )
    TEXT = (
        "s;i;b;d;f;t;u;dec;more\n"
        'é;1;True;2024-01-01;1.5;2024-01-01 12:34:56.123456;18446744073709551615;1.10;x\n'
        '"a;""b""\nc";-2;False;1677-01-01;inf;2024-01-01;0;-0.01;y\n'
        ";;;;;;;;\n"
        '"";3.0;;;1e300;1969-12-31 23:59:59;;;\n'
        "NA;4;True;;-0.0;;7;2.50;z\n"
    )
    ROWS = (
        ("é", 1, True, "2024-01-01", 1.5, "2024-01-01T12:34:56.123456", 2**64 - 1, "1.10"),
        ('a;"b"\nc', -2, False, "1677-01-01", math.inf, "2024-01-01", 0, "-0.01"),
        (None, None, None, None, None, None, None, None),
        ("", 3, None, None, 1e300, "1969-12-31T23:59:59", None, None),
        ("NA", 4, True, None, -0.0, None, 7, "2.50"),
    )

    def expected(self):
        columns = dict(zip(("s", "i", "b", "d", "f", "t", "u", "dec"), zip(*self.ROWS, strict=True), strict=True))
        columns["d"] = [day and dt.date.fromisoformat(day) for day in columns["d"]]
        columns["t"] = [moment and dt.datetime.fromisoformat(moment) for moment in columns["t"]]
        columns["dec"] = [number and Decimal(number) for number in columns["dec"]]
        arrays = {name: pa.array(columns[name], self.SCHEMA.field(name).type) for name in columns}
        return pa.table({"k": ["x"] * len(self.ROWS), **arrays}).select(self.SCHEMA.names)

    def put(self, root, suffix, text=None, **content):
        data = (self.TEXT if text is None else text).encode()
        name = f"{UUID}/table/k=x/A{suffix}"
        put_text(root, name, gzip.compress(data) if suffix.endswith(".gz") else data)
        put_schema(root, self.SCHEMA)
        put_header(root, {"k=x/A": {"table": name}}, partition_keys=["k"], **content)

    @pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
    def test_a_text_is_read_in_the_types_of_the_schema(self, root, store, suffix):
        self.put(root, suffix)
        assert bag(rows_of(store)) == bag(self.expected())
        assert rows_of(store).schema.equals(self.SCHEMA)

    @pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
    @pytest.mark.parametrize(
        "predicates",
        [
            [[("i", ">", 0)]],
            [[("s", "is null", None)]],
            [[("s", "==", "")]],
            [[("d", "==", dt.date(2024, 1, 1))]],
            [[("b", "!=", True)]],
            [[("k", "==", "x"), ("f", ">", 1.0)]],
            [[("t", "<", dt.datetime.fromisoformat("1970-01-01"))], [("u", "==", 7)]],
        ],
        ids=str,
    )
    def test_a_text_answers_as_its_rows_do(self, root, store, suffix, predicates):
        self.put(root, suffix)
        assert bag(rows_of(store, predicates=predicates)) == bag(oracle.filtered(self.expected(), predicates))
        assert rows_of(store, predicates=predicates, columns=["s"]).column_names == ["s"]

    def test_texts_and_parquet_stand_in_one_dataset(self, root, store):
        self.put(root, ".csv")
        put_rows(root, "k=y/B", pa.table({"i": [1], "s": ["p"]}))
        named = {"k=x/A": f"{UUID}/table/k=x/A.csv", "k=y/B": f"{UUID}/table/k=y/B.parquet"}
        put_header(root, {label: {"table": key} for label, key in named.items()}, partition_keys=["k"])
        assert sorted(rows_of(store, predicates=[[("i", "==", 1)]])["s"].to_pylist()) == ["p", "é"]

    @pytest.mark.parametrize("text", ["", "s;i\n"])
    def test_a_text_without_rows_has_none(self, root, store, text):
        self.put(root, ".csv", text)
        assert rows_of(store).num_rows == 0
        assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 0

    def test_a_text_that_lacks_columns_has_nulls_there(self, root, store):
        self.put(root, ".csv", "i\n1\n2\n")
        assert rows_of(store, columns=["k", "i", "s"]).to_pylist() == [
            {"k": "x", "i": 1, "s": None},
            {"k": "x", "i": 2, "s": None},
        ]

    @pytest.mark.parametrize(
        ("text", "column"),
        [("i\nx\n", "i"), ("i\n1.5\n", "i"), ("d\n2024-13-01\n", "d"), ("b\nperhaps\n", "b"), ("u\n-1\n", "u")],
    )
    def test_a_cell_of_another_type_is_refused_by_column(self, root, store, text, column):
        self.put(root, ".csv", text)
        assert refused(store).place.column == column

    @pytest.mark.parametrize("text", ["i;s\n1\n", "i;s\n1;2;3\n", "i;i\n1;2\n"])
    def test_a_text_that_is_no_table_is_refused(self, root, store, text):
        self.put(root, ".csv", text)
        refused(store)

    @pytest.mark.parametrize("data", [b"\x1f\x8b\x08 no gzip", b"i\n1\n", gzip.compress(b"i\n1\n")[:-6]])
    def test_a_packed_text_that_is_damaged_is_refused(self, root, store, data):
        self.put(root, ".csv.gz")
        put_text(root, f"{UUID}/table/k=x/A.csv.gz", data)
        refused(store)

    def test_verify_reads_texts(self, root, store):
        self.put(root, ".csv")
        found = verify(store, UUID)
        assert (found.rows, found.files) == (5, 1)
        assert "verify.file" not in {fault.code for fault in found.faults}


class TestStore:
    """D.6: nothing is written by reading, and what the header does not name is not looked for."""

    def test_reading_writes_nothing(self, root, store):
        labels = put_simple(root, ROWS, files=3)
        key = put_index(root, "i", [(1, labels[:1]), (2, labels[1:2]), (3, labels[2:])], pa.int64())
        put_header(root, labels, indices={"i": key}, packed=False)
        before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
        watched = FaultStore(store)
        rows_of(watched, predicates=[[("i", "==", 2)]])
        rows_of(watched)
        verify(watched, UUID)
        assert watched.writes == []
        assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before

    def test_a_dataset_that_names_its_partitions_is_not_listed(self, root, store):
        put_simple(root, ROWS)
        put_rows(root, "not-named", ROWS)
        watched = FaultStore(store)
        assert rows_of(watched).num_rows == 3
        assert "list" not in {call for call, _ in watched.calls}
