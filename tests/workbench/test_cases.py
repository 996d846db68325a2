"""The cases taken from Workbench's own tests: those of column names here, those of files with the parsers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from component.workbench.rules.column_names import name_messages, unique_names

CASES = json.loads((Path(__file__).parents[1] / "data" / "workbench" / "cases.json").read_text(encoding="utf-8"))
OURS = {"colnames"}
OF_THE_PARSERS = {"csv", "json", "httpfile"}
"""Kinds that tests of `workbench.parse` and `workbench.http_file` run."""


def unescaped(text):
    """The cases write what JSON tools stumble over as Python's escapes."""
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")


def test_every_kind_of_case_belongs_to_somebody():
    assert {case["kind"] for case in CASES} == OURS | OF_THE_PARSERS


@pytest.mark.parametrize("case", [case for case in CASES if case["kind"] == "colnames"], ids=lambda case: case["id"])
def test_column_names_become_what_workbench_makes_of_them(case):
    given, expected = case["input"], case["expect"]
    names = unique_names([unescaped(name) for name in given["names"]], given["max_bytes"], given["existing"])
    assert [one.name for one in names] == expected["names"]
    messages = name_messages(names, given["max_bytes"])
    assert [[message.id, dict(message.arguments)] for message in messages] == expected["warnings"]
