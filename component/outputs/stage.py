"""Outputs and state are written out of sight and appear all at once, when everything has succeeded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from component import identity, naming
from component.folder.earlier import earlier_outputs, record_outputs
from component.folder.layout import DataFolder, writing
from component.folder.result import Result, write_result
from component.folder.state import write_state
from component.folder.usage import Usage, write_usage
from component.outputs.manifest import manifest_text


class Stage:
    """Hidden folders in out/, whose content moves to its place by renaming.

    There is one in each folder that something moves to, since each may be a mount of its own. The platform ignores
    names with a dot in front. With `replaces`, what the run before left goes where this one does not write it again.
    Use `table`, `file`, `manifest`, `usage`, `result` and `state` while writing, then
    `publish`; `discard` removes what is staged.
    """

    def __init__(self, folder: DataFolder, *, replaces: bool = False) -> None:
        self._folder, self._replaces = folder, replaces
        name = f".tablemill-{identity.new_hex()[:12]}"
        self._tables = _Area(folder.out_tables, name)
        self._files = _Area(folder.out_files, name)
        self._state = _Area(folder.out, name)
        self._state_name = folder.out_state.name
        try:
            for area in self._areas:
                area.make()
        except BaseException:
            self.discard()
            raise

    @property
    def _areas(self) -> tuple[_Area, ...]:
        return self._tables, self._files, self._state

    def table(self, name: str, *, sliced: bool) -> Path:
        """Return where an output table is written: a folder that exists when it is sliced, else a file."""
        path = self._tables.new / name
        if sliced:
            with writing(path):
                path.mkdir()
        return path

    def file(self, name: str) -> Path:
        """Return where an output file is written."""
        return self._files.new / name

    def manifest(self, path: Path, content: Mapping[str, Any]) -> None:
        """Write the manifest of a staged table or file."""
        beside = path.with_name(path.name + naming.MANIFEST_SUFFIX)
        with writing(beside):
            beside.write_text(manifest_text(content), encoding="utf-8")

    def state(self, content: Mapping[str, Any]) -> None:
        """Write the state that the run leaves."""
        write_state(self._state.new / self._state_name, content)

    def usage(self, usage: Usage) -> None:
        """Write the metrics of the run."""
        write_usage(self._state.new / naming.USAGE_FILE, usage)

    def result(self, result: Result) -> None:
        """Write the variables that the job returns."""
        write_result(self._state.new / naming.RESULT_FILE, result)

    def publish(self) -> None:
        """Move everything to its place, manifests after what they describe, the state last.

        What has the same name there goes. When a step fails, out/ is left as it was.
        """
        moves = [move for area in self._areas for move in area.moves()]
        written = [target for _, target, _ in moves]
        stale = self._stale(written)
        try:
            for target, kept in stale:
                with writing(target):
                    target.rename(kept)
            for path, target, replaced in moves:
                with writing(target):
                    with suppress(FileNotFoundError):
                        target.rename(replaced)
                    path.rename(target)
        except BaseException:
            for path, target, replaced in reversed(moves):
                _move_back(path, target, replaced)
            for target, kept in stale:
                with suppress(FileNotFoundError):
                    kept.rename(target)
            raise
        if self._replaces:
            record_outputs(self._folder, written)
        self.discard()

    def _stale(self, written: Sequence[Path]) -> list[tuple[Path, Path]]:
        """Return what the run before left and this one does not write again, each with where it goes."""
        if not self._replaces:
            return []
        earlier = sorted(path for path in earlier_outputs(self._folder) - {*written} if os.path.lexists(path))
        areas = {area.place: area for area in self._areas}
        return [(path, areas[path.parent].old / path.name) for path in earlier]

    def discard(self) -> None:
        """Remove what is staged."""
        for area in self._areas:
            shutil.rmtree(area.root, ignore_errors=True)


class _Area:
    """A hidden folder in a place: what is new, and what it replaced."""

    def __init__(self, place: Path, name: str) -> None:
        self.place = place
        self.root = place / name
        self.new = self.root / "new"
        self.old = self.root / "old"

    def make(self) -> None:
        with writing(self.root):
            self.new.mkdir(parents=True)
            self.old.mkdir()

    def moves(self) -> Iterator[tuple[Path, Path, Path]]:
        """Yield what is staged, its place, and where what is there now goes."""
        for path in sorted(self.new.iterdir(), key=_turn):
            yield path, self.place / path.name, self.old / path.name


def _turn(path: Path) -> tuple[bool, str]:
    """Order what is staged by name, but a manifest after everything it may describe and the state last."""
    is_state = path.name in {naming.STATE_FILE, naming.STATE_YAML_FILE}
    return path.name.endswith(naming.MANIFEST_SUFFIX) or is_state, path.name


def _move_back(path: Path, target: Path, replaced: Path) -> None:
    """Undo one step of publishing, whether it was done whole, half or not at all."""
    if not path.exists():
        target.rename(path)
    with suppress(FileNotFoundError):
        replaced.rename(target)
