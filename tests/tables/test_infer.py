"""Types by evidence, against an oracle in plain Python that looks at one cell at a time."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.tables.cast import cast_text
from component.tables.infer import (
    NULL_WORDS,
    Evidence,
    column_by_evidence,
    combine,
    doubtful_commas,
    evidence_of,
    kept_text,
    no_evidence,
)
from component.tables.marks import marks_of, with_marks
from component.tables.types import BASE_TYPES, Column, TypeName
from tests.strategies.typed_text import KNOWN, odd_texts

MARKS = {"comma": (",", ""), "comma and points": (",", "."), "commas": (".", ",")}
ORDER = ("boolean", "integer", "date", "slashed date", "timestamp", "slashed timestamp", "numeric", "float", *MARKS)
cells = st.one_of(
    st.none(),
    st.just(""),
    *(odd_texts(type_name) for type_name in BASE_TYPES),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.floats().map(repr),
    st.dates().map(str),
    st.datetimes().map(str),
    st.dates().map(lambda day: day.isoformat().replace("-", "/")),
    st.datetimes().map(lambda moment: moment.isoformat(" ", "seconds").replace("-", "/")),
    st.sampled_from(["true", "false", "1", "0", *NULL_WORDS]),
)
marked_cells = st.lists(st.from_regex(r"-?[0-9]{1,4}([.,][0-9]{2,3}){0,2}", fullmatch=True), max_size=4)
columns_of_cells = st.lists(cells, max_size=6) | marked_cells


def fits(text: str) -> set[str]:
    """The types that one text allows, in Python's own terms."""
    return {name for name in ORDER if CHECKS[name](text)}


def is_numeric(text: str) -> bool:
    return re.fullmatch(r"-?(0|[1-9][0-9]{0,37})(\.[0-9]{1,38})?", text)


def is_float(text: str) -> bool:
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", text):
        return False
    digits = re.sub(r"[eE].*|[-.]", "", text).lstrip("0")
    return len(digits) <= 17 and math.isfinite(float(text))


def is_iso(text: str, kind: type[dt.date]) -> bool:
    try:
        kind.fromisoformat(text)
    except ValueError:
        return False
    time = r"[ T]\d\d:\d\d:\d\d(\.\d{1,6})?" if kind is dt.datetime else ""
    return re.fullmatch(rf"\d{{4}}-\d\d-\d\d{time}", text, re.ASCII) is not None


def padded(text: str) -> str:
    """Python 3.11 reads fractions of any length, and so does what is inferred; pad them for certainty."""
    whole, point, fraction = text.partition(".")
    return f"{whole}{point}{fraction:0<6}" if point else text


def is_slashed(text: str, kind: type[dt.date]) -> bool:
    look = r"\d{4}/\d\d/\d\d" + (r" \d\d:\d\d:\d\d" if kind is dt.datetime else "")
    return re.fullmatch(look, text, re.ASCII) is not None and is_iso(text.replace("/", "-"), kind)


def is_marked(text: str, decimal: str, thousands: str) -> bool:
    """Groups of three digits, or none; at most 18 digits before the decimals and after."""
    whole, mark, fraction = text.removeprefix("-").partition(decimal)
    groups = whole.split(thousands) if thousands else [whole]
    in_groups = len(groups) == 1 or (len(groups[0]) < 4 and all(len(group) == 3 for group in groups[1:]))
    digits = "".join(groups)
    is_whole = digits == "0" or (0 < len(digits) <= 18 and digits[0] != "0")
    is_fraction = 0 < len(fraction) <= 18 if mark else True
    return (
        is_whole
        and is_fraction
        and in_groups
        and "".join((*groups, fraction, "0")).isascii()
        and all(one.isdigit() for one in (*groups, fraction or "0"))
    )


def proves(text: str, name: str) -> bool:
    """A cell that is a number by these marks and by no other notation."""
    if name == "comma":
        return "," in text and not is_marked(text, ".", ",")
    decimal, thousands = MARKS[name]
    return decimal in text.partition(thousands)[2]


CHECKS = {
    **{name: lambda text, marks=marks: is_marked(text, *marks) for name, marks in MARKS.items()},
    "slashed date": lambda text: is_slashed(text, dt.date),
    "slashed timestamp": lambda text: is_slashed(text, dt.datetime),
    "boolean": lambda text: text in {"true", "false", "True", "False", "TRUE", "FALSE"},
    "integer": lambda text: re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text) is not None,
    "date": lambda text: is_iso(text, dt.date),
    "timestamp": lambda text: is_iso(text, dt.datetime) and is_iso(padded(text), dt.datetime),
    "numeric": is_numeric,
    "float": is_float,
}


def oracle(texts: list[str | None]) -> Column:
    words = tuple(sorted({text for text in texts if text in NULL_WORDS}))
    said = [text for text in texts if text and text not in NULL_WORDS]
    allowed = set.intersection(*map(fits, said)) if said else set()
    allowed = {name for name in allowed if name not in MARKS or any(proves(text, name) for text in said)}
    first = next((name for name in ORDER if name in allowed), "string")
    if first == "string":
        return Column("c")
    if first.startswith("slashed"):
        form = "%Y/%m/%d" if first == "slashed date" else "%Y/%m/%d %H:%M:%S"
        return Column("c", TypeName(first.removeprefix("slashed ")), formats=(form,), null_words=words)
    if first in MARKS:
        fraction = max(len(text.rpartition(MARKS[first][0])[2]) if MARKS[first][0] in text else 0 for text in said)
        return with_marks(Column("c", TypeName.NUMERIC, f"38,{fraction}", null_words=words), *MARKS[first])
    if first != "numeric":
        return Column("c", TypeName(first), null_words=words)
    parts = [text.lstrip("-").partition(".") for text in said]
    whole, fraction = (max(len(part[at]) for part in parts) for at in (0, 2))
    if whole + fraction <= 38:
        return Column("c", TypeName.NUMERIC, f"38,{fraction}", null_words=words)
    return Column("c", TypeName.FLOAT, null_words=words) if "float" in allowed else Column("c")


def inferred(*batches: list[str | None]) -> Column:
    return column_by_evidence("c", combine(evidence_of(pa.array(batch, pa.string())) for batch in batches))


@given(columns_of_cells)
def test_a_column_has_the_type_that_plain_python_gives_it(texts):
    assert inferred(texts) == oracle(texts)


@pytest.mark.parametrize("text", sorted({text for texts in KNOWN.values() for text in texts}))
def test_every_known_text_has_the_type_that_plain_python_gives_it(text):
    assert inferred([text]) == oracle([text])


@given(columns_of_cells | st.lists(cells | st.text()), columns_of_cells)
def test_many_cells_are_looked_at_as_few_are(texts, before):
    many = pa.array([*texts, *[None] * 1_000], pa.string())
    few = pa.array(texts, pa.string())
    for known in (None, no_evidence(","), evidence_of(pa.array(before, pa.string()))):
        assert evidence_of(many, known) == evidence_of(few, known)


@given(columns_of_cells)
def test_every_cell_fits_the_type_that_is_inferred(texts):
    column = inferred(texts)
    said = [text for text in texts if text and text not in column.null_words]
    cast = cast_text(pa.array(said, pa.string()), column)
    assert cast.bad == ()
    if column.type is TypeName.NUMERIC:
        decimal, thousands = marks_of(column) or (".", "")
        plain = [text.replace(thousands or " ", "").replace(decimal, ".") for text in said]
        assert cast.values.to_pylist() == [Decimal(text) for text in plain]
    if column.type is TypeName.FLOAT:
        assert [float(text) for text in said] == cast.values.to_pylist()


@given(columns_of_cells, st.data())
def test_batches_and_their_order_make_no_difference(texts, data):
    order = data.draw(st.permutations(texts))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(texts)), max_size=3)))
    batches = [order[start:stop] for start, stop in itertools.pairwise([0, *cuts, len(texts)])]
    assert inferred(*batches) == inferred(texts)


@given(columns_of_cells, columns_of_cells, columns_of_cells)
def test_evidence_adds_up_in_any_grouping_and_order(first, second, third):
    one, two, three = (evidence_of(pa.array(texts, pa.string())) for texts in (first, second, third))
    assert (one | two) | three == one | (two | three)
    assert one | two == two | one
    assert one | Evidence() == one


@pytest.mark.parametrize(
    ("usual", "outlier", "expected"),
    [
        ("1", "1.5", Column("c", TypeName.NUMERIC, "38,1")),
        ("1", "x", Column("c")),
        ("1", "1" * 19, Column("c", TypeName.NUMERIC, "38,0")),
        ("1", "NA", Column("c", TypeName.INTEGER, null_words=("NA",))),
        ("x", "NA", Column("c")),
        ("1.5", "1e9", Column("c", TypeName.FLOAT)),
        ("2024-01-01", "2024-02-30", Column("c")),
        ("true", "yes", Column("c")),
        ("0.5", "0.0123456789", Column("c", TypeName.NUMERIC, "38,10")),
    ],
)
@pytest.mark.parametrize("at", [0, 50_000, 99_999])
def test_one_cell_among_many_decides_wherever_it_stands(usual, outlier, expected, at):
    texts = [usual] * 100_000
    texts[at] = outlier
    assert inferred(texts) == expected
    assert inferred(texts[:60_000], texts[60_000:]) == expected


def test_without_a_cell_there_is_no_evidence():
    assert inferred() == inferred([]) == inferred([None, ""]) == Column("c")
    assert inferred([None, "5"], [""]) == Column("c", TypeName.INTEGER)


def test_chunks_are_one_column():
    assert column_by_evidence("c", evidence_of(pa.chunked_array([["1"], ["2.5"], [None]]))).type is TypeName.NUMERIC


@given(columns_of_cells, columns_of_cells)
def test_what_is_ruled_out_need_not_be_looked_at_again(first, second):
    one, two = (pa.array(texts, pa.string()) for texts in (first, second))
    known = evidence_of(one)
    assert column_by_evidence("c", known | evidence_of(two, known)) == inferred(first, second)


@pytest.mark.parametrize(
    ("batches", "row", "text", "expected"),
    [
        ([["1", "2", "x", "4"]], 2, "x", "integer"),
        ([["1", "2"], ["3", "1:5"]], 3, "1:5", "integer"),
        ([["1,5", "2,25"], ["x"]], 2, "x", "numeric with a decimal comma"),
        ([["2024-01-01", "2024-02-30"]], 1, "2024-02-30", "date"),
        ([["7", "8"], ["2024-01-01"]], 2, "2024-01-01", "integer"),
        ([["0.5", "007"]], 1, "007", "numeric"),
    ],
)
def test_the_cell_that_kept_a_column_text_is_known(batches, row, text, expected):
    known, rows = Evidence(), 0
    for batch in batches:
        known |= evidence_of(pa.array(batch), known, rows)
        rows += len(batch)
    assert column_by_evidence("c", known) == Column("c")
    example, word = kept_text(known)
    assert (example.row, example.text, word) == (row, text, expected)


@pytest.mark.parametrize("texts", [["a", "b"], ["1", "2"], [None], ["x", "y", "z", "1"], ["NA"]])
def test_a_column_that_is_plainly_text_or_typed_names_no_cell(texts):
    assert kept_text(evidence_of(pa.array(texts, pa.string()))) is None


@pytest.mark.parametrize(
    ("delimiter", "texts", "example"),
    [
        (";", ["1,234"], "1,234"),
        (";", ["3", "1,234", None, "NA"], "1,234"),
        (";", ["1,50", "1.234"], "1,50"),
        (";", ["1,5", "2.5"], "1,5"),
        (",", ["77,46", "1,5"], "77,46"),
        (";", ["77,46", "1,5"], None),
        (";", ["77,46", "x"], None),
        (";", ["77.46", "1.5"], None),
        (";", ["a", "b"], None),
    ],
)
def test_numbers_with_commas_are_told_where_nothing_proves_what_the_commas_are(delimiter, texts, example):
    evidence = evidence_of(pa.array(texts, pa.string()), no_evidence(delimiter))
    found = doubtful_commas(evidence)
    assert (found and found.text) == example
    assert example is None or column_by_evidence("c", evidence) == Column("c")
