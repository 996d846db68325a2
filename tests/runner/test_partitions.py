"""Issue 2, points 5 and 6: splits, partitions and files, whatever way rows take to them."""

import os
import random
import tempfile
import threading
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from tests.runner.data_folder import csv_text

KEYS = 10_000
MIB = 1024 * 1024


def configure(folder, columns=None, *, limits=None, outputs=(), quotes="strict", **facts):
    dataset = {"uuid": "t", "tables": [{"source": "t.csv", "columns": columns or {}, "quotes": quotes}], **facts}
    folder.file_store(datasets=[dataset], outputs=list(outputs), **({"limits": limits} if limits else {}))


def stored_rows(folder, uuid="t"):
    """All rows that the header names, with the partition values of their paths, in the order of the columns."""
    found = []
    for files in folder.header(uuid)["partitions"].values():
        key = files["files"]["table"]
        values = dict(part.split("=", 1) for part in key.split("/")[2:-1])
        rows = pq.ParquetFile(folder.store / key).read()
        found += [{**row, **values} for row in rows.to_pylist()]
    return found


def as_set(rows):
    return sorted(tuple(sorted((name, str(value)) for name, value in row.items())) for row in rows)


def assert_nothing_but_the_header_s_files(folder, uuid="t"):
    named = {files["files"]["table"] for files in folder.header(uuid)["partitions"].values()}
    there = {path.relative_to(folder.store).as_posix() for path in (folder.store / uuid / "table").rglob("*.parquet")}
    assert there == named


def enclosed(text):
    return '"' + text.replace('"', '""') + '"'


class PeakOfWorkers:
    """The most memory that one Python worker of Spark held, in bytes, beyond what it shares with the others."""

    def __init__(self):
        self.bytes = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self):
        while not self._ended.wait(0.02):
            for process in psutil.Process().children(recursive=True):
                try:
                    if process.name().startswith("python"):
                        self.bytes = max(self.bytes, process.memory_full_info().uss)
                except psutil.Error:
                    continue

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()


# --- many partition values ---


@pytest.fixture
def disk_in_memory(folder):
    """Put the store where nothing waits for a disk: ten thousand objects forced to one are not what is tested."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as place:
        folder.store = Path(place) / "store"
        yield


def test_ten_thousand_partition_values_in_every_split_are_as_many_files_and_little_memory(folder, disk_in_memory, run):
    rows = [[row % KEYS, row] for row in range(3 * KEYS)]
    folder.table("t.csv", csv_text(["k", "n"], rows))
    configure(folder, {"k": "integer", "n": "integer"}, partition_on=["k"], limits={"split_bytes": 128 * 1024})
    with PeakOfWorkers() as peak:
        outcome = run()
    assert outcome.done
    assert f"{KEYS:,} partitions, {KEYS:,} files" in outcome.out
    assert_nothing_but_the_header_s_files(folder)
    assert peak.bytes < 300 * MIB
    some = folder.header("t")["partitions"]
    chosen = random.Random(1).sample(sorted(some), 50)
    for label in chosen:
        key = some[label]["files"]["table"]
        value = int(key.split("k=")[1].split("/")[0])
        assert pq.ParquetFile(folder.store / key).read().to_pydict() == {
            "n": [value + turn * KEYS for turn in range(3)]
        }


@pytest.mark.parametrize("sort_by", [[], ["n"]])
def test_the_direct_and_the_shuffled_way_make_the_same_dataset(folder, run, sort_by):
    source = random.Random(7)
    rows = [[f"k{source.randrange(90)}", source.randrange(5), source.randrange(1000)] for _ in range(5000)]
    folder.table("t.csv", csv_text(["k", "j", "n"], rows))
    facts = {"partition_on": ["k", "j"], "secondary_indices": ["n"], "sort_partitions_by": sort_by}
    found = []
    for limits in ({"split_bytes": 20_000}, {"split_bytes": 20_000, "block_bytes": 2000, "direct_files": 1}):
        configure(folder, {"n": "integer"}, limits=limits, **facts)
        assert run().done
        header = folder.header("t")
        index = pq.read_table(folder.store / header["indices"]["n"])
        places = {label.rsplit("/", 1)[0] for label in header["partitions"]}
        indexed = {(row["n"], label.rsplit("/", 1)[0]) for row in index.to_pylist() for label in row["partition"]}
        found.append((as_set(stored_rows(folder)), sorted(places), sorted(indexed), len(header["partitions"])))
    direct, shuffled = found
    assert direct[:3] == shuffled[:3]
    assert direct[0] == sorted((("j", str(j)), ("k", k), ("n", str(n))) for k, j, n in rows)
    assert shuffled[3] == len(shuffled[1]), "one file for each key"
    assert direct[3] > shuffled[3]


def test_splits_that_overflow_go_the_other_way_than_those_that_do_not(folder, run):
    few = [["same", row] for row in range(2000)]
    many = [[f"k{row}", row] for row in range(300)]
    folder.table("t.csv", csv_text(["k", "n"], few + many + few))
    configure(folder, limits={"split_bytes": 8000, "direct_files": 1}, partition_on=["k"], secondary_indices=["n"])
    outcome = run()
    assert outcome.done
    assert "4,300 rows in, 4,300 written" in outcome.out
    assert as_set(stored_rows(folder)) == sorted((("k", k), ("n", str(n))) for k, n in few + many + few)
    assert_nothing_but_the_header_s_files(folder)


def test_rows_beyond_the_buffer_roll_into_more_files(folder, run):
    rows = [[f"k{row % 3}", row] for row in range(20_000)]
    folder.table("t.csv", csv_text(["k", "n"], rows))
    configure(folder, limits={"buffer_bytes": 50_000, "block_bytes": 10_000}, partition_on=["k"])
    assert run().done
    assert len(folder.header("t")["partitions"]) > 3
    assert as_set(stored_rows(folder)) == sorted((("k", k), ("n", str(n))) for k, n in rows)


def test_partition_values_of_every_kind_come_back(folder, run):
    hostile = ["a/b", "a=b", "%2F", "..", " ", "ž🐎", "a\nb", '"', "x" * 100, "+", "~", ".", "NULL"]
    text = "k,n\n" + "".join(f"{enclosed(key)},{n}\n" for n, key in enumerate(hostile))
    folder.table("t.csv", text)
    configure(folder, partition_on=["k"], outputs=[{"dataset": "t"}])
    assert run().done
    assert sorted(folder.rows("t")) == sorted((key, str(n)) for n, key in enumerate(hostile))


@pytest.mark.parametrize(
    ("kind", "texts", "written"),
    [
        ("integer", ["-5", "007", "9223372036854775807"], ["-5", "7", "9223372036854775807"]),
        ("float", ["1.5", "1e300", "-0.25"], ["1.5", "1e+300", "-0.25"]),
        ("date", ["2026-01-02", "0001-01-01"], ["2026-01-02", "0001-01-01"]),
        (
            "timestamp",
            ["2026-01-02 03:04:05", "2026-01-02 03:04:05.5"],
            ["2026-01-02 03:04:05.000000", "2026-01-02 03:04:05.500000"],
        ),
    ],
)
def test_partition_values_of_every_type_come_back(folder, run, kind, texts, written):
    folder.table("t.csv", csv_text(["k", "n"], [[text, 1] for text in texts]))
    configure(folder, {"k": kind}, partition_on=["k"], outputs=[{"dataset": "t"}])
    assert run().done
    assert sorted(row[0] for row in folder.rows("t")) == sorted(written)


# --- splits ---


@pytest.mark.parametrize("split_bytes", [1, 7, 64, 1000, 10**9])
def test_any_size_of_split_gives_the_same_rows(folder, run, split_bytes):
    rows = [[str(row), 'two\nlines, "and" more\r\n'[: row % 25]] for row in range(25)]
    text = "id,text\n" + "".join(f"{row[0]},{enclosed(row[1])}\n" for row in rows)
    folder.table("t.csv", text)
    configure(folder, limits={"split_bytes": split_bytes, "block_bytes": 50}, outputs=[{"dataset": "t"}])
    assert run().done
    assert sorted(folder.rows("t")) == sorted(map(tuple, rows))
    assert_nothing_but_the_header_s_files(folder)


STRAY = [
    'a,5" pipe,1\n',
    'b,"two\nlines",2\n',
    'c,6" pipe,3\n',
    'd,"x, ""y""\n",4\n',
    'e,7"" pipe,5\n',
    'f,"8",6\n',
    "g,'9',7\n",
]
LENIENT = {"source": "t.csv", "quotes": "lenient"}
STRAY_ROWS = [
    ("a", '5" pipe', "1"),
    ("b", "two\nlines", "2"),
    ("c", '6" pipe', "3"),
    ("d", 'x, "y"\n', "4"),
    ("e", '7"" pipe', "5"),
    ("f", "8", "6"),
    ("g", "'9'", "7"),
]


@pytest.mark.parametrize(
    ("split_bytes", "infer", "partition_on"),
    [(11, False, []), (50, True, []), (120, False, ["n"]), (1000, True, ["n"])],
)
def test_a_slice_with_stray_quotes_is_read_right_and_leaves_nothing_behind(
    folder, run, split_bytes, infer, partition_on
):
    parts = {"part_0": "0,plain,1\n" * 9, "part_1": "".join(STRAY * 3), "part_2": "0,plain,2\n" * 9}
    folder.sliced("t.csv", parts, {"columns": ["id", "text", "n"]})
    folder.file_store(
        datasets=[{"uuid": "t", "tables": [{**LENIENT, "infer_types": infer}], "partition_on": partition_on}],
        outputs=[{"dataset": "t"}],
        limits={"split_bytes": split_bytes, "direct_files": 1000},
    )
    outcome = run()
    assert outcome.done
    assert "39 rows in, 39 written" in outcome.out
    assert "'t.csv': 9 rows with text after a closing enclosure" in outcome.out + outcome.err
    plain = [("0", "plain", "1")] * 9 + [("0", "plain", "2")] * 9
    assert sorted(folder.rows("t")) == sorted(plain + STRAY_ROWS * 3)
    assert_nothing_but_the_header_s_files(folder)
    types = [entries[0]["value"] for entries in folder.manifest("t")["column_metadata"].values()]
    assert types == ["STRING", "STRING", "INTEGER" if infer else "STRING"]


def test_stray_quotes_in_a_crowded_slice(folder, run):
    text = "".join(line.replace(",", f"{turn},", 1) for turn in range(40) for line in STRAY)
    folder.sliced("t.csv", {"part_0": text}, {"columns": ["id", "text", "n"]})
    configure(
        folder,
        limits={"split_bytes": 900, "block_bytes": 300, "direct_files": 1},
        partition_on=["id"],
        outputs=[{"dataset": "t"}],
        quotes="lenient",
    )
    assert run().done
    expected = sorted((f"{key}{turn}", cell, n) for turn in range(40) for key, cell, n in STRAY_ROWS)
    assert sorted(folder.rows("t")) == expected
    assert_nothing_but_the_header_s_files(folder)


def test_a_crowded_dataset_beside_one_that_is_read_again_is_shuffled_once(folder, run):
    folder.table("many.csv", csv_text(["k", "n"], [[f"k{row}", row] for row in range(220)]))
    misleading = 'h,"' + "two\nlines " * 90 + '",8\n'
    folder.table("stray.csv", "id,text,n\n" + "".join([*STRAY, misleading] * 2))
    datasets = [{"uuid": "many", "tables": [{"source": "many.csv"}], "partition_on": ["k"]}]
    datasets += [{"uuid": "stray", "tables": [{"source": "stray.csv", "quotes": "lenient"}]}]
    folder.file_store(datasets=datasets, limits={"split_bytes": 1000, "direct_files": 1})
    assert run().done
    assert len(stored_rows(folder, "many")) == 220
    assert_nothing_but_the_header_s_files(folder, "many")
    assert_nothing_but_the_header_s_files(folder, "stray")


# --- types found out ---


@pytest.mark.parametrize("last", ["x", "1.5", "", "9223372036854775808", "1"])
def test_the_last_row_of_a_column_decides_with_all_others(folder, run, last):
    folder.table("t.csv", csv_text(["n"], [[row % 2] for row in range(5000)] + ([[last]] if last else [])))
    table = {"source": "t.csv", "infer_types": True}
    folder.configure(
        datasets=[{"uuid": "t", "tables": [table]}], outputs=[{"dataset": "t"}], limits={"split_bytes": 1000}
    )
    assert run().done
    types = {"x": "STRING", "1.5": "NUMERIC", "9223372036854775808": "NUMERIC"}
    assert folder.manifest("t")["column_metadata"]["n"][0]["value"] == types.get(last, "INTEGER")


def test_what_manifest_and_configuration_say_is_not_found_out(folder, run):
    metadata = {"a": [{"key": "KBC.datatype.basetype", "value": "STRING"}]}
    folder.table("t.csv", "a,b,c,d\n1,1,2026-01-01,true\n", {"column_metadata": metadata, "id": "in.c-x.t"})
    table = {"source": "t.csv", "infer_types": True, "columns": {"b": "float"}}
    folder.configure(datasets=[{"uuid": "t", "tables": [table], "partition_on": ["c"]}], outputs=[{"dataset": "t"}])
    assert run().done
    types = [entries[0]["value"] for entries in folder.manifest("t")["column_metadata"].values()]
    assert types == ["STRING", "FLOAT", "DATE", "BOOLEAN"]


def test_lines_within_cells_say_nothing_of_types_though_a_split_begins_there(folder, run):
    looks_like_rows = '8,"' + "x,y,z\n" * 50 + '",8\n'
    text = "id,text,n\n" + ('1,5" pipe,1\n' + looks_like_rows + '2,6" pipe,2\n' + looks_like_rows) * 5
    folder.table("t.csv", text)
    table = {**LENIENT, "infer_types": True}
    folder.configure(
        datasets=[{"uuid": "t", "tables": [table]}], outputs=[{"dataset": "t"}], limits={"split_bytes": 70}
    )
    assert run().done
    types = [entries[0]["value"] for entries in folder.manifest("t")["column_metadata"].values()]
    assert types == ["INTEGER", "STRING", "INTEGER"]
    assert len(folder.rows("t")) == 20


# --- order ---


def test_rows_are_sorted_within_each_file(folder, run):
    source = random.Random(3)
    rows = [[f"k{row % 4}", source.randrange(100), source.randrange(100)] for row in range(3000)]
    folder.table("t.csv", csv_text(["k", "a", "b"], rows))
    facts = {"partition_on": ["k"], "sort_partitions_by": ["b", "k", "a"]}
    configure(folder, {"a": "integer", "b": "integer"}, limits={"split_bytes": 5000}, **facts)
    assert run().done
    files = list((folder.store / "t" / "table").rglob("k=*/*.parquet"))
    assert len(files) > 4
    for file in files:
        found = [(row["b"], row["a"]) for row in pq.ParquetFile(file).read().to_pylist()]
        assert found == sorted(found)


def test_rows_come_back_in_the_order_of_the_source(folder, run):
    parts = {f"part_{number}": "".join(f"{number * 1000 + row}\n" for row in range(1000)) for number in range(4)}
    folder.sliced("t.csv", parts, {"columns": ["n"]})
    configure(folder, {"n": "integer"}, limits={"split_bytes": 700, "buffer_bytes": 1000}, outputs=[{"dataset": "t"}])
    assert run().done
    assert [int(row[0] or "") for row in folder.rows("t")] == list(range(4000))


# --- sliced outputs ---


def test_slices_have_stable_names_and_about_the_wanted_size(folder, run):
    source = random.Random(9)
    rows = [[row, source.randbytes(20).hex()] for row in range(40_000)]
    folder.table("t.csv", csv_text(["n", "text"], rows))
    limits = {"split_bytes": 50_000, "slice_bytes": 150_000}
    configure(folder, limits=limits, outputs=[{"dataset": "t"}])
    assert run().done
    parts = sorted((folder.root / "out" / "tables" / "t").iterdir())
    assert [part.name for part in parts] == [f"part-{number:05d}.csv.gz" for number in range(len(parts))]
    sizes = [part.stat().st_size for part in parts]
    assert len(parts) > 3
    assert all(0.3 * limits["slice_bytes"] < size < 1.3 * limits["slice_bytes"] for size in sizes), sizes
    assert sorted(folder.rows("t")) == sorted((str(n), text) for n, text in rows)


def test_there_are_at_most_so_many_slices(folder, run):
    folder.table("t.csv", csv_text(["n"], [[row] for row in range(5000)]))
    outputs = [{"dataset": "t", "compression": "none"}]
    configure(folder, limits={"split_bytes": 500, "slice_bytes": 100, "max_slices": 3}, outputs=outputs)
    outcome = run()
    assert outcome.done
    assert "output t: 5,000 rows, 3 slices" in outcome.out
    parts = sorted(path.name for path in (folder.root / "out" / "tables" / "t").iterdir())
    assert parts == ["part-00000.csv", "part-00001.csv", "part-00002.csv"]
