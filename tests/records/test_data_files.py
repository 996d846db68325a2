from __future__ import annotations

import json

import pytest

from component.errors import Place, UserError
from component.records.data_files import SearchRules, find_files
from component.records.manifest import parse_manifest
from component.records.places import LocalListing
from component.records.waiting import Patience
from tests.records.making import entry_of, make_directory

PLACE = Place(table="orders")


def found(root, entries=None, **rules):
    data = (root / "_manifest").read_bytes() if entries is None else json.dumps({"entries": entries}).encode()
    files, said = find_files(parse_manifest(data), LocalListing(root), SearchRules(**rules), PLACE)
    return [file.name for file in files], [one.code for one in said]


def refused(root, entries=None, **rules):
    with pytest.raises(UserError) as error:
        found(root, entries, **rules)
    assert error.value.place.table == "orders"
    return error.value


def test_files_come_in_the_order_of_the_manifest(tmp_path):
    root = make_directory(tmp_path / "r", {"b.csv": b"1", "a.csv": b"22"})
    assert found(root) == (["b.csv", "a.csv"], [])


def test_an_empty_manifest_has_no_files(tmp_path):
    assert found(make_directory(tmp_path / "r", {})) == ([], [])


def test_a_moved_directory_is_read_with_one_remark(tmp_path):
    root = make_directory(tmp_path / "r", {"a b.csv": b"1", "c.csv": b"2"}).rename(tmp_path / "moved")
    assert found(root) == (["a b.csv", "c.csv"], ["manifest.moved"])


def test_a_copy_is_read_and_not_what_it_was_copied_from(tmp_path):
    root = make_directory(tmp_path / "r")
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "data001.csv").write_bytes((root / "data001.csv").read_bytes())
    files, _ = find_files(parse_manifest((root / "_manifest").read_bytes()), LocalListing(copy), SearchRules(), PLACE)
    assert files[0].location == copy / "data001.csv"


def test_a_directory_from_a_bucket_is_read_where_it_was_downloaded_to(tmp_path):
    root = make_directory(tmp_path / "r", {"0000_part_00": b"1"}, entries=[{"url": "s3://bucket/unload/0000_part_00"}])
    assert found(root) == (["0000_part_00"], ["manifest.moved"])


def test_a_file_outside_is_refused_unless_it_is_allowed(tmp_path):
    outside = tmp_path / "secret.csv"
    outside.write_bytes(b"1")
    root = make_directory(tmp_path / "r", {}, entries=[entry_of(outside)])
    error = refused(root)
    assert error.code == "records.manifest"
    assert "outside" in str(error)
    assert found(root, outside=True) == ([outside.as_uri()], ["manifest.outside"])


def test_a_file_outside_is_refused_also_by_a_way_through_the_directory(tmp_path):
    outside = tmp_path / "secret.csv"
    outside.write_bytes(b"1")
    root = make_directory(tmp_path / "r", {})
    assert refused(root, [{"url": f"{root.as_uri()}/../secret.csv"}]).code == "records.manifest"
    assert refused(root, [{"url": f"{root.as_uri()}/%2e%2e/secret.csv"}]).code == "records.manifest"


@pytest.mark.parametrize("mandatory", [True, None])
def test_a_missing_file_is_an_error_also_where_nothing_is_said(tmp_path, mandatory):
    root = make_directory(tmp_path / "r")
    entries = [entry_of(root / "data001.csv"), entry_of(root / "data002.csv", mandatory=mandatory)]
    error = refused(root, entries)
    assert error.code == "records.file"
    assert "data002.csv" in str(error)


def test_a_url_of_a_scheme_that_cannot_be_read_is_called_that(tmp_path):
    root = make_directory(tmp_path / "r")
    error = refused(root, [{"url": "ftp://host/data009.csv"}])
    assert error.code == "records.manifest"
    assert "files cannot be read from ftp: URLs" in str(error)
    assert "file:// or s3://" in error.remedy


def test_lax_leaves_out_a_missing_file_of_which_nothing_is_said(tmp_path):
    root = make_directory(tmp_path / "r")
    entries = [entry_of(root / "data001.csv"), entry_of(root / "data002.csv", mandatory=None)]
    assert found(root, entries, lax=True) == (["data001.csv"], ["manifest.optional"])
    entries[1]["mandatory"] = True
    assert refused(root, entries, lax=True).code == "records.file"


def test_a_missing_file_that_is_not_mandatory_is_left_out_with_a_remark(tmp_path):
    root = make_directory(tmp_path / "r")
    entries = [entry_of(root / "data001.csv"), entry_of(root / "data002.csv", mandatory=False)]
    assert found(root, entries) == (["data001.csv"], ["manifest.optional"])


def test_that_no_file_is_there_is_an_error_whatever_is_mandatory(tmp_path):
    root = make_directory(tmp_path / "r", {})
    assert refused(root, [entry_of(root / "x.csv", mandatory=False)]).code == "records.file"


def test_a_file_of_another_length_is_refused_with_both(tmp_path):
    root = make_directory(tmp_path / "r")
    entries = [entry_of(root / "data001.csv", meta={"content_length": 5})]
    error = refused(root, entries)
    assert error.code == "records.file"
    assert error.place.slice == "data001.csv"
    assert "has 4 bytes" in str(error)
    assert "says 5" in str(error)
    assert found(root, entries, lax=True) == (["data001.csv"], ["manifest.length"])


@pytest.mark.parametrize("name", ["_data.csv", ".data.csv"])
def test_a_hidden_file_is_no_data_file(tmp_path, name):
    root = make_directory(tmp_path / "r", {name: b"1"})
    assert refused(root).code == "records.manifest"
    assert found(root, lax=True) == ([name], ["manifest.hidden"])


def test_a_file_that_is_named_twice_is_refused(tmp_path):
    root = make_directory(tmp_path / "r")
    twice = [entry_of(root / "data001.csv"), {"url": "s3://old/place/data001.csv"}]
    error = refused(root, twice)
    assert error.code == "records.manifest"
    assert "twice" in str(error)


def test_files_that_the_manifest_does_not_name_are_ignored_with_a_remark(tmp_path):
    root = make_directory(tmp_path / "r")
    for name in ("more.csv", "_other", ".hidden", "_SUCCESS"):
        (root / name).touch()
    assert found(root) == (["data001.csv"], ["manifest.unlisted"])


def test_a_mandatory_file_is_waited_for(tmp_path):
    root = make_directory(tmp_path / "r", {}, entries=[entry_of(tmp_path / "r" / "late.csv")])
    patience = Patience(10, sleep=lambda _: (root / "late.csv").write_bytes(b"1"))
    assert found(root, patience=patience) == (["late.csv"], [])
