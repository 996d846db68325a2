"""The configuration and state of a replay: read, completed with secrets, and checked for gaps."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from component import clock
from component.check.documents import texts_in
from component.config.json_text import JsonFaultError
from component.config.load import parse_text
from component.config.notation import Notation, notation_of
from component.config.secrets import secrets_in
from component.errors import UserError
from component.findings import Finding
from component.folder.json_file import write_json
from component.folder.staged import credentials_in, names_bucket
from component.naming import CONFIG_FILE, CONFIG_YAML_FILE, MANIFEST_SUFFIX
from component.replay.gaps import document_gaps, missing, staging_gaps
from component.replay.overlay import STATE, overlaid, overlays
from component.replay.request import Case, Handling
from component.replay.variables import secret_variables
from component.report.words.masking import HIDDEN
from component.store.files import failing

PLACEHOLDER: Final = re.compile(r"\{\{\s*env\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_LISTED: Final = 50


@dataclass(frozen=True, slots=True)
class Completed:
    """The configuration as the component gets it, what is missing all the same, and what must be in no report."""

    document: Any
    notation: Notation
    gaps: tuple[Finding, ...]
    secrets: frozenset[str]


def complete(data: Path, case: Case, handling: Handling) -> Completed:
    """Put secrets and placeholders into the data folder's configuration and state, and find what is missing.

    UserError `replay.profile` for a secret that has no value or place, `config.syntax` for a text that is no JSON.
    """
    if handling.config is not None:
        target = CONFIG_YAML_FILE if handling.config.suffix in {".yml", ".yaml"} else CONFIG_FILE
        with failing(handling.config, "read"):
            text = handling.config.read_bytes()
        (data / CONFIG_FILE).unlink(missing_ok=True)
        (data / target).write_bytes(text)
    notation = notation_of(data)
    config = data / (CONFIG_FILE if notation == "json" else CONFIG_YAML_FILE)
    state = data / "in" / ("state.json" if notation == "json" else "state.yml")
    filled = _fill_placeholders(config, handling.variables) if case.placeholders else frozenset()
    values = overlays(handling.profile, handling.secrets, handling.variables)
    document, gaps = _complete_document(config, CONFIG_FILE, values[CONFIG_FILE], notation)
    stored, more = _complete_document(state, STATE, values[STATE], notation)
    put_back = frozenset(text for place in values.values() for _, text in texts_in(list(place.values())))
    given = secret_variables({**handling.profile.environment, **handling.component.extra})
    secrets = frozenset(
        {*secrets_in(document), *secrets_in(stored), *put_back, *given, *filled, *_staged_secrets(data)}
    )
    expired = staging_gaps(data / "in" / "tables", clock.utc_now())
    return Completed(document, notation, (*gaps, *more, *expired), secrets - {HIDDEN, ""})


def refusal(gaps: tuple[Finding, ...]) -> UserError:
    """Return the error that lists what is missing, each with its place."""
    listed = "; ".join(f"{gap.place} ({gap.text})" for gap in gaps[:_LISTED])
    more = f"; and {len(gaps) - _LISTED} more" if len(gaps) > _LISTED else ""
    remedy = "Put secrets back with --secret PATH=VARIABLE or a profile, or run without them: --allow-gaps."
    return UserError("replay.gaps", f"The folder lacks what its run had: {listed}{more}", remedy=remedy)


def _complete_document(
    path: Path, name: str, values: Mapping[str, Any], notation: Notation
) -> tuple[Any, list[Finding]]:
    """Return a document with its values in place, written back if there are any, and its gaps."""
    data = path.read_bytes() if path.is_file() else b"{}"
    try:
        found = parse_text(data, notation)
    except JsonFaultError as fault:
        gaps = document_gaps(name, data, None)
        if not gaps:
            raise UserError("config.syntax", f"{name} {fault}") from None
        if name == CONFIG_FILE:
            gaps = [missing(gaps[0].place, f"{gaps[0].text}; give the whole text with --config FILE")]
        return {}, gaps
    if values:
        found = overlaid(found, values)
        write_json(path, found)  # JSON is YAML too
    return found, document_gaps(name, data, found)


def _fill_placeholders(config: Path, variables: Mapping[str, str]) -> frozenset[str]:
    """Replace placeholders in the text of the configuration; return the values, which are secrets as a rule."""
    if not config.is_file():
        return frozenset()
    try:
        text = config.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return frozenset()  # whoever reads it says so
    names = set(PLACEHOLDER.findall(text))
    missing = sorted(names - variables.keys())
    if missing:
        shown = ", ".join(missing)
        raise UserError("replay.gaps", f"The configuration asks for environment variables that are not set: {shown}")
    if names:
        config.write_text(PLACEHOLDER.sub(lambda found: _in_json(variables[found[1]]), text), encoding="utf-8")
    return frozenset(variables[name] for name in names)


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]


def _staged_secrets(data: Path) -> frozenset[str]:
    manifests = (data / "in" / "tables").glob(f"*{MANIFEST_SUFFIX}")
    return frozenset(secret for path in manifests if names_bucket(path) for secret in credentials_in(path))
