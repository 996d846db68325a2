"""What a replay is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from component.mapping.jobs.resolve import DEFAULT_RULES
from component.replay.compare.options import CompareOptions
from component.replay.container import Container
from component.replay.profile import Profile

TIMEOUT: Final = 3600.0
"""Seconds; the platform's default (reference keboola 1.8)."""
IN_DATA: Final = "data"
"""Word for a working directory: the data folder, as legacy Custom Science had it (reference keboola S7)."""


@dataclass(frozen=True, slots=True)
class Component:
    """What is run: an image, or the words of a command; Tablemill itself when there is neither.

    `folder` is the working directory of a command, a path or `data`; None is the caller's. `extra` are variables that
    the component gets beside the platform's.
    """

    container: Container | None = None
    words: tuple[str, ...] = ()
    folder: str | None = None
    timeout: float = TIMEOUT
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Handling:
    """How runs are prepared and judged.

    - `variables`: the caller's environment.
    - `secrets`: PATH=VARIABLE, beside those of the profile; `config`: a file in the place of config.json.
    - `allow_gaps`: run although something is missing; `keep_out`: leave what is in out/.
    - `mapping`: what a refusal of the platform means: the run has failed, a warning, or nothing (not asked).
    - `strict`: warnings are failures. `update`: write what came out as what is expected.
    """

    profile: Profile
    component: Component
    compare: CompareOptions
    variables: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    config: Path | None = None
    work: Path | None = None
    keep_work: bool = False
    keep_out: bool = False
    allow_gaps: bool = False
    rules: str = DEFAULT_RULES
    mapping: Literal["fail", "warn", "off"] = "fail"
    strict: bool = False
    update: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One run to do again: its source, what it should leave, and the exit code it should have.

    `expected` is a ZIP or a folder, None where nothing is expected. `placeholders`: `{{env.X}}` in config.json stand
    for variables of the caller. `notes` are what is worth to know of the case itself.
    """

    name: str
    source: Path
    expected: Path | None = None
    exit_code: int = 0
    placeholders: bool = False
    notes: tuple[str, ...] = ()
