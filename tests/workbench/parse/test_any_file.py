"""What a file is, and its table."""

import bz2
import gzip
import io
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from component.errors import Place, UserError
from component.workbench.files.http_file import HttpFile, write_http_file
from component.workbench.parse.any_file import parse_file, recognise
from component.workbench.parse.delimited import parse_params_table
from component.workbench.parse.kind import ContentKind
from component.workbench.parse.options import ParseOptions
from component.workbench.rules.reading import ReadingMode

PLACE = Place(table="t")
LENIENT, STRICT = ParseOptions(ReadingMode.LENIENT), ParseOptions(ReadingMode.STRICT)
CSV = b"a,b\n1,2"
ROWS = {"a": ["1"], "b": ["2"]}


def zipped(**files):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return sink.getvalue()


def parquet():
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": [1]}), sink)
    return sink.getvalue()


def arrow(stream=False):
    sink = io.BytesIO()
    table = pa.table({"a": [1]})
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"", "x.csv", ContentKind.EMPTY),
        (parquet(), "x.csv", ContentKind.PARQUET),
        (arrow(), "x", ContentKind.ARROW),
        (arrow(stream=True), "x", ContentKind.ARROW_STREAM),
        (b"Obj\x01....", "x", ContentKind.AVRO),
        (CSV, "x.CSV", ContentKind.CSV),
        (CSV, "data.2020.csv", ContentKind.CSV),
        (CSV, "x.tsv", ContentKind.TSV),
        (CSV, "x.csv.gz", ContentKind.CSV),
        (CSV, "x.parquet", ContentKind.UNKNOWN),
        (b"PAR1", "x.txt", ContentKind.TEXT),
    ],
)
def test_bytes_decide_before_names(data, name, kind):
    assert recognise(data, name, STRICT, PLACE).kind is kind


def test_the_type_decides_before_the_name():
    assert recognise(CSV, "x.json", ParseOptions(mime_type="text/csv; charset=utf-8"), PLACE).kind is ContentKind.CSV


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(CSV, mtime=0),
        gzip.compress(CSV[:3], mtime=0) + gzip.compress(CSV[3:], mtime=0),
        bz2.compress(CSV),
        zstandard.compress(CSV),
        zipped(inside_csv=CSV),
        gzip.compress(bz2.compress(CSV), mtime=0),
    ],
)
@pytest.mark.parametrize("options", [LENIENT, STRICT])
def test_a_packed_file_is_what_is_in_it(packed, options):
    assert parse_file(packed, "x.csv", options, PLACE).table.rows.to_pydict() == ROWS


@pytest.mark.parametrize(
    "packed", [gzip.compress(CSV, mtime=0)[:-9], bz2.compress(CSV)[:-9], zstandard.compress(CSV)[:-1]]
)
def test_a_damaged_packing_is_an_error(packed):
    with pytest.raises(UserError) as caught:
        parse_file(packed, "x.csv", LENIENT, PLACE)
    assert caught.value.code == "gzip.truncated"


def test_a_zip_of_several_files_is_refused():
    with pytest.raises(UserError, match="2 files"):
        parse_file(zipped(a_csv=CSV, b_csv=CSV), "x.zip", LENIENT, PLACE)


@pytest.mark.parametrize(
    ("headers", "url", "name"),
    [
        ([("Content-Type", "text/csv; charset=latin-1")], "http://x/", "f"),
        ([("content-disposition", 'attachment; filename="a.csv"')], "http://x/a.json", "f"),
        ([], "http://x/dir/a%20b.csv?type=.json", "f"),
        ([], "http://x/", "f.csv.httpfile"),
    ],
)
def test_an_httpfile_is_its_body_by_what_the_server_says(headers, url, name):
    data = write_http_file(HttpFile({"url": url}, "200 OK", tuple(headers), CSV))
    assert parse_file(data, name, STRICT, PLACE).table.rows.to_pydict() == ROWS


def test_the_charset_of_the_server_is_binding_but_not_where_it_lies():
    body = "a\nž".encode()
    header = (("Content-Type", "text/csv; charset=latin-1"),)
    told = write_http_file(HttpFile({"url": "http://x/"}, "200 OK", header, body))
    drive = write_http_file(HttpFile({"url": "https://www.googleapis.com/drive/v3/x"}, "200 OK", header, body))
    assert parse_file(told, "x", STRICT, PLACE).table.rows["a"].to_pylist() == ["Å¾"]
    assert parse_file(drive, "x", STRICT, PLACE).table.rows["a"].to_pylist() == ["ž"]


def test_text_of_no_kind_is_looked_at_or_refused():
    assert parse_file(b"a;b\n1;2", "x.txt", LENIENT, PLACE).table.rows.to_pydict() == ROWS
    assert parse_file(b"a;b\n1;2", "x.txt", ParseOptions(delimiter=";"), PLACE).table.rows.to_pydict() == ROWS
    with pytest.raises(UserError, match="delimited"):
        parse_file(b"a;b\n1;2", "x.txt", STRICT, PLACE)


def test_an_unknown_kind_is_an_empty_table_with_a_message_or_refused():
    parsed = parse_file(b"?", "data.2020.what", LENIENT, PLACE)
    assert parsed.table.columns == ()
    assert [(message.id, message.arguments) for message in parsed.messages] == [
        ("file.unknown_ext", {"ext": ".2020.what"})
    ]
    with pytest.raises(UserError) as caught:
        parse_file(b"?", "data.2020.what", STRICT, PLACE)
    assert caught.value.code == "source.format"


def test_a_table_in_the_configuration():
    assert parse_params_table("a;b\n1;ž", LENIENT, PLACE).table.rows.to_pydict() == {"a": ["1"], "b": ["ž"]}


@pytest.mark.parametrize("name", ["page.csv", "page.tsv", "page.txt"])
@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html>\n<p>a,b", b"\xef\xbb\xbf <html><body>", b"<!-- a,b -->\n<HTML lang='en'>", b"<head>"]
)
def test_a_page_of_html_is_not_a_table_in_strict_mode(name, page):
    with pytest.raises(UserError, match="a page of HTML") as refused:
        parse_file(page, name, STRICT, PLACE)
    assert (refused.value.code, refused.value.place) == ("source.format", PLACE)
    assert refused.value.remedy


def test_text_about_html_is_a_table():
    assert parse_file(b"tag,means\n<html>,a page\n", "t.csv", STRICT, PLACE).table.rows["tag"].to_pylist() == ["<html>"]


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t"])
@pytest.mark.parametrize("part", [0.3, 0.9])
def test_a_truncated_parquet_file_is_called_that(name, part):
    data = parquet()
    with pytest.raises(UserError, match="The Parquet file is truncated") as refused:
        parse_file(data[: int(len(data) * part)], name, STRICT, PLACE)
    assert refused.value.code == "source.format"
