from __future__ import annotations

import json

import pytest

from component.errors import Place, UserError
from component.folder.manifest_object import ManifestObject


@pytest.fixture
def read(tmp_path):
    def read(value):
        path = tmp_path / "a.manifest"
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return ManifestObject.read(path, Place(table="a"))

    return read


@pytest.mark.parametrize("text", ["{}", "[]", "null", "\ufeff{}"])
def test_empty_manifests_have_many_forms(read, text):
    assert read(text).values == {}


def test_nulls_are_no_values(read):
    found = read(dict.fromkeys("abcdef"))
    assert (found.text("a"), found.flag("b"), found.whole("c"), found.texts("d"), found.objects("e")) == (
        None,
        None,
        None,
        (),
        (),
    )
    assert found.object("f").values == {}


def test_values_come_in_the_forms_that_php_gives_them(read):
    found = read({"a": 5, "b": "7", "c": {}, "d": [], "e": [{"x": 1}, []], "f": ["x", 0]})
    assert (found.text("a"), found.whole("b"), found.texts("c"), found.texts("f")) == ("5", 7, (), ("x", "0"))
    assert found.object("d").values == {}
    assert [entry.values for entry in found.objects("e")] == [{"x": 1}, {}]
    assert found.object("e").object("0").whole("x") == 1


@pytest.mark.parametrize(
    ("ask", "value", "text"),
    [
        ("text", [], "k must be a text, but is a list"),
        ("text", True, "k must be a text, but is true"),
        ("flag", "true", 'k must be true or false, but is the text "true"'),
        ("whole", "1.5", 'k must be a whole number, but is the text "1.5"'),
        ("whole", False, "k must be a whole number, but is false"),
        ("whole", "9" * 40, 'k must be a whole number, but is the text "9'),
        ("texts", "a", 'k must be a list, but is the text "a"'),
        ("texts", ["a", None], "k[1] must be a text, but is null"),
        ("objects", [{}, 1], "k[1] must be an object, but is the number 1"),
        ("object", "a", 'k must be an object, but is the text "a"'),
    ],
)
def test_wrong_shapes_are_said_with_file_and_path(read, ask, value, text):
    with pytest.raises(UserError) as caught:
        getattr(read({"k": value}), ask)("k")
    assert caught.value.code == "source.manifest"
    assert caught.value.place.table == "a"
    assert f"a.manifest' is not right: {text}" in caught.value.text


def test_the_path_goes_through_all_objects(read):
    found = read({"schema": [{"data_type": {"base": {"type": []}}}]})
    with pytest.raises(UserError, match=r"schema\[0\]\.data_type\.base\.type must be a text"):
        found.objects("schema")[0].object("data_type").object("base").text("type")


@pytest.mark.parametrize(
    ("text", "message"), [("", "is empty"), ("{", "is not JSON at line 1"), ("5", "it must be an object")]
)
def test_what_is_no_object_is_said(read, text, message):
    with pytest.raises(UserError, match=message) as caught:
        read(text)
    assert caught.value.code == "source.manifest"


def test_a_manifest_that_cannot_be_read_is_said(tmp_path):
    with pytest.raises(UserError, match="cannot be read") as caught:
        ManifestObject.read(tmp_path, Place())
    assert caught.value.code == "source.manifest"
