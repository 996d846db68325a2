"""Text of any dialect as a source: found out for files, said for tables, and the same rows whatever packs it."""

import bz2
import gzip

import pyarrow as pa
import pytest

from component import naming
from component.config.reading import TextOptions
from component.errors import UserError
from component.folder.layout import DataFolder
from component.folder.tables import HeaderMode
from component.plan.asked import Asked
from component.plan.model import Limits
from component.plan.sources import find_sources
from component.plan.splits import reader_of, splits_of

LIMITS = Limits(naming.SPLIT_BYTES, naming.BLOCK_BYTES, naming.BUFFER_BYTES, 4096, naming.SLICE_BYTES, 1)


def read(tmp_path, data, *, name="t.csv", where="in/files", **options):
    """The rows of a file or table, what is said of it, and the warnings."""
    folder = tmp_path / where
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    said = []
    asked = Asked(options={name: TextOptions(**options)}, named=frozenset([name]), scratch=tmp_path, say=said.append)
    (source,), warnings = find_sources(DataFolder(tmp_path), asked)
    reader = reader_of(source, source.schema, reject=False)
    rows = [
        row for split in splits_of(source, LIMITS, 2) for part in reader.read(split) for row in part.rows.to_pylist()
    ]
    return rows, said, [warning for warning in warnings if "manifest" not in warning]


ANYWHERE = pytest.mark.parametrize("where", ["in/files", "in/tables"])
"""Files of in/files, and tables that have no manifest: neither says how it is delimited."""


@ANYWHERE
def test_an_input_without_manifest_says_how_it_was_read_in_one_line(where, tmp_path):
    rows, said, warnings = read(tmp_path, b"id;amount\n1;2,5\n2;3,5\n", where=where)
    assert rows == [{"id": "1", "amount": "2,5"}, {"id": "2", "amount": "3,5"}]
    assert said == ["t.csv: delimiter semicolon: 3 of 3 sampled records have 2 cells"]
    assert not warnings


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_a_table_of_one_column_whose_cells_all_hold_a_delimiter_is_not_taken_in_silence(mark, tmp_path):
    data = f"a{mark}b\n" + f"x{mark}y\n" * 5
    rows, said, _ = read(tmp_path, data.encode())
    assert rows == [{"a": "x", "b": "y"}] * 5
    assert len(said) == 1


@ANYWHERE
def test_two_good_readings_are_an_error_that_an_option_settles(where, tmp_path):
    data = b"name,tags;list\nBob,x;y\nAl,z;q\nCid,r;s\n"
    with pytest.raises(UserError) as caught:
        read(tmp_path, data, where=where)
    assert caught.value.code == "csv.ambiguous"
    assert "delimiter, enclosure, escape" in caught.value.remedy
    rows, _, _ = read(tmp_path, data, where=where, delimiter=",")
    assert rows[0] == {"name": "Bob", "tags;list": "x;y"}


@ANYWHERE
@pytest.mark.parametrize(
    "data",
    [
        "sep=;\nid;x\n1;é\n2;b\n".encode(),
        "\ufeffid;x\n1;é\n2;b\n".encode(),
        "id;x\n1;é\n2;b\n".encode("utf-16"),
        "id;x\n1;é\n2;b\n".encode("cp1252"),
        "# note\n# note\nid;x\n1;é\n2;b\n".encode(),
        "id;x\n1;é\n# note, and more\n2;b\n".encode(),
        "Report\n\nid;x\n1;é\n2;b\n".encode(),
        "id||x\n1||é\n2||b\n".encode(),
        "'id';'x'\n'1';'é'\n'2';'b'\n".encode(),
        "\n\nid;x\n1;é\n2;b\n".encode(),
        gzip.compress("id;x\n1;é\n2;b\n".encode(), mtime=0),
        bz2.compress("id;x\n1;é\n2;b\n".encode()),
    ],
)
def test_dialects_are_found_out(data, where, tmp_path):
    assert read(tmp_path, data, where=where)[0] == [{"id": "1", "x": "é"}, {"id": "2", "x": "b"}]


def zstd(data):
    return pa.compress(data, codec="zstd", asbytes=True)


@pytest.mark.parametrize("options", [{}, {"delimiter": ","}, {"escape": "\\"}, {"skip_rows": 0}, {"names": ("a", "b")}])
@pytest.mark.parametrize(
    ("suffix", "pack"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".zst", zstd)]
)
def test_null_and_empty_are_the_same_however_a_file_is_packed(suffix, pack, options, tmp_path):
    rows, _, _ = read(tmp_path, pack(b'a,b\n1,\n2,""\n3,x\n'), name=f"t.csv{suffix}", **options)
    assert rows == [{"a": "1", "b": None}, {"a": "2", "b": ""}, {"a": "3", "b": "x"}]


@ANYWHERE
@pytest.mark.parametrize(
    ("data", "options", "rows"),
    [
        (b"x\ny\nid;n\n1;2\n", {"delimiter": ";", "skip_rows": 2}, [{"id": "1", "n": "2"}]),
        (
            b"id;n\n1;2\n",
            {"delimiter": ";", "header_rows": 0, "names": ("p", "q")},
            [{"p": "id", "q": "n"}, {"p": "1", "q": "2"}],
        ),
        (
            b"id;n\n1;2\n",
            {"delimiter": ";", "header_rows": 0},
            [{"column_1": "id", "column_2": "n"}, {"column_1": "1", "column_2": "2"}],
        ),
        (b"id;n\n1;2\n", {"delimiter": ";", "names": ("p", "q")}, [{"p": "1", "q": "2"}]),
        (
            b"2019;2019;\nA;B;note\n1;2;3\n",
            {"delimiter": ";", "header_rows": 2},
            [{"2019_A": "1", "2019_B": "2", "note": "3"}],
        ),
        (b"a;b\n1;'x;y'\n", {"delimiter": ";", "enclosure": "'"}, [{"a": "1", "b": "x;y"}]),
        (b'a;b\n1;"x\n', {"delimiter": ";", "enclosure": "none"}, [{"a": "1", "b": '"x'}]),
        (b'a;b\n1;"x\\"y"\n', {"delimiter": ";", "escape": "\\"}, [{"a": "1", "b": 'x"y'}]),
        (b"a\tb\n1\tNA\n", {"delimiter": "\\t", "null_values": ("NA",)}, [{"a": "1", "b": None}]),
        (b"a\tb\n1\t2\n", {"delimiter": "tab"}, [{"a": "1", "b": "2"}]),
        (b"a<>b\n!x\n1<>2\n", {"delimiter": "<>", "comment": "!"}, [{"a": "1", "b": "2"}]),
        ("a;b\nč;ř\n".encode("cp1250"), {"delimiter": ";", "encoding": "cp1250"}, [{"a": "č", "b": "ř"}]),
    ],
)
def test_options_are_the_same_for_files_and_tables(where, data, options, rows, tmp_path):
    assert read(tmp_path, data, where=where, **options)[0] == rows


@ANYWHERE
def test_a_page_of_html_is_called_that(where, tmp_path):
    with pytest.raises(UserError, match="page of HTML"):
        read(tmp_path, b"<!DOCTYPE html>\n<p>a; b</p>\n<p>c; d</p>\n", where=where)


@ANYWHERE
def test_a_first_line_of_values_is_a_row_and_the_source_says_so(where, tmp_path):
    folder = tmp_path / where
    folder.mkdir(parents=True)
    (folder / "t.csv").write_text("1;2.5\n2;3.5\n3;4.5\n")
    (source,), _ = find_sources(DataFolder(tmp_path), Asked(scratch=tmp_path))
    assert (source.schema.names, source.header) == (("column_1", "column_2"), HeaderMode.NONE)


def test_with_a_manifest_the_manifest_decides(tmp_path):
    (tmp_path / "in" / "tables").mkdir(parents=True)
    (tmp_path / "in" / "tables" / "t.csv.manifest").write_text("{}")
    rows, said, _ = read(tmp_path, b"id;amount\n1;2\n2;3\n", where="in/tables")
    assert rows == [{"id;amount": "1;2"}, {"id;amount": "2;3"}]
    assert not said


def test_names_must_be_as_many_as_the_columns(tmp_path):
    with pytest.raises(UserError, match="names has 1 names, and the first record has 2 cells"):
        read(tmp_path, b"a,b\n1,2\n", names=("x",))


def test_what_nothing_proves_is_a_warning(tmp_path):
    _, _, warnings = read(tmp_path, b"Bob,Oslo\nAnn,Rome\n")
    assert len(warnings) == 1
    assert "The first record is read as names" in warnings[0]


def test_lines_of_comments_are_counted(tmp_path):
    _, said, _ = read(tmp_path, b"a,b\n# x\n1,2\n# y\n3,4\n")
    assert said[-1] == "t.csv: 2 lines of comments left out"


@pytest.mark.parametrize("options", [{}, {"null_values": ("x",)}], ids=["plain", "written again"])
def test_row_names_without_a_name_are_the_column_index(options, tmp_path):
    rows, _, warnings = read(tmp_path, b'"a","b"\n"r1",1,"x"\n"r2",2,"y"\n', **options)
    first = None if options else "x"
    assert rows == [{"index": "r1", "a": "1", "b": first}, {"index": "r2", "a": "2", "b": "y"}]
    assert any("row names" in warning for warning in warnings)
    assert any("'index'" in warning for warning in warnings)
