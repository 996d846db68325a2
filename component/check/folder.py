"""Everything about a data folder before a run, all of it at once, without Spark and without writing to the folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from component.check.configuration import check_configuration
from component.check.destinations import check_destinations
from component.check.documents import CheckedDocument, ciphers_in, read_document
from component.check.finding import error, of_error, warning
from component.check.layout import check_layout
from component.check.manifests import check_manifests
from component.check.planning import CheckedPlan, check_plan
from component.check.sources import FoundSources, check_sources
from component.check.space import check_space
from component.config.environment import Environment, data_folder
from component.config.json_text import describe
from component.config.load import NOT_CONFIGURED, has_inputs
from component.config.model import Config
from component.config.notation import notation_of
from component.config.secrets import secrets_in
from component.errors import UserError
from component.findings import Finding
from component.folder.layout import DataFolder
from component.folder.links import links_out
from component.folder.state import GUIDELINE_BYTES
from component.folder.tables import staged_secrets
from component.naming import CONFIG_FILE, CONFIG_YAML_FILE
from component.plan.asked import NOTHING_ASKED, asked_of
from component.plan.build import nothing_to_do
from component.report.results.checked import CheckReport
from component.report.words.amounts import size_text
from component.report.words.findings import sorted_findings
from component.report.words.masking import HIDDEN, Masking, masked

_CONFIGURE: Final = "Put a config.json there to choose types, keys and outputs, or leave it: a run goes on."


@dataclass(frozen=True, slots=True)
class Texts:
    """The documents of a folder that were read, and all that must be in no text."""

    config: CheckedDocument | None
    state: CheckedDocument | None
    secrets: frozenset[str]


def check_folder(
    variables: Mapping[str, str], data_dir: Path | None = None, *, follow_links: bool = False
) -> CheckReport:
    """Return the report on a folder; `data_dir` wins over KBC_DATADIR. Every secret in it is hidden.

    Nothing is read through links that lead out of the folder, unless `follow_links` allows it for the input: where
    there is one, the report has only these.
    """
    environment, findings = _environment(variables, data_dir)
    folder = DataFolder(environment.data_dir)
    if not os.path.isdir(folder.root):  # noqa: PTH112 - a Path raises for what may not be searched
        missing = error(
            "source.missing", "/", f"There is no data folder {str(folder.root)!r}", "Name a folder that exists."
        )
        return CheckReport(str(folder.root), (missing,))
    links = [link for link in links_out(folder.root) if link.in_output or not follow_links]
    if links:
        return CheckReport(str(folder.root), sorted_findings([of_error(link.error, link.place) for link in links]))
    texts = _texts(folder, environment)
    with tempfile.TemporaryDirectory(prefix="tablemill-check-") as scratch:
        report = _report(folder, environment, texts, findings, Path(scratch))
    return masked(report, Masking(texts.secrets))


def _environment(variables: Mapping[str, str], data_dir: Path | None) -> tuple[Environment, list[Finding]]:
    try:
        return Environment.from_variables(variables, data_dir), []
    except UserError as failed:
        return Environment(data_dir=data_folder(variables, data_dir)), [of_error(failed, "environment")]


def _texts(folder: DataFolder, environment: Environment) -> Texts:
    notation = notation_of(folder.root)
    name = CONFIG_FILE if notation == "json" else CONFIG_YAML_FILE
    config = read_document(folder.root / name, name, "config.syntax", notation)
    state = read_document(folder.in_state, f"in/{folder.in_state.name}", "state.syntax", notation)
    values = [document.value for document in (config, state) if document is not None]
    secrets = frozenset().union(*map(secrets_in, values), *map(ciphers_in, values))
    return Texts(config, state, (secrets | environment.secrets | staged_secrets(folder)) - {HIDDEN})


def _report(
    folder: DataFolder, environment: Environment, texts: Texts, findings: list[Finding], scratch: Path
) -> CheckReport:
    config, of_config = _configuration(folder, texts.config)
    findings += [*of_config, *_state(folder, texts.state)]
    manifests = check_manifests(folder)
    asked = replace(NOTHING_ASKED, scratch=scratch) if config is None else asked_of(config, scratch)
    found = check_sources(folder, asked, manifests.unusable)
    findings += [*manifests.findings, *found.findings]
    planned = CheckedPlan(None) if config is None else check_plan(config, found)
    findings += planned.findings
    report = CheckReport(str(folder.root), sources=found.checked, datasets=planned.datasets)
    if config is not None and planned.plan is not None:
        readable = not any(place.startswith("in/files/") for place in manifests.unusable)
        outputs, of_outputs = check_destinations(folder, config, environment, planned.plan, files_readable=readable)
        space, of_space = check_space(folder, planned.plan)
        report = replace(report, outputs=outputs, space=space)
        findings += [*of_outputs, *of_space, *_nothing(planned, found, lying=folder.loose)]
    return replace(report, findings=sorted_findings([*findings, *check_layout(folder)]))


def _configuration(folder: DataFolder, document: CheckedDocument | None) -> tuple[Config | None, Iterable[Finding]]:
    if document is None and has_inputs(folder.root):
        told = warning("config.warning", CONFIG_FILE, NOT_CONFIGURED.rstrip("."), _CONFIGURE)
        return check_configuration({}, folder.root)[0], (told,)
    if document is None:
        remedy = 'Put one there (an empty object "{}" will do).'
        return None, (error("config.missing", CONFIG_FILE, "There is no config.json in the data folder", remedy),)
    if not document.readable:
        return None, document.findings
    config, findings = check_configuration(document.value, folder.root)
    both = (folder.root / CONFIG_FILE).exists() and (folder.root / CONFIG_YAML_FILE).exists()
    text = f"There are both {CONFIG_FILE} and {CONFIG_YAML_FILE}; {CONFIG_FILE} is read, the other one is not"
    also = [warning("config.warning", CONFIG_YAML_FILE, text)] if both else []
    return config, (*document.findings, *findings, *also)


def _state(folder: DataFolder, document: CheckedDocument | None) -> Iterator[Finding]:
    if document is None:
        return
    yield from document.findings
    if not document.readable:
        return
    value: Any = document.value
    place = f"in/{folder.in_state.name}"
    if value != [] and not isinstance(value, dict):
        yield error("state.syntax", place, f"The state must be an object, but is {describe(value)}")
    if document.size > GUIDELINE_BYTES:
        sizes = size_text(document.size), size_text(GUIDELINE_BYTES)
        yield warning("state.size", place, f"The state has {sizes[0]}; the platform recommends no more than {sizes[1]}")


def _nothing(planned: CheckedPlan, found: FoundSources, *, lying: bool) -> Iterator[Finding]:
    plan = planned.plan
    if plan is not None and not plan.datasets and not plan.outputs and not found.broken:
        nothing = nothing_to_do(lying=lying)
        yield error("source.none", "/" if lying else "in", nothing.text, nothing.remedy)
