"""A dataset under another name, or in another store: its files first, then its header."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from component import identity
from component.dataset.changes.carrying import sound_bytes
from component.dataset.changes.change import Base, open_base
from component.dataset.commits.garbage import delete_dataset
from component.dataset.commits.swap import swap_state
from component.dataset.format.facts import facts_keys, known_facts
from component.dataset.format.header import Header, read_header
from component.dataset.format.history import put_copies, stamped
from component.dataset.format.keys import check_uuid, index_key, referenced, schema_key, stored_key
from component.dataset.format.trusted import with_description
from component.errors import CommitRefusedError, UserError
from component.store.base import Store
from component.store.uncommitted import Uncommitted


def copy_dataset(store: Store, uuid: str, target: Store, target_uuid: str) -> int:
    """Copy the live state of a dataset and return how many objects were put; the history stays behind.

    Every file is checked as it passes, by its checksum or, where there is none, by its footer. UserError
    `dataset.missing`, `store.missing` and `dataset.damaged` for a file that is not there or not sound;
    CommitRefusedError when the target exists, or comes to exist meanwhile. On any error but CommitUnknownError nothing
    of the target is left but perhaps a schema, which readers do not see.
    """
    base = open_base(store, uuid, several=True)
    source = base.dataset.header
    check_absent(target, check_uuid(target_uuid))
    if not all(isinstance(index, str) for index in source.indices.values()):
        raise UserError(
            "dataset.format",
            f"The indices of {uuid!r} are embedded in its header",
            remedy="Build the indices again first.",
        )
    schemas = {dataset.table: dataset.schema for dataset in base.datasets}
    copied = _renamed(with_description(source, schemas, base.compatibility or "plateau"), target_uuid)
    with Uncommitted(target) as uncommitted:
        return _put(store, uncommitted, base, copied)


def check_absent(target: Store, uuid: str) -> None:
    """Raise CommitRefusedError when a dataset exists."""
    if read_header(target, uuid) is not None:
        raise CommitRefusedError(
            "commit.refused", f"The dataset {uuid!r} exists in {target.url}", remedy="Choose another uuid."
        )


def _put(store: Store, uncommitted: Uncommitted, base: Base, copied: Header) -> int:
    target, source = uncommitted.store, base.dataset.header
    names = zip(
        referenced(source.partitions, source.indices), referenced(copied.partitions, copied.indices), strict=True
    )
    count = 0
    facts, start = known_facts(store, source).by_file(), len(source.uuid) + 1
    for old, new in names:
        uncommitted.add([stored_key(new)])
        target.put(stored_key(new), sound_bytes(store, old, facts.get(old[start:])))
        count += 1
    for old, new in zip(facts_keys(source), facts_keys(copied), strict=True):
        uncommitted.add([new])
        with suppress(UserError):  # without facts a dataset is whole, and `verify` says that they are missing
            target.put(new, store.get(old))
    put_copies(uncommitted, copied, None)
    schemas = {schema_key(copied.uuid, one.table): one.schema for one in base.datasets}
    with uncommitted.publishing():
        swap_state(target, None, copied, schemas, base.stored.storage_format)
    return count + 1 + len(schemas)


def rename_dataset(store: Store, uuid: str, target_uuid: str) -> None:
    """Give a dataset another uuid: a copy, then a deletion. After a failure in between both are there.

    Errors as `copy_dataset`.
    """
    copy_dataset(store, uuid, store, target_uuid)
    delete_dataset(store, uuid)


def _renamed(header: Header, uuid: str) -> Header:
    """Return the header of the copy. Files of other clients may lie anywhere; those of a copy lie below its uuid."""

    def renamed(key: str) -> str:
        return f"{uuid}/{key.partition('/')[2]}"

    partitions = {
        label: {table: renamed(key) for table, key in files.items()} for label, files in header.partitions.items()
    }
    indices = {
        column: renamed(key) if key.startswith(f"{header.uuid}/") else index_key(uuid, column, identity.new_hex())
        for column, key in header.indices.items()
    }
    return stamped(replace(header, uuid=uuid, partitions=partitions, indices=indices), None, "copy")
