from __future__ import annotations

import json
import os

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from component.config import json_text
from component.config.json_text import JsonFaultError, describe, json_path, parse_json, read_document_file, read_json
from tests.strategies.json_values import values


@given(value=values, ascii_only=st.booleans(), bom=st.sampled_from((b"", b"\xef\xbb\xbf")))
def test_every_json_value_comes_back(value, ascii_only, bom):
    assert parse_json(bom + json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(data=st.binary(max_size=40) | st.text('[]{}",:0e.-\\udtrfalsn ', max_size=40).map(str.encode))
def test_any_bytes_are_a_value_or_a_fault(data):
    try:
        value = parse_json(data)
    except JsonFaultError:
        event("fault")
    else:
        event("value")
        assert json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ('{"a": 1,\n "b": }', "is not JSON at line 2, column 7: Expecting value"),
        ("{} x", "is not JSON at line 1, column 4: Extra data"),
        ('{"a": NaN}', "holds NaN, which is not JSON"),
        ("[-Infinity]", "holds -Infinity, which is not JSON"),
        ("[1e999]", "holds the number 1e999, which is too large"),
        (f"[{'9' * 5000}]", "holds a whole number of 5000 digits, which is too large"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", "is nested more than 100 levels deep at a[0][0]…"),
        ('{"a": [{"b": 1, "c": 2, "b": 3}]}', "has the key a[0].b twice"),
        ('{"a": 1, "a": 1}', "has the key a twice"),
        (r'{"a": "\ud800"}', "holds half of a surrogate pair at a"),
        (r'{"a": {"\udc00": 1}}', "holds half of a surrogate pair in a key of a"),
    ],
)
def test_a_text_without_one_meaning_is_refused(text, message):
    with pytest.raises(JsonFaultError) as caught:
        parse_json(text.encode())
    assert str(caught.value) == message


def test_bytes_that_are_no_utf8_are_refused_with_their_place():
    with pytest.raises(JsonFaultError, match="is not UTF-8 at byte 2"):
        parse_json(b'["\xff"]')


def test_a_whole_pair_is_text():
    assert parse_json(rb'"\ud83d\ude00"') == "\N{GRINNING FACE}"


def test_reading_a_file_that_is_not_there_is_left_to_the_caller(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "config.json")


def test_paths_are_written_as_everyone_writes_them():
    steps = ("parameters", "datasets", 0, "columns", "two words", 'a"b', "#key")
    assert json_path(steps) == 'parameters.datasets[0].columns["two words"]["a\\"b"].#key'
    assert json_path(()) == ""


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (0, "the number 0"),
        (1.5, "the number 1.5"),
        ("x", 'the text "x"'),
        ({"#secret": "x"}, "an object"),
        (["x"], "a list"),
    ],
)
def test_values_are_described_without_what_lies_inside(value, words):
    assert describe(value) == words


def test_what_would_never_end_or_wait_for_a_writer_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    for name, said in (("pipe", "no file"), ("endless", "no file"), ("folder", "a folder")):
        with pytest.raises(OSError, match=said):
            read_document_file(tmp_path / name)


def test_a_document_that_would_fill_the_memory_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(json_text, "LONGEST", 10)
    path = tmp_path / "config.json"
    path.write_bytes(b"[123456789")
    assert read_document_file(path) == b"[123456789"
    path.write_bytes(b"[1234567890]")
    with pytest.raises(JsonFaultError, match="is longer than"):
        read_document_file(path)
