"""Where the datasets of a run live: a store by URL, or archives that travel through in/files and out/files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from component import naming
from component.config.model import Config
from component.dataset.commits.commit import Prepared
from component.dataset.format.facts import facts_keys
from component.dataset.format.header import Header, read_header
from component.dataset.format.keys import header_key, referenced, schema_key
from component.folder.files import FileKind, input_files
from component.folder.layout import DataFolder
from component.outputs.manifest import file_manifest
from component.outputs.stage import Stage
from component.plan.model import Plan
from component.plan.options import FileOptions
from component.runner.archives import (
    NOTHING_ARRIVED,
    Arrivals,
    choose_archives,
    find_archives,
    hold_there,
    unmapped,
    used_by,
)
from component.store.archive import pack_archive, restore_archive
from component.store.base import Store
from component.store.local import LocalStore
from component.store.open import open_store

_PACKED_AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True)
class Home:
    """The store that a run works in. `archives`: it is scratch, and datasets leave it as archives.

    `permanent`: the platform keeps these for good. `arrivals` is what was made of the archives that came.
    """

    store: Store
    archives: bool
    permanent: bool = True
    arrivals: Arrivals = NOTHING_ARRIVED

    def where(self, uuid: str) -> str:
        """Say for people where a dataset is."""
        return f"out/files/{uuid}{naming.ARCHIVE_SUFFIX}" if self.archives else self.store.url

    def restore(self) -> None:
        """Unpack the archives that were chosen. UserError `store.archive`; the first refusal, if there is any."""
        for refusal in self.arrivals.refusals:
            raise refusal
        for one in self.arrivals.chosen:
            restore_archive(one.path, self.store)


def open_home(plan: Plan, config: Config, folder: DataFolder, remembered: Mapping[str, str], scratch: Path) -> Home:
    """Open the store of a plan; without one, a scratch store for the datasets that came as archives in in/files.

    `remembered` are the commits of the last run, by dataset. Nothing is unpacked until `restore`; what stands against
    it is among the arrivals. UserError `store.url`, and those of `find_archives`.
    """
    used, parameters = used_by(plan), config.parameters
    if plan.store_url is not None:
        store = open_store(plan.store_url)
        asked = used.kept & remembered.keys()
        there = [uuid for uuid in asked if read_header(store, uuid) is not None]
        held = hold_there(used, there, remembered, parameters, f"it is not in {store.url}")
        return Home(store, archives=False, arrivals=replace(held, warnings=(*held.warnings, *_not_read(folder))))
    arrived = find_archives(folder)
    found = choose_archives(arrived, used, remembered, parameters)
    held = hold_there(used, (one.uuid for one in arrived), remembered, parameters, "in/files holds no archive of it")
    arrivals = replace(
        found,
        warnings=(*found.warnings, *held.warnings, *unmapped(used, arrived, config)),
        refusals=(*found.refusals, *held.refusals),
    )
    local = LocalStore(Path(tempfile.mkdtemp(prefix="store-", dir=scratch)), durable=False)
    return Home(local, archives=True, permanent=parameters.archives.is_permanent, arrivals=arrivals)


def _not_read(folder: DataFolder) -> tuple[str, ...]:
    names = [file.file_name for file in input_files(folder) if file.kind is FileKind.DATASET_ARCHIVE]
    return tuple(f"The archive {name!r} is not used: the datasets of this run are in the store." for name in names)


def pack_datasets(home: Home, prepared: Iterable[Prepared], stage: Stage) -> None:
    """Stage the archive of each dataset with its manifest and tags, so that the next run finds it in in/files."""
    archives = [(one, stage.file(one.header.uuid + naming.ARCHIVE_SUFFIX)) for one in prepared]
    with ThreadPoolExecutor(_PACKED_AT_ONCE, "pack") as pool:  # most of the time, a small archive waits for the disk
        packing = [
            pool.submit(
                pack_archive, home.store, one.header.uuid, archive_keys(one.header, one.plan.storage_format), target
            )
            for one, target in archives
        ]
        try:
            for packed in packing:
                packed.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    for one, target in archives:
        stage.manifest(target, archive_manifest(one.header.uuid, permanent=home.permanent))


def archive_manifest(uuid: str, *, permanent: bool) -> dict[str, Any]:
    """Return the manifest of the archive of a dataset: its tags say what it is."""
    tags = [naming.ARCHIVE_TAG, f"{naming.ARCHIVE_TAG}:{uuid}"]
    return file_manifest(tags, FileOptions(is_permanent=permanent))


def archive_keys(header: Header, storage_format: str) -> list[str]:
    """Return the keys of all that a header names, its own and the schema's included."""
    fixed = [header_key(header.uuid, storage_format), *(schema_key(header.uuid, one) for one in header.tables)]
    return [*fixed, *referenced(header.partitions, header.indices), *facts_keys(header)]
