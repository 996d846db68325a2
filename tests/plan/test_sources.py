import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.config.reading import FileReading, TextOptions
from component.errors import UserError
from component.folder.layout import DataFolder
from component.formats.csv.dialect import Dialect
from component.plan.asked import Asked
from component.plan.sources import bare_name, find_sources
from component.tables.logical import zoned
from component.tables.types import Column, TypeName
from tests.runner.data_folder import DataFolder as Writer


@pytest.fixture
def folder(tmp_path):
    return Writer(tmp_path / "data")


def found(folder, dialects=None):
    sources, warnings = find_sources(DataFolder(folder.root), Asked(options=dialects or {}))
    return {source.file_name: source for source in sources}, warnings


def test_tables_come_first_then_the_files_that_can_be_read(folder):
    folder.file("12_x.csv", "a\n")
    folder.file("notes.txt", "a\n")
    folder.table("z.csv", "a\n")
    folder.table("b", "a\n")
    assert list(found(folder)[0]) == ["b", "z.csv", "12_x.csv"]


def test_columns_are_in_the_header_and_rows_begin_after_it(folder):
    folder.table("t.csv", '\ufeff"a ""b""","c\nd"\r\n1,2\r\n')
    source = found(folder)[0]["t.csv"]
    assert source.schema.names == ('a "b"', "c\nd")
    (part,) = source.slices
    assert (folder.root / "in" / "tables" / "t.csv").read_bytes()[part.data_start :] == b"1,2\r\n"
    assert not part.skip_header


def test_an_empty_part_says_nothing_of_the_others(folder):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"n": [1, 2]}), sink)
    folder.sliced("t", {"a": b"", "b": sink.getvalue().to_pybytes(), "c": b""}, {"columns": ["n"]})
    folder.sliced("u", {"a": "", "b": "n\n"}, {"id": "in.c-x.u", "columns": ["n"]})
    sources, warnings = found(folder)
    assert (sources["t"].kind, [part.name for part in sources["t"].slices]) == ("parquet", ["b"])
    assert sources["t"].schema.names == ("n",)
    assert "The first row of 'u' repeats the names" in " ".join(warnings)


def test_with_many_columns_a_repeated_one_is_found_at_once(folder):
    names = [f"column_{number}" for number in range(20_000)]
    folder.table("t.csv", ",".join(names) + "\n")
    assert found(folder)[0]["t.csv"].schema.names == tuple(names)
    folder.table("t.csv", ",".join([*names, "column_7"]) + "\n")
    with pytest.raises(UserError, match="column 'column_7'"):
        found(folder)


def test_only_the_source_that_is_called_is_looked_into(folder):
    folder.table("t.csv", "a\n")
    folder.table("broken.csv", "")
    folder.file("12_x.csv", "b\n")
    for called, name in (("t", "t.csv"), ("x", "12_x.csv"), ("nothing", None)):
        sources, _ = find_sources(DataFolder(folder.root), called=called)
        assert [source.file_name for source in sources] == ([name] if name else [])


def test_a_gzip_file_is_read_past_its_header_later(folder):
    folder.table("t.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0))
    source = found(folder)[0]["t.csv.gz"]
    assert source.schema.names == ("a", "b")
    assert (source.slices[0].gzip, source.slices[0].skip_header, source.slices[0].data_start) == (True, True, 0)


def test_the_columns_of_a_table_without_header_are_in_the_manifest(folder):
    folder.sliced(
        "t.csv", {"b": "\ufeff1,2\n", "a": "3,4\n", "c": gzip.compress(b"5,6\n", mtime=0)}, {"columns": ["x", "y"]}
    )
    source = found(folder)[0]["t.csv"]
    assert source.schema.names == ("x", "y")
    assert [(part.name, part.data_start, part.gzip, part.skip_header) for part in source.slices] == [
        ("a", 0, False, False),
        ("b", 3, False, False),
        ("c", 0, True, False),
    ]


def test_an_empty_slice_has_no_header_to_differ(folder):
    folder.sliced("t.csv", {"a": "", "b": "x,y\n1,2\n", "c": ""}, {"has_header": True})
    assert found(folder)[0]["t.csv"].schema.names == ("x", "y")


def test_types_dialect_and_key_are_in_the_manifest(folder):
    manifest = {
        "id": "in.c-main.t",
        "name": "t",
        "delimiter": "\t",
        "enclosure": "'",
        "primary_key": ["a"],
        "column_metadata": {"a": [{"key": "KBC.datatype.basetype", "value": "INTEGER"}]},
    }
    folder.table("t.csv", "a\tb\n", manifest)
    source = found(folder)[0]["t.csv"]
    assert source.schema.columns == (Column("a", TypeName.INTEGER), Column("b"))
    assert source.schema.primary_key == ("a",)
    assert source.typed == {"a"}
    assert source.dialect == Dialect("\t", "'")
    assert source.table_id == "in.c-main.t"
    assert source.names == ("t.csv", "t", "in.c-main.t")


@pytest.mark.parametrize("name", ["t.csv", "t", "in.c-main.t"])
def test_the_configured_dialect_counts_by_any_name(folder, name):
    folder.table("t.csv", "a|b;c\n", {"id": "in.c-main.t", "name": "t", "delimiter": "|"})
    assert found(folder, {name: TextOptions(delimiter=";")})[0]["t.csv"].schema.names == ("a|b", "c")


def test_a_file_is_called_by_its_own_name_with_and_without_id(folder):
    folder.file("12_people.tsv.gz", gzip.compress(b"a\tb\n", mtime=0))
    source = found(folder)[0]["12_people.tsv.gz"]
    assert source.own_name == "people"
    assert source.names == ("12_people.tsv.gz", "12_people", "people.tsv.gz", "people")
    assert source.dialect.delimiter == "\t"


def test_a_parquet_file_brings_its_types(folder, tmp_path):
    pq.write_table(pa.table({"a": pa.array([1], pa.int16()), "b": ["x"]}), tmp_path / "x")
    folder.file("x.parquet", (tmp_path / "x").read_bytes())
    source = found(folder)[0]["x.parquet"]
    assert (source.kind, source.own_name) == ("parquet", "x")
    assert source.schema.columns == (Column("a", TypeName.INTEGER, stored=pa.int16()), Column("b"))
    assert source.typed == {"a", "b"}


def test_parquet_slices_must_have_the_same_columns(folder, tmp_path):
    parts = {}
    for name in ("a", "b"):
        pq.write_table(pa.table({name: [1]}), tmp_path / name)
        parts[name] = (tmp_path / name).read_bytes()
    folder.sliced("x.parquet", parts, {"columns": ["a"]})
    with pytest.raises(UserError, match="The slices have different columns") as caught:
        find_sources(DataFolder(folder.root))
    assert (caught.value.code, caught.value.place.slice) == ("column.sets_differ", "b")


def test_warnings_are_those_of_all_sources(folder):
    folder.table("t.csv", "a\n")
    folder.file("f.csv", "a\n")
    for name in ("tables/t.csv", "files/f.csv"):
        (folder.root / "in" / f"{name}.manifest").unlink()
    assert [warning.split(" has no")[0] for warning in found(folder)[1]] == ["The table 't.csv'", "The file 'f.csv'"]


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("a.csv", "a"),
        ("a.CSV", "a"),
        ("a.csv.gz", "a"),
        ("a.tsv", "a"),
        ("a.parquet", "a"),
        ("a.gz", "a"),
        ("a.b.csv", "a.b"),
        (".csv", ".csv"),
        ("a", "a"),
        ("csv", "csv"),
    ],
)
def test_a_bare_name_has_no_suffix_that_tells_the_format(name, bare):
    assert bare_name(name) == bare


ZONED = ["2013-01-01T05:00:00+00:00", "2013-01-01 05:00:00.123 +0200", "2013-01-01T05:00:00Z"]


@pytest.mark.parametrize("cell", ZONED)
@pytest.mark.parametrize("packed", [False, True])
def test_the_first_records_say_whether_timestamps_have_zones(folder, cell, packed):
    manifest = {"columns": ["a", "b"], "column_metadata": {}}
    types = [{"key": "KBC.datatype.basetype", "value": "TIMESTAMP"}]
    manifest["column_metadata"] = {"a": types, "b": types}
    text = f'"a","b"\n,"2013-01-01 05:00:00"\n"{cell}",\n'.encode()
    folder.table("t.csv", gzip.compress(text, mtime=0) if packed else text, manifest)
    columns = found(folder)[0]["t.csv"].schema.columns
    assert columns == (zoned(Column("a", TypeName.TIMESTAMP)), Column("b", TypeName.TIMESTAMP))


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_lenient_reading_cuts_nanoseconds_to_the_microsecond_before_and_says_so(folder, tmp_path, kind):
    rows = pa.table({"z": pa.array([-1, 1500, None], pa.timestamp("ns")), "n": [1, 2, 3]})
    sink = pa.BufferOutputStream()
    if kind == "parquet":
        pq.write_table(rows, sink)
    else:
        with (pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream)(sink, rows.schema) as writer:
            writer.write_table(rows)
    folder.file("x.bin", sink.getvalue().to_pybytes())
    reading = FileReading(reading="lenient")
    asked = Asked(files={"x.bin": reading}, named=frozenset({"x.bin"}), scratch=tmp_path)
    sources, said = find_sources(DataFolder(folder.root), asked)
    with pa.ipc.open_file(sources[0].slices[0].location) as file:
        assert file.read_all()["z"].cast(pa.int64()).to_pylist() == [-1, 1, None]
    assert any("Rounded 2 values of column" in text for text in said)
