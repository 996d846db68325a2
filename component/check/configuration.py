"""The configuration: every problem at once, with its place in the document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from component.check.finding import error, of_error, warning
from component.config.fields import empty_list_as_object
from component.config.load import parse_config, placed
from component.config.model import Config
from component.config.problems import Problem, problems_of
from component.errors import UserError
from component.naming import CONFIG_FILE
from component.report.checked import CheckFinding


def check_configuration(document: Any, data_dir: Path) -> tuple[Config | None, list[CheckFinding]]:
    """Return the configuration of a decoded document, None when a run would refuse it, and what was found."""
    try:
        config = placed(parse_config(document), data_dir)
    except UserError as refused:
        return None, _problems(document) or [of_error(refused, CONFIG_FILE)]
    return config, [warning("config.warning", CONFIG_FILE, text) for text in config.warnings]


def _problems(document: Any) -> list[CheckFinding]:
    given = empty_list_as_object(document)
    try:
        Config.model_validate(given)
    except ValidationError as invalid:
        return [_finding(problem) for problem in problems_of(invalid, Config, given)]
    return []


def _finding(problem: Problem) -> CheckFinding:
    return error(problem.code, problem.path, f"{problem.path} {problem.text}", problem.remedy)
