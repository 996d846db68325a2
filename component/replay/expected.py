"""The out/ folder that a replay is compared with, from a ZIP or a folder of any layout; and its replacement."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

from component.errors import UserError
from component.replay.source import copy_folder
from component.replay.unpack import unpack
from component.store.files import failing

_LAYOUTS: Final = ("data/out", "out", "")
_PARTS: Final = ("tables", "files", "state.json", "usage.json", "result.json")


@contextmanager
def expected_out(expected: Path, place: Path) -> Iterator[Path]:
    """Yield the expected out/ folder; a ZIP is unpacked in the folder `place` meanwhile.

    UserError `replay.expected`, or `replay.archive` for a ZIP that is not safe.
    """
    if expected.is_dir():
        yield _out_in(expected, expected.name)
        return
    with TemporaryDirectory(prefix="tablemill-expected-", dir=place, ignore_cleanup_errors=True) as made:
        unpack(expected, Path(made) / "opened")
        yield _out_in(Path(made) / "opened", expected.name)


def update_expected(expected: Path, out: Path) -> Path:
    """Replace what is expected by an out/ folder; return the folder that was written.

    The new one is whole before the old one goes. UserError `replay.expected` for a ZIP, which is not written.
    """
    if expected.is_file():
        remedy = "Name a folder with --expected, then --update fills it."
        raise UserError("replay.expected", f"{str(expected)!r} is a file, and only a folder is written", remedy=remedy)
    target = _target(expected)
    if target == expected and expected.exists():
        return _replace_parts(expected, out)
    fresh = target.with_name(f".{target.name}-{uuid4().hex[:8]}")
    with failing(target, "written"):
        target.parent.mkdir(parents=True, exist_ok=True)
        copy_folder(out, fresh)
        old = target.with_name(f"{fresh.name}-old")
        if target.exists():
            target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    return target


def _replace_parts(expected: Path, out: Path) -> Path:
    """Replace the parts of an out/ folder that is named itself; what else lies in it stays."""
    with failing(expected, "written"), TemporaryDirectory(prefix=".new-", dir=expected) as made:
        fresh, old = Path(made) / "fresh", Path(made) / "old"
        copy_folder(out, fresh)
        old.mkdir()
        for name in _PARTS:
            if (expected / name).exists():
                (expected / name).rename(old / name)
            if (fresh / name).exists():
                (fresh / name).rename(expected / name)
    return expected


def _target(expected: Path) -> Path:
    if any(_is_out(expected / layout) for layout in _LAYOUTS):
        return _out_in(expected, expected.name)
    return expected if expected.name == "out" else expected / "data" / "out"


def _is_out(folder: Path) -> bool:
    return (folder.name == "out" and folder.is_dir()) or any((folder / part).exists() for part in _PARTS)


def _out_in(expected: Path, name: str) -> Path:
    inner = (
        [path for path in expected.iterdir() if path.is_dir() and not path.name.startswith(".")]
        if expected.is_dir()
        else []
    )
    tops = [expected, *(inner if len(inner) == 1 else [])]
    for top in tops:
        for layout in _LAYOUTS:
            if _is_out(top / layout):
                return top / layout
    raise UserError(
        "replay.expected",
        f"There are no outputs in {name!r}: no out/, tables/ or files/",
        remedy="Name stage_output.zip, a data folder, or an out/ folder.",
    )
