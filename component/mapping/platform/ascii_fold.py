# ruff: noqa: RUF001 # letters that look alike are the subject of this module
"""Text to ASCII as the platform folds it before it cleans a column name (reference keboola 4.4).

Its steps: canonical decomposition, a table of Latin letters and symbols, compatibility decomposition, marks removed,
and for what is left the C library's transliteration. The table of Latin letters is what the Unicode names of those
letters say (LATIN SMALL LETTER D WITH STROKE is d), with few exceptions, so it is taken from there. Greek and Cyrillic
follow the GNU C library; a platform image with PHP's intl extension would spell some of them differently (unverified).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_LATIN_NAME: Final = re.compile(
    r"LATIN (?:(?P<case>SMALL|CAPITAL) (?:LETTER|LIGATURE) (?:DOTLESS |OPEN |SCRIPT |INSULAR )?"
    r"|(?:LETTER SMALL CAPITAL|SMALL CAPITAL LETTER) (?:BARRED )?)"
    r"(?P<letters>[A-Z]{1,2})(?: DIGRAPH| BAR)?(?: WITH .*)?"
)
_LATIN_END: Final = 0x2C60
"""The platform's table ends before Latin Extended-C."""
_NOT_FOLDED: Final = frozenset("ƆƟȠȢȣɋɔʄʨᴕᵹᶗ")
"""Letters whose names would fit and that the platform's table leaves out."""
_FRACTIONS: Final = frozenset("¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅟")
"""Folded with a blank before them: 3½ becomes "3 1/2"."""


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


_SPECIAL: Final = _pairs("""
    ß:ss ẞ:SS Ð:D ð:d Þ:TH þ:th ĸ:q ŉ:'n Ŋ:N ŋ:n Ɖ:D Ɩ:I ǅ:Dz ɧ:h ᴆ:D Ŀ:L ŀ:l ẚ:a ẜ:s ẝ:s Ỻ:LL ỻ:ll Ỽ:V ỽ:v
    ©:(C) ®:(R) ×:x €:EUR ₠:CE ₡:C= ₢:Cr ₣:Fr. ₤:L. ₧:Pts ₹:Rs ₺:TL ℌ:x ℞:Rx ℮:e •:o ◦:o 〇:0
""")
_SMALL: Final = _pairs("""
    α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s τ:t υ:y φ:f χ:ch ψ:ps ω:o
    а:a б:b в:v г:g д:d е:e ж:zh з:z и:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:x ц:cz ч:ch ш:sh
    щ:shh ъ: ы:y` ь:` э:e` ю:yu я:ya ђ:dj є:ye ѕ:z` і:i ј:j љ:l` њ:n` ћ:tsh џ:dh ґ:g`
""")
_OTHER_SCRIPTS: Final = (
    _SMALL | {letter.upper(): folded.upper() for letter, folded in _SMALL.items()} | {"ς": "s", "Ъ": "A`"}
)


def ascii_fold(text: str) -> str:
    """Return the text with every character folded to ASCII where the platform does; the others stay as they are."""
    if text.isascii():
        return text
    table = "".join(map(_from_table, unicodedata.normalize("NFD", text)))
    plain = (letter for letter in unicodedata.normalize("NFKD", table) if unicodedata.category(letter) != "Mn")
    return "".join(_OTHER_SCRIPTS.get(letter, letter) for letter in plain)


@lru_cache(maxsize=1024)
def _from_table(letter: str) -> str:
    if letter.isascii() or letter in _NOT_FOLDED:
        return letter
    if letter in _FRACTIONS:
        return f" {letter}"
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    named = _LATIN_NAME.fullmatch(unicodedata.name(letter, "")) if ord(letter) < _LATIN_END else None
    if named is None or unicodedata.decomposition(letter):
        return letter
    return named["letters"].lower() if named["case"] == "SMALL" else named["letters"]
