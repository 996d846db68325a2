"""Everything that a pandas function may return is understood, and nothing else."""

from __future__ import annotations

import pandas as pd
import pytest

from component.errors import UserError
from component.workbench.frames.process_result import ProcessResult, coerce, process_result, rendered
from component.workbench.render.messages import Message, QuickFix, RenderError, plain_message, text_of
from component.workbench.render.rendered import RenderStatus
from component.workbench.rules.limits import TableSizes
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import number_column

FRAME = pd.DataFrame({"A": [1, 2]})
PLAIN = RenderError(plain_message("bad"))
MESSAGE = RenderError(Message("an.id", {"n": 1}))
OURS = RenderError(Message("an.id", {"n": 1}, "module"))
FIX = QuickFix(plain_message("Fix"), "slug", {"a": 1})


@pytest.mark.parametrize(
    ("value", "errors", "json", "columns"),
    [
        (None, (), {}, 0),
        ("bad", (PLAIN,), {}, 0),
        ("", (), {}, 0),
        ([], (), {}, 0),
        (["bad", ("an.id", {"n": 1})], (PLAIN, MESSAGE), {}, 0),
        (("an.id", {"n": 1}), (MESSAGE,), {}, 0),
        (("an.id", {"n": 1}, "module"), (OURS,), {}, 0),
        (FRAME, (), {}, 1),
        ((FRAME, "bad"), (PLAIN,), {}, 1),
        ((FRAME, None), (), {}, 1),
        ((None, "bad"), (PLAIN,), {}, 0),
        ((FRAME, ["bad", "bad"], {"x": 1}), (PLAIN, PLAIN), {"x": 1}, 1),
        ((None, None, None), (), {}, 0),
        ({"dataframe": FRAME, "errors": ["bad"], "json": {"x": 1}}, (PLAIN,), {"x": 1}, 1),
        ({"error": "bad"}, (PLAIN,), {}, 0),
        ({"message": "bad", "quickFixes": []}, (PLAIN,), {}, 0),
        (
            {"error": "bad", "quick_fixes": [("Fix", "prependModule", "slug", {"a": 1})]},
            (RenderError(plain_message("bad"), (FIX,)),),
            {},
            0,
        ),
        (
            {"error": "bad", "quick_fixes": [{"text": "Fix", "action": "prependModule", "args": ["slug", {"a": 1}]}]},
            (RenderError(plain_message("bad"), (FIX,)),),
            {},
            0,
        ),
        (
            [{"message": ("an.id", {"n": 1}), "quickFixes": [FIX.document]}],
            (RenderError(MESSAGE.message, (FIX,)),),
            {},
            0,
        ),
    ],
)
def test_what_a_function_may_return_is_understood(value, errors, json, columns):
    result = coerce(value)
    assert result.errors == errors
    assert result.json == json
    assert len(result.columns) == len(result.dataframe.columns) == columns


@pytest.mark.parametrize(
    "value",
    [
        1,
        (FRAME,),
        (FRAME, None, None, None),
        (1, "bad"),
        (FRAME, 1),
        (FRAME, "bad", [1]),
        {"dataframe": FRAME, "more": 1},
        {"dataframe": [1]},
        {"quick_fixes": [("Fix", "prependModule", "slug", {})]},
        {"error": "bad", "quick_fixes": [("Fix", "appendModule", "slug", {})]},
        [""],
        [None],
        [("an.id", {"n": None})],
        ("an.id", {}, "nobody"),
        {"dataframe": pd.DataFrame({"A": [True]})},
    ],
    ids=str,
)
def test_anything_else_is_refused(value):
    with pytest.raises(UserError) as raised:
        coerce(value)
    assert raised.value.code in {"workbench.frame", "workbench.metadata"}


def test_formats_are_explicit_or_those_of_the_input():
    fallback = [number_column("A", "{:e}")]
    assert coerce(FRAME, fallback).columns == (number_column("A", "{:e}"),)
    assert coerce({"dataframe": FRAME, "column_formats": {"A": "{:d}"}}, fallback).columns == (
        number_column("A", "{:d}"),
    )
    with pytest.raises(UserError, match="InvalidNumberFormat"):
        coerce({"dataframe": FRAME, "column_formats": {"A": "%d"}})


def test_names_are_held_to_the_limits():
    with pytest.raises(UserError) as raised:
        coerce(pd.DataFrame({"é" * 61: [1]}))
    assert raised.value.code == "workbench.frame"


@pytest.mark.parametrize(
    ("value", "status"),
    [(FRAME, RenderStatus.OK), ((FRAME, "bad"), RenderStatus.OK), ("bad", RenderStatus.ERROR), (None, "unreachable")],
)
def test_columns_and_errors_decide_what_a_result_means(value, status):
    assert rendered(coerce(value)).status == status


def test_a_result_is_cut_to_the_limits_with_workbenchs_own_warning():
    frame = pd.DataFrame({"A": [1, 2, 3], "B": pd.Categorical(["abc", "b", "c"]), "C": [1, 2, 3]})
    given = rendered(coerce((frame, "bad")), TableSizes(rows=2, columns=2, cell_bytes=2))
    assert given.table.rows.to_pylist() == [{"A": 1, "B": "ab"}, {"A": 2, "B": "b"}]
    assert [text_of(error.message) for error in given.errors] == [
        "bad",
        "Skipped one column (after column limit of 2)",
        "Truncated output from 3 rows to 2",
        "Truncated one value (value byte limit is 2; see row 2 column 2)",
    ]
    with pytest.raises(UserError) as raised:
        rendered(coerce(frame), TableSizes(rows=2), ReadingMode.STRICT)
    assert raised.value.code == "workbench.limit"


def test_a_result_comes_back():
    result = coerce({"dataframe": FRAME, "errors": ["bad"], "json": {"x": 1}, "column_formats": {"A": "{:d}"}})
    again = process_result(rendered(result))
    assert again.dataframe.equals(FRAME)
    assert (again.columns, again.errors, again.json) == (result.columns, result.errors, result.json)
    assert coerce(again).columns == result.columns
    assert isinstance(again, ProcessResult)
