"""The values of the resolver: what it is told about the project and the job, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from component.errors import Place, UserError
from component.findings import Finding


class DataTypes(StrEnum):
    """The data type support of a component (reference keboola 4.3)."""

    NONE = "none"
    HINTS = "hints"
    AUTHORITATIVE = "authoritative"


class MappingLayer(StrEnum):
    """How the mapping entries come: as written (`raw`), or with the defaults a real job fills in (`normalized`)."""

    RAW = "raw"
    NORMALIZED = "normalized"


class Feature(StrEnum):
    """Project features that change the mapping; others may be given and change nothing."""

    SLICING = "output-mapping-slice"
    NATIVE_TYPES = "new-native-types"
    STAGING_TAGS = "tag-staging-files"


class Rule(StrEnum):
    """What decided a destination."""

    MAPPING = "mapping"
    MANIFEST = "manifest"
    MANIFEST_IN_BUCKET = "manifest+default_bucket"
    FILE_NAME = "file_name"
    FILE_NAME_IN_BUCKET = "file_name+default_bucket"


class Origin(StrEnum):
    """Where the value of an option comes from; `merged`: from mapping and manifest together."""

    MAPPING = "mapping"
    MANIFEST = "manifest"
    MERGED = "merged"
    PLATFORM = "platform"


class FirstLine(StrEnum):
    """Whether the first line of a file is taken as a header, or every line as data."""

    HEADER = "header"
    HEADLESS = "headless"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the resolver must know besides the files and the mapping.

    `bucket` is the default bucket in force (`mapping.rules.bucket.default_bucket`), `branch` the id of a development
    branch whose tables live in prefixed buckets (None on the main branch and on branch storage). `default_bucket_stage`
    is the stage (`in` or `out`) of a component that is registered with a default bucket, and None for others.
    `table_files_only` is set for jobs that upload their tables as files. `input_tables` are the ids of the tables the
    job reads; they serve the findings only.
    """

    bucket: str | None = None
    branch: str | None = None
    data_types: DataTypes = DataTypes.NONE
    failed_job: bool = False
    features: frozenset[str] = frozenset()
    mapping_layer: MappingLayer = MappingLayer.NORMALIZED
    component_id: str | None = None
    config_id: str | None = None
    config_row_id: str | None = None
    run_id: str | None = None
    default_bucket_stage: str | None = None
    table_files_only: bool = False
    input_tables: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A destination (or a bucket, for `default_bucket`) that was there and did not decide."""

    origin: str
    value: str


@dataclass(frozen=True, slots=True)
class Load:
    """One table load that the platform would start.

    `options` are the merged options that differ from the platform's defaults, in the platform's JSON (an empty map is
    `[]`, a list with gaps in its keys is a map). `provenance` says for each of them, and for each manifest value that
    was reset to its default, where the value comes from; an option in neither has the platform's default.
    """

    source: str
    sliced: bool
    destination: str
    options: Mapping[str, Any]
    rule: Rule
    overrode: tuple[Candidate, ...] = ()
    provenance: Mapping[str, Origin] = field(default_factory=dict)
    header: FirstLine = FirstLine.HEADER


@dataclass(frozen=True, slots=True)
class MappingError:
    """Why the platform refuses the outputs: its own text, and our stable code for it.

    `reason` is the code of the inner text where one text quotes another (a manifest that fails to parse). `remedy` is
    ours: what to do about it.
    """

    code: str
    text: str
    source: str | None = None
    reason: str | None = None
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the platform would do with the outputs, by one rule set.

    `loads` holds what would be loaded before `error` stops the job; `swallowed` the errors that a failed job ignores;
    `log` the warnings, in the platform's text with the level before it.
    """

    rules: str
    loads: tuple[Load, ...] = ()
    error: MappingError | None = None
    log: tuple[str, ...] = ()
    swallowed: tuple[MappingError, ...] = ()
    findings: tuple[Finding, ...] = ()


class RefusedError(UserError):
    """The platform refuses the outputs: `mapping.failed` with the platform's text; `error` has our code for it."""

    def __init__(self, error: MappingError) -> None:
        super().__init__("mapping.failed", error.text, place=Place(table=error.source), remedy=error.remedy)
        self.error = error

    def __reduce__(self) -> tuple[type[RefusedError], tuple[MappingError]]:
        return type(self), (self.error,)
