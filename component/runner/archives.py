"""Dataset archives in in/files: which of them a run goes on with, and what it must not do in silence.

A tag mapping delivers up to ten archives of one dataset. Their headers name the commits that led to each, so the newest
is the one whose history holds all the others. Where there is no such one, nobody can tell which rows are wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component import naming
from component.config.model import Config, InputFileMapping
from component.config.parameters import Parameters
from component.dataset.format.header import HeaderFormat, decode_header
from component.dataset.format.history import ancestors_of, commit_of
from component.errors import UserError
from component.folder.files import FileKind, input_files
from component.folder.layout import DataFolder
from component.plan.model import Plan
from component.store.archive import read_archive_head

_SYSTEM_TAGS: Final = ("componentId: ", "configurationId: ", "configurationRowId: ")
"""Tags that the platform gives every file of a job (reference keboola 5)."""
_SHOWN: Final = 12
"""Characters of a commit's name that a message shows."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An archive in in/files: its dataset, the commit that it holds, and those before, nearest first.

    `content` tells archives of one commit apart that hold different bytes.
    """

    file_name: str
    path: Path
    uuid: str
    commit: str
    ancestors: tuple[str, ...] = ()
    content: int = 0


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What a run makes of the archives: those that it restores, what is to be said of the rest, and why it refuses."""

    chosen: tuple[Arrived, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    refusals: tuple[UserError, ...] = ()


NOTHING_ARRIVED: Final = Arrivals()


@dataclass(frozen=True, slots=True)
class Used:
    """The datasets that a plan reads or writes: `kept` are those whose earlier rows stay in part, `named` all."""

    kept: frozenset[str]
    named: frozenset[str]


def used_by(plan: Plan) -> Used:
    """Return the datasets of a plan; a table that an output names may be a dataset of its own."""
    kept = {dataset.uuid for dataset in plan.datasets if dataset.mode != "overwrite"}
    made = {dataset.uuid for dataset in plan.datasets}
    read = {output.dataset for output in plan.outputs}
    alone = {naming.TABLE_UUID.format(uuid=one.dataset, table=one.table) for one in plan.outputs if one.table}
    return Used(frozenset(kept), frozenset(made | read | alone))


def find_archives(folder: DataFolder) -> tuple[Arrived, ...]:
    """Return the dataset archives in in/files, by file name; of each only the list of entries and the header is read.

    UserError `store.archive`, and `dataset.format` or `dataset.damaged` for a header that cannot be read.
    """
    paths = [file.path for file in input_files(folder) if file.kind is FileKind.DATASET_ARCHIVE]
    return tuple(_arrived(path) for path in paths)


def _arrived(path: Path) -> Arrived:
    head = read_archive_head(path)
    storage_format: HeaderFormat = "json" if head.name.endswith(naming.HEADER_JSON_SUFFIX) else "msgpack.zstd"
    header = decode_header(head.data, storage_format, head.uuid)
    return Arrived(path.name, path, head.uuid, commit_of(header).id, ancestors_of(header), head.content)


def choose_archives(
    arrived: Sequence[Arrived], used: Used, remembered: Mapping[str, str], parameters: Parameters
) -> Arrivals:
    """Decide which archives a run restores; `remembered` are the commits of the last run, by dataset.

    Refusals are `archive.unrelated`, `archive.diverged`, and `archive.stale` unless `on_stale_dataset` allows it.
    """
    chosen: list[Arrived] = []
    notes: list[str] = []
    warnings = [_unused(one) for one in arrived if one.uuid not in used.named]
    refusals: list[UserError] = []
    for uuid in sorted({one.uuid for one in arrived} & used.named):
        group = [one for one in arrived if one.uuid == uuid]
        histories = _histories(group)
        try:
            newest = _newest(group, histories)
            warnings += _held_to_state(newest, histories, remembered.get(uuid), parameters.on_stale_dataset == "use")
        except UserError as refusal:
            refusals.append(refusal)
            continue
        chosen.append(newest)
        notes += _others(newest, group)
    return Arrivals(tuple(chosen), tuple(notes), tuple(warnings), tuple(refusals))


def hold_there(
    used: Used, there: Iterable[str], remembered: Mapping[str, str], parameters: Parameters, absent: str
) -> Arrivals:
    """Refuse to begin a dataset anew that the state knows, where its earlier rows were to stay, or warn of it.

    Refusals are `archive.missing`; `on_missing_dataset` `create` makes them warnings. `absent` says what is not where.
    """
    gone = sorted((used.kept & remembered.keys()) - set(there))
    texts = {
        uuid: f"The state names the commit {_short(remembered[uuid])} of the dataset {uuid!r}, and {absent}"
        for uuid in gone
    }
    if parameters.on_missing_dataset == "create":
        return Arrivals(warnings=tuple(f"{text}: it begins anew, without its earlier rows." for text in texts.values()))
    return Arrivals(
        refusals=tuple(
            UserError(
                "archive.missing",
                text,
                remedy=f'Map the file tagged "{naming.ARCHIVE_TAG}:{uuid}" to the input, or name the store that has'
                ' the dataset. To begin without its earlier rows, set "on_missing_dataset" to "create".',
            )
            for uuid, text in texts.items()
        )
    )


def unmapped(used: Used, arrived: Iterable[Arrived], config: Config) -> tuple[str, ...]:
    """Return a warning for each dataset that the next run would not get: no file mapping brings its archive."""
    there = {one.uuid for one in arrived}
    mappings = config.storage.input.files
    lost = [uuid for uuid in sorted(used.kept - there) if not any(_brings(one, uuid) for one in mappings)]
    return tuple(
        f"The dataset {uuid!r} leaves this run as an archive, and no input mapping brings it into the next one: map the"
        f' files tagged "{naming.ARCHIVE_TAG}:{uuid}", or configure a store.'
        for uuid in lost
    )


def _brings(mapping: InputFileMapping, uuid: str) -> bool:
    if mapping.query or mapping.file_ids:
        return True
    wanted = {tag.name for tag in (mapping.source.tags if mapping.source else ()) if tag.match != "exclude"}
    tags = [tag for tag in (*mapping.tags, *wanted) if tag]
    ours = {naming.ARCHIVE_TAG, f"{naming.ARCHIVE_TAG}:{uuid}"}
    return any(tag in ours or tag.startswith(_SYSTEM_TAGS) or tag.partition("-")[2] in ours for tag in tags)


def _histories(group: Sequence[Arrived]) -> Mapping[str, frozenset[str]]:
    """Return all earlier commits of each commit that an archive holds.

    Archives complete one another: what an older one knows of its past, every one that comes of it has behind it too.
    """
    direct: dict[str, frozenset[str]] = {}
    for one in group:
        direct[one.commit] = direct.get(one.commit, frozenset()) | set(one.ancestors)
    found = {}
    for commit, known in direct.items():
        seen: set[str] = set()
        waiting = list(known)
        while waiting:
            earlier = waiting.pop()
            if earlier not in seen:
                seen.add(earlier)
                waiting += direct.get(earlier, ())
        found[commit] = frozenset(seen)
    return found


def _newest(group: Sequence[Arrived], histories: Mapping[str, frozenset[str]]) -> Arrived:
    """Return the archive whose history holds all the others."""
    newest = [one for one in group if all(o.commit == one.commit or o.commit in histories[one.commit] for o in group)]
    if newest and len({one.content for one in newest}) == 1 and newest[0].commit not in histories[newest[0].commit]:
        return newest[0]
    heads = newest or [one for one in group if not any(one.commit in histories[other.commit] for other in group)]
    raise _apart(heads or list(group), histories)


def _apart(heads: Sequence[Arrived], histories: Mapping[str, frozenset[str]]) -> UserError:
    names = ", ".join(f"{one.file_name} (commit {_short(one.commit)})" for one in heads)
    remedy = (
        'Map only the one to go on with, by "file_ids" or by its tags, or remove the tag'
        f' "{naming.ARCHIVE_TAG}" from the others in Storage.'
    )
    uuid = heads[0].uuid
    lines = {one.commit: histories[one.commit] | {one.commit} for one in heads}
    if len(lines) == 1:
        text = f"The archives of the dataset {uuid!r} hold the same commit with different content: {names}"
        return UserError("archive.diverged", text, remedy=remedy)
    if all(any(line & lines[other] for other in lines if other != commit) for commit, line in lines.items()):
        text = f"The archives of the dataset {uuid!r} have diverged, each has commits that the others lack: {names}"
        return UserError("archive.diverged", text, remedy=remedy)
    text = f"The archives of the dataset {uuid!r} have no commit in common, so none of them is the newest: {names}"
    return UserError("archive.unrelated", text, remedy=remedy)


def _held_to_state(
    newest: Arrived, histories: Mapping[str, frozenset[str]], remembered: str | None, allowed: bool
) -> Iterator[str]:
    """Yield what is to be said of an archive and the state; refuse one that lacks the commit of the state."""
    if remembered is None or remembered == newest.commit:
        return
    named = f"the commit {_short(remembered)} of the dataset {newest.uuid!r}"
    archive = f"the archive {newest.file_name!r} (commit {_short(newest.commit)})"
    if remembered in histories[newest.commit]:
        yield (
            f"The state names {named}, and {archive} is newer: another configuration wrote it, or a job that failed"
            " after its files were uploaded, whose rows are in it already."
        )
    elif allowed:
        yield f"The state names {named}, which {archive} lacks: the run goes on without the rows of that commit."
    else:
        raise UserError(
            "archive.stale",
            f"The state names {named}, which {archive} lacks",
            remedy=f'Map the newest file tagged "{naming.ARCHIVE_TAG}:{newest.uuid}" to the input. To go on from this'
            ' one, without the rows of that commit, set "on_stale_dataset" to "use".',
        )


def _others(newest: Arrived, group: Sequence[Arrived]) -> Iterator[str]:
    others = [one for one in group if one is not newest]
    if others:
        names = ", ".join(f"{one.file_name!r} ({_age(one, newest)})" for one in others)
        yield f"The newest archive of the dataset {newest.uuid!r} is used, {newest.file_name!r}; not used: {names}."


def _age(one: Arrived, newest: Arrived) -> str:
    if one.commit == newest.commit:
        return "the same commit"
    behind = newest.ancestors.index(one.commit) + 1 if one.commit in newest.ancestors else None
    if behind is None:
        return "older"
    return "1 commit older" if behind == 1 else f"{behind} commits older"


def _unused(one: Arrived) -> str:
    return (
        f"The archive {one.file_name!r} is not used: the configuration does not name the dataset {one.uuid!r},"
        " which it holds."
    )


def _short(commit: str) -> str:
    return commit[:_SHOWN]
