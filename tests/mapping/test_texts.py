from __future__ import annotations

import pickle

from component.mapping.model import RefusedError
from component.mapping.texts import ERRORS, FINDINGS, REASONS, WARNINGS, refusal

TABLES = (ERRORS, WARNINGS, REASONS, FINDINGS)


def test_every_code_stands_for_one_text():
    codes = [code for table in TABLES for code in table]
    assert len(codes) == len(set(codes))
    assert all(code.startswith(("mapping.", "finding.")) for code in codes)


def test_braces_in_names_are_shown_as_they_are():
    error = refusal("mapping.no_destination", "{0}{x}.csv").error
    assert error.text == 'Failed to resolve destination for output table "{0}{x}.csv".'


def test_a_refusal_is_a_user_error_with_the_place_and_survives_pickling():
    refused = refusal("mapping.manifest", "t.csv", ("mapping.json", "Syntax error"), path="/p")
    assert refused.code == "mapping.failed"
    assert refused.exit_code == 1
    assert str(refused) == 'Failed to parse manifest file "/p" as "json": Syntax error (table \'t.csv\').'
    again = pickle.loads(pickle.dumps(refused))
    assert isinstance(again, RefusedError)
    assert again.error == refused.error
    assert str(again) == str(refused)
