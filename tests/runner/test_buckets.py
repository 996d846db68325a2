"""`bucket_by` and `num_buckets`: a run puts rows of one bucket into one file of their partition."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.dataset.format.buckets import Buckets, bucket_numbers
from tests.runner.data_folder import csv_text
from tests.runner.test_partitions import as_set, assert_nothing_but_the_header_s_files, configure, stored_rows

ROWS = [[f"k{row % 3}", row % 50, row] for row in range(3000)]
BUCKETS = Buckets(("j",), 4)


@pytest.mark.spark
@pytest.mark.parametrize("partition_on", [[], ["k"]])
def test_each_bucket_of_a_partition_is_one_file_whatever_the_number_of_splits(folder, run, partition_on):
    folder.table("t.csv", csv_text(["k", "j", "n"], ROWS))
    facts = {"partition_on": partition_on, "secondary_indices": ["j"], "bucket_by": ["j"], "num_buckets": 4}
    configure(folder, {"j": "integer"}, limits={"split_bytes": 8000}, **facts)
    assert run().done
    assert as_set(stored_rows(folder)) == sorted((("j", str(j)), ("k", k), ("n", str(n))) for k, j, n in ROWS)
    partitions = folder.header("t")["partitions"]
    found = []
    for label, files in partitions.items():
        rows = pq.ParquetFile(folder.store / files["files"]["table"]).read()
        numbers = set(bucket_numbers(pa.table({"j": rows["j"].cast(pa.int64())}), BUCKETS).to_pylist())
        assert len(numbers) == 1
        found.append((label.rpartition("/")[0], numbers.pop()))
    assert len(found) == len(set(found)) == 4 * (3 if partition_on else 1)
    assert_nothing_but_the_header_s_files(folder)


@pytest.mark.spark
def test_tables_have_the_buckets_of_their_own_columns(folder, run):
    folder.table("a.csv", csv_text(["k", "j"], [["x", row] for row in range(100)]))
    folder.table("b.csv", csv_text(["k", "i"], [["x", row] for row in range(100)]))
    tables = [{"name": "a", "source": "a.csv"}, {"name": "b", "source": "b.csv"}]
    folder.file_store(datasets=[{"uuid": "t", "tables": tables, "bucket_by": ["j"], "num_buckets": 4}])
    assert run().done
    assert [len(folder.header(f"t++{name}")["partitions"]) for name in "ab"] == [4, 1]
