"""The contract of `Listing`, held for a folder and for a bucket; and what only one of them has."""

from __future__ import annotations

from pathlib import Path

import pytest

from component.errors import UserError
from component.records.places import BucketListing, LocalListing, last_step, open_listing, path_of_url
from component.staging.locations import open_location, size_of
from tests.records.listings import bucket_listing, local_listing

NAMES = ["_manifest", "data001.csv", "data 2%20ä#?.csv", ".hidden"]


@pytest.fixture(params=["folder", "bucket"])
def listing(request, tmp_path):
    if request.param == "folder":
        return local_listing(tmp_path)
    return bucket_listing(request.getfixturevalue("s3"), tmp_path)


def test_what_is_put_is_listed_and_read(listing):
    assert listing.names() == ()
    for name in NAMES:
        listing.put(name, name.encode())
    assert listing.names() == tuple(sorted(NAMES))
    for name in NAMES:
        assert listing.read(name) == name.encode()
        location = listing.locate(name)
        assert size_of(location) == len(name.encode())
        with open_location(location) as file:
            assert file.read(100) == name.encode()


def test_what_is_not_there_is_none(listing):
    assert listing.read("_manifest") is None
    assert listing.locate("data001.csv") is None
    listing.delete("data001.csv")


def test_a_file_of_this_machine_is_uploaded(listing, tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 20_000_000)
    listing.upload("data001.csv", tmp_path / "large")
    assert listing.read("data001.csv") == b"x" * 20_000_000
    assert listing.names() == ("data001.csv",)


def test_a_file_is_replaced_and_deleted(listing):
    listing.put("x", b"one")
    listing.put("x", b"two")
    assert listing.read("x") == b"two"
    listing.delete("x")
    assert listing.names() == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_url_of_a_file_leads_back_to_it(listing, name):
    assert listing.name_of(listing.url_of(name)) == name
    listing.put(name, b"x")
    assert size_of(listing.elsewhere(listing.url_of(name))) == 1


def test_urls_of_other_places_are_outside(listing):
    for url in ("file:///other/data001.csv", "s3://other/data001.csv", listing.url + "deeper/data001.csv", listing.url):
        assert listing.name_of(url) is None
    for url in ("file:///other/nothing.csv", "gs://b/k", "file://host/x", "file:relative", "file:///x%00y"):
        assert listing.elsewhere(url) is None


def test_files_of_deeper_folders_are_not_listed(s3, tmp_path):
    folder = local_listing(tmp_path)
    (folder.root / "deeper").mkdir(parents=True)
    (folder.root / "deeper" / "data001.csv").touch()
    assert folder.names() == ()
    bucket = bucket_listing(s3, tmp_path)
    bucket.put("deeper/data001.csv", b"")
    assert bucket.names() == ()


def test_an_unfinished_put_leaves_nothing(tmp_path, monkeypatch):
    folder = local_listing(tmp_path)
    folder.put("x", b"")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(UserError) as failed:
        folder.put("_manifest", b"{}")
    assert failed.value.code == "store.full"
    assert folder.names() == ("x",)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("file:///data/x/a%20b.csv", "/data/x/a b.csv"),
        ("file:///data/x/a b.csv", "/data/x/a b.csv"),
        ("file:/data/x.csv", "/data/x.csv"),
        ("file://localhost/data/x.csv", "/data/x.csv"),
        ("FILE:///data/x.csv", "/data/x.csv"),
        ("file:///data/x%2Fy", "/data/x/y"),
        ("file://host/data/x.csv", None),
        ("file:x.csv", None),
        ("s3://b/k", None),
        ("file://[bad/x", None),
    ],
)
def test_file_urls_are_decoded_and_need_an_absolute_path(url, path):
    assert path_of_url(url) == (None if path is None else Path(path))


def test_the_folder_is_the_same_through_links_and_dots(tmp_path):
    folder = LocalListing(tmp_path / "real")
    folder.put("x.csv", b"")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert folder.name_of((tmp_path / "link" / "x.csv").as_uri()) == "x.csv"
    assert folder.name_of(f"{folder.url}../real/x.csv") == "x.csv"
    assert folder.name_of(f"{folder.url}../x.csv") is None


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("s3://b/p/a%20b.csv", ("a b.csv", "a%20b.csv")),
        ("file:///x/plain.csv", ("plain.csv",)),
        ("file:///x/..", ()),
        ("file:///x/a%2F..%2Fb", ("a%2F..%2Fb",)),
        ("file:///x/a%00", ("a%00",)),
    ],
)
def test_the_last_step_of_a_url_is_a_plain_name(url, names):
    assert last_step(url) == names


def test_a_url_of_hadoop_names_the_same_object(s3, tmp_path):
    bucket = bucket_listing(s3, tmp_path)
    assert bucket.name_of(f"s3a://records/{bucket.prefix}x.csv") == "x.csv"


def test_a_bucket_is_opened_with_the_variables_of_amazons_clients():
    variables = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key", "AWS_DEFAULT_REGION": "eu-west-1"}
    found = open_listing("s3a://bucket/a/b", variables)
    assert isinstance(found, BucketListing)
    assert (found.url, found.bucket.region) == ("s3://bucket/a/b/", "eu-west-1")
    assert open_listing("s3://bucket", variables).url == "s3://bucket/"
    assert "key" not in repr(found)


def test_a_path_with_a_colon_is_no_url():
    assert open_listing("odd:name", {}) == LocalListing(Path("odd:name"))


@pytest.mark.parametrize("place", ["/data/x", "file:///data/x/", Path("/data/x")])
def test_a_folder_is_opened_by_path_or_url(place):
    assert open_listing(place, {}).url == "file:///data/x/"


@pytest.mark.parametrize(
    ("place", "variables", "code"),
    [
        ("gs://bucket/x", {}, "store.url"),
        ("https://host/x", {}, "store.url"),
        ("file://host/x", {}, "store.url"),
        ("s3:///x", {}, "store.url"),
        ("s3://bucket/x", {}, "staged.credentials"),
        ("s3://bucket/x", {"AWS_REGION": "a b"}, "config.value"),
    ],
)
def test_what_cannot_be_opened_is_refused(place, variables, code):
    with pytest.raises(UserError) as refused:
        open_listing(place, variables)
    assert refused.value.code == code
