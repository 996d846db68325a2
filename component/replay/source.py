"""What is replayed: a ZIP or a folder of the platform, brought into a working folder as a run would find it."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir, mkdtemp
from typing import Final

from component.errors import UserError
from component.findings import Finding, Level
from component.folder.json_file import write_json
from component.naming import CONFIG_FILE, CONFIG_YAML_FILE, STATE_FILE
from component.replay.unpack import unpack
from component.store.files import failing

FOLDERS: Final = ("in/tables", "in/files", "in/user", "out/tables", "out/files")
"""What the platform always makes (reference keboola 1.1)."""
_MARKS: Final = (CONFIG_FILE, CONFIG_YAML_FILE, "in", "out")
_ROOT: Final = "data"


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where a replay takes place: `data` and `tmp` are what a container gets as /data and /tmp."""

    root: Path

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.root / "data"

    @property
    def tmp(self) -> Path:
        """The folder for temporary files of the component."""
        return self.root / "tmp"


@contextmanager
def workspace(place: Path | None, *, keep: bool) -> Iterator[Workspace]:
    """Yield a new working folder below `place`, the folder for temporary files if None; it is removed unless kept.

    Its path is absolute: a component may have another working directory, and an engine takes no other.
    """
    if place is not None:
        place = place.absolute()
        with failing(place, "written"):
            place.mkdir(parents=True, exist_ok=True)
    if keep:
        yield Workspace(Path(mkdtemp(prefix="tablemill-replay-", dir=place)))
        return
    with TemporaryDirectory(prefix="tablemill-replay-", dir=place, ignore_cleanup_errors=True) as made:
        yield Workspace(Path(made))


def bring_in(source: Path, work: Workspace, *, keep_out: bool) -> list[Finding]:
    """Fill the working folder from a ZIP or folder, as the platform would hand it to the component.

    What a run before left in out/ is removed unless `keep_out`. Returns what is worth to know. UserError
    `replay.archive`, `replay.source`, or of the file system.
    """
    work.tmp.mkdir(parents=True)
    opened = work.root / "opened"
    if source.is_dir():
        copy_folder(data_root(source), work.data)
    else:
        unpack(source, opened)
        data_root(opened, source.name).rename(work.data)
        shutil.rmtree(opened, ignore_errors=True)
    remarks = [] if keep_out else list(_cleared(work.data / "out"))
    for name in FOLDERS:
        with failing(work.data / name, "written"):
            (work.data / name).mkdir(parents=True, exist_ok=True)
    if not any((work.data / "in").glob("state.*")):
        write_json(work.data / "in" / STATE_FILE, {})
    return remarks


def data_root(folder: Path, name: str | None = None) -> Path:
    """Return the data folder in a folder: itself, or at most two levels below as `data/` or as the only sub-folder.

    UserError `replay.source`, which calls the folder `name`.
    """
    only = _only_folder(folder)
    inner = [folder, folder / _ROOT, *only, *(path / _ROOT for path in only)]
    for candidate in inner:
        if any((candidate / mark).exists() for mark in _MARKS):
            return candidate
    raise UserError(
        "replay.source",
        f"There is no data folder in {name or folder.absolute().name!r}: no {CONFIG_FILE}, in/ or out/",
        remedy="Give a ZIP of the platform, a data folder, or a folder of cases (CASE/source/data).",
    )


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder whose files may be links; UserError `replay.source` for what is neither file nor folder."""
    with failing(source, "read"):
        try:
            shutil.copytree(source, target, copy_function=_copy_file)
        except shutil.Error as error:
            path, _, why = error.args[0][0]
            raise UserError("replay.source", f"{path!r} cannot be copied: {why}") from None


def hold_apart(source: Path, work: Path | None) -> None:
    """Hold that the working folder is not made inside of what is copied into it; UserError `replay.source`."""
    place = (work or Path(gettempdir())).resolve()
    if source.is_dir() and place.is_relative_to(data_root(source).resolve()):
        text = f"The working folder would lie in {str(source)!r}, which is copied into it"
        raise UserError("replay.source", text, remedy="Choose another place with --work.")


def _copy_file(source: str, target: str) -> str:
    if not stat.S_ISREG(Path(source).stat().st_mode):
        raise UserError("replay.source", f"{source!r} is neither a file nor a folder", remedy="Remove it.")
    return shutil.copy2(source, target)


def _only_folder(folder: Path) -> list[Path]:
    found = [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []
    return found if len(found) == 1 and found[0].is_dir() else []


def _cleared(out: Path) -> Iterator[Finding]:
    found = (path for path in out.rglob("*") if path.is_file() and not path.name.startswith("."))
    left = sorted(path.relative_to(out).as_posix() for path in found)
    if left:
        text = f"What a run before left in out/ is not taken over ({len(left)} files, the first is {left[0]!r})."
        yield Finding(Level.NOTE, "replay.cleared", "out", text)
    shutil.rmtree(out, ignore_errors=True)
