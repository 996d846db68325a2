"""Httpfiles, to the byte."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.workbench.files.http_file import (
    HttpFile,
    fetch_parameters,
    kept_headers,
    read_http_file,
    write_http_file,
)

PLACE = Place(table="t")
PRINTABLE = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=10)
NAMES = st.sampled_from(["Content-Type", "content-disposition", "Server", "Content-Length", "transfer-encoding"])


@given(PRINTABLE, st.lists(st.tuples(NAMES, PRINTABLE.map(str.strip)), max_size=4), st.binary(max_size=50))
def test_what_is_written_is_read_back_and_equal_input_gives_equal_bytes(url, headers, body):
    file = HttpFile({"url": url, "ž": [1]}, "404 Not Found", tuple(headers), body)
    data = write_http_file(file)
    assert data == write_http_file(file)
    assert data[:10] == bytes.fromhex("1f8b08000000000002ff")
    assert read_http_file(data, PLACE, strict=True) == file


def test_the_layout_is_the_one_of_the_reference():
    headers = (("Content-Type", "text/csv"), ("Date", "today"), ("Content-Length", "3"))
    data = write_http_file(HttpFile({"url": "http://x/ž", "a": 1}, "200 OK", headers, b"a,b"))
    head = '{"a":1,"url":"http://x/ž"}\r\n200 OK\r\nContent-Type: text/csv\r\nCjw-Original-Content-Length: 3\r\n\r\n'
    assert gzip.decompress(data) == head.encode() + b"a,b"


def test_headers_that_change_with_every_fetch_are_left_out():
    assert kept_headers([("Date", "now"), ("ETag", "x"), ("SERVER", "s")]) == [("SERVER", "s")]


def test_a_secret_is_never_a_parameter():
    assert fetch_parameters("http://x", **{"#token": "s3cret", "page": 1}) == {"url": "http://x", "page": 1}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}\r\n",
        b"{}\r\n200 OK\r\n",
        b"[]\r\n200 OK\r\n\r\n",
        b"{\r\n200 OK\r\n\r\n",
        b"{}\r\n200 OK\r\nno colon\r\n\r\n",
    ],
)
def test_what_is_no_httpfile_is_refused(text):
    with pytest.raises(UserError) as caught:
        read_http_file(gzip.compress(text, mtime=0), PLACE)
    assert caught.value.code == "workbench.http_file"


@pytest.mark.parametrize("text", [b"{}\n200 OK\n\n", b"{}\r\nfine\r\n\r\n"])
def test_strict_reading_takes_the_exact_layout_only(text):
    assert read_http_file(gzip.compress(text, mtime=0), PLACE).body == b""
    with pytest.raises(UserError):
        read_http_file(gzip.compress(text, mtime=0), PLACE, strict=True)


@pytest.mark.parametrize(
    ("head", "headers"),
    [
        ("X: a\xa0\r\n", [("X", "a")]),
        (" X:  b \r\n", [("X", "b")]),
        ("X:\ta\r\n", [("X", "\ta")]),
        ("\x85\r\n", []),
        ("Cjw-Original-A: 1\r\ncjw-original-B: 2\r\n", [("A", "1"), ("cjw-original-B", "2")]),
    ],
)
def test_lenient_reading_takes_blanks_as_workbench_does(head, headers):
    text = "{}\r\n200 OK\r\n" + head + "\r\nbody"
    file = read_http_file(gzip.compress(text.encode("latin-1"), mtime=0), PLACE)
    assert list(file.headers) == headers
    assert file.body.endswith(b"body")


@pytest.mark.parametrize("bad", ["x\ny", "x\r"])
def test_a_line_end_in_a_header_is_not_written(bad):
    with pytest.raises(ValueError, match="line end"):
        write_http_file(HttpFile({"url": "u"}, "200 OK", (("Server", bad),)))
