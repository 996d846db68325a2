"""Outputs and state are written out of sight and appear all at once, when everything has succeeded."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from component import identity, naming
from component.folder.layout import DataFolder, writing
from component.folder.state import write_state


class Stage:
    """A hidden folder in out/, on the same file system, whose content moves to its place by renaming.

    Use `table`, `file`, `manifest` and `state` while writing, then `publish`; `discard` removes what is staged.
    """

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._root = folder.out / f".tablemill-{identity.new_hex()[:12]}"
        self._tables = self._root / "tables"
        self._files = self._root / "files"
        self._replaced = self._root / "replaced"
        try:
            with writing(self._root):
                for made in (self._tables, self._files, self._replaced / "tables", self._replaced / "files"):
                    made.mkdir(parents=True)
        except BaseException:
            self.discard()
            raise

    def table(self, name: str, *, sliced: bool) -> Path:
        """Return where an output table is written: a folder that exists when it is sliced, else a file."""
        path = self._tables / name
        if sliced:
            with writing(path):
                path.mkdir()
        return path

    def file(self, name: str) -> Path:
        """Return where an output file is written."""
        return self._files / name

    def manifest(self, path: Path, content: Mapping[str, Any]) -> None:
        """Write the manifest of a staged table or file."""
        beside = path.with_name(path.name + naming.MANIFEST_SUFFIX)
        with writing(beside):
            beside.write_text(json.dumps(content, indent=4, ensure_ascii=False) + "\n", encoding="utf-8")

    def state(self, content: Mapping[str, Any]) -> None:
        """Write the state that the run leaves."""
        write_state(self._root / naming.STATE_FILE, content)

    def publish(self) -> None:
        """Move everything to its place, manifests after what they describe, the state last.

        What has the same name there goes. When a step fails, out/ is left as it was.
        """
        moves = list(self._moves())
        try:
            for path, target, replaced in moves:
                with writing(target):
                    with suppress(FileNotFoundError):
                        target.rename(replaced)
                    path.rename(target)
        except BaseException:
            for path, target, replaced in reversed(moves):
                _move_back(path, target, replaced)
            raise
        self.discard()

    def _moves(self) -> Iterator[tuple[Path, Path, Path]]:
        """Yield what is staged, its place, and where what is there now goes."""
        for staged, place in ((self._tables, self._folder.out_tables), (self._files, self._folder.out_files)):
            for path in sorted(staged.iterdir(), key=lambda path: path.name.endswith(naming.MANIFEST_SUFFIX)):
                yield path, place / path.name, self._replaced / staged.name / path.name
        state = self._root / naming.STATE_FILE
        if state.exists():
            yield state, self._folder.out_state, self._replaced / naming.STATE_FILE

    def discard(self) -> None:
        """Remove what is staged."""
        shutil.rmtree(self._root, ignore_errors=True)


def _move_back(path: Path, target: Path, replaced: Path) -> None:
    """Undo one step of publishing, whether it was done whole, half or not at all."""
    if not path.exists():
        target.rename(path)
    with suppress(FileNotFoundError):
        replaced.rename(target)
