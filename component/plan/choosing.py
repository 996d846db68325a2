"""Which source a word of the configuration means, where several files of in/files go by it.

The platform puts an id before the name of each file, so files of one name come side by side, and a tag is on many.
"""

from __future__ import annotations

import datetime as dt
import filecmp
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from component.config.parameters import SameNameWord
from component.errors import Place, UserError
from component.plan.model import Source
from component.tables.types import TableSchema


def sources_called(word: str, sources: Sequence[Source]) -> tuple[Source, ...]:
    """Return the sources that a word may mean: a table before files, and who has it as its very name before others."""
    found = [source for source in sources if word in source.names]
    exact = [source for source in found if source.file_name == word]
    named = exact or found
    tables = [source for source in named if source.file is None]
    return tuple(tables[:1] or named)


def choose(word: str, found: Sequence[Source], on_same_name: SameNameWord) -> Source:
    """Return the one source of several files that go by a word; what is to be said of the choice is in its `notes`.

    UserError `source.ambiguous` where they differ and nothing says what to do, or cannot be told apart by age, and
    `column.sets_differ` where they are to be read as one and cannot be.
    """
    if len(found) == 1:
        return found[0]
    names = ", ".join(repr(source.file_name) for source in found)
    if on_same_name == "all":
        return replace(_joined(word, found), notes=(f"The files called {word!r} are read as one: {names}.",))
    if on_same_name == "newest":
        chosen = _newest(word, found)
        why = "the newest"
    elif _same_content(found):
        chosen = found[0]
        why = "one of those, which hold the same,"
    else:
        raise UserError(
            "source.ambiguous",
            f"There are {len(found)} files called {word!r}, and they differ: {names}",
            remedy='Name one of them as it is called in the folder, or set "on_same_name" to "newest" or "all".',
        )
    others = ", ".join(repr(source.file_name) for source in found if source is not chosen)
    note = f"Of the files called {word!r}, {why} is read, {chosen.file_name!r}; not read: {others}."
    return replace(chosen, notes=(note,))


def grouped(sources: Sequence[Source]) -> list[tuple[str, tuple[Source, ...]]]:
    """Return the sources by what they are called where nobody names any: files of one name together, in order."""
    groups: dict[tuple[str, int], list[Source]] = {}
    for number, source in enumerate(sources):
        key = (source.file_name, number) if source.file is None else (source.file.name, -1)
        groups.setdefault(key, []).append(source)
    return [(name, tuple(group)) for (name, _), group in groups.items()]


def _newest(word: str, found: Sequence[Source]) -> Source:
    ages = [_created(source) for source in found]
    ids = [source.file.id if source.file else None for source in found]
    for marks in (ages, ids):
        known = [mark for mark in marks if mark is not None]
        if len(known) == len(found) and known.count(max(known)) == 1:
            return found[known.index(max(known))]
    raise UserError(
        "source.ambiguous",
        f"Which of the files called {word!r} is the newest, neither their dates nor their ids say:"
        f" {', '.join(repr(source.file_name) for source in found)}",
        remedy="Name one of them as it is called in the folder.",
    )


def _created(source: Source) -> dt.datetime | None:
    try:
        time = dt.datetime.fromisoformat((source.file.created if source.file else None) or "")
    except ValueError:
        return None
    return time if time.tzinfo else None


def _joined(word: str, found: Sequence[Source]) -> Source:
    """Return one source with the files of all; text has the columns in the same order, other files have the same."""
    first = found[0]
    for source in found[1:]:
        if _way_of_reading(source) != _way_of_reading(first) or _columns(source) != _columns(first):
            raise UserError(
                "column.sets_differ",
                f"The files called {word!r} cannot be read as one: {first.file_name!r} and {source.file_name!r} differ"
                " in format or columns",
                place=Place(table=source.file_name),
                remedy='Give them the same columns, or set "on_same_name" to "newest".',
            )
    slices = tuple(
        replace(part, name=source.file_name if len(source.slices) == 1 else f"{source.file_name}/{part.name}")
        for source in found
        for part in source.slices
    )
    return replace(first, slices=slices)


def _way_of_reading(source: Source) -> Source:
    """Return a source without what tells files of one format apart."""
    return replace(
        source, file_name="", own_name="", names=(), slices=(), schema=TableSchema(()), typed=frozenset(), file=None
    )


def _columns(source: Source) -> object:
    columns = source.schema.columns
    return columns if source.kind in {"csv", "delimited"} else frozenset(columns)


def _same_content(found: Sequence[Source]) -> bool:
    """Say whether files hold the same bytes; of those in a bucket nobody knows."""
    first = found[0]
    return all(_same(first, source) for source in found[1:])


def _same(left: Source, right: Source) -> bool:
    if len(left.slices) != len(right.slices) or _way_of_reading(left) != _way_of_reading(right):
        return False
    return all(
        isinstance(one.location, Path)
        and isinstance(other.location, Path)
        and one.size == other.size
        and filecmp.cmp(one.location, other.location, shallow=False)
        for one, other in zip(left.slices, right.slices, strict=True)
    )
