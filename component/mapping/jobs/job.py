"""The outputs of a whole job: files and tables together, in the order of their era (reference keboola 5, 6.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from component.findings import Finding, Level, warning
from component.folder.out_listing import FileListing, OutListing, as_files
from component.mapping.findings.files import file_findings
from component.mapping.jobs.resolve import DEFAULT_RULES, find_rule_set, resolve
from component.mapping.platform.file_model import FileResolution, FileUpload
from component.mapping.platform.model import DataTypes, Feature, Load, MappingError, RefusedError, Resolution, Settings
from component.mapping.platform.remedies import with_remedy
from component.mapping.rules.bucket import ComponentBucket, default_bucket
from component.mapping.rules.files import FILE_ERAS, resolve_files, resolve_table_files

TABLES_FIRST: Final = frozenset({"seed", "2017"})
"""Rule sets of the time when tables were loaded before files; today files are first."""


class JobPart(StrEnum):
    """One half of the outputs."""

    TABLES = "tables"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class OutputMapping:
    """`storage.output` of a configuration, as decoded JSON; entries are raw, the rule sets judge them."""

    tables: tuple[Any, ...] = ()
    files: tuple[Any, ...] = ()
    default_bucket: str | None = None
    data_types: DataTypes | None = None
    table_files: Mapping[str, Any] | None = None

    @classmethod
    def read(cls, output: Mapping[str, Any]) -> OutputMapping:
        """Read `storage.output` (an empty map where there is none)."""
        support = output.get("data_type_support")
        bucket = output.get("default_bucket")
        table_files = output.get("table_files")
        return cls(
            tables=_items(output.get("tables")),
            files=_items(output.get("files")),
            default_bucket=bucket if isinstance(bucket, str) else None,
            data_types=DataTypes(support) if support in tuple(DataTypes) else None,
            table_files=table_files if isinstance(table_files, dict) else None,
        )


def _items(value: Any) -> tuple[Any, ...]:
    return tuple(value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ())


@dataclass(frozen=True, slots=True)
class JobResolution:
    """What the platform would do with all outputs of a job, by one rule set.

    `tables` and `files` are each what would happen to that half by itself. `order` is the order in which the platform
    takes them; the first error ends the job, so `loads` and `uploads` are what would really happen. `refused` is an
    error before either half. In a job that uploads its tables as files, those are `table_files` and nothing is loaded.
    """

    rules: str
    tables: Resolution
    files: FileResolution
    order: tuple[JobPart, ...] = (JobPart.FILES, JobPart.TABLES)
    refused: MappingError | None = None
    table_files: tuple[FileUpload, ...] = ()

    @property
    def reached(self) -> tuple[JobPart, ...]:
        """The halves that the job gets to, in order; the last one may end with the error."""
        if self.refused is not None:
            return ()
        first, second = self.order
        return (first,) if self._half(first).error is not None else (first, second)

    @property
    def error(self) -> MappingError | None:
        """What stops the job."""
        if self.refused is not None:
            return self.refused
        return next((error for part in self.order if (error := self._half(part).error) is not None), None)

    @property
    def loads(self) -> tuple[Load, ...]:
        """The tables that would be loaded."""
        return self.tables.loads if JobPart.TABLES in self.reached else ()

    @property
    def uploads(self) -> tuple[FileUpload, ...]:
        """The files that would be uploaded."""
        uploads = self.files.uploads if JobPart.FILES in self.reached else ()
        return uploads + self.table_files if JobPart.TABLES in self.reached else uploads

    @property
    def log(self) -> tuple[str, ...]:
        """The warnings that would be logged, in order."""
        return tuple(line for part in self.reached for line in self._half(part).log)

    @property
    def swallowed(self) -> tuple[MappingError, ...]:
        """Errors that a failed job ignores."""
        return self.tables.swallowed

    @property
    def refusal(self) -> MappingError | None:
        """Why the job would fail: what stops it, else the first thing that Storage refuses of what it is given."""
        errors = (
            MappingError(one.code, one.text, one.place or None, remedy=one.remedy)
            for one in self.findings
            if one.level is Level.ERROR
        )
        return self.error or next(errors, None)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What the platform would log, and what it accepts in silence and a user would regret."""
        logged = (warning("mapping.warning", "", line.removeprefix("warning: ")) for line in self.log)
        return tuple(dict.fromkeys((*logged, *(one for one in self.findings if one.level is Level.WARNING))))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings over both halves, whether the job gets to them or not."""
        return tuple(one for part in self.order for one in self._half(part).findings)

    def with_findings(self, found: Sequence[Finding]) -> JobResolution:
        """Return it with findings about tables that their manifests do not show, after those of the rule set."""
        return replace(self, tables=replace(self.tables, findings=(*self.tables.findings, *found)))

    def _half(self, part: JobPart) -> Resolution | FileResolution:
        return self.tables if part is JobPart.TABLES else self.files


def resolve_job(
    tables: OutListing,
    files: FileListing,
    output: OutputMapping,
    settings: Settings,
    rules: str = DEFAULT_RULES,
) -> JobResolution:
    """Return what the platform would do with out/tables and out/files, by one rule set.

    The default bucket is `settings.bucket`; where that is None, the one in `output`, else the component's own
    (`settings.default_bucket_stage`). The data types in `output` win over those in `settings` on projects with native
    types, as on the platform. The only exception is UserError `config.value` for an unknown rule set.
    """
    find_rule_set(rules)
    found, refused = in_force(output, settings)
    tables_first = rules in TABLES_FIRST
    if settings.table_files_only and not tables_first:
        return _with_table_files(tables, files, output, found, rules)
    if refused is None:
        table_half = resolve(tables, output.tables, found, rules)
    else:
        # the code of 2017 looked for the bucket before it ran anything, today's does it when the files are up
        table_half = Resolution(rules, error=None if tables_first else refused)
    return JobResolution(
        rules,
        table_half,
        _resolve_files(files, output.files, found, rules),
        order=(JobPart.TABLES, JobPart.FILES) if tables_first else (JobPart.FILES, JobPart.TABLES),
        refused=refused if tables_first else None,
    )


def _resolve_files(listing: FileListing, mapping: Sequence[Any], settings: Settings, rules: str) -> FileResolution:
    resolution = resolve_files(listing, mapping, settings, FILE_ERAS[rules])
    error = resolution.error and with_remedy(resolution.error, [file.name for file in listing.files])
    return replace(resolution, error=error, findings=file_findings(listing, mapping, resolution))


def _with_table_files(
    tables: OutListing, files: FileListing, output: OutputMapping, settings: Settings, rules: str
) -> JobResolution:
    listing = as_files(tables)
    uploaded = resolve_table_files(listing, output.table_files or {}, settings)
    error = uploaded.error and with_remedy(uploaded.error, [file.name for file in listing.files])
    findings = file_findings(listing, (), uploaded)
    return JobResolution(
        rules,
        Resolution(rules, error=error, findings=findings),
        _resolve_files(files, output.files, settings, rules),
        table_files=uploaded.uploads,
    )


def in_force(output: OutputMapping, settings: Settings) -> tuple[Settings, MappingError | None]:
    """Return the settings with the default bucket and the data types that apply, or why there can be no bucket."""
    bucket, data_types, refused = settings.bucket, settings.data_types, None
    if bucket is None:
        stage, component = settings.default_bucket_stage, settings.component_id
        flagged = ComponentBucket(component or "", stage) if stage is not None else None
        try:
            bucket = default_bucket(output.default_bucket, flagged, settings.config_id)
        except RefusedError as error:
            refused = with_remedy(error.error, ())
    if output.data_types is not None and Feature.NATIVE_TYPES in settings.features:
        data_types = output.data_types
    return replace(settings, bucket=bucket, data_types=data_types), refused
