"""The profile of a replay: what the platform says outside the data folder, and secrets that it took out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from component.config.json_text import JsonFaultError
from component.config.load import parse_text
from component.config.problems import input_words
from component.errors import UserError
from component.naming import MIB

PROFILE_BYTES: Final = 1 * MIB
LONGEST: Final = 7 * 24 * 3600
"""Seconds; the platform's own limit is a day (reference keboola 1.8)."""


def _as_text(value: Any) -> Any:
    """Take a number for a text: YAML reads an id without quotes as one."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_as_text)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class FromVariable(_Part):
    """A secret that an environment variable of the caller holds."""

    env: Text


class Profile(_Part):
    """What the platform would say (reference keboola 1.4, 1.8); what is not said is not there.

    - `environment`: further variables, as they are; they win over all others.
    - `feature_gates`: features of the project; `data_types`: the component's support, on a project with native types.
    - `default_bucket`: a bucket id; `default_bucket_stage`: the component is registered with a default bucket there.
    - `dev_branch`: `branch_id` is a development branch whose tables live in prefixed buckets.
    - `secrets`: values by JSON path of config.json (`parameters.#password`, `in/state.json: token`).
    - `memory`, `network`, `cpus`, `timeout` (seconds): of the container; the last one of any command.
    """

    environment: dict[str, Text] = Field(default_factory=dict)
    component_id: Text | None = None
    config_id: Text | None = None
    config_version: Text = ""
    config_row_id: Text | None = None
    branch_id: Text | None = None
    dev_branch: bool = False
    run_id: Text = "1"
    project_id: Text = "1"
    stack_id: Text = "connection.keboola.com"
    run_mode: Literal["run", "debug"] = "debug"
    staging_file_provider: Literal["aws", "azure", "gcp"] = "aws"
    feature_gates: tuple[Text, ...] = ()
    data_types: Literal["none", "hints", "authoritative"] | None = None
    default_bucket: Text | None = None
    default_bucket_stage: Literal["in", "out"] | None = None
    secrets: dict[str, FromVariable | SecretStr | dict[str, Any] | list[Any]] = Field(default_factory=dict, repr=False)
    memory: str | None = None
    network: Literal["bridge", "none"] | None = None
    cpus: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    timeout: float | None = Field(default=None, gt=0, le=LONGEST)


def load_profile(path: Path | None) -> Profile:
    """Read a profile in JSON or YAML; UserError `replay.profile` with the path of the first problem."""
    if path is None:
        return Profile()
    try:
        with path.open("rb") as file:
            data = file.read(PROFILE_BYTES + 1)
        if len(data) > PROFILE_BYTES:
            raise _wrong(path, f"is larger than {PROFILE_BYTES} bytes")
        value = parse_text(data, "json" if path.suffix == ".json" else "yaml")
        return Profile.model_validate(value)
    except OSError as error:
        raise _wrong(path, f"cannot be read: {error.strerror}") from error
    except JsonFaultError as error:
        raise _wrong(path, str(error)) from None
    except ValidationError as error:
        at, why = _first(error)
    raise _wrong(path, f"at {at}: {why}")


def overridden(profile: Profile, said: Mapping[str, Any]) -> Profile:
    """Return a profile with other values, None for those that stay; UserError `replay.profile` for one that is wrong.

    The keys are fields of a profile, and options of the command are named like them.
    """
    values = {**dict(profile), **{key: value for key, value in said.items() if value is not None}}
    try:
        return Profile.model_validate(values)
    except ValidationError as error:
        at, why = _first(error)
    option = f"--{at.replace('_', '-')}"
    remedy = f"tablemill replay --help says what {option} takes."
    raise UserError("replay.profile", f"The option {option} cannot be used: {why}", remedy=remedy)


def _first(error: ValidationError) -> tuple[str, str]:
    first = error.errors(include_input=False, include_url=False)[0]
    return ".".join(str(step) for step in first["loc"]), input_words(first)


def _wrong(path: Path, why: str) -> UserError:
    return UserError("replay.profile", f"The profile {str(path)!r} {why}", remedy="docs/replay.md has an example.")
