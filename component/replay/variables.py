"""The environment variables that the platform gives a component (reference keboola 1.4), from a profile."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import Any, Final

from component.errors import UserError
from component.mapping.platform.model import Feature
from component.replay.profile import Profile

PASSED_ON: Final = (
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "JAVA_HOME",
    "SPARK_HOME",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
)
"""What a command on this machine needs of the caller's environment; the rest is the caller's own, tokens of CI too."""


_SECRET: Final = re.compile("TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIAL|(?<![A-Z])KEY(?![A-Z])", re.IGNORECASE)


def platform_variables(profile: Profile, data_dir: str, parameters: Any) -> dict[str, str]:
    """Return what the platform would set; `data_dir` is the folder as the component sees it.

    KBC_CONFIGID without a configuration is a hash of the parameters, of another form than the platform's.
    """
    config_id = (
        profile.config_id
        or sha1(  # noqa: S324 - a name, no seal
            json.dumps(parameters, sort_keys=True).encode()
        ).hexdigest()
    )
    always = {
        "KBC_DATADIR": f"{data_dir.rstrip('/')}/",
        "KBC_RUNID": profile.run_id,
        "KBC_PROJECTID": profile.project_id,
        "KBC_COMPONENTID": profile.component_id or "local.component",
        "KBC_STACKID": profile.stack_id,
        "KBC_CONFIGID": config_id,
        "KBC_CONFIGVERSION": profile.config_version,
        "KBC_COMPONENT_RUN_MODE": profile.run_mode,
        "KBC_STAGING_FILE_PROVIDER": profile.staging_file_provider,
        "KBC_PROJECT_FEATURE_GATES": ",".join(features(profile)),
    }
    known = {"KBC_CONFIGROWID": profile.config_row_id, "KBC_BRANCHID": profile.branch_id}
    if Feature.NATIVE_TYPES in features(profile):
        known["KBC_DATA_TYPE_SUPPORT"] = profile.data_types or "none"
    return {**always, **{name: value for name, value in known.items() if value is not None}, **profile.environment}


def features(profile: Profile) -> tuple[str, ...]:
    """Return the project's features; the variable for data types is there on projects with native types only."""
    asked = [Feature.NATIVE_TYPES.value] if profile.data_types is not None else []
    return tuple(dict.fromkeys([*profile.feature_gates, *asked]))


def passed_on(variables: Mapping[str, str]) -> dict[str, str]:
    """Return what a command on this machine gets of the caller's own environment."""
    return {name: value for name in PASSED_ON if (value := variables.get(name)) is not None}


def secret_variables(variables: Mapping[str, str]) -> frozenset[str]:
    """Return the values of variables whose names say that they are secret."""
    return frozenset(value for name, value in variables.items() if _SECRET.search(name))


def given_variables(given: Sequence[str], variables: Mapping[str, str]) -> dict[str, str]:
    """Return variables given as NAME=VALUE, or as NAME for the caller's own value; UserError `replay.profile`."""
    found: dict[str, str] = {}
    for entry in given:
        name, equals, value = entry.partition("=")
        if not name or (not equals and name not in variables):
            text = f"The variable {name!r} has no value" if name else f"{entry!r} is no variable"
            raise UserError("replay.profile", text, remedy="Write NAME=VALUE, or NAME for one that is set here.")
        found[name] = value if equals else variables[name]
    return found
