"""A header that disagrees with the manifest is an error, or a mapping that is configured; never silent."""

from __future__ import annotations

import bz2
import gzip
from dataclasses import replace

import pytest
import zstandard

from component.config.parameters import LimitsConfig
from component.config.reading import FileReading, TextOptions
from component.errors import UserError
from component.folder.layout import DataFolder
from component.formats.csv.read import CsvReader
from component.plan.asked import Asked
from component.plan.build import plan_limits
from component.plan.sources import find_sources
from component.plan.splits import reader_of, splits_of
from tests.runner.data_folder import DataFolder as Writer

PLATFORM = {"id": "in.c-main.t", "columns": ["id", "name"]}
PROCESSOR = {"columns": ["id", "name"], "has_header": True}
SLICED = {"columns": ["id", "name"], "has_header": True, "id": "in.c-main.t"}
ANY = pytest.mark.parametrize("manifest", [PLATFORM, PROCESSOR, SLICED], ids=["platform", "processor", "sliced"])


@pytest.fixture
def folder(tmp_path):
    return Writer(tmp_path / "data")


def put(folder, manifest, text, *, packed=False):
    data = gzip.compress(text.encode(), mtime=0) if packed else text
    if manifest is SLICED:
        folder.sliced("t", {"part_0": data, "part_1": data}, manifest)
    else:
        folder.table("t", data, manifest)


def read(folder, header="error", **options):
    asked = Asked(headers={"t": header}, options={"t": TextOptions(**options)}, scratch=folder.root.parent)
    (source,), warnings = find_sources(DataFolder(folder.root), asked)
    reader = CsvReader(source.schema, source.dialect)
    splits = splits_of(source, plan_limits(LimitsConfig()), 2)
    rows = [row for split in splits for parsed in reader.read(split) for row in parsed.rows.to_pylist()]
    return [row for number, row in enumerate(rows) if row not in rows[:number]], warnings


WAYS = pytest.mark.parametrize(
    "options",
    [{}, {"skip_rows": 0}, {"escape": "\\"}, {"null_values": ("NA",)}, {"encoding": "utf-8"}],
    ids=["nothing said", "skip_rows", "escape", "null_values", "encoding"],
)
"""Options of text do not change what a header means."""


@ANY
@WAYS
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,id\na,1\n", "other order, from column 1 on (name, and id in the manifest)"),
        ("id,title\n1,a\n", "only the manifest has name; only the header has title"),
        ("id\n1\n", "only the manifest has name"),
        ("id,name,more\n1,a,x\n", "only the header has more"),
    ],
)
def test_a_header_that_disagrees_is_an_error_with_both_remedies(folder, manifest, text, said, packed, options):
    put(folder, manifest, text, packed=packed)
    with pytest.raises(UserError) as caught:
        read(folder, **options)
    assert caught.value.code == "source.manifest"
    assert said in caught.value.text
    assert '"by_name"' in caught.value.remedy
    assert '"by_position"' in caught.value.remedy


@ANY
@WAYS
def test_by_name_columns_are_found_wherever_they_stand_and_the_run_says_so(folder, manifest, options):
    put(folder, manifest, "name,more,id\na,x,1\n")
    rows, warnings = read(folder, "by_name", **options)
    assert rows == [{"name": "a", "more": "x", "id": "1"}]
    (warning,) = warnings
    assert "called as in the header; more is not in the manifest" in warning


@ANY
def test_by_name_a_column_that_the_header_lacks_is_an_error(folder, manifest):
    put(folder, manifest, "id,title\n1,a\n")
    with pytest.raises(UserError, match="it lacks name"):
        read(folder, "by_name")


@ANY
@WAYS
def test_by_position_the_manifest_names_the_columns_and_the_run_says_so(folder, manifest, options):
    put(folder, manifest, "A,B\n1,a\n")
    rows, warnings = read(folder, "by_position", **options)
    assert rows == [{"id": "1", "name": "a"}]
    assert ["called as in the manifest" in warning for warning in warnings] == [True]


@ANY
def test_by_position_another_number_of_columns_is_an_error(folder, manifest):
    put(folder, manifest, "a,b,c\n1,2,3\n")
    with pytest.raises(UserError, match="as many names"):
        read(folder, "by_position")


@ANY
@pytest.mark.parametrize("header", ["error", "by_name", "by_position"])
def test_a_header_that_agrees_needs_nothing(folder, manifest, header):
    put(folder, manifest, "id,name\n1,a\n")
    assert read(folder, header) == ([{"id": "1", "name": "a"}], ())


@WAYS
def test_a_platform_table_that_lost_its_header_is_read_whole_with_a_warning(folder, options):
    put(folder, PLATFORM, "1,a\n2,b\n")
    rows, (warning,) = read(folder, **options)
    assert rows == [{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]
    assert "it is read as a row" in warning


@WAYS
def test_a_first_row_that_repeats_the_names_is_a_row_with_a_warning(folder, options):
    put(folder, {"columns": ["id", "name"]}, "id,name\n1,a\n")
    rows, (warning,) = read(folder, **options)
    assert rows[0] == {"id": "id", "name": "name"}
    assert "repeats the names" in warning


def test_configured_names_that_leave_out_names_of_the_manifest_are_a_warning(folder):
    put(folder, PLATFORM, "id,name\n1,a\n")
    rows, (warning,) = read(folder, names=("id", "title"))
    assert rows == [{"id": "1", "title": "a"}]
    assert "leave out name of the manifest" in warning
    assert read(folder, names=("id", "name")) == ([{"id": "1", "name": "a"}], ())


def test_configured_rows_of_names_are_held_to_the_manifest(folder):
    put(folder, PLATFORM, "i,n\nd,ame\n1,a\n")
    with pytest.raises(UserError, match="only the manifest has id, name; only the header has i_d, n_ame"):
        read(folder, header_rows=2)
    assert read(folder, header_rows=0)[0][0] == {"id": "i", "name": "n"}


def test_slices_whose_headers_differ_are_an_error_also_where_the_manifest_names_the_columns(folder):
    folder.sliced("t", {"part_0": "id,name\n1,a\n", "part_1": "name,id\na,1\n"}, SLICED)
    with pytest.raises(UserError) as caught:
        read(folder, "by_position")
    assert (caught.value.code, caught.value.place.slice) == ("column.sets_differ", "part_1")


@pytest.mark.parametrize("manifest", [{}, PLATFORM, PROCESSOR])
@pytest.mark.parametrize("text", ["\nid,name\n1,a\n", "\r\n1,a\n", "\ufeff\n1,a\n"])
def test_a_blank_first_line_is_called_that(folder, manifest, text):
    put(folder, manifest, text)
    with pytest.raises(UserError, match="first line is blank"):
        read(folder)


PACKINGS = {
    ".csv": bytes,
    ".csv.gz": gzip.compress,
    ".csv.bz2": bz2.compress,
    ".csv.zst": lambda data: zstandard.ZstdCompressor().compress(data),
}


@pytest.mark.parametrize("kind", ["tables", "files"])
@pytest.mark.parametrize("reading", [None, FileReading(), FileReading(encoding="utf-8")], ids=["auto", "file", "utf8"])
@pytest.mark.parametrize("suffix", PACKINGS)
def test_null_and_the_empty_string_do_not_depend_on_packing_and_options(tmp_path, folder, kind, reading, suffix):
    path = folder.root / "in" / kind / f"t{suffix}"
    path.write_bytes(PACKINGS[suffix](b'a,b\n1,\n"",""\n'))
    asked = Asked(files={} if reading is None or kind == "tables" else {path.name: reading}, scratch=tmp_path)
    (source,), _ = find_sources(DataFolder(folder.root), replace(asked, named=frozenset({path.name})))
    reader = reader_of(source, source.schema, reject=False)
    splits = splits_of(source, plan_limits(LimitsConfig()), 2)
    assert [row for split in splits for parsed in reader.read(split) for row in parsed.rows.to_pylist()] == [
        {"a": "1", "b": None},
        {"a": "", "b": ""},
    ]


def test_a_table_whose_header_begins_as_bzip2_does_is_text(folder):
    folder.table("t.csv", "BZh,n\nx,1\n")
    (source,) = find_sources(DataFolder(folder.root))[0]
    assert source.schema.names == ("BZh", "n")
