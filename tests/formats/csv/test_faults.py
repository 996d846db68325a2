"""Every fault is found where the oracle sees it, and every record ends where it does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.formats.csv import faults
from component.formats.csv.dialect import Dialect
from component.formats.csv.faults import find_records, is_strict
from tests.formats.csv.oracle import records
from tests.strategies.csv_text import ANY_DIALECTS, nasty_texts


@settings(max_examples=200, deadline=None)
@given(nasty_texts, ANY_DIALECTS, st.sampled_from([64, 128, 1 << 18]))
def test_faults_and_ends_are_those_of_the_oracle(text, dialect, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults, "_PIECE", piece)
        patch.setattr(faults, "_FIRST_PIECE", min(piece, 64))
        found = find_records(text.encode(), dialect, final=True)
    expected = records(text, dialect)
    wrong = [record for record in expected if record.fault]
    is_open = bool(wrong) and wrong[-1].is_open
    seen = [*found.faults, *([found.open] if found.open else [])]
    assert [(one.start, one.stop, (one.cell, one.code)) for one in seen] == [
        (record.start, record.stop, record.faults[0]) for record in wrong
    ]
    assert (found.open is not None) == is_open
    assert found.stop == (wrong[-1].start if is_open else len(text))
    codes = {code for record in expected for _, code in record.faults}
    assert is_strict(text.encode(), dialect) == (codes <= {"csv.unclosed_quote"})


@settings(max_examples=100, deadline=None)
@given(nasty_texts, nasty_texts, ANY_DIALECTS)
def test_records_that_are_called_whole_stay_what_they_are_whatever_follows(text, more, dialect):
    found = find_records(text.encode(), dialect, final=False)
    assert found.open is None
    together = records(text + more, dialect)
    assert found.stop in {0, *(record.stop for record in together)}
    assert [(one.start, one.stop, one.code) for one in found.faults] == [
        (record.start, record.stop, record.fault) for record in together if record.fault and record.stop <= found.stop
    ]


def test_a_record_that_ends_within_a_text_is_found():
    text = b'a,b\nc,"d\n'
    assert find_records(text, Dialect(), final=False).stop == 4
    assert find_records(b'x"\n1\n2\n3\n4\n5\n6\n7\n' * 1000 + b"x", Dialect(), final=False).stop == 17_000
