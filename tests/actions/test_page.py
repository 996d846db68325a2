from __future__ import annotations

import re
from pathlib import Path

from component.actions import counting, dispatch, messages, parameters, partitioning, preview, sampling
from component.actions.dispatch import ACTIONS
from component.naming import MIB

PAGE = (Path(__file__).parents[2] / "docs" / "actions.md").read_text(encoding="utf-8")


def test_the_page_names_every_action_in_order():
    assert re.findall(r"^\| `(\w+)` \| [`\[]", PAGE, re.MULTILINE)[: len(ACTIONS)] == list(ACTIONS)


def test_the_page_names_the_settings_of_actions():
    assert set(parameters.Asked.__dataclass_fields__) <= set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))


def test_the_figures_of_the_page_are_those_of_the_code():
    for figure in (
        f"{sampling.SAMPLE_BYTES // MIB} MiB of rows",
        f"{counting.MOST_VALUES:,} values",
        f"{partitioning.FILE_BYTES // MIB} MiB of Parquet",
        f"({partitioning.ASKED_FILE_BYTES // MIB} MiB if outputs",
        f"After {dispatch.SECONDS:g} seconds",
        f"| {parameters.ROWS} | rows that `previewTable` shows, at most {parameters.MOST_ROWS}",
        f"{preview.MOST_COLUMNS} columns, {messages.CELL_LIMIT} characters",
    ):
        assert figure in PAGE, figure
