"""Where the outputs of a replay would land, and what the platform would say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from component.check.output_mapping import read_question
from component.config.environment import Environment
from component.errors import UserError
from component.findings import Finding, Level
from component.folder.layout import DataFolder
from component.mapping.jobs.job import JobResolution, OutputMapping, resolve_job
from component.mapping.platform.model import DataTypes
from component.mapping.platform.settings import JobFacts
from component.replay.profile import Profile
from component.replay.variables import features
from component.report.results.replayed import Landing

_ON_PLATFORM: Final = "/data"
"""In the place of the working folder, whose name is another one each time."""


@dataclass(frozen=True, slots=True)
class Landed:
    """The answer of the rules, as a report has it."""

    landings: tuple[Landing, ...] = ()
    remarks: tuple[Finding, ...] = ()


def land(
    data: Path, document: Any, profile: Profile, variables: Mapping[str, str], rules: str, *, failed: bool
) -> Landed:
    """Apply a rule set to the outputs in a data folder; after a failed run only `write_always` tables are loaded.

    What the platform would refuse is a remark of level error. UserError `config.value` for an unknown rule set.
    """
    facts = JobFacts(
        default_bucket=profile.default_bucket,
        default_bucket_stage=profile.default_bucket_stage,
        component_id=profile.component_id,
        config_id=profile.config_id,
        branch_id=profile.branch_id if profile.dev_branch else None,
        failed_job=failed,
        data_types=DataTypes(profile.data_types) if profile.data_types else None,
        features=frozenset(features(profile)),
    )
    environment = Environment.from_variables({**variables, "KBC_DATADIR": str(data)})
    try:
        question = read_question(DataFolder(data), document, facts, environment)
    except UserError as error:
        if error.code == "config.value":
            raise
        return Landed(remarks=(Finding(Level.ERROR, error.code, "", error.text, error.remedy),))
    job = resolve_job(question.tables, question.files, question.output, question.settings, rules)
    told = tuple(replace(remark, text=remark.text.replace(str(data), _ON_PLATFORM)) for remark in _remarks(job))
    return Landed(tuple(_landings(job, failed=failed)), told)


def mapped_columns(document: Any) -> dict[str, Sequence[str]]:
    """Return the columns that the output mapping of a configuration names, by table; wrong entries name none."""
    storage = document.get("storage") if isinstance(document, dict) else None
    output = storage.get("output") if isinstance(storage, dict) else None
    tables = OutputMapping.read(output).tables if isinstance(output, dict) else ()
    found: dict[str, Sequence[str]] = {}
    for table in tables:
        columns = table.get("columns") if isinstance(table, dict) else None
        if isinstance(columns, list) and columns:
            found[str(table.get("source"))] = [str(name) for name in columns]
    return found


def _landings(job: JobResolution, *, failed: bool) -> Iterator[Landing]:
    for load in job.loads:
        yield Landing(f"out/tables/{load.source}", load.destination, load.rule.value)
    for upload in () if failed else job.uploads:
        tags = ", ".join(upload.tags)
        yield Landing(f"out/files/{upload.source}", f"file storage, tags: {tags or 'none'}", upload.rule.value)


def _remarks(job: JobResolution) -> Iterator[Finding]:
    if job.error is not None:
        yield Finding(Level.ERROR, job.error.code, job.error.source or "", job.error.text, job.error.remedy)
    for line in job.log:
        yield Finding(Level.NOTE, "replay.platform_log", "", line)
    for swallowed in job.swallowed:
        yield Finding(Level.NOTE, swallowed.code, swallowed.source or "", swallowed.text)
    yield from job.findings
