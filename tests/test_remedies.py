"""Every message says what to do: errors, refusals of the platform, findings of the mapping."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from component.check.finding import CHECK_CODES, CHECK_REMEDIES
from component.config.load import parse_config
from component.errors import CODES, REMEDIES, UserError
from component.findings import note, warning
from component.mapping.findings.texts import FINDINGS
from component.mapping.platform.model import MappingError, RefusedError
from component.mapping.platform.remedies import REMEDIES as OF_THE_PLATFORM
from component.mapping.platform.remedies import with_remedy
from component.mapping.platform.texts import ERRORS
from component.replay.remedies import REMEDIES as OF_A_REPLAY
from component.replay.remedies import with_remedies

IN_THE_TEXT = {"config.type", "config.value", "config.missing_key"}
ROOT = Path(__file__).parents[1] / "component"
RAISED = {"UserError", "RetryError", "CommitRefusedError", "CommitUnknownError", "BugError"}


@cache
def code_of_the_component():
    """The modules of the component with all that stands in them, parsed once for all tests."""
    return [(path, list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))) for path in sorted(ROOT.rglob("*.py"))]


def raised():
    """Code, text and whether there is a remedy, of each error that is made with a code written out."""
    for path, nodes in code_of_the_component():
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                code = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
                if code is not None and len(node.args) > 1:
                    remedies = [one.value for one in node.keywords if one.arg == "remedy"]
                    told = bool(remedies) and not (isinstance(remedies[0], ast.Constant) and not remedies[0].value)
                    yield code, ast.unparse(node.args[1]), told, f"{path.name}:{node.lineno}"


def test_every_code_has_a_remedy_or_texts_that_name_what_is_right():
    assert set(REMEDIES) == set(CODES) - IN_THE_TEXT
    assert all(remedy.endswith(".") for remedy in REMEDIES.values())


def test_every_error_that_is_raised_says_what_to_do():
    silent = [
        where for code, text, told, where in raised() if not told and code in IN_THE_TEXT and " must " not in text
    ]
    assert silent == []
    assert len(list(raised())) > 300


VAGUE = re.compile(r"\b(Look at|Read the dataset to|Compare the|Correct it\b|Change it\b|Keep less|Check it\b)")
"""Words of remedies that name neither what to change nor a command to type."""


def written_remedies():
    """Every remedy that is written out in the code, with where."""
    for path, nodes in code_of_the_component():
        for node in nodes:
            if isinstance(node, ast.keyword) and node.arg == "remedy":
                yield from ((one.value, path.name) for one in ast.walk(node.value) if isinstance(one, ast.Constant))


def test_remedies_name_what_can_be_done():
    tables = {**REMEDIES, **CHECK_REMEDIES, **OF_A_REPLAY}
    known = [
        *((text, code) for code, text in tables.items()),
        *((text, code) for code, (_, _, text) in FINDINGS.items()),
    ]
    found = [(text, where) for text, where in [*known, *written_remedies()] if VAGUE.search(str(text))]
    assert found == []
    assert set(CHECK_REMEDIES) == set(CHECK_CODES)


@pytest.mark.parametrize("code", sorted(REMEDIES))
def test_an_error_without_a_remedy_of_its_own_has_that_of_its_code(code):
    assert str(UserError(code, "It is wrong.")) == f"It is wrong. {REMEDIES[code]}"
    assert str(UserError(code, "It is wrong", remedy="Mend it.")) == "It is wrong. Mend it."


def test_every_refusal_of_the_platform_has_a_remedy():
    assert set(OF_THE_PLATFORM) == set(ERRORS)
    for code in ERRORS:
        for outputs in ([], ["t"], list("abcdefg")):
            refused = RefusedError(with_remedy(MappingError(code, "No"), outputs))
            assert refused.remedy.endswith(".")
            assert str(refused).endswith(refused.remedy)


def remarks():
    """Code and place of each error or warning that a replay makes with a code of its own."""
    for path in sorted((ROOT / "replay").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            codes = [
                one.value for one in node.args if isinstance(one, ast.Constant) and str(one.value)[:7] == "replay."
            ]
            is_note = "Level.NOTE" in map(ast.unparse, node.args) or node.func.id == "note"
            if node.func.id in {"Finding", "warning", "error"} and codes and not is_note:
                yield codes[0]


def test_every_error_and_warning_of_a_replay_says_what_to_do():
    assert set(OF_A_REPLAY) == set(remarks())
    assert all(remedy.endswith(".") for remedy in OF_A_REPLAY.values())
    found = with_remedies(
        [warning("replay.junk", "/", "Junk"), warning("finding.x", "a", "A", "Mend it."), note("x", "", "")]
    )
    assert [one.remedy for one in found] == [OF_A_REPLAY["replay.junk"], "Mend it.", ""]


def kinds_of_problems():
    """Documents that a configuration may be, each with another thing wrong."""
    table = {"source": "t"}
    dataset = {"uuid": "d", "tables": [table]}
    yield from ({"parameters": "x"}, {"parameters": {"datasets": 7}}, {"parameters": {"datasets": [{"tables": []}]}})
    yield {"parameters": {"datasets": [dataset | {"partition_on": "day"}]}}
    yield {"parameters": {"datasets": [dataset | {"mode": "owerwrite"}]}}
    yield {"parameters": {"datasets": [dataset | {"mode": "zzz"}]}}
    yield {"parameters": {"datasets": [dataset | {"mode": 5}]}}
    yield {"parameters": {"datasets": [dataset | {"nope": 5}]}}
    yield {"parameters": {"datasets": [dataset | {"num_buckets": 0, "bucket_by": ["a"]}]}}
    yield {"parameters": {"datasets": [{"tables": [table]}]}}


@pytest.mark.parametrize("document", tuple(kinds_of_problems()), ids=str)
def test_every_problem_of_a_configuration_says_what_to_do(document):
    with pytest.raises(UserError) as caught:
        parse_config(document)
    assert caught.value.remedy or " must " in caught.value.text


def test_a_source_that_is_not_there_is_told_with_the_names_of_the_outputs():
    told = with_remedy(MappingError("mapping.source_missing", 'Table sources not found: "t.csv"'), ["t"])
    assert told.remedy == 'The output is called "t": name it so, or remove the mapping.'
    many = with_remedy(MappingError("mapping.file_missing", "File 'x' not found."), list("abcdefg"))
    assert many.remedy.startswith('The outputs are called "a", "b", "c", "d", "e" and 2 more')


def test_every_finding_has_a_remedy():
    assert [code for code, (_, _, remedy) in FINDINGS.items() if not remedy.endswith(".")] == []
