"""Sizes beyond the limits are refused, or cut with a message."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.workbench.rules.limits import (
    UNLIMITED,
    WORKBENCH_2019,
    WORKBENCH_2021,
    TableSizes,
    cut_text,
    within_limits,
)
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import number_column, text_column
from tests.strategies.workbench_tables import coded, plain, same_tables, table_of, workbench_tables

some = st.one_of(st.none(), st.integers(1, 5))
limits = st.builds(TableSizes, rows=some, columns=some, cell_bytes=some)


def oracle_cut(text, most):
    while most is not None and len(text.encode()) > most:
        text = text[:-1]
    return text


@given(workbench_tables(), limits)
def test_a_table_is_cut_to_what_the_limits_allow(table, limit):
    cut, messages = within_limits(table, limit, ReadingMode.LENIENT)
    rows = plain(table).rows.to_pylist()[: limit.rows]
    names = table.names[: limit.columns]
    expected = [
        {name: oracle_cut(row[name], limit.cell_bytes) if isinstance(row[name], str) else row[name] for name in names}
        for row in rows
    ]
    assert cut.columns == table.columns[: limit.columns]
    assert plain(cut).rows.to_pylist() == expected or not names
    assert bool(messages) is not same_tables(cut, table)


@given(workbench_tables(), limits)
def test_strict_reading_refuses_exactly_what_lenient_reading_cuts(table, limit):
    _, messages = within_limits(table, limit, ReadingMode.LENIENT)
    if messages:
        with pytest.raises(UserError) as raised:
            within_limits(table, limit, ReadingMode.STRICT)
        assert raised.value.code == "workbench.limit"
    else:
        assert within_limits(table, limit, ReadingMode.STRICT) == (table, ())


def test_messages_say_how_much_was_cut_and_where():
    table = table_of((number_column("A"), pa.array([1, 2, 3])), (text_column("B"), pa.array(["a", "aé", "aaaa"])))
    _, messages = within_limits(table, TableSizes(rows=2, cell_bytes=2), ReadingMode.LENIENT)
    assert [(message.id, dict(message.arguments)) for message in messages] == [
        ("warning.skipped_rows", {"n_rows": 1, "max_n_rows": 2}),
        ("warning.truncated_values", {"n_values": 1, "max_n_bytes": 2, "row_number": 3, "column_number": 2}),
    ]


def test_dictionaries_keep_no_entry_that_was_cut_off():
    table = table_of((text_column("A"), coded(pa.array(["a", "b"]), pa.int8())))
    cut, _ = within_limits(table, TableSizes(rows=1), ReadingMode.LENIENT)
    assert cut.rows.column("A").chunk(0).dictionary.to_pylist() == ["a"]


@given(st.text(st.sampled_from("aé😀\u0301")), st.integers(0, 10))
def test_text_is_cut_at_the_end_of_a_character(text, most):
    assert cut_text(text, most) == oracle_cut(text, most)


def test_the_profiles_are_those_of_workbench():
    assert TableSizes(1_000_000, 600, 32_768, 120) == WORKBENCH_2021
    assert TableSizes(1_000_000, 500, 32_768, 120) == WORKBENCH_2019
    assert TableSizes(None, None, None, None) == UNLIMITED
