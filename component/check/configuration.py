"""The configuration: every problem at once, with its place in the document."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from component.check.finding import error, of_error, warning
from component.config.load import parse_config, placed, problems_of_document
from component.config.model import Config
from component.config.problems import Problem
from component.errors import UserError
from component.findings import Finding
from component.naming import CONFIG_FILE


def check_configuration(document: Any, data_dir: Path) -> tuple[Config | None, list[Finding]]:
    """Return the configuration of a decoded document, None when a run would refuse it, and what was found."""
    try:
        config = placed(parse_config(document), data_dir)
    except UserError as refused:
        with suppress(UserError):  # what no model is asked about is all that there is to say
            found = [_finding(problem) for problem in problems_of_document(document)]
            return None, found or [of_error(refused, CONFIG_FILE)]
        return None, [of_error(refused, "parameters")]
    return config, [warning("config.warning", CONFIG_FILE, text) for text in config.warnings]


def _finding(problem: Problem) -> Finding:
    return error(problem.code, problem.path, f"{problem.path} {problem.text}", problem.remedy)
