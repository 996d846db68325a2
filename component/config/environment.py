"""The KBC_* environment variables, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from component.errors import UserError
from component.naming import DEFAULT_DATA_DIR

DataTypeSupport = Literal["authoritative", "hints", "none"]
"""What the platform asks of output manifests (reference keboola 2.2, 4.3)."""

SUPPORT_WORDS: Final[Mapping[str, DataTypeSupport]] = {
    "authoritative": "authoritative",
    "hints": "hints",
    "none": "none",
}
HIGHEST_PORT: Final = 65535


@dataclass(frozen=True, slots=True)
class Environment:
    """What the platform says outside config.json (reference keboola 1.4); a variable that is not set or empty is None.

    `data_dir` is absolute, since workers have another working directory. `data_type_support` is None on projects
    without native types, which is not the same as the word `none`.
    """

    data_dir: Path = Path(DEFAULT_DATA_DIR)
    component_id: str | None = None
    config_id: str | None = None
    config_row_id: str | None = None
    branch_id: str | None = None
    run_id: str | None = None
    project_id: str | None = None
    stack_id: str | None = None
    run_mode: str = "run"
    data_type_support: DataTypeSupport | None = None
    feature_gates: tuple[str, ...] = ()
    logger_addr: str | None = None
    logger_port: int | None = None

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> Environment:
        """Read the variables; UserError `config.value` for a word or a port that cannot be one."""
        return cls(
            data_dir=Path(variables.get("KBC_DATADIR") or DEFAULT_DATA_DIR).absolute(),
            component_id=variables.get("KBC_COMPONENTID") or None,
            config_id=variables.get("KBC_CONFIGID") or None,
            config_row_id=variables.get("KBC_CONFIGROWID") or None,
            branch_id=variables.get("KBC_BRANCHID") or None,
            run_id=variables.get("KBC_RUNID") or None,
            project_id=variables.get("KBC_PROJECTID") or None,
            stack_id=variables.get("KBC_STACKID") or None,
            run_mode=variables.get("KBC_COMPONENT_RUN_MODE") or "run",
            data_type_support=_data_type_support(variables.get("KBC_DATA_TYPE_SUPPORT") or None),
            feature_gates=_words(variables.get("KBC_PROJECT_FEATURE_GATES", "")),
            logger_addr=variables.get("KBC_LOGGER_ADDR") or None,
            logger_port=_port(variables.get("KBC_LOGGER_PORT") or None),
        )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for part in text.split(",") if (word := part.strip()))


def _data_type_support(text: str | None) -> DataTypeSupport | None:
    if text is None or text in SUPPORT_WORDS:
        return SUPPORT_WORDS.get(text or "")
    allowed = ", ".join(SUPPORT_WORDS)
    raise UserError(
        "config.value", f"KBC_DATA_TYPE_SUPPORT is {text!r}", remedy=f"Set it to one of {allowed}, or leave it unset."
    )


def _port(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= len(str(HIGHEST_PORT)) and 0 < int(text) <= HIGHEST_PORT:
        return int(text)
    raise UserError(
        "config.value", f"KBC_LOGGER_PORT is {text!r}", remedy=f"Set it to a port from 1 to {HIGHEST_PORT}."
    )
