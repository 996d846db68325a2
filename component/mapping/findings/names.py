"""Names that nearly fit, and entries that take no part: what people look for when a mapping finds nothing."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from component.findings import Finding
from component.folder.out_listing import Unseen, UnseenKind
from component.mapping.findings.texts import finding
from component.naming import MANIFEST_SUFFIX

_SUFFIXES: Final = (".gz", ".csv")
_UNSEEN: Final[Mapping[UnseenKind, str]] = {
    UnseenKind.DOT: "finding.dot_file",
    UnseenKind.VERSION_CONTROL: "finding.version_control",
    UnseenKind.MANIFEST_FOLDER: "finding.manifest_folder",
}


def mapped_sources(mapping: Sequence[Any]) -> list[str]:
    """Return the sources of all mapping entries, as far as they are text."""
    found = (entry.get("source") for entry in mapping if isinstance(entry, Mapping))
    return [source for source in found if isinstance(source, str)]


def near_misses(names: Iterable[str], sources: Iterable[str], unseen: Sequence[Unseen]) -> Iterator[Finding]:
    """Yield the mapped sources that are not there while something like them is."""
    there = set(names)
    by_form = {_form(name): name for name in there}
    invisible = {one.path for one in unseen}
    for source in dict.fromkeys(sources):
        near = by_form.get(_form(source))
        if source in there:
            continue
        if source in invisible:
            yield finding("finding.invisible_source", source)
        elif near is not None:
            yield finding("finding.near_miss", source, near=near, difference=_difference(source, near))


def manifest_near_misses(names: Iterable[str], manifests: Iterable[str]) -> Iterator[Finding]:
    """Yield the manifests that belong to nothing while something like their file is there."""
    there = set(names)
    by_form = {_form(name): name for name in there}
    for manifest in manifests:
        owner = manifest.removesuffix(MANIFEST_SUFFIX)
        near = by_form.get(_form(owner))
        if owner not in there and near is not None:
            difference = _difference(owner, near)
            yield finding("finding.manifest_near_miss", owner, manifest=manifest, near=near, difference=difference)


def unmapped(names: Iterable[str], sources: Iterable[str], manifests: Iterable[str]) -> Iterator[Finding]:
    """Yield what is uploaded though no mapping names it; with a manifest only where there are mappings at all."""
    mapped = set(sources)
    described = {manifest.removesuffix(MANIFEST_SUFFIX) for manifest in manifests}
    for name in names:
        if name not in mapped and (mapped or name not in described):
            yield finding("finding.unmapped", name)


def last_of_several(names: Iterable[str], sources: Iterable[str]) -> Iterator[Finding]:
    """Yield the sources with several mappings, where only the last one counts."""
    counts = Counter(sources)
    return (finding("finding.several_mappings", name, count=counts[name]) for name in names if counts.get(name, 0) > 1)


def unseen_entries(unseen: Iterable[Unseen], folder_code: str) -> Iterator[Finding]:
    """Yield the entries that the platform does not see; `folder_code` is for directories that could not be there."""
    return (finding(_UNSEEN.get(one.kind, folder_code), one.path) for one in unseen)


def _form(name: str, without: str = "") -> str:
    for step, simplify in _STEPS.items():
        if step != without:
            name = simplify(name)
    return name


def _difference(one: str, other: str) -> str:
    # what cannot be left out, or they would differ
    needed = [step for step in _STEPS if _form(one, without=step) != _form(other, without=step)]
    return " and ".join(needed)


def _without_suffixes(name: str) -> str:
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


_STEPS: Final[Mapping[str, Callable[[str], str]]] = {
    "the Unicode form": lambda name: unicodedata.normalize("NFC", name),
    "blanks": str.strip,
    "case": str.casefold,
    "the suffix": _without_suffixes,
}
"""How names are made alike, and what it is called that they differ in."""
