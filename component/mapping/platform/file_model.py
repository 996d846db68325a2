"""The values of the files' half: which files of out/files would be uploaded, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from component.findings import Finding
from component.mapping.platform.model import MappingError, Origin


class FileRule(StrEnum):
    """What decided how a file is uploaded; nothing is merged (reference keboola 5)."""

    MAPPING = "mapping"
    MANIFEST = "manifest"
    DEFAULTS = "defaults"
    TABLE_FILES = "table_files"


@dataclass(frozen=True, slots=True)
class FileUpload:
    """One file that the platform would upload, under its own name.

    `tags` are the final ones: with the system tags, and with the prefix of a branch. `overrode` says that a manifest
    was there and a mapping took its place. `provenance` says for each option that somebody gave, and for the tags,
    where the value comes from; an option that is not in it has the platform's default. `sliced` is never true by
    today's rules: a directory is not uploaded.
    """

    source: str
    tags: tuple[str, ...] = ()
    is_public: bool = False
    is_permanent: bool = False
    is_encrypted: bool = True
    notify: bool = False
    rule: FileRule = FileRule.DEFAULTS
    overrode: bool = False
    sliced: bool = False
    provenance: Mapping[str, Origin] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """Tags and flags, under the platform's names."""
        return {
            "tags": list(self.tags),
            "is_public": self.is_public,
            "is_permanent": self.is_permanent,
            "is_encrypted": self.is_encrypted,
            "notify": self.notify,
        }


@dataclass(frozen=True, slots=True)
class FileResolution:
    """What the platform would do with out/files by one rule set; `uploads` are those before `error` stops the job."""

    rules: str
    uploads: tuple[FileUpload, ...] = ()
    error: MappingError | None = None
    log: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
