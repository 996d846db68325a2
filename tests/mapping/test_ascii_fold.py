# ruff: noqa: RUF001 # letters that look alike are what is tested
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.mapping.platform.ascii_fold import ascii_fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain text", "plain text"),
        ("Žluťoučký kůň", "Zlutoucky kun"),
        ("Straße ẞ", "Strasse SS"),
        ("Łódź", "Lodz"),
        ("Ørsted Æther œuvre", "Orsted AEther oeuvre"),
        ("Þór ðáð Đà Nẵng", "THor dad Da Nang"),
        ("ıstanbul İzmir", "istanbul Izmir"),
        ("col·lecció coŀlegi", "col·leccio collegi"),
        ("ﬁnal №5 ™", "final No5 TM"),
        ("ǄǅǆĲ", "DZDzdzIJ"),
        ("3½ kg", "3 1⁄2 kg"),
        ("10 € 2×3 ₹", "10 EUR 2x3 Rs"),
        ("Αθήνα", "Athina"),
        ("µm", "mm"),
        ("Привет щука", "Privet shhuka"),
        ("日本", "日本"),
    ],
)
def test_letters_are_folded_as_the_platform_folds_them(text, folded):
    assert ascii_fold(text) == folded


@given(text=st.text(st.characters(max_codepoint=0x7F)))
def test_ascii_stays(text):
    assert ascii_fold(text) == text


@given(text=st.text())
def test_folding_adds_no_character_beyond_ascii(text):
    assert {letter for letter in ascii_fold(text) if not letter.isascii()}.isdisjoint("áßøŁαж")
