"""The KBC_* environment variables, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from component.errors import UserError
from component.naming import DEFAULT_DATA_DIR, HIGHEST_PORT

DataTypeSupport = Literal["authoritative", "hints", "none"]
"""What the platform asks of output manifests (reference keboola 2.2, 4.3)."""
LoggerType = Literal["tcp", "udp", "http"]
"""How a GELF server is spoken to; the platform fixes it when a component is registered (reference keboola 1.6)."""

SUPPORT_WORDS: Final[Mapping[str, DataTypeSupport]] = {
    "authoritative": "authoritative",
    "hints": "hints",
    "none": "none",
}
LOGGER_TYPES: Final[Mapping[str, LoggerType]] = {"tcp": "tcp", "udp": "udp", "http": "http"}


@dataclass(frozen=True, slots=True)
class Environment:
    """What the platform says outside config.json (reference keboola 1.4); a variable that is not set or empty is None.

    `data_dir` is absolute, since workers have another working directory. `data_type_support` is None on projects
    without native types, which is not the same as the word `none`. `config_id` is a hash where a run has no
    configuration. `logger_type` is None unless `logger_addr` was written with a scheme. `token` and what comes with it
    is there only for components that the platform forwards the token to.
    """

    data_dir: Path = Path(DEFAULT_DATA_DIR)
    component_id: str | None = None
    config_id: str | None = None
    config_version: str | None = None
    config_row_id: str | None = None
    branch_id: str | None = None
    run_id: str | None = None
    project_id: str | None = None
    project_name: str | None = None
    stack_id: str | None = None
    run_mode: str = "run"
    staging_file_provider: str | None = None
    data_type_support: DataTypeSupport | None = None
    feature_gates: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)
    token_id: str | None = None
    token_description: str | None = None
    real_user: str | None = None
    url: str | None = None
    logger_addr: str | None = None
    logger_port: int | None = None
    logger_type: LoggerType | None = None

    @classmethod
    def from_variables(cls, variables: Mapping[str, str], data_dir: Path | None = None) -> Environment:
        """Read the variables; `data_dir` wins over KBC_DATADIR.

        UserError `config.value` for a word, a port or an address that cannot be one.
        """

        def text(name: str) -> str | None:
            return variables.get(name) or None

        logger_type, logger_addr = _logger(text("KBC_LOGGER_ADDR"))
        return cls(
            data_dir=data_folder(variables, data_dir),
            component_id=text("KBC_COMPONENTID"),
            config_id=text("KBC_CONFIGID"),
            config_version=text("KBC_CONFIGVERSION"),
            config_row_id=text("KBC_CONFIGROWID"),
            branch_id=text("KBC_BRANCHID"),
            run_id=text("KBC_RUNID"),
            project_id=text("KBC_PROJECTID"),
            project_name=text("KBC_PROJECTNAME"),
            stack_id=text("KBC_STACKID"),
            run_mode=text("KBC_COMPONENT_RUN_MODE") or "run",
            staging_file_provider=text("KBC_STAGING_FILE_PROVIDER"),
            data_type_support=_data_type_support(text("KBC_DATA_TYPE_SUPPORT")),
            feature_gates=_words(text("KBC_PROJECT_FEATURE_GATES") or ""),
            token=text("KBC_TOKEN"),
            token_id=text("KBC_TOKENID"),
            token_description=text("KBC_TOKENDESC"),
            real_user=text("KBC_REALUSER"),
            url=text("KBC_URL"),
            logger_addr=logger_addr,
            logger_port=_port(text("KBC_LOGGER_PORT")),
            logger_type=logger_type,
        )

    @property
    def secrets(self) -> frozenset[str]:
        """What must be in no text."""
        return frozenset({self.token} if self.token else ())


def data_folder(variables: Mapping[str, str], data_dir: Path | None = None) -> Path:
    """Return the data folder alone, which is known even where other variables are wrong."""
    return (data_dir or Path(variables.get("KBC_DATADIR") or DEFAULT_DATA_DIR)).absolute()


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for part in text.split(",") if (word := part.strip()))


def _data_type_support(text: str | None) -> DataTypeSupport | None:
    if text is None or text in SUPPORT_WORDS:
        return SUPPORT_WORDS.get(text or "")
    allowed = ", ".join(SUPPORT_WORDS)
    raise UserError(
        "config.value", f"KBC_DATA_TYPE_SUPPORT is {text!r}", remedy=f"Set it to one of {allowed}, or leave it unset."
    )


def _logger(address: str | None) -> tuple[LoggerType | None, str | None]:
    """Take the scheme off an address: the platform gives none, a developer may."""
    if address is None or "://" not in address:
        return None, address
    scheme, _, host = address.partition("://")
    if scheme in LOGGER_TYPES and host:
        return LOGGER_TYPES[scheme], host
    raise UserError(
        "config.value",
        f"KBC_LOGGER_ADDR is {address!r}",
        remedy=f"Set it to a host, or to a host behind one of {', '.join(f'{name}://' for name in LOGGER_TYPES)}.",
    )


def _port(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= len(str(HIGHEST_PORT)) and 0 < int(text) <= HIGHEST_PORT:
        return int(text)
    raise UserError(
        "config.value", f"KBC_LOGGER_PORT is {text!r}", remedy=f"Set it to a port from 1 to {HIGHEST_PORT}."
    )
