"""Issue 5: how records directories are read in whole runs: every option, archives, and what is said of doubts."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile

import pytest

from tests.records.making import entry_of, make_directory

FIELDS = ["id", "s"]


def schema_of(**types: str) -> dict:
    fields = {name: {"type": kind, "index": index} for index, (name, kind) in enumerate(types.items(), 1)}
    return {"schema": "bltypes/v1", "fields": fields, "known_representations": {}}


@pytest.fixture
def orders(folder):
    """Make a records directory in in/files."""

    def make(files=None, name="orders", **options):
        return make_directory(folder.root / "in/files" / name, files, **options)

    return make


@pytest.fixture
def read(folder, run):
    """Run with one table of one source; return the rows, and what was said."""

    def read_source(source="orders", **reading):
        table = {"source": source, **({"records": reading} if reading else {})}
        folder.configure(datasets=[{"uuid": "t", "tables": [table]}], outputs=[{"dataset": "t"}])
        outcome = run()
        assert outcome.done, outcome.err
        return folder.rows("t"), outcome.out

    return read_source


def packed(root, kind):
    sink = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(sink, "w") as archive:
            for path in root.iterdir():
                archive.write(path, f"orders/{path.name}")
    else:
        with tarfile.open(fileobj=sink, mode=f"w:{kind}") as archive:
            archive.add(root, "orders")
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "kind"),
    [("o.zip", "zip"), ("o.tar", ""), ("o.tar.gz", "gz"), ("o.tgz", "gz"), ("o.tar.bz2", "bz2"), ("17_o.tar.xz", "xz")],
)
def test_an_archive_in_files_is_known_by_its_content_and_called_without_suffix(folder, run, tmp_path, name, kind):
    root = make_directory(tmp_path / "made", {"data001.csv": b"1,a\n", "data002.csv": b"2,b\n"})
    folder.file(name, packed(root, kind))
    outcome = run()
    assert outcome.done, outcome.err
    assert folder.out_tables == ["o"]
    assert folder.rows("o") == [("1", "a"), ("2", "b")]


def test_other_archives_are_no_records_directories(folder, run, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n")
    for kind in ("", "gz"):
        with tarfile.open(tmp_path / "x.tar", f"w:{kind}") as archive:
            archive.add(tmp_path / "x.csv", "x.csv")
        folder.file(f"x{kind}.tar", (tmp_path / "x.tar").read_bytes())
    folder.file("broken.tar", gzip.compress((tmp_path / "x.tar").read_bytes(), mtime=0)[:40])
    folder.table("t.csv", "a\n1\n")
    outcome = run()
    assert outcome.done, outcome.err
    assert folder.out_tables == ["t"]


def test_several_directories_of_one_bucket_of_types_are_tables_of_their_own(folder, run, orders):
    orders(name="one")
    orders({"data001.csv": b"2|b\n"}, name="two", hints={"field-delimiter": "|"})
    outcome = run()
    assert outcome.done, outcome.err
    assert (folder.rows("one"), folder.rows("two")) == ([("1", "a")], [("2", "b")])


@pytest.mark.parametrize(
    ("zone", "meant"), [(None, "2001-07-03 10:00:00.000000"), ("US/Eastern", "2001-07-03 14:00:00.000000")]
)
def test_the_zone_of_moments_without_offset_can_be_said(orders, read, zone, meant):
    orders(
        {"data001.csv": b"2001-07-03 10:00:00\n2001-07-03 10:00:00+0000\n"},
        schema=schema_of(at="datetimetz"),
    )
    rows, _ = read(**({"assume_timezone": zone} if zone else {}))
    assert sorted({meant, "2001-07-03 10:00:00.000000"}) == sorted({row[0] for row in rows})


def test_a_zone_that_is_none_is_refused(folder, refused, orders):
    orders(schema=schema_of(at="datetimetz", s="string"))
    table = {"source": "orders", "records": {"assume_timezone": "Mars/Olympus"}}
    folder.configure(datasets=[{"uuid": "t", "tables": [table]}], outputs=[{"dataset": "t"}])
    refused("records.hint", "Mars/Olympus")


def test_a_quoted_empty_cell_can_be_the_empty_string(orders, read):
    orders({"data001.csv": b'1,""\n2,\n'}, variant="csv")
    assert read()[0] == [("1", None), ("2", None)]
    assert read(keep_quoted_empty=True)[0] == [("1", ""), ("2", None)]


def test_hints_stand_above_those_of_the_directory(orders, read):
    orders({"data001.csv": b"1|a\n"})
    assert read(hints={"field-delimiter": "|"})[0] == [("1", "a")]


def test_what_lax_ignores_is_said(orders, read):
    orders(hints={"colour": "red", "dateformat": "YYYY-MON-DD"})
    rows, out = read(lax=True)
    assert rows == [("1", "a")]
    assert 'warning: orders: The hint "colour" with the value "red" is not known' in out
    assert 'The hint dateformat has the value "YYYY-MON-DD"' in out


def test_lax_does_without_a_schema_and_says_so(orders, read):
    orders({"data001.csv": b"n,m\n1,x\n"}, schema=None, hints={"header-row": True})
    rows, out = read(lax=True)
    assert rows == [("1", "x")]
    assert "There is no schema: the columns are those of data001.csv, all of them strings." in out


def test_an_unknown_type_is_a_string_with_lax(folder, refused, orders, read):
    orders(schema=schema_of(id="geometry", s="string"))
    folder.configure()
    refused("records.schema", "geometry")
    rows, out = read(lax=True)
    assert rows == [("1", "a")]
    assert "geometry" in out


def test_every_header_that_differs_is_told_of(orders, read):
    files = {"data001.csv": b"id,s\n1,a\n", "data002.csv": b"s,id\n2,b\n", "data003.csv": b"x,y\n3,c\n"}
    orders(files, hints={"header-row": True})
    rows, out = read()
    assert rows == [("1", "a"), ("2", "b"), ("3", "c")]
    assert "The header of data002.csv is 's', 'id', and the schema names 'id', 's', which count." in out
    assert "Headers of 1 more files differ too." in out


def test_the_index_of_the_schema_counts_above_the_order_of_its_keys(folder, orders, read):
    schema = schema_of(s="string", id="integer")
    schema["fields"]["s"]["index"], schema["fields"]["id"]["index"] = 2, 1
    orders(schema=schema)
    rows, out = read()
    assert (folder.columns("t"), rows) == (["id", "s"], [("1", "a")])
    assert "By index the columns are 'id', 's', and by the order of the keys 's', 'id': the index counts." in out


def test_a_file_that_may_be_missing_is_left_out_with_a_word(folder, orders, read):
    root = folder.root / "in/files/orders"
    root.mkdir()
    entries = [{"url": (root / name).as_uri(), "mandatory": name == "data001.csv"} for name in ("data001.csv", "gone")]
    orders(entries=entries)
    rows, out = read()
    assert rows == [("1", "a")]
    assert "gone, which is not mandatory, is missing and left out" in out


def test_files_outside_are_read_only_if_that_is_allowed(folder, refused, orders, read, tmp_path):
    outside = tmp_path / "elsewhere.csv"
    outside.write_bytes(b"9,z\n")
    orders(entries=[entry_of(outside)])
    folder.configure()
    refused("records.manifest", "lies outside of the directory")
    rows, out = read(outside=True)
    assert rows == [("9", "z")]
    assert "files outside of the directory are read" in out


def test_a_directory_at_a_url_is_read_and_waited_for_no_longer_than_is_said(folder, refused, read, tmp_path):
    root = make_directory(tmp_path / "far away")
    assert read(f"{root.as_uri()}/")[0] == [("1", "a")]
    (root / "_manifest").unlink()
    table = {"source": f"{root.as_uri()}/", "records": {"wait_seconds": 1}}
    folder.configure(datasets=[{"uuid": "t", "tables": [table]}], outputs=[{"dataset": "t"}])
    refused("records.incomplete", "after 1 seconds")


def test_the_defaults_of_the_spec_can_be_asked_for(orders, read):
    root = orders({"data001.csv": b"10:11\n"}, schema=schema_of(t="time"))
    assert read(defaults="spec")[0] == [("10:11:00",)]
    assert json.loads((root / "_format_delimited").read_text())["variant"] == "bluelabs"
