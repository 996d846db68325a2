"""Small data folders for runs: what goes in is written byte by byte, what comes out is read with plain Python."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)")?(,|\n)')
_LOCKS = ".tablemill;"


class DataFolder:
    """A data folder that a test writes, and reads after a run; `store` is where the datasets of `file_store` are."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = root.parent / "store"
        for part in ("in/tables", "in/files", "out/tables", "out/files"):
            (root / part).mkdir(parents=True)
        self.configure()

    @classmethod
    def existing(cls, root: Path) -> DataFolder:
        """A folder that is there already."""
        folder = cls.__new__(cls)
        folder.root = root
        folder.store = root.parent / "store"
        return folder

    # --- what goes in ---

    def configure(self, **parameters: Any) -> None:
        self.config({"parameters": parameters})

    def config(self, document: Any) -> None:
        (self.root / "config.json").write_text(json.dumps(document))

    def file_store(self, **parameters: Any) -> None:
        """Configure a run whose datasets live in a directory."""
        self.configure(store={"url": self.store.as_uri()}, **parameters)

    def table(self, name: str, content: str | bytes, manifest: Mapping[str, Any] | None = None) -> None:
        self._write("tables", name, content)
        self._manifest("tables", name, {} if manifest is None else manifest)

    def sliced(self, name: str, slices: Mapping[str, str | bytes], manifest: Mapping[str, Any]) -> None:
        (self.root / "in" / "tables" / name).mkdir(exist_ok=True)
        for slice_name, content in slices.items():
            self._write("tables", f"{name}/{slice_name}", content)
        self._manifest("tables", name, manifest)

    def file(self, name: str, content: str | bytes, manifest: Mapping[str, Any] | None = None) -> None:
        self._write("files", name, content)
        self._manifest("files", name, {} if manifest is None else manifest)

    def _write(self, kind: str, name: str, content: str | bytes) -> None:
        (self.root / "in" / kind / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def _manifest(self, kind: str, name: str, content: Mapping[str, Any]) -> None:
        (self.root / "in" / kind / f"{name}.manifest").write_text(json.dumps(content))

    def next_run(self) -> None:
        """Do what the platform does between two runs: archives and state come back, the rest of out/ is empty."""
        for archive in (self.root / "out" / "files").glob("*.dataset.zip*"):
            archive.replace(self.root / "in" / "files" / archive.name)
        (self.root / "out" / "state.json").replace(self.root / "in" / "state.json")
        shutil.rmtree(self.root / "out")
        for part in ("out/tables", "out/files"):
            (self.root / part).mkdir(parents=True)

    # --- what comes out ---

    @property
    def state(self) -> Any:
        return json.loads((self.root / "out" / "state.json").read_bytes())

    @property
    def out_tables(self) -> list[str]:
        return self._names("tables")

    @property
    def out_files(self) -> list[str]:
        return self._names("files")

    def _names(self, kind: str) -> list[str]:
        found = (path.name for path in (self.root / "out" / kind).iterdir())
        return sorted(name for name in found if not name.endswith(".manifest"))

    def manifest(self, name: str, kind: str = "tables") -> Any:
        return json.loads((self.root / "out" / kind / f"{name}.manifest").read_bytes())

    def rows(self, name: str) -> list[tuple[str | None, ...]]:
        """All rows of an output table as text; an empty cell without enclosure is None. Slices have no header."""
        path = self.root / "out" / "tables" / name
        if path.is_file():
            return list(parse_output(path.read_bytes()))[1:]
        return [row for part in sorted(path.iterdir()) for row in parse_output(unpacked(part))]

    def columns(self, name: str) -> list[str]:
        """The columns of an output table by its manifest, or by the header of a plain file."""
        path = self.root / "out" / "tables" / name
        if path.is_file():
            return [cell or "" for cell in next(parse_output(path.read_bytes()))]
        manifest = self.manifest(name)
        return manifest.get("columns") or [column["name"] for column in manifest["schema"]]

    def records(self, name: str) -> list[dict[str, str | None]]:
        columns = self.columns(name)
        return [dict(zip(columns, row, strict=True)) for row in self.rows(name)]

    def archived(self, uuid: str) -> dict[str, bytes]:
        """The objects of a dataset that left the run as an archive."""
        with zipfile.ZipFile(self.root / "out" / "files" / f"{uuid}.dataset.zip") as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def header(self, uuid: str) -> Any:
        """The JSON header of a dataset, from the archive or from the store."""
        name = f"{uuid}.by-dataset-metadata.json"
        stored = self.store / name
        return json.loads(stored.read_bytes() if stored.exists() else self.archived(uuid)[name])

    def data_files(self, uuid: str) -> list[str]:
        """The keys of the data files in the store, whether a header names them or not."""
        return sorted(path.relative_to(self.store).as_posix() for path in self.store.glob(f"{uuid}/**/*=*/*.parquet"))


def parse_output(data: bytes) -> Iterator[tuple[str | None, ...]]:
    """Parse what Tablemill writes: every value enclosed, nulls bare."""
    text = data.decode()
    row: list[str | None] = []
    position = 0
    while position < len(text):
        found = _CELL.match(text, position)
        assert found is not None, f"not of the written form: {text[position : position + 80]!r}"
        row.append(None if found[1] is None else found[1].replace('""', '"'))
        position = found.end()
        if found[2] == "\n":
            yield tuple(row)
            row = []
    assert not row, "the last line has no end"


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def snapshot(*roots: Path) -> dict[str, bytes | None]:
    """Everything below some folders, byte by byte; folders are None. A store's lock files are not part of it."""
    found: dict[str, bytes | None] = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            if _LOCKS not in path.parts and not path.name.startswith(".nfs"):
                found[str(path)] = path.read_bytes() if path.is_file() else None
    return found


def csv_text(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Plain CSV for cells that need no enclosure."""
    return "".join(",".join(map(str, row)) + "\n" for row in [columns, *rows])
