from __future__ import annotations

import io
import tarfile
import zipfile
from contextlib import nullcontext
from pathlib import Path

import pytest

from component.errors import RetryError, UserError
from component.records.archives import is_archive, unpack, wrong_name, zip_directory
from component.records.directory import open_directory
from component.store.zip_entries import ArchiveLimits
from tests.records.making import make_directory

KINDS = ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"]


def pack(target, names, kind, data=b"1,a\n"):
    """An archive of entries with these names, all of the same content."""
    if kind == "zip":
        with zipfile.ZipFile(target, "w") as packed:
            for name in names:
                packed.writestr(name, b"" if name.endswith("/") else data)
        return target
    with tarfile.open(target, f"w:{kind[4:]}") as packed:
        for name in names:
            info = tarfile.TarInfo(name.rstrip("/"))
            info.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            info.size = 0 if name.endswith("/") else len(data)
            packed.addfile(info, io.BytesIO(data))
    return target


def pack_folder(folder, target, kind, above=""):
    if kind == "zip":
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in folder.iterdir():
                packed.write(path, above + path.name)
    else:
        with tarfile.open(target, f"w:{kind[4:]}") as packed:
            packed.add(folder, above.rstrip("/") or ".")
    return target


def refused(archive, scratch, **options):
    with pytest.raises(UserError) as error:
        unpack(archive, scratch, **options)
    assert error.value.code == "records.archive"
    assert not scratch.exists()
    return str(error.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("above", ["", "orders/"])
def test_an_archive_of_a_directory_is_read_as_the_directory(tmp_path, kind, above):
    root = make_directory(tmp_path / "r")
    archive = pack_folder(root, tmp_path / f"orders.{kind}", kind, above)
    assert is_archive(archive)
    directory = open_directory(archive, tmp_path / "scratch", variables={})
    assert directory.schema.names == ("id", "s")
    assert [one.code for one in directory.findings] == ["manifest.moved"]
    assert directory.files[0].location.read_bytes() == b"1,a\n"


def test_a_zip_of_ours_is_read(tmp_path):
    root = make_directory(tmp_path / "r")
    zip_directory(root, tmp_path / "r.zip")
    assert len(open_directory(tmp_path / "r.zip", tmp_path / "scratch").files) == 1


BAD_NAMES = ["../x", "/x", "a/../../x", "a/b/c", "C:/x", "a\\x", "./../x"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_path_that_leads_out_or_too_deep_is_refused(tmp_path, kind, name):
    archive = pack(tmp_path / "x", ["fine.csv", name], kind)
    text = refused(archive, tmp_path / "scratch")
    assert "entry" in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_two_entries_of_one_name_are_refused(tmp_path, kind):
    with pytest.warns(UserWarning, match="Duplicate") if kind == "zip" else nullcontext():
        archive = pack(tmp_path / "x", ["a.csv", "a.csv"], kind)
    refused(archive, tmp_path / "scratch")


def test_names_that_differ_in_case_only_are_refused(tmp_path):
    assert "two entries" in refused(pack(tmp_path / "x", ["a.csv", "A.csv"], "tar"), tmp_path / "scratch")


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_files_in_several_folders_are_refused(tmp_path, kind):
    assert "several folders" in refused(pack(tmp_path / "x", ["a/x.csv", "b/x.csv"], kind), tmp_path / "scratch")


@pytest.mark.parametrize("member", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path, member):
    with tarfile.open(tmp_path / "x", "w") as packed:
        info = tarfile.TarInfo("data001.csv")
        info.type, info.linkname = member, "/etc/passwd"
        packed.addfile(info)
    assert "link or a device" in refused(tmp_path / "x", tmp_path / "scratch")


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_that_lost_its_end_is_refused(tmp_path, kind):
    archive = pack(tmp_path / "x", ["a.csv"], kind, data=bytes(range(256)) * 500)
    archive.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
    refused(archive, tmp_path / "scratch")


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_may_not_grow_without_bound(tmp_path, kind):
    archive = pack(tmp_path / "x", ["a.csv", "b.csv"], kind, data=b"x" * 1000)
    refused(archive, tmp_path / "scratch", limits=ArchiveLimits(total_bytes=1500))
    assert unpack(archive, tmp_path / "scratch", limits=ArchiveLimits(total_bytes=2000)) == tmp_path / "scratch"


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_what_a_mac_adds_is_left_out(tmp_path, kind):
    archive = pack(tmp_path / "x", ["r/", "r/a.csv", "__MACOSX/r/._a.csv"], kind)
    folder = unpack(archive, tmp_path / "scratch")
    assert [path.name for path in folder.iterdir()] == ["a.csv"]


def test_a_folder_that_is_there_already_stays_as_it_is(tmp_path):
    archive = pack(tmp_path / "x", ["a.csv"], "zip")
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "mine").touch()
    with pytest.raises(RetryError):
        unpack(archive, tmp_path / "scratch")
    assert [path.name for path in (tmp_path / "scratch").iterdir()] == ["mine"]


def test_other_files_are_no_archives(tmp_path):
    for name, data in {"empty": b"", "text": b"id,s\n", "gzip": b"\x1f\x8b\x08\x00"}.items():
        (tmp_path / name).write_bytes(data)
        assert not is_archive(tmp_path / name)


@pytest.mark.parametrize("name", ["data001.csv", "orders/data001.csv", "orders/", "ä ö.csv", "_manifest", ".hidden"])
def test_plain_names_are_taken(name):
    assert wrong_name(name) is None


def test_the_files_are_what_was_packed(tmp_path):
    root = make_directory(tmp_path / "r", {"data001.csv": bytes(range(256)) * 1000})
    folder = unpack(pack_folder(root, tmp_path / "x", "tar.gz", "r/"), tmp_path / "scratch")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        path.name: path.read_bytes() for path in Path(root).iterdir()
    }
