"""Warnings and errors keep Workbench's JSON forms, and known ids have their English texts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from component.errors import UserError
from component.workbench.render.messages import (
    TEXTS,
    FetchError,
    Message,
    QuickFix,
    RenderError,
    fetch_error_of,
    json_text,
    message_of,
    plain_message,
    render_error_of,
    text_of,
)
from tests.strategies.workbench_messages import errors, messages


@given(errors, messages)
def test_errors_come_back_from_json(error, message):
    assert render_error_of(json.loads(json_text(error.document))) == error
    assert fetch_error_of(json.loads(json_text(FetchError(message).document))) == FetchError(message)


def test_an_error_has_the_form_that_workbench_gives_it():
    fix = QuickFix(plain_message("Convert"), "converttotext", {"colnames": ["A"]})
    error = RenderError(Message("an.id", {"n": 1}, "cjwmodule"), (fix,))
    assert json_text(error.document) == (
        '{"message":{"id":"an.id","arguments":{"n":1},"source":"cjwmodule"},"quickFixes":[{"buttonText":'
        '{"id":"TODO_i18n","arguments":{"text":"Convert"}},"action":{"type":"prependStep","moduleSlug":"converttotext",'
        '"partialParams":{"colnames":["A"]}}}]}'
    )


@pytest.mark.parametrize(
    "document",
    [
        None,
        {},
        {"id": "a"},
        {"id": 1, "arguments": {}},
        {"id": "a", "arguments": {"b": None}},
        {"id": "a", "arguments": {"b": True}},
        {"id": "a", "arguments": {}, "source": "other"},
        {"id": "a", "arguments": {}, "more": 1},
    ],
)
def test_what_is_no_message_is_refused(document):
    with pytest.raises(UserError) as raised:
        message_of(document)
    assert raised.value.code == "workbench.metadata"


def test_quick_fixes_of_another_kind_are_refused():
    message = plain_message("x").document
    action = {"type": "appendStep", "moduleSlug": "x", "partialParams": {}}
    for fixes in ({}, [{"buttonText": message, "action": action}]):
        with pytest.raises(UserError):
            render_error_of({"message": message, "quickFixes": fixes})


def test_json_has_no_blanks_no_escapes_and_no_nan():
    assert json_text({"ä": [1, "é"]}) == '{"ä":[1,"é"]}'
    with pytest.raises(ValueError, match="JSON"):
        json_text(float("nan"))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (plain_message("a {text}"), "a {text}"),
        (
            Message("warning.skipped_rows", {"n_rows": 1234, "max_n_rows": 1000}),
            "Skipped 1,234 rows (after row limit of 1,000)",
        ),
        (Message("warning.skipped_rows", {"n_rows": 1, "max_n_rows": 2}), "Skipped one row (after row limit of 2)"),
        (
            Message("util.colnames.warnings.numbered", {"n_columns": 2, "first_colname": "{x} 2"}),
            "Renamed 2 duplicate column names (see “{x} 2”)",
        ),
        (Message("nobody.knows", {"a": 1}), 'nobody.knows {"a":1}'),
        (Message("warning.skipped_rows", {}), "warning.skipped_rows {}"),
    ],
)
def test_a_message_is_said_in_english(message, text):
    assert text_of(message) == text


def test_every_text_names_the_argument_that_it_counts_by():
    for text in TEXTS.values():
        assert (text.one is None) == (text.counted is None)
        assert text.counted is None or f"{{{text.counted}}}" in text.many
