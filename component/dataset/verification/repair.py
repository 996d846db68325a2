"""What of a dataset's faults can be mended, and a report of what was done (docs/dataset-verify.md).

Rows of a damaged data file are named by its facts, its path and the indices, since it does not say so itself. Data
files that no state names, of a commit that was overwritten or of a killed writer, can be taken into the dataset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from component import naming
from component.dataset.changes.change import Base, Change, carry_out
from component.dataset.commits.garbage import collect
from component.dataset.commits.moving import remove_hidden
from component.dataset.commits.writable import make_explicit
from component.dataset.files.csv_file import open_data, parquet_of
from component.dataset.files.data_file import read_rows
from component.dataset.files.footer import open_footer
from component.dataset.files.fragment import encode_fragment, fragment_of_files
from component.dataset.files.write import Written, WrittenFile
from component.dataset.format.facts import FileFacts, data_keys, facts_of, known_facts
from component.dataset.format.header import encode_header, missing_dataset, read_header
from component.dataset.format.history import commit_of
from component.dataset.format.keys import check_uuid, header_key, history_key, label_of_key, schema_key
from component.dataset.format.layout import Layout, described_schema
from component.dataset.format.schema import decode_schema, encode_schema, normal_schema
from component.dataset.format.trusted import read_schema
from component.dataset.indices.lookup import read_embedded, read_index
from component.dataset.reading.reader import Dataset
from component.dataset.verification.faults import Fault, Verdict
from component.dataset.verification.file_faults import GONE
from component.dataset.verification.history_faults import COPY_AGAIN, DROP_COPY
from component.dataset.verification.lost_header import lost_state, put_back, rebuilt_header, whole_states
from component.dataset.verification.verify import unnamed, usual_tables, verify
from component.errors import TablemillError, UserError
from component.store.base import Store

Orphans = Literal["leave", "adopt", "remove"]
Damaged = Literal["leave", "drop"]
_OF_FILE = ("verify.file", "verify.checksum", "verify.size", "verify.rows")
_OF_HEADER = ("verify.header", "verify.partition_keys")


def repair(
    store: Store,
    uuid: str,
    *,
    orphans: Orphans = "leave",
    damaged: Damaged = "leave",
    state: str | None = None,
    rebuild_header: bool = False,
) -> tuple[Verdict, tuple[str, ...]]:
    """Mend what can be mended, and return what was found before, and what was done.

    A header that is damaged or gone comes back from the copy of its state; `state` names another commit, where it is
    not to be the newest. Rows are never guessed: a partition whose file is gone is dropped from the header; a file that
    is there and damaged stays, and stays a fault, unless `damaged` files are to be dropped. `orphans`: what becomes of
    objects that no kept state names, and that are too old to be of a running writer. `rebuild_header`: a header that
    is lost, and of which no copy is kept, is made again from the data files; then files that were not live any more
    are live again. Errors as `verify`; UserError `dataset.history` for a `state` that is not kept, `dataset.format`
    where the files do not allow a header; CommitRefusedError when another writer commits at the same time.
    """
    if rebuild_header and not (_is_readable(store, uuid) or whole_states(store, check_uuid(uuid))):
        header, said = rebuilt_header(store, uuid)
        put_back(store, header)
        found, more = repair(store, uuid, orphans=orphans, damaged=damaged)
        fault = Fault("verify.header", "The header is lost, and no copy of it is kept", header_key(uuid, "json"))
        return replace(found, faults=(fault, *found.faults)), (*said, *more)
    first, done = verify(store, uuid), list[str]()
    found = first
    if not _is_readable(store, uuid):
        if state is None and not any(fault.mend for fault in found.faults):
            return found, ()
        lost = lost_state(store, uuid, state)
        put_back(store, lost.header)
        done.append(f"put the header back as of commit {lost.id} ({lost.operation}, {lost.time})")
        found = verify(store, uuid)
        first = replace(found, faults=(*first.faults, *found.faults))
    done += [*_schemas(store, uuid, found.faults), *_headers(store, uuid, found.faults)]
    done += _Mending(store, found, adopt=orphans == "adopt", drop=damaged == "drop").commit()
    if orphans == "remove":
        garbage = unnamed(store, uuid)
        collect(store, garbage)
        done += [f"removed {one.key}, which no state names" for one in garbage.objects]
    return first, tuple(done)


def _is_readable(store: Store, uuid: str) -> bool:
    try:
        return read_header(store, uuid) is not None
    except UserError:
        return False


def _schemas(store: Store, uuid: str, faults: Sequence[Fault]) -> Iterator[str]:
    """Put schemas again that are damaged, missing, or not as the original clients demand them."""
    live = read_header(store, uuid)
    for key in sorted({fault.key for fault in faults if fault.code == "verify.schema" and fault.mend and fault.key}):
        table = key.split("/")[1]
        if live is None or key != schema_key(uuid, table):
            continue
        found = store.get_versioned(key)
        schema = described_schema(live.header.described(table)) or decode_schema(store.get(key))
        data = encode_schema(normal_schema(schema, live.header.partition_keys))
        store.put_if(key, data, found[1] if found else None)
        yield f"put the schema of the table {table} again"


def _headers(store: Store, uuid: str, faults: Sequence[Fault]) -> Iterator[str]:
    """Put the copy of the live header again, and delete one that JSON hides."""
    live = read_header(store, uuid)
    codes = {fault.code for fault in faults if fault.mend}
    for fault in faults:
        if fault.mend == DROP_COPY and fault.key is not None:
            store.delete(fault.key)
            yield f"deleted {fault.key}, a damaged copy of an earlier state"
    if live is not None and any(fault.mend == COPY_AGAIN for fault in faults):
        commit = commit_of(live.header)
        store.put(history_key(uuid, commit.id), encode_header(live.header, "msgpack.zstd"))
        yield f"put the copy of the state {commit.id} again"
    if live is not None and "verify.hidden_header" in codes:
        remove_hidden(store, live)
        yield "deleted the msgpack header that the JSON one hid"


def _is_damaged(fault: Fault) -> bool:
    """Say whether a fault is a data file whose bytes are not those that were written, or that cannot be read."""
    return fault.code in _OF_FILE and fault.label is not None and not fault.mend


class _Mending:
    """What is mended by a commit: labels that go, files that are written again or named again, indices, facts."""

    def __init__(self, store: Store, found: Verdict, *, adopt: bool, drop: bool) -> None:
        self._store, self._found, self._adopt, self._drop = store, found, adopt, drop
        self._done: list[str] = []

    def commit(self) -> list[str]:
        """Make one commit of all that is to be mended so, if anything is, and say what it does."""
        base = self._base()
        removed, emptied = (
            {*self._dropped(), *self._labels("verify.table"), *self._labels("verify.path")},
            self._damaged(base),
        )
        rows = list(self._rewritten(base))
        adopted = self._adopted(base) if self._adopt else []
        rebuilt = self._rebuilt(base, changed=bool(removed or emptied or adopted))
        must = any([removed, emptied, rows, adopted, rebuilt, self._other()])
        noted = (
            self._noted(base, {*removed, *(label for label, _ in emptied)})
            if must or base.dataset.header.extras
            else {}
        )
        if not (must or noted):
            return []
        change = Change(
            "repair",
            rows=rows,
            removed=removed,
            emptied=emptied,
            rebuilt=rebuilt,
            adopted=[*adopted, Written(noted=noted)],
        )
        carry_out(self._store, base, change)
        return self._done

    def _base(self) -> Base:
        """Return the state with the tables that most partitions have: the others are written again."""
        stored = make_explicit(self._store, self._found.uuid)
        if stored is None:
            raise missing_dataset(self._store, self._found.uuid)
        header = stored.header
        tables = usual_tables(header)
        datasets = [Dataset(self._store, header, table, read_schema(self._store, header, table)) for table in tables]
        return Base(stored, datasets[0], tuple(datasets[1:]))

    def _faults(self, *codes: str) -> list[Fault]:
        return [fault for fault in self._found.faults if fault.code in codes and fault.mend]

    def _labels(self, code: str) -> set[str]:
        return {fault.label for fault in self._faults(code) if fault.label is not None}

    def _dropped(self) -> set[str]:
        gone = {fault.label for fault in self._faults("verify.file") if fault.mend == GONE and fault.label}
        twice = self._labels("verify.twice")
        self._done += [f"dropped the partition {label}, whose file is gone" for label in sorted(gone)]
        self._done += [f"dropped the partition {label}, whose file another one names" for label in sorted(twice)]
        return gone | twice

    def _damaged(self, base: Base) -> list[tuple[str, str]]:
        """Return labels and tables whose file is damaged, if they are to go, and say which rows go with them."""
        if not self._drop:
            return []
        faults = [fault for fault in self._found.faults if _is_damaged(fault)]
        found = dict.fromkeys((fault.label or "", fault.key or "") for fault in faults)
        emptied = []
        for dataset in base.datasets:
            lost, partitions = LostRows(dataset, base.datasets), dataset.header.partitions
            for label, key in found:
                if partitions.get(label, {}).get(dataset.table) == key:
                    self._done.append(f"dropped the damaged file {key}: {lost.text(label, key)}")
                    emptied.append((label, dataset.table))
        return emptied

    def _rewritten(self, base: Base) -> Iterator[list[pa.Table]]:
        """Yield the rows of files that are written again: of another table's name, or under a path with a slash."""
        header, dataset = base.dataset.header, base.dataset
        for fault in {fault.label: fault for fault in self._faults("verify.table", "verify.path")}.values():
            if fault.key is None or fault.label is None or base.others:
                continue
            values = dataset.partition_values(fault.key)
            with open_data(self._store, fault.key, dataset.schema) as file:
                yield [read_rows(file, dataset.schema, dataset.columns, values)]
            tables = ", ".join(header.partitions[fault.label])
            self._done.append(f"wrote the partition {fault.label} again, which was a file of {tables} at {fault.key}")

    def _rebuilt(self, base: Base, *, changed: bool) -> set[str]:
        """Return the indices that are read from the data again; those that only name too much are not."""
        unreadable = not self._drop and any(_is_damaged(fault) for fault in self._found.faults)
        wrong = {fault.column for fault in self._faults("verify.index", "verify.checksum") if fault.column}
        indices = {name for layout in base.layouts for name in layout.secondary_indices}
        rebuilt = indices if changed and not unreadable else wrong & indices
        self._done += [f"built the index on {column} again" for column in sorted(wrong & indices)]
        return rebuilt

    def _other(self) -> bool:
        """Say whether there is a fault that goes with any commit."""
        found = self._faults("verify.header", "verify.partition_keys", "verify.facts")
        wrong = [one.text for one in found if one.code in _OF_HEADER]
        self._done += [f"put the header again: {text}" for text in wrong]
        return bool(found)

    def _adopted(self, base: Base) -> list[Written]:
        adopted = list(adoptable(self._store, base, self._found.orphans))
        self._done += [f"adopted {file.key}, {file.rows} rows" for part in adopted for file in part.files]
        return adopted

    def _noted(self, base: Base, removed: set[str]) -> dict[str, FileFacts]:
        """Return the facts of files that have none; those that cannot be read stay without."""
        header, start = base.dataset.header, len(self._found.uuid) + 1
        known = known_facts(self._store, header).by_file()
        noted: dict[str, FileFacts] = {}
        for key in data_keys({label: files for label, files in header.partitions.items() if label not in removed}):
            if key[start:] in known:
                continue
            try:
                data = self._store.get(key)
                content = pa.BufferReader(parquet_of(data, key, pa.schema([])))
                noted[key] = facts_of(data, open_footer(content).metadata.num_rows)
            except TablemillError:
                continue
        if noted:
            self._done.append(f"noted the facts of {len(noted)} files")
        return noted


class LostRows:
    """What is known of the rows of files of one table that are dropped; an index tells of all `tables` together."""

    def __init__(self, dataset: Dataset, tables: Sequence[Dataset]) -> None:
        self._dataset = dataset
        self._facts = known_facts(dataset.store, dataset.header).by_file()
        shared = {name for one in tables if one is not dataset for name in one.schema.names}
        own = (name for name in dataset.header.indices if name in dataset.schema.names and name not in shared)
        self._indices = {name: table for name in own if (table := self._index(name)) is not None}

    def _index(self, column: str) -> pa.Table | None:
        dataset, index = self._dataset, self._dataset.header.indices[column]
        try:
            if not isinstance(index, str):
                return read_embedded(index, column, dataset.schema.field(column).type)
            return read_index(pa.BufferReader(dataset.store.get(index)), column)
        except (UserError, KeyError):
            return None

    def text(self, label: str, key: str | None) -> str:
        """Return how many rows a file held, of which partition, and within which values of the indexed columns."""
        facts = self._facts.get((key or "")[len(self._dataset.header.uuid) + 1 :])
        rows = "rows are lost, and nobody noted how many"
        if facts is not None:
            rows = "1 row is lost" if facts.rows == 1 else f"{facts.rows:,} rows are lost"
        return f"{rows}: {', '.join(self._bounds(label, key))}".removesuffix(": ")

    def _bounds(self, label: str, key: str | None) -> Iterator[str]:
        values = self._dataset.partition_values(key) if key is not None else {}
        yield from (f"{name} = {value!r}" for name, value in values.items())
        for name, index in self._indices.items():
            lists = index["partition"].combine_chunks()
            held = pc.equal(pc.list_flatten(lists).cast(pa.string()), label)
            found = index[name].take(pc.list_parent_indices(lists).filter(held))
            if len(found):
                ends = pc.min_max(found)
                yield f"{name} from {ends['min'].as_py()!r} to {ends['max'].as_py()!r}"


def adoptable(store: Store, base: Base, orphans: Sequence[str]) -> Iterator[Written]:
    """Yield the data files among objects that no state names, as if they had just been written.

    Only files of the dataset's one table that can be read whole, have its columns and types, and a path that says their
    partition. Files that another state named once, and that a collection did not get to, are among them.
    """
    if base.others:
        return
    layout, folder = base.layout, f"{base.dataset.header.uuid}/{base.dataset.table}/"
    for key in orphans:
        if key.startswith(folder) and key.endswith(naming.PARQUET_SUFFIX):
            found = _written(store, base, layout, key)
            if found is not None:
                yield found


def _written(store: Store, base: Base, layout: Layout, key: str) -> Written | None:
    dataset, label = base.dataset, label_of_key(key)
    if label in dataset.header.partitions:
        return None
    try:
        data = store.get(key)
        values = dataset.partition_values(key)
        rows = read_rows(pa.BufferReader(data), dataset.schema, dataset.schema.names, values)
    except TablemillError:
        return None
    fragments = {
        name: encode_fragment(fragment_of_files([(label, pc.unique(rows[name]))], layout.index_type(name))).to_pybytes()
        for name in layout.secondary_indices
    }
    return Written((WrittenFile(label, key, facts_of(data, rows.num_rows)),), fragments)
