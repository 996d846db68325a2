from __future__ import annotations

import pickle
from pathlib import Path

from component import mapping
from component.findings import Level
from component.mapping.findings import texts as finding_texts
from component.mapping.findings.texts import FINDINGS, finding
from component.mapping.platform import texts
from component.mapping.platform.model import RefusedError
from component.mapping.platform.texts import ERRORS, REASONS, WARNINGS, refusal

TABLES = (ERRORS, WARNINGS, REASONS, FINDINGS)


def code_but(module):
    """The code of the whole room but one module."""
    files = Path(mapping.__file__).parent.rglob("*.py")
    return "".join(path.read_text(encoding="utf-8") for path in files if str(path) != module.__file__)


def test_every_code_stands_for_one_text():
    codes = [code for table in TABLES for code in table]
    assert len(codes) == len(set(codes))
    assert all(code.startswith(("mapping.", "finding.")) for code in codes)


def test_a_finding_says_what_happens_and_what_to_do():
    for level, text, remedy in FINDINGS.values():
        assert level in Level
        assert text.endswith(".")
        assert remedy.endswith(".")
    found = finding("finding.dot_file", ".x")
    assert found.sentence == 'The platform does not see ".x": its name begins with a dot. Remove it.'
    assert found.level is Level.NOTE
    assert found.place == ".x"


def test_braces_in_names_are_shown_as_they_are():
    error = refusal("mapping.no_destination", "{0}{x}.csv").error
    assert error.text == 'Failed to resolve destination for output table "{0}{x}.csv".'


def test_a_refusal_is_a_user_error_with_the_place_and_survives_pickling():
    refused = refusal("mapping.manifest", "t.csv", ("mapping.json", "Syntax error"), path="/p")
    assert refused.code == "mapping.failed"
    assert refused.exit_code == 1
    assert str(refused).startswith('Failed to parse manifest file "/p" as "json": Syntax error (table \'t.csv\'). ')
    again = pickle.loads(pickle.dumps(refused))
    assert isinstance(again, RefusedError)
    assert again.error == refused.error
    assert str(again) == str(refused)


def test_every_finding_is_used_and_documented():
    code = code_but(finding_texts)
    page = (Path(mapping.__file__).parents[2] / "docs" / "mapping.md").read_text(encoding="utf-8")
    for name, (level, _, _) in FINDINGS.items():
        assert f'"{name}"' in code
        assert f"| `{name}` | {level} |" in page


def test_every_error_and_warning_is_used():
    code = code_but(texts)
    assert [name for name in (*ERRORS, *WARNINGS) if f'"{name}"' not in code] == []
