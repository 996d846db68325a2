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
from component.tables.infer import Evidence, column_by_evidence, combine, evidence_of
from component.tables.types import Column, TypeName
from tests.strategies.typed_text import KNOWN, odd_texts

ORDER = ("boolean", "integer", "date", "timestamp", "numeric", "float")
cells = st.one_of(
    st.none(),
    st.just(""),
    *(odd_texts(type_name) for type_name in TypeName),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.floats().map(repr),
    st.dates().map(str),
    st.datetimes().map(str),
    st.sampled_from(["true", "false", "1", "0"]),
)
columns_of_cells = st.lists(cells, max_size=6)


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


CHECKS = {
    "boolean": lambda text: text in {"true", "false", "True", "False", "TRUE", "FALSE"},
    "integer": lambda text: re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text) is not None,
    "date": lambda text: is_iso(text, dt.date),
    "timestamp": lambda text: is_iso(text, dt.datetime) and is_iso(padded(text), dt.datetime),
    "numeric": is_numeric,
    "float": is_float,
}


def oracle(texts: list[str | None]) -> Column:
    said = [text for text in texts if text]
    allowed = set.intersection(*map(fits, said)) if said else set()
    first = next((name for name in ORDER if name in allowed), "string")
    if first != "numeric":
        return Column("c", TypeName(first))
    parts = [text.lstrip("-").partition(".") for text in said]
    whole, fraction = (max(len(part[at]) for part in parts) for at in (0, 2))
    if whole + fraction > 38:
        return Column("c", TypeName.FLOAT if "float" in allowed else TypeName.STRING)
    return Column("c", TypeName.NUMERIC, None if fraction <= 9 and whole <= 29 else f"38,{fraction}")


def inferred(*batches: list[str | None]) -> Column:
    return column_by_evidence("c", combine(evidence_of(pa.array(batch, pa.string())) for batch in batches))


@given(columns_of_cells)
def test_a_column_has_the_type_that_plain_python_gives_it(texts):
    assert inferred(texts) == oracle(texts)


@pytest.mark.parametrize("text", sorted({text for texts in KNOWN.values() for text in texts}))
def test_every_known_text_has_the_type_that_plain_python_gives_it(text):
    assert inferred([text]) == oracle([text])


@given(columns_of_cells)
def test_every_cell_fits_the_type_that_is_inferred(texts):
    column = inferred(texts)
    said = [text for text in texts if text]
    cast = cast_text(pa.array(said, pa.string()), column)
    assert cast.bad == ()
    if column.type is TypeName.NUMERIC:
        assert cast.values.to_pylist() == [Decimal(text) for text in said]
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
        ("1", "1.5", Column("c", TypeName.NUMERIC)),
        ("1", "x", Column("c")),
        ("1", "1" * 19, Column("c", TypeName.NUMERIC)),
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
