from __future__ import annotations

import itertools
import stat
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import UserError
from component.store.archive import restore_archive
from component.store.entries import LIMITS, ArchiveLimits
from component.store.local import LocalStore
from tests.store.contract import keys_of
from tests.store.zips import DEFLATED, Raw, deflate, zip_64_bytes, zip_bytes

HEADER = Raw(b"u.by-dataset-metadata.json", b"{}")
GOOD = Raw(b"u/table/good.parquet", b"good data")
INNER = Raw(b"u/table/inner.parquet", b"inner data")
fresh = itertools.count()


def restored(tmp_path: Path, data: bytes, limits: ArchiveLimits = LIMITS) -> dict[str, bytes]:
    folder = tmp_path / str(next(fresh))
    folder.mkdir()
    (folder / "u.dataset.zip").write_bytes(data)
    store = LocalStore(folder / "store")
    try:
        restore_archive(folder / "u.dataset.zip", store, limits)
    except BaseException:
        assert not store.root.exists()
        raise
    return {key: store.get(key) for key in keys_of(store)}


def refused(tmp_path: Path, data: bytes, limits: ArchiveLimits = LIMITS) -> str:
    with pytest.raises(UserError) as caught:
        restored(tmp_path, data, limits)
    assert caught.value.code == "store.archive"
    assert "u.dataset.zip" in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


@pytest.mark.parametrize("make", [zip_bytes, zip_64_bytes])
def test_an_honest_archive_is_restored(tmp_path: Path, make: Callable[[list[Raw]], bytes]):
    plain = Raw.deflated(b"u/table/deflated.parquet", b"deflated " * 9)
    assert restored(tmp_path, make([GOOD, plain, HEADER])) == {
        "u/table/good.parquet": b"good data",
        "u/table/deflated.parquet": b"deflated " * 9,
        "u.by-dataset-metadata.json": b"{}",
    }


def mode(kind: int) -> int:
    return (kind | 0o777) << 16


BAD = GOOD.name
LINK = replace(GOOD, data=b"../../etc/passwd")
HOSTILE: dict[str, tuple[Raw, str]] = {
    "absolute": (Raw(b"/etc/passwd"), "name is not allowed"),
    "drive": (Raw(b"C:/u/x"), "name is not allowed"),
    "backslash": (Raw(b"u\\x"), "name is not allowed"),
    "up": (Raw(b"u/../../x"), "name is not allowed"),
    "up at the start": (Raw(b"../x"), "name is not allowed"),
    "here": (Raw(b"u/./x"), "name is not allowed"),
    "NUL": (Raw(b"u/x\0.parquet"), "name is not allowed"),
    "line end": (Raw(b"u/x\n"), "name is not allowed"),
    "empty": (Raw(b""), "name is not allowed"),
    "double slash": (Raw(b"u//x"), "name is not allowed"),
    "folder": (Raw(b"u/folder/", b""), "name is not allowed"),
    "not ASCII": (Raw("u/ü".encode(), flags=0x800), "name is not allowed"),
    "our hidden folder": (Raw(b".tablemill;/0.lock"), "name is not allowed"),
    "long part": (Raw(b"u/" + b"x" * 256), "too long"),
    "long name": (Raw(b"u" + b"/xxx" * 300), "too long"),
    "foreign": (Raw(b"v/x"), "does not belong"),
    "longer uuid": (Raw(b"u2/x"), "does not belong"),
    "in the root": (Raw(b"config.json"), "does not belong"),
    "the folder itself": (Raw(b"u"), "does not belong"),
    "below the header": (Raw(HEADER.name + b"/x"), "does not belong"),
    "duplicate": (GOOD, "two entries"),
    "duplicate header": (HEADER, "two entries"),
    "below an object": (Raw(BAD + b"/x"), "as if that were a folder"),
    "other header": (Raw(b"u.by-dataset-metadata.msgpack.zstd"), "more than one dataset header"),
    "foreign header": (Raw(b"v.by-dataset-metadata.json"), "more than one dataset header"),
    "link": (Raw(b"u/x", attributes=mode(stat.S_IFLNK)), "not a plain file"),
    "device": (Raw(b"u/x", attributes=mode(stat.S_IFBLK)), "not a plain file"),
    "pipe": (Raw(b"u/x", attributes=mode(stat.S_IFIFO)), "not a plain file"),
    "folder by mode": (Raw(b"u/x", attributes=mode(stat.S_IFDIR)), "not a plain file"),
    "folder by DOS attribute": (Raw(b"u/x", attributes=0x10), "not a plain file"),
    "volume label": (Raw(b"u/x", attributes=0x08), "not a plain file"),
    "encrypted": (Raw(b"u/x", flags=0x1), "encrypted"),
    "strongly encrypted": (Raw(b"u/x", flags=0x41), "encrypted"),
    "patch": (Raw(b"u/x", flags=0x20), "not supported"),
    "bzip2": (Raw(b"u/x", method=12), "method 12"),
    "zstd": (Raw(b"u/x", method=93), "method 93"),
    "wrong checksum": (Raw(b"u/x", checksum=1), "checksum"),
    "wrong checksum, deflated": (replace(Raw.deflated(b"u/x", b"x"), checksum=1), "checksum"),
    "stored, larger told": (Raw(b"u/x", size=100), "contradict"),
    "stored, smaller told": (Raw(b"u/x", size=1), "contradict"),
    "deflated, larger told": (Raw.deflated(b"u/x", b"x" * 100, size=101), "not the 101 bytes"),
    "deflated, smaller told": (Raw.deflated(b"u/x", b"x" * 100, size=99), "not the 99 bytes"),
    "deflated, none told": (Raw.deflated(b"u/x", b"x" * 100, size=0), "not the 0 bytes"),
    "bytes after the deflated": (Raw(b"u/x", deflate(b"x") + b"y", DEFLATED, size=1), "not the 1 bytes"),
    "deflated, cut": (Raw(b"u/x", deflate(b"abcdefg")[:-2], DEFLATED, size=7), "not the 7 bytes"),
    "deflated, never ended": (
        Raw(b"u/x", deflate(b"abc", zlib.Z_SYNC_FLUSH), DEFLATED, checksum=zlib.crc32(b"abc"), size=3),
        "not the 3 bytes",
    ),
    "not deflated at all": (Raw(b"u/x", b"\xff" * 9, DEFLATED, size=9), "damaged"),
    "longer than the archive": (Raw(b"u/x", packed=10_000, size=10_000), "does not hold it"),
    "other name before the data": (Raw(b"u/x", local_name=b"u/y"), "does not hold it"),
    "other method before the data": (Raw(b"u/x", local_method=DEFLATED), "does not hold it"),
    "encrypted before the data": (Raw(b"u/x", local_flags=1), "does not hold it"),
    "nowhere": (Raw(b"u/x", offset=100_000), "does not hold it"),
    "in the middle of another": (Raw(b"u/x", offset=5), "does not hold it"),
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_entry_is_named_and_nothing_is_put(tmp_path: Path, case: str, first: bool):
    entry, why = HOSTILE[case]
    text = refused(tmp_path, zip_bytes([entry, GOOD, HEADER] if first else [GOOD, HEADER, entry]))
    assert why in text
    whole = case in {"other header", "foreign header"}
    assert whole or repr(entry.name.decode())[1:-1][:100] in text


def test_bytes_that_two_entries_share_are_refused(tmp_path: Path):
    outer = Raw(b"u/table/outer.parquet", INNER.local + b"rest")
    nested = replace(INNER, offset=30 + len(outer.name))
    body = zip_bytes([outer, HEADER])
    directory = len(outer.local) + len(HEADER.local)
    central = body[directory:-22] + nested.central(0)
    end = b"PK\5\6" + bytes(4) + b"\3\0\3\0" + len(central).to_bytes(4, "little") + directory.to_bytes(4, "little")
    text = refused(tmp_path, body[:directory] + central + end + bytes(2))
    assert "shares bytes" in text
    assert "inner.parquet" in text


def test_an_archive_without_a_header_is_refused(tmp_path: Path):
    assert "no dataset header" in refused(tmp_path, zip_bytes([GOOD]))
    assert "no dataset header" in refused(tmp_path, zip_bytes([]))
    assert "no dataset header" in refused(tmp_path, zip_bytes([Raw(b"u.v.by-dataset-metadata.json")]))


def test_what_is_no_zip_file_is_refused(tmp_path: Path):
    whole = zip_bytes([GOOD, HEADER])
    for data in (b"", b"PK\5\6", b"x" * 1000, whole + b"x", whole[:-1]):
        assert "no ZIP file" in refused(tmp_path, data)
    assert "comment" in refused(tmp_path, zip_bytes([GOOD, HEADER], comment=b"hello"))
    assert "end is damaged" in refused(tmp_path, zip_64_bytes([GOOD, HEADER], signature=b"PKxx"))
    with pytest.raises(UserError, match="no such file"):
        restore_archive(tmp_path / "nothing.zip", LocalStore(tmp_path / "store"))
    with pytest.raises(UserError, match="no such file"):
        restore_archive(tmp_path, LocalStore(tmp_path / "store"))


def test_a_cut_archive_is_refused_wherever_it_was_cut(tmp_path: Path):
    whole = zip_bytes([GOOD, Raw.deflated(b"u/x", b"x" * 100), HEADER])
    for length in range(len(whole)):
        refused(tmp_path, whole[:length])
        refused(tmp_path, whole[length + 1 :])


def test_too_many_entries_are_refused_before_they_are_read(tmp_path: Path):
    entries = [Raw(b"u/%d" % number) for number in range(9)]
    assert len(restored(tmp_path, zip_bytes([*entries, HEADER]), replace(LIMITS, entries=10))) == 10
    few, short = replace(LIMITS, entries=9), replace(LIMITS, directory_bytes=400)
    for make in (zip_bytes, zip_64_bytes):
        assert "more than 9 entries" in refused(tmp_path, make([*entries, HEADER]), few)
        assert "too long a list" in refused(tmp_path, make([*entries, HEADER]), short)
        assert "more than 250000 entries" in refused(tmp_path, zip_64_bytes([HEADER], count=2**40))


def test_a_number_of_entries_that_is_not_true_does_not_pass_the_limit(tmp_path: Path):
    entries = [Raw(b"u/%d" % number) for number in range(9)]
    assert "entries" in refused(tmp_path, zip_bytes([*entries, HEADER], count=1), replace(LIMITS, entries=9))


def test_a_bomb_is_refused_by_what_it_declares(tmp_path: Path):
    bomb = Raw.deflated(b"u/table/bomb.parquet", bytes(3_000_000))
    assert "more than 100 times" in refused(tmp_path, zip_bytes([bomb, HEADER]))
    assert "inflated to 3000000 bytes" in refused(
        tmp_path, zip_bytes([bomb, HEADER]), replace(LIMITS, inflated_bytes=2_999_999)
    )


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_a_bomb_that_declares_little_is_not_inflated(tmp_path: Path, size: int):
    bomb = zip_bytes([Raw.deflated(b"u/table/bomb.parquet", bytes(30_000_000), size=size), HEADER])
    tracemalloc.start()
    try:
        assert f"not the {size} bytes" in refused(tmp_path, bomb)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(min_value=0), st.integers(0, 255)), min_size=1, max_size=4))
def test_no_change_of_bytes_changes_what_is_restored(tmp_path: Path, changes: list[tuple[int, int]]):
    entries = [GOOD, Raw.deflated(b"u/x", b"x" * 100), HEADER]
    whole = bytearray(zip_bytes(entries))
    for place, value in changes:
        whole[place % len(whole)] = value
    try:
        found = restored(tmp_path, bytes(whole))
    except UserError as error:
        assert error.code == "store.archive"  # noqa: PT017 # either outcome is right
    else:
        assert found == {"u/table/good.parquet": b"good data", "u/x": b"x" * 100, "u.by-dataset-metadata.json": b"{}"}
