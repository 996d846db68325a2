"""Where the datasets of a run live: a store by URL, or archives that travel through in/files and out/files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from component import naming
from component.dataset.commits.commit import Prepared
from component.dataset.format.facts import facts_keys
from component.dataset.format.header import Header
from component.dataset.format.keys import header_key, referenced, schema_key
from component.folder.files import FileKind, input_files
from component.folder.layout import DataFolder
from component.outputs.manifest import file_manifest
from component.outputs.stage import Stage
from component.store.archive import pack_archive, restore_archive
from component.store.base import Store
from component.store.local import LocalStore
from component.store.open import open_store


@dataclass(frozen=True, slots=True)
class Home:
    """The store that a run works in. `archives`: it is scratch, and datasets leave it as archives."""

    store: Store
    archives: bool

    def where(self, uuid: str) -> str:
        """Say for people where a dataset is."""
        return f"out/files/{uuid}{naming.ARCHIVE_SUFFIX}" if self.archives else self.store.url


def open_home(url: str | None, folder: DataFolder, scratch: Path) -> Home:
    """Open the store of a URL; without one, a scratch store with the datasets that came as archives in in/files.

    UserError `store.url` and `store.archive`; CommitRefusedError when two archives hold the same dataset.
    """
    if url is not None:
        return Home(open_store(url), archives=False)
    store = LocalStore(Path(tempfile.mkdtemp(prefix="store-", dir=scratch)))
    for file in input_files(folder):
        if file.kind is FileKind.DATASET_ARCHIVE:
            restore_archive(file.path, store)
    return Home(store, archives=True)


def pack_datasets(home: Home, prepared: Iterable[Prepared], stage: Stage) -> None:
    """Stage the archive of each dataset with its manifest and tags, so that the next run finds it in in/files."""
    for one in prepared:
        name = one.header.uuid + naming.ARCHIVE_SUFFIX
        target = stage.file(name)
        pack_archive(home.store, one.header.uuid, archive_keys(one.header, one.plan.storage_format), target)
        stage.manifest(target, file_manifest([naming.ARCHIVE_TAG, f"{naming.ARCHIVE_TAG}:{one.header.uuid}"]))


def archive_keys(header: Header, storage_format: str) -> list[str]:
    """Return the keys of all that a header names, its own and the schema's included."""
    fixed = [header_key(header.uuid, storage_format), *(schema_key(header.uuid, one) for one in header.tables)]
    return [*fixed, *referenced(header.partitions, header.indices), *facts_keys(header)]
