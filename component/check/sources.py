"""What each input becomes, with the faults of all of them: one that is broken does not hide the others."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from component.check.finding import error, of_error, relative, warning
from component.errors import RetryError, UserError
from component.findings import Finding
from component.folder.layout import DataFolder, entries
from component.folder.tables import HeaderMode
from component.naming import CONFIG_FILE, MANIFEST_SUFFIX
from component.plan.asked import Asked
from component.plan.model import Source
from component.plan.sources import bare_name, find_sources
from component.report.results.checked import CheckedColumn, CheckedSource
from component.tables.types import Column, TypeName

NO_MANIFEST: Final = "has no manifest"
"""In warnings of the input room about what is a finding of its own here."""
HEADER_WORDS: Final = {
    HeaderMode.FIRST_LINE: "in the first line",
    HeaderMode.MANIFEST: "in the manifest",
    HeaderMode.SKIP_FIRST_LINE: "in the manifest; the first line is skipped",
    HeaderMode.NONE: "nowhere in the file",
}


@dataclass(frozen=True, slots=True)
class FoundSources:
    """The inputs that can be read; `broken` are the words that a configuration may call the others."""

    sources: tuple[Source, ...] = ()
    checked: tuple[CheckedSource, ...] = ()
    broken: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()


def check_sources(folder: DataFolder, asked: Asked, unusable: frozenset[str] = frozenset()) -> FoundSources:
    """Look at every input but the `unusable` (places as `in/tables/a.csv`, of which all is said already)."""
    if not unusable:
        try:
            return _all_at_once(folder, asked)
        except (UserError, RetryError, OSError):
            pass  # whose fault it is, is found out below
    return _one_by_one(folder, asked, unusable)


def _all_at_once(folder: DataFolder, asked: Asked) -> FoundSources:
    sources, warnings = find_sources(folder, asked)
    names = [relative(path, folder.root) for _, inputs in _parts(folder) for path in entries(inputs)]
    findings = [warning("source.warning", _named_in(text, names), text) for text in warnings if NO_MANIFEST not in text]
    return FoundSources(sources, tuple(map(_checked, sources)), findings=tuple(findings))


def _parts(folder: DataFolder) -> tuple[tuple[str, Path], ...]:
    """Return the folders of inputs, each with what stands before the names of its inputs."""
    return (("", folder.root),) if folder.loose else (("in/tables/", folder.in_tables), ("in/files/", folder.in_files))


def _named_in(text: str, places: Iterable[str]) -> str:
    """Return the place of the input that a warning names, in quotes or before a colon."""
    named = ((place, place.rpartition("/")[2]) for place in places)
    return next((place for place, name in named if repr(name) in text or text.startswith(f"{name}: ")), "in")


def _one_by_one(folder: DataFolder, asked: Asked, unusable: frozenset[str]) -> FoundSources:
    """Look at each input in a folder of its own, which has nothing but links to it and its manifest."""
    parts: list[FoundSources] = []
    alone = replace(asked, texts=(), urls=())
    with tempfile.TemporaryDirectory(prefix="tablemill-check-") as scratch:
        view = DataFolder(Path(scratch))
        for place, origin in _parts(folder):
            target = view.root / place
            target.mkdir(parents=True, exist_ok=True)
            try:
                names = sorted({path.name.removesuffix(MANIFEST_SUFFIX) for path in entries(origin)})
            except UserError as failed:
                parts.append(FoundSources(findings=(of_error(failed, place or "/"),)))
                continue
            for name in names:
                if f"{place}{name}" in unusable:
                    parts.append(FoundSources(broken=_words(name)))
                else:
                    parts.append(_one(folder, view, place, name, alone))
        parts += [_configured(view, replace(alone, texts=(text,)), text.name) for text in asked.texts]
        parts += [_configured(view, replace(alone, urls=(url,)), url) for url in asked.urls]
    return _joined(parts)


def _configured(empty: DataFolder, asked: Asked, name: str) -> FoundSources:
    """Look at an input that is not in the folder."""
    try:
        return _all_at_once(empty, asked)
    except (UserError, RetryError) as failed:
        return FoundSources(broken=_words(name), findings=(of_error(failed, CONFIG_FILE),))


def _one(folder: DataFolder, view: DataFolder, part: str, name: str, asked: Asked) -> FoundSources:
    origin, target = folder.root / part, view.root / part
    there = [entry for entry in (name, name + MANIFEST_SUFFIX) if entry and os.path.lexists(origin / entry)]
    links = [target / entry for entry in there]
    for link in links:
        link.symlink_to((origin / link.name).absolute())
    place = f"{part}{name}"
    try:
        found = _all_at_once(view, asked)
        return replace(found, findings=tuple(replace(one, place=place) for one in found.findings))
    except (UserError, RetryError) as failed:
        told = of_error(failed, place)
        text = told.text.replace(str(view.root), str(folder.root))
        return FoundSources(broken=_words(name), findings=(replace(told, text=text),))
    except OSError as failed:
        text = f"The input cannot be read: {failed.strerror}"
        return FoundSources(broken=_words(name), findings=(error("source.format", place, text),))
    finally:
        for link in links:
            link.unlink()


def _words(name: str) -> frozenset[str]:
    """Return the words that a configuration may call an input that nobody could read more of."""
    without_id = name.partition("_")[2] if name.partition("_")[0].isdigit() else name
    return frozenset({name, bare_name(name), without_id, bare_name(without_id)})


def _joined(parts: Iterable[FoundSources]) -> FoundSources:
    found = list(parts)
    return FoundSources(
        sources=tuple(source for part in found for source in part.sources),
        checked=tuple(source for part in found for source in part.checked),
        broken=frozenset(word for part in found for word in part.broken),
        findings=tuple(finding for part in found for finding in part.findings),
    )


def _checked(source: Source) -> CheckedSource:
    text = source.kind == "csv"
    header = HEADER_WORDS[source.header] if source.header else None
    return CheckedSource(
        name=source.file_name,
        kind=source.kind,
        sliced=len(source.slices) != 1 or source.slices[0].name != source.file_name,
        slices=len(source.slices),
        bytes=source.size,
        gzip=any(part.gzip for part in source.slices),
        delimiter=source.dialect.delimiter_in_file if text else None,
        enclosure=source.dialect.enclosure if text else None,
        header=header,
        table_id=source.table_id,
        primary_key=source.schema.primary_key,
        columns=tuple(checked_column(column, known=column.name in source.typed) for column in source.schema.columns),
    )


def checked_column(column: Column, *, known: bool) -> CheckedColumn:
    """Return a column as it is shown; one whose type nobody knows has none."""
    # of all other types a length does not change what is read
    length = f"({column.length})" if column.length and column.type is TypeName.NUMERIC else ""
    return CheckedColumn(column.name, f"{column.type.value}{length}" if known else None, column.nullable)
