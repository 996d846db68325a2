"""The options of `tablemill replay`: types that say how each is given, and groups of them as its help lists them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

RUN: Final = "The run"
PLATFORM: Final = "What the platform would say"
COMPARISON: Final = "The comparison"
REPORT: Final = "The report"


def _option(text: str, panel: str, metavar: str | None = None) -> Any:
    return typer.Option(help=text, rich_help_panel=panel, show_default=False, metavar=metavar)


Source = Annotated[Path, typer.Argument(metavar="ZIP|FOLDER", help="A debug ZIP, a data folder, or a folder of cases.")]
Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- COMMAND...]", help="The component to run; an image gets the words as its arguments."),
]

Image = Annotated[str | None, _option("Run this image through the container engine.", RUN, metavar="NAME")]
Engine = Annotated[str | None, _option("The engine's command; default is docker, else podman.", RUN, metavar="COMMAND")]
Memory = Annotated[str | None, _option("Memory of the container; default 256m, as the platform's.", RUN, metavar="M")]
Network = Annotated[Literal["bridge", "none"] | None, _option("Network of the container; default is bridge.", RUN)]
User = Annotated[
    str,
    _option("User of the container: random (one that no image knows, the default), image, or UID:GID.", RUN),
]
Cwd = Annotated[
    str | None,
    _option("Working directory: a path, or data for the data folder; default: the image's, or this one.", RUN),
]
Timeout = Annotated[float | None, _option("Seconds after which the component is killed; default 3600.", RUN)]
Env = Annotated[
    list[str] | None,
    _option("A variable for the component; NAME alone passes this one on.", RUN, metavar="NAME[=VALUE]"),
]
KeepOut = Annotated[bool, _option("Leave what is in out/ for the run to find.", RUN)]
Work = Annotated[Path | None, _option("Where the working folder is made.", RUN, metavar="FOLDER")]
KeepWork = Annotated[bool, _option("Leave the working folder there.", RUN)]

ProfileFile = Annotated[
    Path | None, _option("A file with all of this, YAML or JSON (docs/replay.md).", PLATFORM, metavar="FILE")
]
Secret = Annotated[
    list[str] | None,
    _option("Put a secret back, from an environment variable.", PLATFORM, metavar="PATH=VARIABLE"),
]
ConfigFile = Annotated[Path | None, _option("A file in the place of config.json.", PLATFORM, metavar="FILE")]
AllowGaps = Annotated[bool, _option("Run although secrets or credentials are missing.", PLATFORM)]
ComponentId = Annotated[str | None, _option("KBC_COMPONENTID.", PLATFORM, metavar="ID")]
ConfigId = Annotated[str | None, _option("KBC_CONFIGID.", PLATFORM, metavar="ID")]
BranchId = Annotated[
    str | None, _option("KBC_BRANCHID, of a development branch with bucket prefixes.", PLATFORM, metavar="ID")
]
DataTypes = Annotated[
    Literal["none", "hints", "authoritative"] | None,
    _option("The component's data types, on a project with native types.", PLATFORM),
]
Feature = Annotated[list[str] | None, _option("A feature of the project.", PLATFORM, metavar="NAME")]
DefaultBucket = Annotated[str | None, _option("The default bucket in force.", PLATFORM, metavar="ID")]
Rules = Annotated[
    Literal["seed", "2017", "2026"], _option("Whose rules decide where outputs land; default 2026.", PLATFORM)
]
Mapping = Annotated[
    Literal["fail", "warn", "off"],
    _option("What it means when the platform would refuse the outputs: fail (default), warn, or off.", PLATFORM),
]

Expected = Annotated[
    Path | None, _option("What should come out: stage_output.zip, or a folder.", COMPARISON, metavar="ZIP|FOLDER")
]
Update = Annotated[bool, _option("Write what comes out as what is expected.", COMPARISON)]
Ordered = Annotated[bool, _option("The order of rows counts.", COMPARISON)]
Tolerance = Annotated[
    float | None, _option("Numbers may differ by this, times their size where that is over 1.", COMPARISON)
]
IgnoreColumn = Annotated[
    list[str] | None,
    _option("A column that does not count; * and ? stand for letters.", COMPARISON, metavar="[TABLE:]NAME"),
]
IgnoreTable = Annotated[list[str] | None, _option("A table that does not count.", COMPARISON, metavar="NAME")]
IgnoreFile = Annotated[
    list[str] | None, _option("A file in out/files that does not count.", COMPARISON, metavar="PATH")
]
IgnoreKey = Annotated[
    list[str] | None, _option("A key of manifests and documents that does not count.", COMPARISON, metavar="KEY")
]
IgnoreTimestamps = Annotated[
    bool, _option("Date-times in manifests and documents are equal whatever they say.", COMPARISON)
]
EmptyIsNull = Annotated[bool, _option("An enclosed empty cell is null too.", COMPARISON)]
ParquetContent = Annotated[bool, _option("Compare Parquet files and dataset archives by their rows.", COMPARISON)]
Show = Annotated[int, typer.Option(help="Rows shown of each table that differs.", rich_help_panel=COMPARISON, min=0)]

Strict = Annotated[bool, _option("Warnings are failures.", REPORT)]
Format = Annotated[
    Literal["text", "json"], typer.Option("--format", help="How the result is printed.", rich_help_panel=REPORT)
]
Junit = Annotated[Path | None, _option("Write the result as JUnit XML too.", REPORT, metavar="FILE")]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How the component is run."""

    image: Image = None
    engine: Engine = None
    memory: Memory = None
    network: Network = None
    user: User = "random"
    cwd: Cwd = None
    timeout: Timeout = None
    env: Env = None
    keep_out: KeepOut = False
    work: Work = None
    keep_work: KeepWork = False


@dataclass(frozen=True, slots=True)
class PlatformOptions:
    """What the platform would say; most of it may be in a profile instead."""

    profile: ProfileFile = None
    secret: Secret = None
    config: ConfigFile = None
    allow_gaps: AllowGaps = False
    component_id: ComponentId = None
    config_id: ConfigId = None
    branch_id: BranchId = None
    data_types: DataTypes = None
    feature: Feature = None
    default_bucket: DefaultBucket = None
    rules: Rules = "2026"
    mapping: Mapping = "fail"


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What is expected, and what counts as a difference."""

    expected: Expected = None
    update: Update = False
    ordered: Ordered = False
    tolerance: Tolerance = None
    ignore_column: IgnoreColumn = None
    ignore_table: IgnoreTable = None
    ignore_file: IgnoreFile = None
    ignore_key: IgnoreKey = None
    ignore_timestamps: IgnoreTimestamps = False
    empty_is_null: EmptyIsNull = False
    parquet_content: ParquetContent = False
    show: Show = 5


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How the result is told."""

    strict: Strict = False
    output_format: Format = "text"
    junit: Junit = None
