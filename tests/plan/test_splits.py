import gzip
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component import naming
from component.config.model import LimitsConfig
from component.folder.layout import DataFolder
from component.formats.csv.read import CsvReader
from component.formats.parquet import ParquetReader
from component.plan.build import plan_limits
from component.plan.sources import find_sources
from component.plan.splits import LEAST_SPLIT_BYTES, reader_of, split_size, splits_of
from tests.plan.test_build import source
from tests.runner.data_folder import DataFolder as Writer


def limits(**facts):
    return plan_limits(LimitsConfig(**facts))


@pytest.mark.parametrize(
    ("size", "cores", "expected"),
    [
        (0, 2, LEAST_SPLIT_BYTES),
        (10 * naming.MIB, 2, LEAST_SPLIT_BYTES),
        (160 * naming.MIB, 2, 20 * naming.MIB),
        (160 * naming.MIB, 4, 10 * naming.MIB),
        (7_700_000_000, 2, naming.SPLIT_BYTES),
    ],
)
def test_small_sources_are_cut_for_all_cores_and_large_ones_at_the_limit(size, cores, expected):
    one = source()
    sized = replace(one, slices=(replace(one.slices[0], size=size),))
    assert split_size(sized, limits(), cores) == expected


def test_a_limit_below_the_least_counts():
    assert split_size(source(), limits(split_bytes=7), 2) == 7


@pytest.fixture
def folder(tmp_path):
    return Writer(tmp_path / "data")


def only_source(folder):
    ((found,), _) = find_sources(DataFolder(folder.root))
    return found


@pytest.mark.parametrize("counted", [False, True])
def test_splits_of_a_slice_follow_each_other_from_its_first_row_to_its_end(folder, counted):
    content = "id,text\n" + "".join(f'{row},"two\nlines"\n' for row in range(200))
    folder.table("t.csv", content)
    splits = splits_of(only_source(folder), limits(split_bytes=100), 2, counted=counted)
    assert splits[0].range.start == len("id,text\n")
    assert splits[-1].range.stop == len(content)
    assert [split.range.stop for split in splits[:-1]] == [split.range.start for split in splits[1:]]
    assert all(content[split.range.stop - 1] == "\n" for split in splits)
    assert all(content[: split.range.stop].count('"') % 2 == 0 for split in splits)
    assert len(splits) > 20


def test_gzip_slices_are_one_split_each_and_empty_ones_none(folder):
    parts = {"a": gzip.compress(b"1\n" * 1000, mtime=0), "b": "2\n" * 10, "c": ""}
    folder.sliced("t.csv", parts, {"columns": ["n"]})
    splits = splits_of(only_source(folder), limits(split_bytes=5), 2)
    assert [(split.slice, split.gzip) for split in splits[:1]] == [("a", True)]
    assert {split.slice for split in splits[1:]} == {"b"}


def test_parquet_is_cut_by_row_groups(folder, tmp_path):
    pq.write_table(pa.table({"a": range(100)}), tmp_path / "x", row_group_size=10)
    folder.file("x.parquet", (tmp_path / "x").read_bytes())
    splits = splits_of(only_source(folder), limits(split_bytes=1), 2)
    assert [(split.first, split.stop) for split in splits] == [(group, group + 1) for group in range(10)]


def test_the_reader_of_a_table_has_its_dialect(folder):
    folder.table("t.csv", "a\n", {"delimiter": ";"})
    one = only_source(folder)
    assert reader_of(one, one.schema, reject=True) == CsvReader(one.schema, one.dialect, reject=True)


def test_the_reader_of_a_parquet_file_has_its_schema(folder, tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "x")
    folder.file("x.parquet", (tmp_path / "x").read_bytes())
    one = only_source(folder)
    assert reader_of(one, one.schema, reject=True) == ParquetReader(one.schema)
