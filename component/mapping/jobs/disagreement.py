"""Where the rule sets disagree about a job: each source is asked about by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from component.folder.out_listing import FileListing, OutListing
from component.mapping.jobs.job import JobPart, JobResolution, OutputMapping, resolve_job
from component.mapping.jobs.resolve import RULE_SETS
from component.mapping.platform.file_model import FileUpload
from component.mapping.platform.model import Load, MappingError, Settings


class Aspect(StrEnum):
    """What rule sets may see differently."""

    DESTINATION = "destination"
    OPTIONS = "options"
    HEADER = "header"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one rule set says, as JSON: a tuple of destinations, options or headers, or the text of an error.

    There is a destination for each load of the source, and none where it is not uploaded; options and headers are those
    that differ among its loads. None is no error.
    """

    rules: str
    value: Any


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing that rule sets see differently; `source` is None for an error about the job as a whole.

    `answers` has those rule sets that get as far as to have one, in their order.
    """

    part: JobPart
    source: str | None
    aspect: Aspect
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same outputs by every rule set, and where they differ."""

    resolutions: tuple[JobResolution, ...]
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one rule set makes of one source."""

    rules: str
    error: MappingError | None
    destinations: tuple[str, ...]
    options: tuple[Any, ...]
    headers: tuple[str, ...]


def compare(tables: OutListing, files: FileListing, output: OutputMapping, settings: Settings) -> Comparison:
    """Return the resolutions of a job by all rule sets, and their disagreements by source.

    A rule set whose error about another source ends the job before a source is reached has no answer about it. Two
    errors in different words are no disagreement.
    """
    resolutions = tuple(resolve_job(tables, files, output, settings, rules) for rules in RULE_SETS)
    found = [*_whole(resolutions)]
    tables_seen = [_tables(one, [source.name for source in tables.sources]) for one in resolutions]
    files_seen = [_files(one, [file.name for file in files.files]) for one in resolutions]
    for source in tables.sources:
        found += _about(JobPart.TABLES, source.name, [seen[source.name] for seen in tables_seen])
    for file in files.files:
        found += _about(JobPart.FILES, file.name, [seen[file.name] for seen in files_seen])
    return Comparison(resolutions, tuple(found))


def _whole(resolutions: Sequence[JobResolution]) -> Iterator[Disagreement]:
    for part in JobPart:
        errors = [_error(one, part) for one in resolutions]
        general = any(error is not None and error.source is None for error in errors)
        if general and any(error is None for error in errors):
            texts = (None if error is None else error.text for error in errors)
            answers = tuple(Answer(one.rules, text) for one, text in zip(resolutions, texts, strict=True))
            yield Disagreement(part, None, Aspect.ERROR, answers)


def _error(resolution: JobResolution, part: JobPart) -> MappingError | None:
    return resolution.refused or (resolution.tables if part is JobPart.TABLES else resolution.files).error


def _tables(resolution: JobResolution, sources: Sequence[str]) -> dict[str, _Seen | None]:
    loads: dict[str, list[Load]] = {source: [] for source in sources}
    for load in resolution.tables.loads:
        loads[load.source].append(load)
    return {source: _table(resolution, source, found) for source, found in loads.items()}


def _table(resolution: JobResolution, source: str, loads: list[Load]) -> _Seen | None:
    error = _error(resolution, JobPart.TABLES)
    about = error if error is not None and error.source == source else None
    if error is not None and about is None and not loads:
        return None
    destinations = tuple(load.destination for load in loads)
    options = _distinct(load.options for load in loads)
    return _Seen(resolution.rules, about, destinations, options, _distinct(load.header for load in loads))


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    found: list[Any] = []  # options are maps, which no set holds
    for value in values:
        if value not in found:
            found.append(value)
    return tuple(found)


def _files(resolution: JobResolution, names: Sequence[str]) -> dict[str, _Seen | None]:
    uploads = {upload.source: upload for upload in resolution.files.uploads}
    return {name: _file(resolution, name, uploads.get(name)) for name in names}


def _file(resolution: JobResolution, name: str, upload: FileUpload | None) -> _Seen | None:
    error = _error(resolution, JobPart.FILES)
    about = error if error is not None and error.source == name else None
    if upload is None:
        return None if error is not None and about is None else _Seen(resolution.rules, about, (), (), ())
    return _Seen(resolution.rules, about, (name,), (upload.options,), ())


def _about(part: JobPart, source: str, seen: Sequence[_Seen | None]) -> Iterator[Disagreement]:
    known = [one for one in seen if one is not None]
    if len({one.error is None for one in known}) > 1:
        texts = tuple(Answer(one.rules, None if one.error is None else one.error.text) for one in known)
        yield Disagreement(part, source, Aspect.ERROR, texts)
    sound = [one for one in known if one.error is None]
    by_aspect = (
        (Aspect.DESTINATION, [one.destinations for one in sound]),
        (Aspect.OPTIONS, [one.options for one in sound if one.destinations]),
        (Aspect.HEADER, [one.headers for one in sound if one.destinations]),
    )
    for aspect, values in by_aspect:
        if any(value != values[0] for value in values):
            rules = [one.rules for one in sound if one.destinations or aspect is Aspect.DESTINATION]
            yield Disagreement(part, source, aspect, tuple(map(Answer, rules, values)))
