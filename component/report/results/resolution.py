"""Where outputs would land, for machines: the answer of the resolver as JSON values; and its words for people."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from component.errors import shorten
from component.findings import Finding, Level
from component.folder.out_listing import FileListing, OutListing, OutSource
from component.mapping.jobs.disagreement import Aspect, Disagreement
from component.mapping.jobs.job import JobPart, JobResolution
from component.mapping.platform.file_model import FileRule, FileUpload
from component.mapping.platform.model import FirstLine, Load, MappingError, Rule
from component.report.words.amounts import counted, size_text
from component.report.words.findings import finding_json

RULE_WORDS: Final[Mapping[str, str]] = {
    Rule.MAPPING: "output mapping",
    Rule.MANIFEST: "manifest",
    Rule.MANIFEST_IN_BUCKET: "manifest's name in the default bucket",
    Rule.FILE_NAME: "file name (deprecated)",
    Rule.FILE_NAME_IN_BUCKET: "file name in the default bucket",
    FileRule.DEFAULTS: "no mapping, no manifest",
    FileRule.TABLE_FILES: "table_files",
}
"""What decided, in words; the names of mapping and manifest are the same for tables and files."""
LONGEST_VALUE: Final = 60
"""Characters of an option's value in a text for people; machines get all of it."""
LONGEST_ERROR: Final = 120
"""Characters of an error that another rule set would give."""


@dataclass(frozen=True, slots=True)
class ResolutionReport:
    """The answer of one rule set, with the outputs it is about; `disagreements` say where other rule sets differ.

    `predicted`: the outputs are not there yet, they are those that a run would make. `out` is the folder of those that
    are, as a person reads it.
    """

    job: JobResolution
    tables: OutListing
    files: FileListing
    disagreements: tuple[Disagreement, ...] = ()
    predicted: bool = False
    out: str = "out"

    def sized(self, uploads: Sequence[FileUpload]) -> list[tuple[FileUpload, int]]:
        """Return uploads with their bytes; some may be tables that are uploaded as files."""
        files = {file.name: file.size for file in self.files.files}
        tables = {source.name: source.size for source in self.tables.sources}
        return [
            (upload, (tables if upload.rule is FileRule.TABLE_FILES else files).get(upload.source, 0))
            for upload in uploads
        ]


def render_resolution_json(report: ResolutionReport) -> dict[str, Any]:
    """Return the answer as JSON values; sizes in bytes."""
    job = report.job
    sources = {source.name: source for source in report.tables.sources}
    return {
        "rules": job.rules,
        "predicted": report.predicted,
        "loads": [_load(load, sources.get(load.source)) for load in job.loads],
        "error": None if job.error is None else _error(job.error),
        "log": list(job.log),
        "findings": [_finding(finding) for finding in job.findings],
        "files": [_upload(upload, size) for upload, size in report.sized(job.uploads)],
        "order": [part.value for part in job.order],
        "swallowed": [_error(error) for error in job.swallowed],
        "disagreements": [_disagreement(one) for one in report.disagreements],
    }


def _load(load: Load, source: OutSource | None) -> dict[str, Any]:
    return {
        "source": load.source,
        "sliced": load.sliced,
        "destination": load.destination,
        "options": dict(load.options),
        "rule": load.rule.value,
        "provenance": {key: origin.value for key, origin in load.provenance.items()},
        "overrode": [{"origin": one.origin, "value": one.value} for one in load.overrode],
        "header": load.header.value,
        "bytes": source.size if source else 0,
        "slices": len(source.slices) if source else 0,
    }


def _upload(upload: FileUpload, size: int) -> dict[str, Any]:
    return {
        "source": upload.source,
        **upload.options,
        "sliced": upload.sliced,
        "rule": upload.rule.value,
        "overrode": upload.overrode,
        "provenance": {key: origin.value for key, origin in upload.provenance.items()},
        "bytes": size,
    }


def _error(error: MappingError) -> dict[str, Any]:
    return {
        "code": error.code,
        "text": error.text,
        "source": error.source,
        "reason": error.reason,
        "remedy": error.remedy,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return finding_json(finding) | {"text": finding.sentence, "source": finding.place or None}


def _disagreement(one: Disagreement) -> dict[str, Any]:
    answers = [{"rules": answer.rules, "value": answer.value} for answer in one.answers]
    return {"part": one.part.value, "source": one.source, "aspect": one.aspect.value, "answers": answers}


# --- words ---


def source_words(report: ResolutionReport) -> str:
    """Return what the answer is about: outputs that are there, or those that a run would make."""
    tables, files = len(report.tables.sources), len(report.files.files)
    found = f"{counted(tables, 'table')} and {counted(files, 'file')}"
    if report.predicted:
        return f"{report.out} is empty: these are the {found} that a run of the configuration would make."
    if not tables and not files:
        return f"{report.out} is empty, and the configuration makes no outputs."
    return f"These are the {found} in {report.out}. To see what a run would make of the configuration, empty it first."


def rule_words(rule: str) -> str:
    """Return what decided, in words; the rule's own name where nobody has words for it."""
    return RULE_WORDS.get(rule, rule.replace("_", " ").replace("+", ", "))


def why_words(load: Load) -> str:
    """Return what decided a destination, and what was there and did not: `output mapping, over manifest in.c-a.b`."""
    over = ", ".join(f"{candidate.origin.replace('_', ' ')} {candidate.value}" for candidate in load.overrode)
    return rule_words(load.rule) + (f", over {over}" if over else "")


def form_words(source: OutSource | None) -> str:
    """Return what a source is: `plain, 1.2 MB` or `3 slices, 1.2 MB`."""
    if source is None:
        return ""
    form = counted(len(source.slices), "slice") if source.sliced else "plain"
    return f"{form}, {size_text(source.size)}"


def first_line(load: Load) -> str:
    """Return what the platform takes the first line of a file for."""
    return "names" if load.header is FirstLine.HEADER else "data"


def option_words(load: Load) -> list[str]:
    """Return each option that is not the default, with where it comes from: `incremental = true (manifest)`."""
    lines = [
        f"{key} = {value_text(value)}" + (f" ({load.provenance[key].value})" if key in load.provenance else "")
        for key, value in load.options.items()
    ]
    reset = [(key, origin) for key, origin in load.provenance.items() if key not in load.options]
    return lines + [f"{key} reset to its default ({origin.value})" for key, origin in reset]


def upload_words(upload: FileUpload) -> list[str]:
    """Return what is not the default of an upload."""
    marks = {
        "public": upload.is_public,
        "permanent": upload.is_permanent,
        "not encrypted": not upload.is_encrypted,
        "notify": upload.notify,
        "sliced": upload.sliced,
    }
    return [word for word, is_set in marks.items() if is_set]


def disagreement_words(one: Disagreement) -> str:
    """Return where rule sets differ, and what each says."""
    said = "; ".join(f"{', '.join(rules)}: {text}" for rules, text in _outcomes(one))
    return f"rule sets disagree on {one.source or f'the {one.part.value}'} ({one.aspect.value}): {said}"


def _outcomes(one: Disagreement) -> list[tuple[list[str], str]]:
    """Return each outcome once, with the rule sets that have it; of options those that are not the same in all."""
    values = [answer.value for answer in one.answers]
    if one.aspect is Aspect.OPTIONS and all(len(value) == 1 for value in values):
        values = list(_differing([value[0] for value in values]))
    found: list[tuple[Any, list[str]]] = []
    for answer, value in zip(one.answers, values, strict=True):
        rules = next((rules for other, rules in found if other == value), None)
        if rules is None:
            found.append((value, [answer.rules]))
        else:
            rules.append(answer.rules)
    texts: list[str] = []
    for longest in (LONGEST_VALUE, 2 * LONGEST_VALUE, 4 * LONGEST_VALUE, sys.maxsize):
        texts = [_answer_text(one.aspect, value, longest) for value, _ in found]
        if len(set(texts)) == len(texts):
            break  # what is cut must not hide what the outcomes differ in
    return [(rules, text) for (_, rules), text in zip(found, texts, strict=True)]


def _differing(options: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield, of each map of options, the keys that some other map does not have with the same value."""
    first, *others = options
    same = {key for key, value in first.items() if all(key in one and one[key] == value for one in others)}
    for one in options:
        yield {key: value for key, value in one.items() if key not in same}


def _answer_text(aspect: Aspect, value: Any, longest: int) -> str:
    if aspect is Aspect.ERROR:
        return "no error" if value is None else shorten(str(value), max(longest, LONGEST_ERROR))
    if aspect is Aspect.OPTIONS:
        return value_text(value, longest) if value else "nothing"
    return ", ".join(value) or "nothing"


def value_text(value: Any, longest: int = LONGEST_VALUE) -> str:
    """Return a value as short JSON."""
    return shorten(json.dumps(value, ensure_ascii=False), longest)


def verdict_words(job: JobResolution) -> str:
    """Return what would happen, in one sentence."""
    levels = Counter(finding.level for finding in job.findings)
    found = ", ".join(counted(levels[level], level.value) for level in Level if levels[level])
    warned = f" Found besides: {found}." if found else ""
    if job.error is None:
        done = f"{counted(len(job.loads), 'table load')}, {counted(len(job.uploads), 'file upload')}"
        return f"Rule set {job.rules} accepts the outputs: {done}.{warned}"
    before = []
    if job.uploads:
        before.append(counted(len(job.uploads), "file upload"))
    if job.loads:
        before.append(counted(len(job.loads), "table load"))
    started = f", after {' and '.join(before)}" if before else ""
    return f"Rule set {job.rules} refuses the outputs{started}.{warned}"


def not_reached(job: JobResolution) -> tuple[JobPart, ...]:
    """Return the halves of the outputs that the job does not get to."""
    return tuple(part for part in job.order if part not in job.reached)
