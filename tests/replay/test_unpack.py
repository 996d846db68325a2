from __future__ import annotations

import contextlib
import itertools
import os
import stat
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.replay.unpack import LIMITS, unpack
from component.store.zip_entries import ArchiveLimits
from tests.store.zips import DEFLATED, Raw, deflate, zip_64_bytes, zip_bytes
from tests.strategies.zip_names import NAMES

fresh = itertools.count()
CONFIG = Raw(b"config.json", b"{}")
UTF8 = 0x800
FOLDER = (stat.S_IFDIR | 0o755) << 16


def mode(kind: int) -> int:
    return (kind | 0o777) << 16


def tree(folder: Path) -> dict[str, bytes | None]:
    paths = (path for path in folder.rglob("*") if not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None for path in paths}


def unpacked(top: Path, data: bytes, limits: ArchiveLimits = LIMITS) -> dict[str, bytes | None]:
    """Unpack in a place of its own, and hold that nothing is written beside the folder."""
    place = top / str(next(fresh))
    place.mkdir()
    (place / "data.zip").write_bytes(data)
    try:
        unpack(place / "data.zip", place / "folder", limits)
    except UserError:
        assert [path.name for path in place.iterdir()] == ["data.zip"]
        raise
    assert sorted(path.name for path in place.iterdir()) == ["data.zip", "folder"]
    return tree(place / "folder")


def refused(top: Path, data: bytes, limits: ArchiveLimits = LIMITS) -> str:
    with pytest.raises(UserError) as caught:
        unpacked(top, data, limits)
    assert caught.value.code == "replay.archive"
    assert "data.zip" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("make", [zip_bytes, zip_64_bytes])
def test_a_zip_of_the_platform_is_unpacked_with_its_empty_folders(tmp_path, make):
    entries = [
        Raw(b"in/", b"", attributes=FOLDER | 0x10),
        Raw(b"in/tables/", b"", attributes=0x10),
        Raw(b"out/files/", b""),
        Raw.deflated(b"in/tables/a b;c.csv", b"id\n1\n"),
        Raw("in/files/1_ü.txt".encode(), b"x", flags=UTF8),
        Raw("in/files/2_é.txt".encode(), b"y"),
        CONFIG,
    ]
    assert unpacked(tmp_path, make(entries)) == {
        "in": None,
        "in/tables": None,
        "in/files": None,
        "out": None,
        "out/files": None,
        "in/tables/a b;c.csv": b"id\n1\n",
        "in/files/1_ü.txt": b"x",
        "in/files/2_é.txt": b"y",
        "config.json": b"{}",
    }


def test_what_python_zips_is_unpacked_and_keeps_its_time(tmp_path):
    big = os.urandom(3_000_000) + b"0" * 3_000_000
    with zipfile.ZipFile(tmp_path / "made.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(zipfile.ZipInfo("config.json", (2020, 2, 3, 4, 5, 6)), "{}")
        made.writestr("in/tables/big.csv", big)
    unpack(tmp_path / "made.zip", tmp_path / "folder")
    assert (tmp_path / "folder/in/tables/big.csv").read_bytes() == big
    assert time.gmtime((tmp_path / "folder/config.json").stat().st_mtime)[:6] == (2020, 2, 3, 4, 5, 6)


HOSTILE: dict[str, tuple[list[Raw], str]] = {
    "absolute": ([Raw(b"/etc/passwd")], "absolute"),
    "drive": ([Raw(b"C:/x")], "another system"),
    "drive without slash": ([Raw(b"c:x")], "another system"),
    "backslash": ([Raw(b"in\\..\\..\\x")], "another system"),
    "up": ([Raw(b"in/../../x")], "or .. part"),
    "up at the start": ([Raw(b"../x")], "or .. part"),
    "a folder that goes up": ([Raw(b"../", b"", attributes=FOLDER)], "or .. part"),
    "here": ([Raw(b"in/./x")], "or .. part"),
    "double slash": ([Raw(b"in//x")], "or .. part"),
    "empty": ([Raw(b"")], "absolute or empty"),
    "a slash": ([Raw(b"/", b"")], "absolute or empty"),
    "NUL": ([Raw(b"in/x\0.csv")], "control character"),
    "line end": ([Raw(b"in/x\n")], "control character"),
    "long part": ([Raw(b"in/" + b"x" * 256)], "too long"),
    "long part of few characters": ([Raw("ü".encode() * 128, flags=UTF8)], "too long"),
    "long name": ([Raw(b"in" + b"/xxx" * 300)], "too long"),
    "duplicate": ([CONFIG, CONFIG], "two entries"),
    "duplicate folder": ([Raw(b"in/", b""), Raw(b"in/", b"")], "two entries"),
    "folder and file": ([Raw(b"in", b"x"), Raw(b"in/", b"")], "two entries"),
    "case of a file": ([CONFIG, Raw(b"Config.json")], "in case only"),
    "case of a folder": ([Raw(b"in/tables/a"), Raw(b"In/tables/b")], "in case only"),
    "case of a letter with two small forms": (
        [Raw(b"in/STRASSE", flags=UTF8), Raw("in/straße".encode(), flags=UTF8)],
        "in case only",
    ),
    "two forms of an accent": (
        [Raw("in/\u00e9".encode(), flags=UTF8), Raw("in/e\u0301".encode(), flags=UTF8)],
        "in case only",
    ),
    "below a file": ([Raw(b"in/a"), Raw(b"in/a/b")], "as if that were a folder"),
    "link": ([Raw(b"in/x", b"/etc", attributes=mode(stat.S_IFLNK))], "not a plain file"),
    "link that looks like a folder": ([Raw(b"in/", b"", attributes=mode(stat.S_IFLNK))], "not a plain file"),
    "block device": ([Raw(b"in/x", b"", attributes=mode(stat.S_IFBLK))], "not a plain file"),
    "character device": ([Raw(b"in/x", b"", attributes=mode(stat.S_IFCHR))], "not a plain file"),
    "pipe": ([Raw(b"in/x", b"", attributes=mode(stat.S_IFIFO))], "not a plain file"),
    "socket": ([Raw(b"in/x", b"", attributes=mode(stat.S_IFSOCK))], "not a plain file"),
    "file that says it is a folder": ([Raw(b"in/x", attributes=FOLDER)], "not a plain file"),
    "folder with data": ([Raw(b"in/", b"data")], "a folder and has data"),
    "encrypted": ([Raw(b"in/x", flags=0x1)], "encrypted"),
    "strongly encrypted": ([Raw(b"in/x", flags=0x41)], "encrypted"),
    "other method": ([Raw(b"in/x", method=12)], "method 12"),
    "wrong checksum": ([Raw(b"in/x", checksum=1)], "checksum"),
    "deflated, larger told": ([Raw.deflated(b"in/x", b"x" * 100, size=101)], "not the 101 bytes"),
    "deflated, smaller told": ([Raw.deflated(b"in/x", b"x" * 100, size=99)], "not the 99 bytes"),
    "not deflated at all": ([Raw(b"in/x", b"\xff" * 9, DEFLATED, size=9)], "damaged"),
    "bytes after the deflated": ([Raw(b"in/x", deflate(b"x") + b"y", DEFLATED, size=1)], "not the 1 bytes"),
    "other name before the data": ([Raw(b"in/x", local_name=b"in/y")], "does not hold it"),
    "nowhere": ([Raw(b"in/x", offset=100_000)], "does not hold it"),
    "overlapping": ([Raw(b"in/a", b"data"), Raw(b"in/b", b"data", local_name=b"in/a", offset=0)], "does not hold it"),
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_zip_is_refused_and_nothing_of_it_is_left(tmp_path, case, first):
    entries, why = HOSTILE[case]
    good = Raw(b"good", b"good data")
    assert why in refused(tmp_path, zip_bytes([*entries, good] if first else [good, *entries]))


def test_entries_that_share_bytes_are_refused(tmp_path):
    inner = Raw(b"in/b", b"inner")
    outer = Raw(b"in/a", inner.local)
    start = len(outer.local) - len(inner.local)
    data = outer.local
    directory = outer.central(0) + replace(inner, offset=start).central(0)
    end = (
        zip_bytes([])[:8]
        + b"\2\0\2\0"
        + len(directory).to_bytes(4, "little")
        + len(data).to_bytes(4, "little")
        + b"\0\0"
    )
    assert "shares bytes" in refused(tmp_path, data + directory + end)


def test_bombs_are_refused_before_a_byte_is_written(tmp_path):
    zeros = Raw.deflated(b"in/zeros", b"0" * 1_000_000)
    honest = zip_bytes([zeros])
    small = replace(LIMITS, small_bytes=0)
    assert "times" in refused(tmp_path, honest, replace(small, expansion=100))
    assert "more than 999999" in refused(tmp_path, honest, replace(LIMITS, total_bytes=999_999))
    assert "inflated" in refused(tmp_path, honest, replace(LIMITS, inflated_bytes=999_999))
    many = zip_bytes([Raw(f"in/{number}".encode(), b"") for number in range(11)])
    assert "more than 10 entries" in refused(tmp_path, many, replace(LIMITS, entries=10))
    assert "more than 11 files and folders" in refused(tmp_path, many, replace(LIMITS, entries=11))
    assert len(unpacked(tmp_path, many, replace(LIMITS, entries=12))) == 12


def test_folders_that_no_entry_names_count_too(tmp_path):
    deep = zip_bytes([Raw(f"{number}{'/a' * 100}".encode(), b"") for number in range(5)])
    assert "more than 400 files and folders" in refused(tmp_path, deep, replace(LIMITS, entries=400))
    assert len(unpacked(tmp_path, deep, replace(LIMITS, entries=505))) == 505


def test_what_a_mac_adds_is_left_out(tmp_path):
    entries = [CONFIG, Raw(b"__MACOSX/", b"", attributes=FOLDER), Raw(b"__MACOSX/._config.json", b"x")]
    assert unpacked(tmp_path, zip_bytes(entries)) == {"config.json": b"{}"}


def test_a_comment_is_named(tmp_path):
    assert "a comment follows its end" in refused(tmp_path, zip_bytes([CONFIG], comment=b"made by"))


def test_more_than_there_is_room_for_is_refused(tmp_path):
    huge = Raw(b"in/x", b"x", DEFLATED, size=2**62, packed=1)
    data = zip_bytes([replace(huge, size=2**32 - 2)])
    with pytest.raises(UserError) as caught:
        unpacked(tmp_path, data, replace(LIMITS, inflated_bytes=2**63, expansion=2**60, total_bytes=None))
    assert caught.value.code in {"store.full", "replay.archive"}


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\5\6", b"not a zip" * 100, zip_bytes([CONFIG])[:-1]])
def test_what_is_no_zip_is_refused(tmp_path, data):
    assert "no ZIP file" in refused(tmp_path, data)


def test_a_zip_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match="it is no file"):
        unpack(tmp_path, tmp_path / "folder")
    with pytest.raises(UserError, match="no such file"):
        unpack(tmp_path / "none.zip", tmp_path / "folder")


def is_plain(name: str) -> bool:
    return not name.startswith("/") and "\\" not in name and ".." not in name.split("/")


@given(names=st.lists(NAMES, min_size=1, max_size=4))
def test_whatever_entries_are_called_nothing_is_written_outside(tmp_path_factory, names):
    raw = [Raw(name.encode("utf-8"), b"" if name.endswith("/") else b"x", flags=UTF8) for name in names]
    top = tmp_path_factory.mktemp("any")
    before = set(Path("/").iterdir())
    with contextlib.suppress(UserError):  # `unpacked` holds that a refusal leaves nothing
        made = unpacked(top, zip_bytes(raw))
        assert {name.removesuffix("/") for name in names} <= set(made)
        assert all(map(is_plain, names))
    assert set(Path("/").iterdir()) == before
