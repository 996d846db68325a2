from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from component.errors import RetryError, TablemillError, UserError
from component.store.files import Action, failure, force_folder, make_folder, unfinished_file

CASES: list[tuple[int, Action, type[TablemillError], str]] = [
    (errno.ENOSPC, "written", UserError, "store.full"),
    (errno.EDQUOT, "written", UserError, "store.full"),
    (errno.EFBIG, "written", UserError, "store.full"),
    (errno.EACCES, "written", UserError, "store.unwritable"),
    (errno.EPERM, "deleted", UserError, "store.unwritable"),
    (errno.EROFS, "written", UserError, "store.unwritable"),
    (errno.EXDEV, "written", UserError, "store.unwritable"),
    (errno.EACCES, "read", UserError, "store.unreadable"),
    (errno.ENAMETOOLONG, "written", UserError, "store.key"),
    (errno.ENOTDIR, "written", UserError, "store.key"),
    (errno.EISDIR, "written", UserError, "store.key"),
    (errno.EIO, "read", RetryError, "store.failed"),
    (errno.ESTALE, "written", RetryError, "store.failed"),
]


@pytest.mark.parametrize(("number", "action", "kind", "code"), CASES)
def test_an_errno_says_who_must_act_where_and_how(number: int, action: Action, kind: type[TablemillError], code: str):
    error = failure(OSError(number, os.strerror(number)), Path("/store/object"), action)
    assert (type(error), error.code) == (kind, code)
    assert str(error).startswith(f"/store/object cannot be {action}: {os.strerror(number)}. ")
    assert error.remedy


def test_an_error_without_errno_keeps_its_own_words():
    assert "odd" in str(failure(OSError("odd"), Path("/store"), "read"))


def test_nothing_is_left_of_a_file_that_was_not_renamed(tmp_path: Path):
    with unfinished_file(tmp_path / "part") as file:
        file.write(b"half")
        assert (tmp_path / "part").exists()
    assert list(tmp_path.iterdir()) == []


def test_a_renamed_file_stays(tmp_path: Path):
    with unfinished_file(tmp_path / "part") as file:
        file.write(b"whole")
        (tmp_path / "part").rename(tmp_path / "file")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"whole")]


def refuse_fsync(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def fsync(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fsync)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_force_folders_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
):
    refuse_fsync(monkeypatch, number)
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_that_could_not_be_forced_to_disk_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    refuse_fsync(monkeypatch, errno.EIO)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        force_folder(tmp_path)


def test_the_name_of_every_new_folder_is_forced_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    forced = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        forced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert forced == [tmp_path, tmp_path / "a"]
